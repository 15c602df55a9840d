#include "report/document_columns.h"

#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "math/component.h"
#include "math/type.h"
#include "report/text.h"

/* ---- columns ---- */

/* The 95 % interval of the speed, from low to high. */
static void fill_interval(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    const cli_bench_figures *figures = &row->figures;
    const double work = figures->gflops * figures->median_ms;

    cell->paint = CLI_DIM;
    if (figures->low_ms > 0)
        cli_cell_put(cell, report->utf8 ? "%s–%s" : "%s-%s", CLI_FIGURE(work / figures->high_ms),
                     CLI_FIGURE(work / figures->low_ms));
    else
        cli_cell_figure(report, cell, NAN);
}

/* Share of the peak that is the tighter limit; ignores the copy peak if caches exceed it. */
static void fill_share(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    double math = row->figures.arithmetic_share, copy = row->figures.copy_share,
           more = isfinite(math) && copy > 1 ? math : fmax(math, copy);

    if (isfinite(more))
        cli_cell_put(cell, "%s%.0f %% %s", more < 0.01 ? "<" : "", more < 0.01 ? 1 : 100 * more,
                     more == math ? "math" : "copy");
    else
        cli_cell_figure(report, cell, NAN);
}

/* In Markdown, remarks are in the same cell: a table cannot have text between its rows. */
static void fill_verified(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    char remarks[CLI_REMARKS];

    cli_cell_verified(report, row, cell);
    if (!report->markdown) return;
    cli_bench_remarks(row, remarks);
    strcat(strcat(cell->text, " "), remarks);
}

const cli_column cli_bench_columns[CLI_BENCH_COLUMNS] = {
    {"size", NULL, 5, 0, 0, cli_cell_size},
    {"type", NULL, 4, 0, 0, cli_cell_type},
    {"kernel", NULL, 7, 0, 0, cli_cell_kernel},
    {.path = "gflops", .width = 7, .paint = CLI_STRONG},
    {"95 % interval", NULL, 13, 1, 0, fill_interval},
    {"of peak", NULL, 9, 1, 8, fill_share},
    {.path = "gbytes_per_s", .width = 6, .leaves = 6},
    {.path = "time.kernel_ms.median", .width = 9, .leaves = 7, .fill = cli_cell_marks},
    {"p5 – p95", "p5 - p95", 15, 0, 3, cli_cell_spread},
    {.path = "time.submit_ms.median", .width = 9, .leaves = 4},
    {.path = "time.total_ms.median", .width = 8, .leaves = 5},
    {.path = "power.joules", .width = 7, .leaves = 1},
    {"samples", NULL, 7, 1, 2, cli_cell_count},
    {"verified", NULL, 8, 0, 0, fill_verified},
};

/* ---- words ---- */

void cli_bench_remarks(const cli_bench_row *row, char text[CLI_REMARKS])
{
    cli_text_difference(text, CLI_REMARKS, &row->problem);
    if (row->not_run[0] != '\0')
        vkmm_join(text, CLI_REMARKS, "; ", "not run: %s", row->not_run);
    else if (cli_bench_is_wrong(row))
        vkmm_join(text, CLI_REMARKS, "; ", "wrong: %s", row->sentence);
    if (row->figures.busy)
        vkmm_join(text, CLI_REMARKS, "; ", "busy: other processes took %.1f of %u processors", row->power.others,
                  row->power.processors);
    if (row->in_panels[0] != '\0') vkmm_join(text, CLI_REMARKS, "; ", "in %s", row->in_panels);
    if (!row->figures.throttled) return;
    if (row->power.limited[0] != '\0')
        vkmm_join(text, CLI_REMARKS, "; ", "throttled: the driver lowered the clock (%s)", row->power.limited);
    else
        vkmm_join(text, CLI_REMARKS, "; ", "throttled: its last round took %.0f %% longer than its first",
                  100 * row->figures.drift);
}

