/* For people: aligned columns, as each row becomes known, and Markdown. A bench's rows that did not run come at the
 * end, grouped by reason: one by one they would hide those that did. */
#include <math.h>
#include <string.h>

#include "math/type.h"
#include "report/document_columns.h"
#include "report/wrap.h"
#include "report/text.h"

enum { USUAL_SIZE = 14, USUAL_KERNEL = 10 };

/* Begins the rows of one device. */
static void print_section(cli_report *report, const cli_bench *bench, uint32_t device)
{
    const cli_columns columns = cli_columns_fit(report, cli_bench_columns, CLI_BENCH_COLUMNS);
    char text[CLI_PEAKS];

    if (report->section != 0) putc('\n', report->out);
    report->section = device + 1;
    if (device < bench->device_count) {
        cli_device_text(report, &bench->devices[device], text, sizeof text);
        cli_report_say(report, 0, CLI_STRONG, "%s", text);
        cli_bench_peaks_text(report, &bench->devices[device].peaks, text);
        if (text[0] != '\0') cli_report_say(report, 0, CLI_PLAIN, "measured peaks: %s", text);
    }
    cli_columns_line(report, &columns, NULL);
}

static void widen(const cli_report *report, const cli_bench_row *row, int *width,
                  void (*fill)(const cli_report *report, const cli_bench_row *row, cli_cell *cell))
{
    cli_cell cell = {0};
    int columns;

    fill(report, row, &cell);
    columns = (int)cli_text_columns(cell.text);
    if (columns > *width) *width = columns;
}

static vkmm_status begin(cli_report *report, const cli_bench *bench)
{
    report->section = 0;
    /* In a run, no row is known yet: leaves room for what the suites contain. */
    if (bench->row_count == 0 && report->size_width < USUAL_SIZE) report->size_width = USUAL_SIZE;
    if (bench->row_count == 0 && report->kernel_width < USUAL_KERNEL) report->kernel_width = USUAL_KERNEL;
    for (uint32_t i = 0; i < bench->row_count; i++) {
        widen(report, &bench->rows[i], &report->size_width, cli_cell_size);
        widen(report, &bench->rows[i], &report->type_width, cli_cell_type);
        widen(report, &bench->rows[i], &report->kernel_width, cli_cell_kernel);
    }
    return VKMM_OK;
}

static vkmm_status row(cli_report *report, const cli_bench *bench, const cli_bench_row *row)
{
    const cli_columns columns = cli_columns_fit(report, cli_bench_columns, CLI_BENCH_COLUMNS);
    char text[CLI_REMARKS];

    if (row->not_run[0] != '\0') return VKMM_OK; /* at the end, together */
    if (report->section != row->device + 1) print_section(report, bench, row->device);
    cli_columns_line(report, &columns, row);
    cli_bench_remarks(row, text);
    if (text[0] != '\0') cli_report_say(report, 4, cli_bench_is_wrong(row) ? CLI_BAD : CLI_DIM, "%s", text);
    return VKMM_OK;
}

static int is_left_out(const cli_bench_row *row, const cli_bench_row *like)
{
    return row->not_run[0] != '\0' && row->device == like->device && strcmp(row->not_run, like->not_run) == 0;
}

/* The rows of a device that did not run for one reason, from the first of them on: the reason, then the rows. */
static void print_left_out(const cli_report *report, const cli_bench *bench, uint32_t first)
{
    enum { INDENT = 4 };
    const cli_bench_row *like = &bench->rows[first];
    const int most = report->columns > 0 ? report->columns : 120, several = bench->device_count > 1;
    char name[600];
    int used = 0;

    cli_report_say(report, 0, CLI_PLAIN, "not run%s%s: %s", several ? " on " : "",
                   several && like->device < bench->device_count ? bench->devices[like->device].label : "",
                   like->not_run);
    fputs(cli_paint_on(report, CLI_DIM), report->out);
    for (uint32_t i = first; i < bench->row_count; i++) {
        if (!is_left_out(&bench->rows[i], like)) continue;
        cli_bench_row_name(report, &bench->rows[i], name, sizeof name);
        const int length = (int)cli_text_columns(name), fits = used + 2 + length + 1 <= most;
        if (used == 0 || !fits) fprintf(report->out, "%s%*s", used > 0 ? ",\n" : "", INDENT, "");
        fprintf(report->out, "%s%s", used > 0 && fits ? ", " : "", name);
        used = (used > 0 && fits ? used + 2 : INDENT) + length;
    }
    fprintf(report->out, "%s\n", cli_paint_off(report, CLI_DIM));
}

/* Each reason once for each device. */
static void print_all_left_out(const cli_report *report, const cli_bench *bench)
{
    int any = 0;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        uint32_t before = 0;
        if (bench->rows[i].not_run[0] == '\0') continue;
        while (before < i && !is_left_out(&bench->rows[before], &bench->rows[i])) before++;
        if (before < i) continue;
        if (!any && report->section != 0) putc('\n', report->out);
        any = 1;
        print_left_out(report, bench, i);
    }
}

