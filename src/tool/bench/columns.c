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

static void fill_gbytes(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    vkmm_cell_figure(report, cell, row->figures.gbytes_per_s);
}

static void fill_kernel_ms(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    vkmm_cell_figure(report, cell, row->figures.median_ms);
    if (vkmm_row_by_host_clock(row)) strcat(cell->text, "*");
}

static void fill_joules(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    vkmm_cell_figure(report, cell, row->power.joules);
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
    {"GFLOP/s", NULL, 7, 1, 0, vkmm_cell_gflops},
    {"±95 %", "+-95%", 5, 1, 0, fill_noise},
    {"of peak", NULL, 9, 1, 0, fill_share},
    {"GB/s", NULL, 6, 1, 6, fill_gbytes},
    {"kernel ms", NULL, 9, 1, 0, fill_kernel_ms},
    {"p5 – p95", "p5 - p95", 15, 0, 3, vkmm_cell_spread},
    {"submit ms", NULL, 9, 1, 4, vkmm_cell_submit_ms},
    {"total ms", NULL, 8, 1, 5, vkmm_cell_transfer_ms},
    {"joules", NULL, 7, 1, 1, fill_joules},
    {"samples", NULL, SPARKS, 0, 2, fill_samples, .terminal = 1},
    {"verified", NULL, 8, 0, 0, fill_verified},
};