void cli_bench_row_name(const cli_report *report, const cli_bench_row *row, char *text, size_t size)
{
    char difference[CLI_TEXT_DIFFERENCE];
    cli_cell problem = {0}, kernel = {0};
    const int is_auto = row->kernel.name[0] == '\0' && strcmp(row->asked, "auto") == 0;

    cli_cell_size(report, row, &problem);
    cli_cell_kernel(report, row, &kernel);
    cli_text_difference(difference, sizeof difference, &row->problem);
    snprintf(text, size, "%s %s%s%s%s%s%s", problem.text, cli_text_type(&row->problem, report->utf8),
             is_auto ? "" : " ", is_auto ? "" : kernel.text, difference[0] != '\0' ? " (" : "", difference,
             difference[0] != '\0' ? ")" : "");
}

static void close_peaks(const cli_report *report, const cli_bench *bench)
{
    uint32_t cached = 0;

    for (uint32_t i = 0; i < bench->device_count; i++)
        if (bench->devices[i].peaks.raised)
            cli_report_say(
                report, 0, CLI_PLAIN,
                "%s was faster in a row than in the measurement of its peak: the row's speed is used instead",
                bench->devices[i].label);
    for (uint32_t i = 0; i < bench->row_count; i++) cached += bench->rows[i].figures.copy_share > 1;
    if (cached > 0)
        cli_report_say(
            report, 0, CLI_PLAIN,
            "%u row%s moved A, B and C faster than a copy: caches served them, so the copy peak is not a limit", cached,
            cached == 1 ? "" : "s");
}

void cli_bench_close(const cli_report *report, const cli_bench *bench)
{
    cli_notes notes = {0};

    for (uint32_t i = 0; i < bench->row_count; i++) cli_notes_add(&notes, &bench->rows[i]);
    cli_notes_print(report, &notes);
    close_peaks(report, bench);
    for (uint32_t i = 0; i < bench->device_count; i++)
        if (bench->devices[i].failed[0] != '\0')
            cli_report_say(report, 0, CLI_PLAIN, "%s failed: %s", bench->devices[i].label, bench->devices[i].failed);
    if (!bench->complete)
        cli_report_say(report, 0, CLI_PLAIN, "unfinished%s%s", bench->note[0] != '\0' ? ": " : "", bench->note);
}

/* Adds "f32 33.2 TFLOP/s" where the speed is known. */
static void add_peak(char text[CLI_PEAKS], const char *name, double per_s, const char *unit)
{
    static const char prefixes[] = "GTPE";
    unsigned i = 0;

    if (!(per_s > 0)) return;
    for (per_s /= 1e9; per_s >= 1000 && prefixes[i + 1] != '\0'; per_s /= 1000) i++;
    vkmm_join(text, CLI_PEAKS, ", ", "%s %s %c%s", name, CLI_FIGURE(per_s), prefixes[i], unit);
}

void cli_bench_peaks_text(const cli_report *report, const cli_bench_peaks *peaks, char text[CLI_PEAKS])
{
    char name[160], a[32], b[32], c[32];

    text[0] = '\0';
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++)
        add_peak(text, vkmm_type_of((vkmm_type)type)->name, 2 * peaks->multiply_adds_per_s[type], "FLOP/s");
    add_peak(text, "copy", peaks->copy_bytes_per_s, "B/s");
    for (uint32_t i = 0; i < peaks->matrix_count && i < CLI_BENCH_MATRICES; i++) {
        const vkmm_matrix_shape *shape = &peaks->matrix[i].shape;
        VKMM_PUT(name, report->utf8 ? "%s·%s+%s %u×%u×%u" : "%s*%s+%s %ux%ux%u", vkmm_component_name(shape->a, a),
                 vkmm_component_name(shape->b, b), vkmm_component_name(shape->c, c), shape->m, shape->n, shape->k);
        add_peak(text, name, 2 * peaks->matrix[i].multiply_adds_per_s, "FLOP/s");
    }
}
