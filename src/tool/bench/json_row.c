/* One row of a bench report as JSON: what was measured, and what follows from it. */
#include <math.h>
#include "base/alloc.h"
#include "base/order.h"
#include "math/problem.h"
#include "math/type.h"
#include "bench/writer.h"
#include "report/json.h"

json_t *vkmm_json_bench_problem(const vkmm_problem *problem)
{
    json_t *object = json_object();
    int bad = vkmm_json_put_types(object, problem);

    bad += vkmm_json_put(object, "m", vkmm_json_integer(problem->m));
    bad += vkmm_json_put(object, "n", vkmm_json_integer(problem->n));
    bad += vkmm_json_put(object, "k", vkmm_json_integer(problem->k));
    bad += vkmm_json_put_meaning(object, problem);
    return vkmm_json_done(object, bad);
}

/* The samples, and the percentiles of timed rows alone: a wrong product has no speed. */
static json_t *series(const vkmm_bench_series *series, int timed)
{
    json_t *object, *samples;
    double *sorted;
    int bad;

    if (series->count == 0) return json_null();
    object = json_object();
    samples = json_array();
    sorted = vkmm_sorted(series->ms, series->count);
    bad = sorted == NULL;
    if (sorted != NULL && timed) {
        bad += vkmm_json_put(object, "median", vkmm_json_number(vkmm_percentile(sorted, series->count, 0.5)));
        bad += vkmm_json_put(object, "min", vkmm_json_number(sorted[0]));
        bad += vkmm_json_put(object, "p5", vkmm_json_number(vkmm_percentile(sorted, series->count, 0.05)));
        bad += vkmm_json_put(object, "p95", vkmm_json_number(vkmm_percentile(sorted, series->count, 0.95)));
    }
    vkmm_free(sorted);
    for (uint32_t i = 0; i < series->count; i++)
        bad += json_array_append_new(samples, vkmm_json_number(series->ms[i])) != 0;
    bad += vkmm_json_put(object, "samples", samples);
    return vkmm_json_done(object, bad);
}

static json_t *time_of(const vkmm_bench_row *row)
{
    const int timed = vkmm_bench_is_timed(row);
    json_t *object;
    int bad;

    if (row->kernel_ms.count + row->submit_ms.count + row->transfer_ms.count == 0) return json_null();
    object = json_object();
    bad = vkmm_json_put(object, "kernel_ms", series(&row->kernel_ms, timed));
    bad += vkmm_json_put(object, "submit_ms", series(&row->submit_ms, timed));
    bad += vkmm_json_put(object, "transfer_ms", series(&row->transfer_ms, timed));
    bad += vkmm_json_put(object, "upload_ms", series(&row->upload_ms, timed));
    bad += vkmm_json_put(object, "download_ms", series(&row->download_ms, timed));
    bad += vkmm_json_put(object, "round_ends", vkmm_json_integers(row->round_ends, row->rounds));
    bad += vkmm_json_put(object, "clock", vkmm_json_known_text(row->clock));
    bad += vkmm_json_put(object, "clock_note", vkmm_json_known_text(row->clock_note));
    bad += vkmm_json_put(object, "slope_ms", row->slope_ms > 0 ? vkmm_json_number(row->slope_ms) : json_null());
    bad += vkmm_json_put(object, "mapped", json_boolean(row->mapped));
    bad += vkmm_json_put(object, "stopped", vkmm_json_known_text(row->stopped));
    return vkmm_json_done(object, bad);
}

static json_t *verify_of(const vkmm_bench_row *row)
{
    const vkmm_row as_run = {.verify = {row->method, row->passed, row->error, row->bound, row->sentence}};

    return row->method[0] != '\0' ? vkmm_json_verify(&as_run) : json_null();
}

static json_t *kernel_of(const vkmm_bench_row *row)
{
    const vkmm_row as_run = {.kernel = &row->kernel};

    return row->kernel.name[0] != '\0' ? vkmm_json_kernel(&as_run) : json_null();
}

