#include "bench/protocol.h"

#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_bench_request(const char *ask)
{
    return json_pack("{s:s}", "ask", ask);
}

void cli_bench_put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

char *cli_bench_line(json_t *object)
{
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL, *longer;
    size_t length = line != NULL ? strlen(line) : 0;

    json_decref(object);
    if (line == NULL) return NULL;
    longer = realloc(line, length + 2);
    if (longer == NULL) {
        free(line);
        return NULL;
    }
    memcpy(longer + length, "\n", 2);
    return longer;
}

const char *cli_bench_text(const json_t *object, const char *key, const char *otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) ? json_string_value(value) : otherwise;
}

double cli_bench_number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static const char *const series_keys[] = {"kernel_ms", "submit_ms", "transfer_ms", "upload_ms", "download_ms"};
enum { SERIES = sizeof series_keys / sizeof *series_keys };

static vkmm_bench_series *series_at(vkmm_bench_row *row, int index)
{
    vkmm_bench_series *const all[SERIES] = {&row->kernel_ms, &row->submit_ms, &row->transfer_ms, &row->upload_ms,
                                            &row->download_ms};

    return all[index];
}

static json_t *series_json(const vkmm_bench_series *series)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < series->count; i++) json_array_append_new(array, vkmm_json_number(series->ms[i]));
    return array;
}

void cli_bench_put_round(json_t *answer, const vkmm_bench_row *round)
{
    const vkmm_bench_power *power = &round->power;

    for (int i = 0; i < SERIES; i++)
        cli_bench_put(answer, series_keys[i], series_json(series_at((vkmm_bench_row *)(uintptr_t)round, i)));
    cli_bench_put(answer, "clock", vkmm_json_text(round->clock));
    cli_bench_put(answer, "clock_note", vkmm_json_text(round->clock_note));
    cli_bench_put(answer, "slope_ms", vkmm_json_number(round->slope_ms));
    cli_bench_put(answer, "mapped", json_boolean(round->mapped));
    cli_bench_put(answer, "source", vkmm_json_text(power->source));
    cli_bench_put(answer, "joules", vkmm_json_number(power->joules));
    cli_bench_put(answer, "watts", vkmm_json_number(power->watts));
    cli_bench_put(answer, "mhz_before", vkmm_json_number(power->mhz[0]));
    cli_bench_put(answer, "mhz_during", vkmm_json_number(power->mhz[1]));
    cli_bench_put(answer, "mhz_after", vkmm_json_number(power->mhz[2]));
    cli_bench_put(answer, "limited", vkmm_json_text(power->limited));
}

/* Non-negative numbers, in order. */
static int take_series(const json_t *array, vkmm_bench_series *series)
{
    if (!json_is_array(array)) return 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *value = json_array_get(array, i);
        double ms = json_is_number(value) ? json_number_value(value) : -1;
        if (!isfinite(ms) || ms < 0 || !vkmm_bench_series_add(series, &ms, 1)) return 0;
    }
    return 1;
}

static double above_zero(const json_t *answer, const char *key)
{
    double value = cli_bench_number(answer, key, NAN);

    return isfinite(value) && value > 0 ? value : NAN;
}

int cli_bench_take_round(const json_t *answer, vkmm_bench_row *round)
{
    vkmm_bench_power *power = &round->power;
    const char *clock = cli_bench_text(answer, "clock", "");

    for (int i = 0; i < SERIES; i++)
        if (!take_series(json_object_get(answer, series_keys[i]), series_at(round, i))) return 0;
    if (round->kernel_ms.count == 0 || (strcmp(clock, "device") != 0 && strcmp(clock, "host") != 0)) return 0;
    snprintf(round->clock, sizeof round->clock, "%s", clock);
    snprintf(round->clock_note, sizeof round->clock_note, "%s", cli_bench_text(answer, "clock_note", ""));
    round->slope_ms = above_zero(answer, "slope_ms");
    round->mapped = json_is_true(json_object_get(answer, "mapped"));
    snprintf(power->source, sizeof power->source, "%s", cli_bench_text(answer, "source", ""));
    power->joules = above_zero(answer, "joules");
    power->watts = above_zero(answer, "watts");
    power->mhz[0] = above_zero(answer, "mhz_before");
    power->mhz[1] = above_zero(answer, "mhz_during");
    power->mhz[2] = above_zero(answer, "mhz_after");
    snprintf(power->limited, sizeof power->limited, "%s", cli_bench_text(answer, "limited", ""));
    return 1;
}
