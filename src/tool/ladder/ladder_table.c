/* The ladder for people: the tutorials' steps one under another, each with a bar as long as its speed. */
#include <math.h>
#include <string.h>
#include "math/type.h"
#include "report/columns.h"
#include "report/text.h"

enum { MOST_BAR_COLUMNS = 24 };

static void fill_step(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    (void)report;
    snprintf(cell->text, sizeof cell->text, "%s", row->step);
}

static void fill_factor(const vkmm_report *report, vkmm_cell *cell, double factor)
{
    vkmm_cell_figure(report, cell, factor > 0 ? factor : NAN);
    if (factor > 0)
        snprintf(cell->text, sizeof cell->text, factor < 10 ? "%.2f" : factor < 100 ? "%.1f" : "%.0f", factor);
}

static void fill_serial(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    fill_factor(report, cell, row->times_serial);
}

static void fill_previous(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    fill_factor(report, cell, row->times_previous);
}

/* The bar follows the verdict in its column: no width is lost, and there is no bar without a passed verdict. */
static void fill_verdict(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell)
{
    size_t used;

    vkmm_cell_verified(report, row, cell);
    if (!isfinite(row->figures.gflops) || report->full_bar <= 0 || report->bar_columns <= 0) return;
    used = strlen(cell->text);
    used += (size_t)sprintf(cell->text + used, " ");
    vkmm_text_bar(cell->text + used, row->figures.gflops / report->full_bar, report->bar_columns, report->utf8);
}

static const vkmm_column ladder_columns[] = {
    {"step", NULL, 5, 0, 0, fill_step},           {"kernel", NULL, 10, 0, 0, vkmm_cell_kernel},
    {"tile", NULL, 5, 0, 1, vkmm_cell_tile},      {.path = "time.kernel_ms.median", .width = 9},
    {.path = "time.total_ms.median", .width = 8}, {.path = "gflops", .width = 7, .paint = VKMM_STRONG},
    {"×serial", "xserial", 7, 1, 0, fill_serial}, {"×before", "xbefore", 7, 1, 0, fill_previous},
    {"verified", NULL, 8, 0, 0, fill_verdict},
};

/* What the terminal leaves beside the verdict, within reason. */
static int bar_columns(const vkmm_report *report, const vkmm_columns *columns)
{
    int verdict = report->utf8 ? 2 : 4, room;

    if (report->columns == 0) return MOST_BAR_COLUMNS;
    room = report->columns - vkmm_columns_width(report, columns) + ladder_columns[columns->count - 1].width - verdict;
    return room < MOST_BAR_COLUMNS ? room : MOST_BAR_COLUMNS;
}

static void print_heading(const vkmm_report *report, const vkmm_ladder *ladder)
{
    unsigned long long m = ladder->problem.m, n = ladder->problem.n, k = ladder->problem.k;
    const char *format =
        report->utf8 ? "C[%llu×%llu] = A[%llu×%llu] · B[%llu×%llu]" : "C[%llux%llu] = A[%llux%llu] * B[%llux%llu]";

    vkmm_print_device(report, ladder->device, ladder->host);
    fprintf(report->out, format, m, n, m, k, k, n);
    fprintf(report->out, ", %s, seed %llu\n", ladder->init, (unsigned long long)ladder->seed);
}

/* One type's steps; returns how many rows that was. */
static uint32_t print_type(vkmm_report *report, const vkmm_bench_row *rows, uint32_t left)
{
    vkmm_columns columns = vkmm_columns_fit(report, ladder_columns, sizeof ladder_columns / sizeof *ladder_columns);
    uint32_t count = 0;

    report->full_bar = 0;
    report->bar_columns = bar_columns(report, &columns);
    while (count < left && rows[count].problem.type == rows[0].problem.type) {
        if (rows[count].figures.gflops > report->full_bar) report->full_bar = rows[count].figures.gflops;
        count++;
    }
    fprintf(report->out, "\n%s%s%s\n", vkmm_paint_on(report, VKMM_STRONG),
            vkmm_text_type(&rows[0].problem, report->utf8), vkmm_paint_off(report, VKMM_STRONG));
    vkmm_columns_line(report, &columns, NULL);
    for (uint32_t i = 0; i < count; i++) {
        vkmm_columns_line(report, &columns, &rows[i]);
        if (rows[i].not_run[0] != '\0') {
            char reason[512];
            vkmm_clean(reason, sizeof reason, rows[i].not_run);
            fprintf(report->out, "       not run: %s\n", reason);
        }
        if (vkmm_row_by_host_clock(&rows[i]))
            snprintf(report->clock_note, sizeof report->clock_note, "%s", rows[i].clock_note);
    }
    return count;
}

vkmm_status vkmm_table_ladder(vkmm_report *report, const vkmm_ladder *ladder)
{
    if (report->rows > 0) putc('\n', report->out);
    print_heading(report, ladder);
    for (uint32_t i = 0; i < ladder->count;) i += print_type(report, ladder->rows + i, ladder->count - i);
    if (report->clock_note[0] != '\0')
        fprintf(report->out, "\nkernel ms by the host's clock: %s\n", report->clock_note);
    return VKMM_OK;
}