static json_t *power_of(const vkmm_bench_power *power)
{
    static const char *const keys[] = {"mhz_before", "mhz_during", "mhz_after"};
    json_t *object;
    int bad;

    if (power->source[0] == '\0') return json_null();
    object = json_object();
    bad = vkmm_json_put(object, "source", vkmm_json_text(power->source));
    bad += vkmm_json_put(object, "joules", vkmm_json_number(power->joules));
    bad += vkmm_json_put(object, "watts", vkmm_json_number(power->watts));
    for (int i = 0; i < 3; i++) bad += vkmm_json_put(object, keys[i], vkmm_json_number(power->mhz[i]));
    bad += vkmm_json_put(object, "limited", vkmm_json_known_text(power->limited));
    return vkmm_json_done(object, bad);
}

/* Upload + kernel + overhead + download against a product with transfers. */
static json_t *parts_of(const vkmm_bench_figures *figures)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "upload_ms", vkmm_json_number(figures->upload_ms));

    bad += vkmm_json_put(object, "kernel_ms", vkmm_json_number(figures->median_ms));
    bad += vkmm_json_put(object, "overhead_ms", vkmm_json_number(figures->overhead_ms));
    bad += vkmm_json_put(object, "download_ms", vkmm_json_number(figures->download_ms));
    bad += vkmm_json_put(object, "sum_ms", vkmm_json_number(figures->sum_ms));
    bad += vkmm_json_put(object, "wall_ms", vkmm_json_number(figures->wall_ms));
    bad += vkmm_json_put(object, "adds_up", json_boolean(figures->adds_up));
    bad += vkmm_json_put(object, "apart", vkmm_json_known_text(figures->apart));
    return vkmm_json_done(object, bad);
}

static int put_figures(json_t *object, const vkmm_bench_row *row)
{
    const vkmm_bench_figures *figures = &row->figures;
    const int timed = vkmm_bench_is_timed(row);
    json_t *interval = timed ? json_array() : json_null();
    int bad = vkmm_json_put(object, "gflops", vkmm_json_number(figures->gflops));

    if (timed) bad += json_array_append_new(interval, vkmm_json_number(figures->low_ms)) != 0;
    if (timed) bad += json_array_append_new(interval, vkmm_json_number(figures->high_ms)) != 0;
    bad += vkmm_json_put(object, "gbytes_per_s", vkmm_json_number(figures->gbytes_per_s));
    bad += vkmm_json_put(object, "interval_ms", interval);
    bad += vkmm_json_put(object, "noise", vkmm_json_number(figures->noise));
    bad += vkmm_json_put(object, "arithmetic_share", vkmm_json_number(figures->arithmetic_share));
    bad += vkmm_json_put(object, "copy_share", vkmm_json_number(figures->copy_share));
    bad += vkmm_json_put(object, "drift", vkmm_json_number(figures->drift));
    bad += vkmm_json_put(object, "throttled", timed ? json_boolean(figures->throttled) : json_null());
    bad += vkmm_json_put(object, "parts", timed ? parts_of(figures) : json_null());
    return bad;
}

static json_t *problem_of(const vkmm_bench_row *row)
{
    json_t *object = vkmm_json_bench_problem(&row->problem);
    int bad = vkmm_json_put(object, "seed", vkmm_json_integer(row->seed));

    return vkmm_json_done(object, bad + vkmm_json_put(object, "init", vkmm_json_known_text(row->init)));
}

json_t *vkmm_json_bench_row(const vkmm_bench_row *row)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "device", json_integer(row->device));

    bad += vkmm_json_put(object, "group", vkmm_json_known_text(row->group));
    bad += vkmm_json_put(object, "asked", vkmm_json_known_text(row->asked));
    bad += vkmm_json_put(object, "problem", problem_of(row));
    bad += vkmm_json_put(object, "rotating_bytes", vkmm_json_integer(row->rotating_bytes));
    bad += vkmm_json_put(object, "not_run", vkmm_json_known_text(row->not_run));
    bad += vkmm_json_put(object, "kernel", kernel_of(row));
    bad += vkmm_json_put(object, "verify", verify_of(row));
    bad += vkmm_json_put(object, "time", time_of(row));
    bad += put_figures(object, row);
    bad += vkmm_json_put(object, "asked_bytes", vkmm_json_number(row->asked_bytes));
    bad += vkmm_json_put(object, "power", power_of(&row->power));
    return vkmm_json_done(object, bad);
}
