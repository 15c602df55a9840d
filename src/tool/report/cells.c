/* Contents of the cells that several tables share. */
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "base/disk.h"
#include "report/columns.h"
#include "report/text.h"
#include "report/wrap.h"
#include "verify/verify.h"

void cli_cell_put(cli_cell *cell, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(cell->text, sizeof cell->text, format, arguments);
    va_end(arguments);
}

void cli_cell_figure(const cli_report *report, cli_cell *cell, double value)
{
    if (isfinite(value)) {
        cli_text_figure(cell->text, sizeof cell->text, value);
    } else {
        cli_cell_put(cell, "%s", report->utf8 ? "–" : "-");
        cell->paint = CLI_DIM;
    }
}

void cli_cell_size(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    char problem[CLI_TEXT_PROBLEM];

    cli_text_problem(problem, sizeof problem, &row->problem, report->utf8);
    cli_cell_put(cell, "%s%s", problem, row->rotating_bytes > 0 ? " cold" : "");
}

void cli_cell_type(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    cli_cell_put(cell, "%s", cli_text_type(&row->problem, report->utf8));
}

void cli_cell_kernel(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    (void)report;
    VKMM_CLEAN(cell->text, row->shader_file != NULL      ? vkmm_path_name(row->shader_file)
                           : row->kernel.name[0] != '\0' ? row->kernel.name
                                                         : row->asked);
}

void cli_cell_tile(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    if (row->kernel.tile[0] == 0)
        cli_cell_figure(report, cell, NAN);
    else
        cli_cell_put(cell, report->utf8 ? "%u×%u" : "%ux%u", row->kernel.tile[0], row->kernel.tile[1]);
}

/* Whether it is known why sampling ended, and that the median was not precise enough then. */
static int is_unsettled(const cli_bench_row *row)
{
    return cli_bench_is_timed(row) && row->stopped[0] != '\0' && strcmp(row->stopped, "stable") != 0;
}

/* Timed by the host's clock instead of the device's, for a reason (clock_note). */
static int is_by_host_clock(const cli_bench_row *row)
{
    const int on_host = row->on == NULL && row->host != NULL; /* its clock does not replace another */

    return !on_host && row->clock_note[0] != '\0' && strcmp(row->clock, "host") == 0 && cli_bench_is_timed(row);
}

void cli_cell_marks(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    (void)report;
    if (is_by_host_clock(row)) strcat(cell->text, "*");
    if (is_unsettled(row)) strcat(cell->text, "~");
}

void cli_notes_add(cli_notes *notes, const cli_bench_row *row)
{
    if (is_by_host_clock(row)) VKMM_PUT(notes->clock, "%s", row->clock_note);
    notes->unsettled |= is_unsettled(row);
    if (!isfinite(row->kernel_ms.median)) return;
    notes->samples += row->kernel_ms.count;
    notes->outliers += row->kernel_ms.outliers;
}

void cli_notes_print(const cli_report *report, const cli_notes *notes)
{
    if (notes->clock[0] != '\0')
        cli_report_say(report, 0, CLI_PLAIN, "* kernel ms by the host's clock: %s", notes->clock);
    if (notes->unsettled)
        cli_report_say(report, 0, CLI_PLAIN, "~ not stable: sampling ended before the median was precise enough");
    if (notes->outliers > 0)
        cli_report_say(
            report, 0, CLI_PLAIN,
            "%llu of %llu samples are outliers: more than 3 interquartile ranges, and a tenth of the median, "
            "beyond the quartiles",
            (unsigned long long)notes->outliers, (unsigned long long)notes->samples);
}

void cli_cell_verified(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    if (row->not_run[0] != '\0') {
        cli_cell_figure(report, cell, NAN);
    } else if (row->passed) {
        const int all = strcmp(row->method, cli_verify_method_name(CLI_VERIFY_SAMPLES)) != 0;
        cli_cell_put(cell, "%s", !all ? "sampled" : report->utf8 ? "✓" : "yes");
        if (row->nans > 0) VKMM_JOIN(cell->text, " ", "%llu NaN", (unsigned long long)row->nans);
        if (row->infinities > 0)
            VKMM_JOIN(cell->text, row->nans > 0 ? ", " : " ", "%llu infinite", (unsigned long long)row->infinities);
        cell->paint = !all || row->nans + row->infinities > 0 ? CLI_PLAIN : CLI_GOOD;
    } else if (!cli_bench_is_wrong(row)) {
        cli_cell_put(cell, "no");
        cell->paint = CLI_DIM;
    } else {
        cli_cell_put(cell, "%s", report->utf8 ? "✗ wrong" : "WRONG");
        cell->paint = CLI_BAD;
    }
}
