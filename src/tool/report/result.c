#include "report/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/order.h"
#include "math/problem.h"
#include "report/record.h"

#define BUSY        0.05
#define SHORTEST_MS 1e-9 /* no clock reports less; a file's shorter times would make speeds infinite */

static cli_bench_figures no_figures(void)
{
    return (cli_bench_figures){.median_ms = NAN,
                               .interval_ms = {NAN, NAN},
                               .noise = NAN,
                               .gflops = NAN,
                               .gbytes_per_s = NAN,
                               .arithmetic_share = NAN,
                               .copy_share = NAN,
                               .drift = NAN};
}

cli_bench_power cli_bench_no_power(void)
{
    return (cli_bench_power){.joules = NAN, .watts = NAN, .mhz = {NAN, NAN, NAN}, .others = NAN};
}

int cli_bench_is_busy(const cli_bench_power *power)
{
    return power->processors > 0 && power->others > BUSY * power->processors;
}

int cli_bench_is_timed(const cli_bench_row *row)
{
    uint64_t above = 0;
    if (row->not_run[0] != '\0' || !row->passed || vkmm_problem_flops(&row->problem) <= 0) return 0;
    for (uint32_t i = 0; i < row->kernel_ms.count; i++) above += row->kernel_ms.ms[i] >= SHORTEST_MS;
    return above > 0 && 2 * above >= row->kernel_ms.count; /* so the median is at least half of it */
}

static void forget(cli_bench_series *series)
{
    series->median = series->min = series->p5 = series->p95 = NAN;
    series->outliers = 0;
}

static uint32_t count_outliers(const double *sorted, uint32_t count)
{
    const double low = vkmm_percentile(sorted, count, 0.25), high = vkmm_percentile(sorted, count, 0.75);
    const double beyond = fmax(3 * (high - low), 0.1 * vkmm_percentile(sorted, count, 0.5));
    uint32_t outliers = 0;
    for (uint32_t i = 0; i < count; i++) outliers += sorted[i] < low - beyond || sorted[i] > high + beyond;
    return outliers;
}

int cli_bench_series_sort(cli_bench_series *series)
{
    double *sorted = series->count > 0 ? vkmm_sorted(series->ms, series->count) : NULL;
    forget(series);
    if (sorted == NULL) return series->count == 0;
    series->min = sorted[0];
    series->median = vkmm_percentile(sorted, series->count, 0.5);
    if (series->count > 1) {
        series->p5 = vkmm_percentile(sorted, series->count, 0.05);
        series->p95 = vkmm_percentile(sorted, series->count, 0.95);
        series->outliers = count_outliers(sorted, series->count);
    }
    vkmm_free(sorted);
    return 1;
}

void cli_bench_device_init(cli_bench_device *device)
{
    memset(device, 0, sizeof *device);
    cli_bench_peaks_init(&device->peaks);
}

void cli_bench_device_of(cli_bench_device *device, const vkmm_device_info *info, const char *host)
{
    cli_bench_device_init(device);
    device->is_host = info == NULL;
    if (info != NULL)
        device->info = *info;
    else
        VKMM_PUT(device->info.name, "%s", host != NULL ? host : "host processor");
}

void cli_bench_row_free(cli_bench_row *row)
{
    for (int i = 0; i < VKMM_SERIES_COUNT; i++) vkmm_free(row->series[i].ms);
    vkmm_free(row->round_ends);
    cli_bench_row_init(row);
}

void cli_bench_peaks_init(cli_bench_peaks *peaks)
{
    memset(peaks, 0, sizeof *peaks);
    peaks->copy_bytes_per_s = NAN;
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) peaks->multiply_adds_per_s[type] = NAN;
    for (int i = 0; i < CLI_BENCH_MATRICES; i++) peaks->matrix[i].multiply_adds_per_s = NAN;
}

void cli_bench_row_init(cli_bench_row *row)
{
    memset(row, 0, sizeof *row);
    for (int i = 0; i < VKMM_SERIES_COUNT; i++) cli_bench_series_sort(&row->series[i]);
    row->error = row->bound = row->slope_ms = row->asked_bytes = NAN;
    row->power = cli_bench_no_power();
    row->figures = no_figures();
}

int cli_bench_series_add(cli_bench_series *series, const double *ms, uint32_t count)
{
    double *added = count > 0 ? vkmm_list_add(&series->ms, &series->count, count, sizeof *ms) : NULL;
    if (added != NULL) memcpy(added, ms, count * sizeof *ms);
    return added != NULL || count == 0;
}

int cli_bench_end_round(cli_bench_row *row)
{
    uint32_t *end = vkmm_list_add(&row->round_ends, &row->rounds, 1, sizeof *end);
    if (end != NULL) *end = row->kernel_ms.count;
    return end != NULL;
}