static void add_count(char text[200], const char *what, uint32_t count)
{
    if (count > 0) vkmm_join(text, 200, ", ", "%u %s", count, what);
}

/* "31 rows: 28 timed, 1 wrong, 2 not run". */
static vkmm_status end(cli_report *report, const cli_bench *bench)
{
    uint32_t timed = 0, wrong = 0, not_run = 0, busy = 0, throttled = 0;
    char text[200];

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const cli_bench_row *row = &bench->rows[i];
        not_run += row->not_run[0] != '\0';
        wrong += (uint32_t)cli_bench_is_wrong(row);
        timed += isfinite(row->figures.gflops) ? 1 : 0;
        busy += row->figures.busy ? 1 : 0;
        throttled += row->figures.throttled ? 1 : 0;
    }
    print_all_left_out(report, bench);
    if (report->section != 0 || not_run > 0) putc('\n', report->out);
    VKMM_PUT(text, "%u row%s: %u with a speed", bench->row_count, bench->row_count == 1 ? "" : "s", timed);
    add_count(text, "wrong", wrong);
    add_count(text, "on a busy machine", busy);
    add_count(text, "throttled", throttled);
    add_count(text, "not run", not_run);
    cli_report_say(report, 0, CLI_PLAIN, "%s", text);
    cli_bench_close(report, bench);
    return VKMM_OK;
}

/* ---- Markdown, for issues and pages ---- */

static void md_section(const cli_report *report, const cli_bench_device *device)
{
    const cli_columns columns = {cli_bench_columns, CLI_BENCH_COLUMNS, 0};
    char text[CLI_PEAKS];

    fputs("### ", report->out);
    cli_device_text(report, device, text, sizeof text);
    cli_md_text(report->out, text);
    cli_bench_peaks_text(report, &device->peaks, text);
    fputs(text[0] != '\0' ? "\n\nMeasured peaks: " : "", report->out);
    cli_md_text(report->out, text);
    fputs("\n\n", report->out);
    cli_columns_line(report, &columns, NULL);
}

static vkmm_status md_begin(cli_report *report, const cli_bench *bench)
{
    fputs("vkmatmul ", report->out);
    cli_md_text(report->out, bench->version);
    fputs(", shaders ", report->out);
    cli_md_text(report->out, bench->shader_hash);
    if (bench->command != NULL) {
        fputs(": ", report->out);
        cli_md_text(report->out, bench->command);
    }
    fputs("\n\n", report->out);
    return VKMM_OK;
}

/* Everything is written at the end: rows of devices that take turns arrive mixed. */
static vkmm_status md_end(cli_report *report, const cli_bench *bench)
{
    const cli_columns columns = {cli_bench_columns, CLI_BENCH_COLUMNS, 0};
    cli_report markdown = *report;

    markdown.utf8 = markdown.markdown = 1;
    markdown.colour = 0;
    for (uint32_t d = 0; d < bench->device_count; d++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < bench->row_count; i++) {
            if (bench->rows[i].device != d) continue;
            if (rows++ == 0) md_section(&markdown, &bench->devices[d]);
            cli_columns_line(&markdown, &columns, &bench->rows[i]);
        }
        if (rows > 0) putc('\n', report->out);
    }
    cli_bench_close(&markdown, bench);
    return VKMM_OK;
}

/* ---- run ---- */

static const cli_column run_columns[] = {
    {"size", NULL, 5, 0, 0, cli_cell_size},
    {"type", NULL, 4, 0, 0, cli_cell_type},
    {"kernel", NULL, 8, 0, 0, cli_cell_kernel},
    {"tile", NULL, 5, 0, 0, cli_cell_tile},
    {.path = "time.kernel_ms.median", .width = 9, .fill = cli_cell_marks},
    {"p5 – p95", "p5 - p95", 15, 0, 1, cli_cell_spread},
    {"samples", NULL, 7, 1, 3, cli_cell_count},
    {.path = "time.submit_ms.median", .width = 9, .leaves = 2},
    {.path = "time.total_ms.median", .width = 8, .leaves = 4},
    {.path = "gflops", .width = 7, .paint = CLI_STRONG},
    {"verified", NULL, 8, 0, 0, cli_cell_verified},
};

/* Prints the options shared by the following rows above them: once, and again when a row differs. */
static void print_difference(cli_report *report, const cli_bench_row *row)
{
    char text[CLI_TEXT_DIFFERENCE];

    cli_text_difference(text, sizeof text, &row->problem);
    if (strcmp(text, report->difference) == 0) return;
    VKMM_PUT(report->difference, "%s", text);
    cli_report_say(report, 0, CLI_DIM, "%s", text[0] != '\0' ? text : "plain");
}

