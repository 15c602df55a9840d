/* The ladder as text: one row per step, as soon as it is measured; below the rows of a type, bars that show their
 * speeds. */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/columns.h"
#include "report/text.h"

enum { BAR_COLUMNS = 40 };

static void fill_step(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    (void)report;
    cli_cell_put(cell, "%s", row->step);
}

static void fill_factor(const cli_report *report, cli_cell *cell, double factor)
{
    cli_cell_figure(report, cell, factor > 0 ? factor : NAN);
    if (factor > 0) cli_cell_put(cell, factor < 10 ? "%.2f" : factor < 100 ? "%.1f" : "%.0f", factor);
}

static void fill_serial(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    fill_factor(report, cell, row->times_serial);
}

static void fill_previous(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    fill_factor(report, cell, row->times_previous);
}

/* The step's name, where it is not a kernel by another one's name; the fast kernel's own. */
static void fill_name(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    if (row->forecast == NULL || row->shader_file != NULL || strcmp(row->step, "fast") == 0)
        cli_cell_kernel(report, row, cell);
    else
        cli_cell_put(cell, "%s", row->forecast->name);
}

static const cli_column ladder_columns[] = {
    {"step", NULL, 5, 0, 0, fill_step},
    {"kernel", NULL, 10, 0, 0, fill_name},
    {"tile", NULL, 5, 0, 1, cli_cell_tile},
    {.path = "time.kernel_ms.median", .width = 9, .leaves = 3, .fill = cli_cell_marks},
    {.path = "time.total_ms.median", .width = 8, .leaves = 2},
    {.path = "gflops", .width = 7, .paint = CLI_STRONG},
    {"×serial", "xserial", 7, 1, 0, fill_serial},
    {"×before", "xbefore", 7, 1, 0, fill_previous},
    {"verified", NULL, 8, 0, 0, cli_cell_verified},
};

/* The step `direct` multiplies f16 among those of f32, into a C of f32. */
static vkmm_type listed_type(const cli_bench_row *row)
{
    return vkmm_problem_types(&row->problem).out;
}

static void print_heading(const cli_report *report, const cli_ladder *ladder)
{
    unsigned long long m = ladder->problem.m, n = ladder->problem.n, k = ladder->problem.k;
    const char *format = report->utf8 ? "C[%llu×%llu] = A[%llu×%llu] · B[%llu×%llu], %s, seed %llu"
                                      : "C[%llux%llu] = A[%llux%llu] * B[%llux%llu], %s, seed %llu";
    cli_print_device(report, ladder->device, ladder->host);
    cli_report_say(report, 0, CLI_PLAIN, format, m, n, m, k, k, n, ladder->init, (unsigned long long)ladder->seed);
}

static void print_step(cli_report *report, const cli_bench_row *row, int is_first)
{
    if (is_first) {
        fprintf(report->out, "\n%s%s%s\n", CLI_PAINTED(report, CLI_STRONG, cli_text_type(&row->problem, report->utf8)));
        cli_columns_line(report, ladder_columns, VKMM_COUNT(ladder_columns), NULL);
    }
    cli_columns_line(report, ladder_columns, VKMM_COUNT(ladder_columns), row);
    if (row->not_run[0] != '\0') cli_report_say(report, 7, CLI_PLAIN, "not run: %s", row->not_run);
    if (row->forecast != NULL && row->forecast->resembles != NULL)
        cli_report_say(report, 7, CLI_PLAIN, "resembles %s, by its shared memory and its elements of C per invocation",
                       row->forecast->resembles);
    cli_notes_add(&report->notes, row);
}

/* All rows of the last one's type, after its last step. On a linear scale the first steps of a fast GPU would have no
 * length. */
static void print_bars(const cli_report *report, const cli_bench_row *rows, const cli_bench_row *last)
{
    double best = 0, least = INFINITY;
    for (const cli_bench_row *row = rows; row <= last; row++) {
        if (listed_type(row) != listed_type(last)) continue;
        best = fmax(best, row->figures.gflops);
        least = fmin(least, row->figures.gflops);
    }
    if (best > 0) fputs("\nGFLOP/s, logarithmic scale\n", report->out);
    for (const cli_bench_row *row = rows; row <= last; row++) {
        char bar[3 * BAR_COLUMNS + 4];
        cli_cell name = {0};
        if (listed_type(row) != listed_type(last) || !isfinite(row->figures.gflops)) continue;
        cli_text_bar(bar, cli_text_log_share(row->figures.gflops, least, best), BAR_COLUMNS, report->utf8);
        fill_name(report, row, &name);
        fprintf(report->out, "%-*s  %s\n", report->kernel_width > 10 ? report->kernel_width : 10, name.text, bar);
    }
}

/* Which resource limits each of them, by counts and the device's peaks, and what is new in it. */
static void print_forecasts(cli_report *report, const vkmm_device_info *device, const cli_bench_row *rows,
                            const cli_bench_row *last)
{
    if (listed_type(last) != VKMM_F32 || last->forecast == NULL) return;
    fprintf(report->out, "\n%-12s %-14s %12s %12s\n", "step", "limiter", "predicted ms", "measured ms");
    for (const cli_bench_row *row = rows; row <= last; row++) {
        const cli_forecast *forecast = row->forecast;
        cli_cell predicted = {0}, measured = {0};
        if (listed_type(row) != listed_type(last) || forecast == NULL || forecast->limiter == NULL) continue;
        cli_cell_figure(report, &predicted, forecast->predicted_ms);
        cli_cell_figure(report, &measured, row->figures.median_ms);
        fprintf(report->out, "%-12s %-14s %12s %12s\n", forecast->name, forecast->limiter, predicted.text,
                measured.text);
        cli_report_say(report, 4, CLI_PLAIN, "%s", forecast->sentence);
        if (forecast->why != NULL) cli_report_say(report, 4, CLI_PLAIN, "why: %s", forecast->why);
    }
    if (device != NULL && vkmm_is_processor(device))
        cli_report_say(
            report, 0, CLI_PLAIN,
            "Predicted times would be far too low on a processor, where the driver does in software what they "
            "assume of a GPU's hardware: only --html predicts them there.");
}

vkmm_status cli_table_ladder(cli_report *report, const cli_ladder *ladder, const cli_bench_row *row)
{
    const int is_first = row == ladder->rows, starts = is_first || (row && listed_type(row) != listed_type(row - 1));
    if (is_first && report->rows > 0) putc('\n', report->out);
    if (is_first) print_heading(report, ladder);
    if (row == NULL || (starts && !is_first)) {
        const cli_bench_row *last = row ? row - 1 : ladder->rows + ladder->count - 1;
        print_bars(report, ladder->rows, last);
        if (ladder->is_whole) print_forecasts(report, ladder->device, ladder->rows, last);
    }
    if (row != NULL)
        print_step(report, row, starts);
    else
        cli_notes_print(report, &report->notes);
    return VKMM_OK;
}