static int append(cli_bench_series *to, const vkmm_series *from)
{
    return cli_bench_series_add(to, from->samples, from->count);
}

int cli_bench_row_add(cli_bench_row *row, const vkmm_measurement *time)
{
    row->mapped = time->mapped;
    VKMM_PUT(row->clock, "%s", time->clock == VKMM_CLOCK_DEVICE ? "device" : "host");
    VKMM_PUT(row->clock_note, "%s", time->clock_note != NULL ? time->clock_note : "");
    VKMM_PUT(row->stopped, "%s", time->stable ? "stable" : "time");
    if (time->slope_ms > 0) row->slope_ms = time->slope_ms;
    return append(&row->kernel_ms, &time->kernel) && append(&row->submit_ms, &time->submit) &&
           append(&row->total_ms, &time->transfer) && append(&row->upload_ms, &time->upload) &&
           append(&row->download_ms, &time->download);
}

int cli_bench_row_speed(cli_bench_row *row)
{
    const int timed = cli_bench_is_timed(row);
    cli_bench_figures *figures = &row->figures;
    int fine = 1;
    *figures = no_figures();
    for (int i = 0; i < VKMM_SERIES_COUNT; i++) {
        cli_bench_series *series = &row->series[i];
        forget(series);
        if (timed) fine = cli_bench_series_sort(series) && fine;
    }
    if (!timed || !fine) return 0;
    figures->median_ms = row->kernel_ms.median;
    figures->gflops = vkmm_problem_flops(&row->problem) / figures->median_ms * 1e-6;
    return 1;
}

int cli_bench_is_wrong(const cli_bench_row *row)
{
    return row->not_run[0] == '\0' && !row->passed && row->method[0] != '\0' && strcmp(row->method, "none") != 0;
}

void cli_bench_free(cli_bench *bench)
{
    for (uint32_t i = 0; i < bench->row_count; i++) cli_bench_row_free(&bench->rows[i]);
    vkmm_free(bench->rows);
    vkmm_free(bench->devices);
    vkmm_free(bench->layers);
    vkmm_free(bench->command);
    memset(bench, 0, sizeof *bench);
}

void cli_reports_free(cli_reports *reports)
{
    for (uint32_t i = 0; i < reports->count; i++) cli_bench_free(&reports->benches[i]);
    vkmm_free(reports->benches);
    *reports = (cli_reports){0};
}

cli_bench_device *cli_bench_add_device(cli_bench *bench)
{
    cli_bench_device *device = vkmm_list_add(&bench->devices, &bench->device_count, 1, sizeof *device);
    if (device != NULL) cli_bench_device_init(device);
    return device;
}

cli_bench_row *cli_bench_add_row(cli_bench *bench)
{
    cli_bench_row *row = vkmm_list_add(&bench->rows, &bench->row_count, 1, sizeof *row);
    if (row != NULL) cli_bench_row_init(row);
    return row;
}

int cli_bench_add_layer(cli_bench *bench, const char *name)
{
    char *layer = vkmm_list_add(&bench->layers, &bench->layer_count, 1, sizeof *bench->layers);
    if (layer != NULL) snprintf(layer, CLI_BENCH_TEXT, "%s", name);
    return layer != NULL;
}

static int is_same_operand(const vkmm_problem *a, const vkmm_problem *b, vkmm_operand operand)
{
    return vkmm_operand_ld(a, operand) == vkmm_operand_ld(b, operand) &&
           vkmm_operand_offset(a, operand) == vkmm_operand_offset(b, operand) &&
           vkmm_operand_stride(a, operand) == vkmm_operand_stride(b, operand);
}

/* Reports keep nine digits. */
static int is_same_number(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-8 * fmax(fabs(a), fabs(b)) || (isnan(a) && isnan(b));
}

static int is_same_problem(const vkmm_problem *a, const vkmm_problem *b)
{
    if (a->m != b->m || a->n != b->n || a->k != b->k || a->layout != b->layout || a->op_a != b->op_a ||
        a->op_b != b->op_b || vkmm_problem_batches(a) != vkmm_problem_batches(b) ||
        !vkmm_types_equal(vkmm_problem_types(a), vkmm_problem_types(b)) || a->activation != b->activation ||
        !a->has_bias != !b->has_bias || a->method != b->method || a->format_a != b->format_a ||
        a->format_b != b->format_b)
        return 0;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        if (!is_same_operand(a, b, (vkmm_operand)operand)) return 0;
    return is_same_number(vkmm_problem_alpha(a), vkmm_problem_alpha(b)) &&
           is_same_number(vkmm_problem_beta(a), vkmm_problem_beta(b));
}

int cli_bench_same(const cli_bench_row *a, const cli_bench_row *b)
{
    return is_same_problem(&a->problem, &b->problem) && strcmp(a->asked, b->asked) == 0 &&
           a->rotating_bytes == b->rotating_bytes;
}
