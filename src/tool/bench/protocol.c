#include "bench/protocol.h"

#include <string.h>

#include "report/record.h"

/* A report's rows have these under other keys, with what follows from them. */
static void check_round(const vkmm_node *node, void *record)
{
    const vkmm_bench_row *round = record;

    if (round->kernel_ms.count == 0) vkmm_node_fail(node, "has no kernel_ms");
    if (strcmp(round->clock, "device") != 0 && strcmp(round->clock, "host") != 0)
        vkmm_node_fail(node, "has the clock \"%s\"", round->clock);
}

#define SERIES(name)                                                                                                   \
    {                                                                                                                  \
#name, VKMM_FIELD_REAL, VKMM_LIST(vkmm_bench_row, name.ms, name.count), .flags = VKMM_NEEDED, .cost = 1        \
    }

static const vkmm_field round_fields[] = {
    SERIES(kernel_ms),
    SERIES(submit_ms),
    SERIES(transfer_ms),
    SERIES(upload_ms),
    SERIES(download_ms),
    {"clock", VKMM_FIELD_TEXT, VKMM_AT(vkmm_bench_row, clock)},
    {"clock_note", VKMM_FIELD_TEXT, VKMM_AT(vkmm_bench_row, clock_note)},
    {"slope_ms", VKMM_FIELD_REAL, VKMM_AT(vkmm_bench_row, slope_ms), .flags = VKMM_MAYBE},
    {"mapped", VKMM_FIELD_TRUTH, VKMM_AT(vkmm_bench_row, mapped)},
    {"source", VKMM_FIELD_TEXT, VKMM_AT(vkmm_bench_row, power.source)},
    {"joules", VKMM_FIELD_REAL, VKMM_AT(vkmm_bench_row, power.joules), .flags = VKMM_MAYBE},
    {"watts", VKMM_FIELD_REAL, VKMM_AT(vkmm_bench_row, power.watts), .flags = VKMM_MAYBE},
    {"mhz_before", VKMM_FIELD_REAL, VKMM_AT(vkmm_bench_row, power.mhz[0]), .flags = VKMM_MAYBE},
    {"mhz_during", VKMM_FIELD_REAL, VKMM_AT(vkmm_bench_row, power.mhz[1]), .flags = VKMM_MAYBE},
    {"mhz_after", VKMM_FIELD_REAL, VKMM_AT(vkmm_bench_row, power.mhz[2]), .flags = VKMM_MAYBE},
    {"limited", VKMM_FIELD_TEXT, VKMM_AT(vkmm_bench_row, power.limited)},
};
static const vkmm_record round_record = {"round", VKMM_FIELDS(round_fields), VKMM_RECORD_OF(vkmm_bench_row),
                                         .check = check_round};

void cli_bench_put_round(json_t *answer, const vkmm_bench_row *round)
{
    json_t *json = vkmm_record_json(&round_record, round);

    json_object_update(answer, json);
    json_decref(json);
}

int cli_bench_take_round(const json_t *answer, vkmm_bench_row *round)
{
    char sentence[VKMM_SENTENCE];

    return vkmm_record_parse(answer, &round_record, round, sentence);
}
