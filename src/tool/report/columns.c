/* Tables for people, and the cells that several of them have. */
#include "report/columns.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/disk.h"
#include "report/records.h"
#include "report/text.h"
#include "verify/verify.h"

enum { MOST_COLUMNS = 16, GAP = 2, CONTINUED = 4 /* indent of a line's continuation */ };

/* ---- cells ---- */

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

/* ---- lines ---- */

/* The caller knows how wide the contents of four columns will be. */
static int width_of(const cli_report *report, const cli_column *column)
{
    int wanted = column->fill == cli_cell_size       ? report->size_width
                 : column->fill == cli_cell_type     ? report->type_width
                 : column->fill == cli_cell_kernel   ? report->kernel_width
                 : column->fill == cli_cell_verified ? report->verdict_width
                                                     : 0;
    return wanted > column->width ? wanted : column->width;
}

static int is_left_out(const cli_column *column, int leaving)
{
    return column->leaves != 0 && column->leaves <= leaving;
}

/* Width of a line in which every text fits its column. */
static int width_of_all(const cli_report *report, const cli_column *column, unsigned count, int leaving)
{
    int total = 0;
    for (unsigned i = 0; i < count; i++)
        if (!is_left_out(&column[i], leaving)) total += width_of(report, &column[i]) + GAP;
    return total - GAP;
}

/* Columns whose `leaves` is at most this are dropped, so that the others fit. */
static int find_leaving(const cli_report *report, const cli_column *column, unsigned count)
{
    int most = 0, leaving = 0;
    for (unsigned i = 0; i < count; i++) most = column[i].leaves > most ? column[i].leaves : most;
    while (report->columns > 0 && !report->markdown && leaving < most &&
           width_of_all(report, column, count, leaving) > report->columns)
        leaving++;
    return leaving;
}

const char *cli_paint_on(const cli_report *report, cli_paint paint)
{
    static const char *const sequence[] = {"", "\033[32m", "\033[1;31m", "\033[2m", "\033[1m"};
    return report->colour ? sequence[paint] : "";
}

const char *cli_paint_off(const cli_report *report, cli_paint paint)
{
    return report->colour && paint != CLI_PLAIN ? "\033[0m" : "";
}

/* `late`: characters by which earlier texts exceed their columns; later padding makes up for them. Returns the number
 * of spaces before the next text. */
static int print_cell(const cli_report *report, cli_place place, const cli_cell *cell, int *late)
{
    const int room = place.width - (int)cli_text_columns(cell->text) - *late, blank = room > 0 ? room : 0;
    *late = blank - room;
    fprintf(report->out, "%*s%s%s%s", place.right ? blank : 0, "", cli_paint_on(report, cell->paint), cell->text,
            cli_paint_off(report, cell->paint));
    return GAP + (place.right ? 0 : blank);
}

static void print_markdown(const cli_report *report, const cli_place *places, const cli_cell *cells, unsigned count)
{
    char text[sizeof cells->text];
    for (unsigned i = 0; i < count; i++) {
        size_t length = strlen(cells[i].text);
        if (places[i].hidden) continue;
        while (length > 0 && cells[i].text[length - 1] == ' ') length--;
        VKMM_PUT(text, "%.*s", (int)length, cells[i].text);
        fputs("| ", report->out);
        cli_md_text(report->out, text);
        putc(' ', report->out);
    }
    fputs("|\n", report->out);
}

void cli_cells_line(const cli_report *report, const cli_place *places, const cli_cell *cells, unsigned count)
{
    unsigned last = 0;
    int at = 0, late = 0, blank = 0;
    if (report->markdown) {
        print_markdown(report, places, cells, count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        if (cells[i].text[0] != '\0' && !places[i].hidden) last = i;
    for (unsigned i = 0; i < count && i <= last; i++) {
        if (places[i].hidden) continue;
        if (at > 0 && report->columns > 0 && at + places[i].width > report->columns) {
            fprintf(report->out, "\n%*s", at = CONTINUED, "");
            late = 0;
        } else {
            fprintf(report->out, "%*s", blank, "");
        }
        blank = print_cell(report, places[i], &cells[i], &late);
        at += places[i].width + GAP;
    }
    putc('\n', report->out);
}

void cli_cells_titles(const cli_report *report, const cli_place *places, cli_cell *cells, unsigned count)
{
    for (unsigned i = 0; i < count; i++) cells[i].paint = cells[i].text[0] != '\0' ? CLI_DIM : CLI_PLAIN;
    cli_cells_line(report, places, cells, count);
    for (unsigned i = 0; i < count && report->markdown; i++)
        if (!places[i].hidden) fputs(places[i].right ? "| --: " : "| --- ", report->out);
    if (report->markdown) fputs("|\n", report->out);
}

/* The title if row is NULL. */
static void fill(const cli_report *report, const cli_column *column, const cli_bench_row *row, cli_cell *cell)
{
    const cli_field *field = NULL;
    double figure = NAN;
    if (column->path != NULL) figure = cli_record_figure(&cli_row_record, row, column->path, &field);
    if (row == NULL && field != NULL) {
        cli_cell_put(cell, "%s%s%s", field->heading, field->unit != NULL ? " " : "",
                     field->unit != NULL ? field->unit : "");
    } else if (row == NULL) {
        cli_cell_put(cell, "%s", report->utf8 || column->ascii_title == NULL ? column->title : column->ascii_title);
    } else {
        cell->paint = column->paint;
        if (field != NULL) cli_cell_figure(report, cell, figure);
        if (column->fill != NULL) column->fill(report, row, cell);
    }
}

void cli_columns_line(const cli_report *report, const cli_column *column, unsigned count, const cli_bench_row *row)
{
    cli_place places[MOST_COLUMNS] = {0};
    cli_cell cells[MOST_COLUMNS] = {0};
    const int leaving = find_leaving(report, column, count);
    for (unsigned i = 0; i < count; i++) {
        places[i] = (cli_place){width_of(report, &column[i]), column[i].right || column[i].path != NULL,
                                is_left_out(&column[i], leaving)};
        fill(report, &column[i], row, &cells[i]);
    }
    if (row != NULL)
        cli_cells_line(report, places, cells, count);
    else
        cli_cells_titles(report, places, cells, count);
}

void cli_device_text(const cli_report *report, const cli_bench_device *device, char *text, size_t size)
{
    const vkmm_device_info *info = &device->info;
    const char *dot = report->utf8 ? " · " : " | ";
    const int driver = info->driver.name[0] != '\0', more = info->driver.info[0] != '\0';
    char version[32] = "no Vulkan", line[1000];
    if (!device->is_host) cli_text_version(info->driver.api_version, version);
    VKMM_PUT(line, "%s%s%s%s%s%s%s%s", info->name[0] != '\0' ? info->name : device->label, driver || more ? dot : "",
             info->driver.name, driver && more ? ", " : "", info->driver.info, dot, device->is_host ? "" : "Vulkan ",
             version);
    vkmm_clean(text, size, line);
}

void cli_print_device(const cli_report *report, const vkmm_device_info *info, const char *host)
{
    cli_bench_device device;
    char text[1000];
    cli_bench_device_of(&device, info, host);
    cli_device_text(report, &device, text, sizeof text);
    cli_report_say(report, 0, CLI_STRONG, "%s", text);
}