/* One device's share: "0 llvmpipe: 12 panels, 61 % of C; kernel 0.8 s, waited 0.1 s; 12.3 MB copied". */
static void print_part(const cli_report *report, const vkmm_stream_part *part)
{
    const double bytes = (double)(part->times.uploaded_bytes + part->times.downloaded_bytes);

    cli_report_say(
        report, 2, CLI_DIM, "%u %s: %llu panel%s, %.3g %% of C; %s; kernel %.3g s, waited %.3g s; %.4g MB copied%s%s",
        part->device->index, part->device->name, (unsigned long long)part->panels, part->panels == 1 ? "" : "s",
        100 * part->share, part->kernel->name, part->times.kernel_ms / 1000, part->wait_ms / 1000, bytes / 1e6,
        part->status != VKMM_OK ? "; failed: " : "", part->status != VKMM_OK ? vkmm_status_name(part->status) : "");
}

/* Under a row: "in 4 panels of 4096×4096: A needs …; end to end 12.1 s", or "2 devices share it; end to end 12.1 s". */
static void print_panels(const cli_report *report, const cli_bench_row *row)
{
    const vkmm_partition *p = &row->panels.partition;
    const unsigned long long panels = row->panels.batches * p->row_panels * p->col_panels;
    char depth[64] = "", time[32] = "", cut[160] = "";

    if (p->depth_panels > 1) VKMM_PUT(depth, ", K in %llu parts", (unsigned long long)p->depth_panels);
    if (cli_bench_is_timed(row)) VKMM_PUT(time, "; end to end %.3g s", row->wall_ms / 1000);
    if (row->panels.part_count == 0)
        VKMM_PUT(cut, "in %llu panel%s of %llu%s%llu%s: ", panels, panels == 1 ? "" : "s", (unsigned long long)p->rows,
                 report->utf8 ? "×" : "x", (unsigned long long)p->cols, depth);
    cli_report_say(report, 2, CLI_DIM, "%s%s%s", cut, row->panels.reason, time);
    for (uint32_t i = 0; i < row->panels.part_count; i++) print_part(report, &row->panels.parts[i]);
}

static vkmm_status table_row(cli_report *report, const cli_bench_row *row)
{
    cli_cell verdict = {.text = ""};
    cli_columns columns;

    cli_cell_verified(report, row, &verdict);
    if (report->rows == 0) report->verdict_width = (int)cli_text_columns(verdict.text);
    columns = cli_columns_fit(report, run_columns, VKMM_COUNT(run_columns));
    if (report->rows == 0 && row->panels.part_count == 0) cli_print_device(report, row->on, row->host);
    for (uint32_t i = 0; report->rows == 0 && i < row->panels.part_count; i++)
        cli_print_device(report, row->panels.parts[i].device, row->host);
    print_difference(report, row);
    if (report->rows == 0) cli_columns_line(report, &columns, NULL);
    cli_columns_line(report, &columns, row);
    if (row->panels.reason != NULL) print_panels(report, row);
    cli_notes_add(&report->notes, row);
    return VKMM_OK;
}

/* A table for all rows with the same options. */
static vkmm_status md_run(cli_report *report, const cli_bench_row *row)
{
    const cli_columns columns = {run_columns, VKMM_COUNT(run_columns), 0};
    cli_report markdown = *report;
    char text[CLI_TEXT_DIFFERENCE];

    markdown.utf8 = markdown.markdown = 1;
    markdown.colour = 0;
    cli_text_difference(text, sizeof text, &row->problem);
    if (report->rows == 0 || strcmp(text, report->difference) != 0) {
        fputs(report->rows == 0 ? "### " : "\n### ", report->out);
        cli_md_text(report->out, row->on != NULL ? row->on->name : row->host);
        fputs(text[0] != '\0' ? ": " : "", report->out);
        cli_md_text(report->out, text);
        fputs("\n\n", report->out);
        cli_columns_line(&markdown, &columns, NULL);
    }
    VKMM_PUT(report->difference, "%s", text);
    cli_columns_line(&markdown, &columns, row);
    return VKMM_OK;
}

const cli_writer cli_md_writer = {"md", ".md", md_begin, .end = md_end, .run = md_run, .compare = cli_compare_md};

static vkmm_status table_end(cli_report *report)
{
    cli_notes_print(report, &report->notes);
    if (report->note[0] != '\0') cli_report_say(report, 0, CLI_PLAIN, "note: %s", report->note);
    return VKMM_OK;
}

const cli_writer cli_table_writer = {"table",
                                     .begin = begin,
                                     .row = row,
                                     .end = end,
                                     .run = table_row,
                                     .run_end = table_end,
                                     .ladder = cli_table_ladder,
                                     .compare = cli_compare_table};
