#include "bench/columns.h"

#include <math.h>
#include <string.h>

#include "report/text.h"

enum { SPARKS = 8 };

/* Half the interval, as a share. */
static void fill_noise(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    double percent = 100 * row->figures.noise;

    cell->paint = VKMM_DIM;
    if (isfinite(percent))
        snprintf(cell->text, sizeof cell->text, "%.*f %%", percent < 10 ? 1 : 0, percent);
    else
        vkmm_cell_figure(report, cell, NAN);
}

/* Of the peak that binds more. */
static void fill_share(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    double math = row->figures.arithmetic_share, copy = row->figures.copy_share, more = fmax(math, copy);

    if (isfinite(more))
        snprintf(cell->text, sizeof cell->text, "%s%.0f %% %s", more < 0.01 ? "<" : "", more < 0.01 ? 1 : 100 * more,
                 more == math ? "math" : "copy");
    else
        vkmm_cell_figure(report, cell, NAN);
}

static void mark_clock(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    (void)report;
    if (vkmm_row_by_host_clock(row)) strcat(cell->text, "*");
}

/* The times in the order taken; a full swing is 10 % or more, so that a calm row looks calm. */
static void fill_samples(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    double mean[SPARKS], low = INFINITY, high = 0;
    char *end = cell->text;

    if (!isfinite(row->figures.median_ms) || row->kernel_ms.count < SPARKS) return;
    for (uint32_t i = 0; i < SPARKS; i++) {
        const uint64_t count = row->kernel_ms.count, first = count * i / SPARKS, end_of = count * (i + 1) / SPARKS;
        mean[i] = 0;
        for (uint64_t j = first; j < end_of; j++) mean[i] += row->kernel_ms.ms[j] / (double)(end_of - first);
        low = fmin(low, mean[i]);
        high = fmax(high, mean[i]);
    }
    high = fmax(high, 1.1 * low);
    if (!(low > 0) || !isfinite(high)) return;
    cell->paint = VKMM_DIM;
    for (uint32_t i = 0; i < SPARKS; i++)
        end += sprintf(end, "%s", vkmm_text_mark((mean[i] - low) / (high - low), report->utf8));
}

/* In Markdown, remarks stand in the same cell: nothing goes between the rows of a table. */
static void fill_verified(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    char remarks[VKMM_REMARKS];

    vkmm_cell_verified(report, row, cell);
    if (!report->markdown) return;
    vkmm_bench_remarks(row, remarks);
    strcat(strcat(cell->text, " "), remarks);
}

const vkmm_column vkmm_bench_columns[VKMM_BENCH_COLUMNS] = {
    {"size", NULL, 5, 0, 0, vkmm_cell_size},
    {"type", NULL, 4, 0, 0, vkmm_cell_type},
    {"kernel", NULL, 7, 0, 0, vkmm_cell_kernel},
    {.path = "gflops", .width = 7, .paint = VKMM_STRONG},
    {"±95 %", "+-95%", 5, 1, 0, fill_noise},
    {"of peak", NULL, 9, 1, 0, fill_share},
    {.path = "gbytes_per_s", .width = 6, .leaves = 6},
    {.path = "time.kernel_ms.median", .width = 9, .fill = mark_clock},
    {"p5 – p95", "p5 - p95", 15, 0, 3, vkmm_cell_spread},
    {.path = "time.submit_ms.median", .width = 9, .leaves = 4},
    {.path = "time.transfer_ms.median", .width = 8, .leaves = 5},
    {.path = "power.joules", .width = 7, .leaves = 1},
    {"samples", NULL, SPARKS, 0, 2, fill_samples, .terminal = 1},
    {"verified", NULL, 8, 0, 0, fill_verified},
};
