/* For people: aligned columns, as each row becomes known, and Markdown. A bench's rows that did not run come at the
 * end, grouped by reason: one by one they would hide those that did. */
#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "math/type.h"
#include "report/columns.h"
#include "report/text.h"

enum { USUAL_SIZE = 14, USUAL_KERNEL = 10, REMARKS = 1024, PEAKS = 4000 };

/* ---- bench: what a row says ---- */

/* Remarks on a row in addition to its figures: how its problem differs from the plain product, why it did not run,
 * what is wrong with it, that it was throttled. "": none. */
static void write_remarks(const cli_bench_row *row, char text[REMARKS])
{
    cli_text_difference(text, REMARKS, &row->problem);
    if (row->not_run[0] != '\0')
        vkmm_join(text, REMARKS, "; ", "not run: %s", row->not_run);
    else if (cli_bench_is_wrong(row))
        vkmm_join(text, REMARKS, "; ", "wrong: %s", row->sentence);
    if (row->figures.busy)
        vkmm_join(text, REMARKS, "; ", "busy: other processes took %.1f of %u processors", row->power.others,
                  row->power.processors);
    if (row->in_panels[0] != '\0') vkmm_join(text, REMARKS, "; ", "in %s", row->in_panels);
    if (!row->figures.throttled) return;
    if (row->power.limited[0] != '\0')
        vkmm_join(text, REMARKS, "; ", "throttled: the driver lowered the clock (%s)", row->power.limited);
    else
        vkmm_join(text, REMARKS, "; ", "throttled: its last round took %.0f %% longer than its first",
                  100 * row->figures.drift);
}

/* The 95 % interval of the speed, from low to high. */
static void fill_interval(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    const cli_bench_figures *figures = &row->figures;
    const double work = figures->gflops * figures->median_ms;
    cell->paint = CLI_DIM;
    if (figures->interval_ms[0] > 0)
        cli_cell_put(cell, report->utf8 ? "%s–%s" : "%s-%s", CLI_FIGURE(work / figures->interval_ms[1]),
                     CLI_FIGURE(work / figures->interval_ms[0]));
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

static void fill_spread(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    if (!isfinite(row->kernel_ms.p5)) {
        if (isfinite(row->kernel_ms.median)) cli_cell_figure(report, cell, NAN);
        return;
    }
    cli_cell_put(cell, report->utf8 ? "%s – %s" : "%s - %s", CLI_FIGURE(row->kernel_ms.p5),
                 CLI_FIGURE(row->kernel_ms.p95));
    cell->paint = CLI_DIM;
}

static void fill_count(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    (void)report;
    if (isfinite(row->kernel_ms.median)) cli_cell_put(cell, "%u", row->kernel_ms.count);
    cell->paint = CLI_DIM;
}

/* In Markdown, remarks are in the same cell: a table cannot have text between its rows. */
static void fill_verified(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    char remarks[REMARKS];
    cli_cell_verified(report, row, cell);
    if (!report->markdown) return;
    write_remarks(row, remarks);
    strcat(strcat(cell->text, " "), remarks);
}

static const cli_column bench_columns[] = {
    {"size", NULL, 5, 0, 0, cli_cell_size},
    {"type", NULL, 4, 0, 0, cli_cell_type},
    {"kernel", NULL, 7, 0, 0, cli_cell_kernel},
    {.path = "gflops", .width = 7, .paint = CLI_STRONG},
    {"95 % interval", NULL, 13, 1, 0, fill_interval},
    {"of peak", NULL, 9, 1, 8, fill_share},
    {.path = "gbytes_per_s", .width = 6, .leaves = 6},
    {.path = "time.kernel_ms.median", .width = 9, .leaves = 7, .fill = cli_cell_marks},
    {"p5 – p95", "p5 - p95", 15, 0, 3, fill_spread},
    {.path = "time.submit_ms.median", .width = 9, .leaves = 4},
    {.path = "time.total_ms.median", .width = 8, .leaves = 5},
    {.path = "power.joules", .width = 7, .leaves = 1},
    {"samples", NULL, 7, 1, 2, fill_count},
    {"verified", NULL, 8, 0, 0, fill_verified},
};

/* Adds "f32 33.2 TFLOP/s" where the speed is known. */
static void add_peak(char text[PEAKS], const char *name, double per_s, const char *unit)
{
    static const char prefixes[] = "GTPE";
    unsigned i = 0;
    if (!(per_s > 0)) return;
    for (per_s /= 1e9; per_s >= 1000 && prefixes[i + 1] != '\0'; per_s /= 1000) i++;
    vkmm_join(text, PEAKS, ", ", "%s %s %c%s", name, CLI_FIGURE(per_s), prefixes[i], unit);
}

/* A device's measured peaks that are known: "f32 33.2 TFLOP/s, copy 4.10 TB/s, f16·f16+f32 16×16×16 629
 * TFLOP/s". */
static void write_peaks(const cli_report *report, const cli_bench_peaks *peaks, char text[PEAKS])
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

/* ---- bench, as it runs ---- */

/* Begins the rows of one device. */
static void print_section(cli_report *report, const cli_bench *bench, uint32_t device)
{
    char text[PEAKS];
    if (report->section != 0) putc('\n', report->out);
    report->section = device + 1;
    if (device < bench->device_count) {
        cli_device_text(report, &bench->devices[device], text, sizeof text);
        cli_report_say(report, 0, CLI_STRONG, "%s", text);
        write_peaks(report, &bench->devices[device].peaks, text);
        if (text[0] != '\0') cli_report_say(report, 0, CLI_PLAIN, "measured peaks: %s", text);
    }
    cli_columns_line(report, bench_columns, VKMM_COUNT(bench_columns), NULL);
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
    char text[REMARKS];
    if (row->not_run[0] != '\0') return VKMM_OK; /* at the end, together */
    if (report->section != row->device + 1) print_section(report, bench, row->device);
    cli_columns_line(report, bench_columns, VKMM_COUNT(bench_columns), row);
    write_remarks(row, text);
    if (text[0] != '\0') cli_report_say(report, 4, cli_bench_is_wrong(row) ? CLI_BAD : CLI_DIM, "%s", text);
    return VKMM_OK;
}

/* "256³ f32 tiled", "300×200×100 f64 (column-major)": a row in a sentence; its kernel as it ran, or
 * as requested if none ran, unless "auto". Clean. */
static void fill_name(const cli_report *report, const cli_bench_row *row, cli_cell *cell)
{
    char difference[CLI_TEXT_DIFFERENCE];
    cli_cell problem = {0}, kernel = {0};
    const int is_auto = row->kernel.name[0] == '\0' && strcmp(row->asked, "auto") == 0;
    cli_cell_size(report, row, &problem);
    cli_cell_kernel(report, row, &kernel);
    cli_text_difference(difference, sizeof difference, &row->problem);
    cli_cell_put(cell, "%s %s%s%s%s%s%s", problem.text, cli_text_type(&row->problem, report->utf8), is_auto ? "" : " ",
                 is_auto ? "" : kernel.text, difference[0] != '\0' ? " (" : "", difference,
                 difference[0] != '\0' ? ")" : "");
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
    cli_cell name;
    int used = 0;
    cli_report_say(report, 0, CLI_PLAIN, "not run%s%s: %s", several ? " on " : "",
                   several && like->device < bench->device_count ? bench->devices[like->device].label : "",
                   like->not_run);
    fputs(cli_paint_on(report, CLI_DIM), report->out);
    for (uint32_t i = first; i < bench->row_count; i++) {
        if (!is_left_out(&bench->rows[i], like)) continue;
        fill_name(report, &bench->rows[i], &name);
        const int length = (int)cli_text_columns(name.text), fits = used + 2 + length + 1 <= most;
        if (used == 0 || !fits) fprintf(report->out, "%s%*s", used > 0 ? ",\n" : "", INDENT, "");
        fprintf(report->out, "%s%s", used > 0 && fits ? ", " : "", name.text);
        used = (used > 0 && fits ? used + 2 : INDENT) + length;
    }
    fprintf(report->out, "%s\n", cli_paint_off(report, CLI_DIM));
}

/* Each reason once for each device. */
static void print_all_left_out(const cli_report *report, const cli_bench *bench)
{
    const char *before_first = report->section != 0 ? "\n" : "";
    for (uint32_t i = 0; i < bench->row_count; i++) {
        uint32_t first = 0;
        while (first < i && !is_left_out(&bench->rows[first], &bench->rows[i])) first++;
        if (first < i || bench->rows[i].not_run[0] == '\0') continue;
        fputs(before_first, report->out);
        before_first = "";
        print_left_out(report, bench, i);
    }
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

/* Writes the notes at the end of a run: rows timed by the host's clock, figures that do not add up, devices
 * that failed, that it is unfinished. */
static void close_bench(const cli_report *report, const cli_bench *bench)
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
    close_bench(report, bench);
    return VKMM_OK;
}

/* ---- Markdown, for issues and pages ---- */

static cli_report as_markdown(const cli_report *report)
{
    cli_report markdown = *report;
    markdown.utf8 = markdown.markdown = 1;
    markdown.colour = 0;
    return markdown;
}

static void md_put(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    cli_md_text(out, text);
}

static void md_section(const cli_report *report, const cli_bench_device *device)
{
    char text[PEAKS];
    cli_device_text(report, device, text, sizeof text);
    md_put(report->out, "### ", text);
    write_peaks(report, &device->peaks, text);
    md_put(report->out, text[0] != '\0' ? "\n\nMeasured peaks: " : "", text);
    fputs("\n\n", report->out);
    cli_columns_line(report, bench_columns, VKMM_COUNT(bench_columns), NULL);
}

static vkmm_status md_begin(cli_report *report, const cli_bench *bench)
{
    md_put(report->out, "vkmatmul ", bench->version);
    md_put(report->out, ", shaders ", bench->shader_hash);
    if (bench->command != NULL) md_put(report->out, ": ", bench->command);
    fputs("\n\n", report->out);
    return VKMM_OK;
}

/* Everything is written at the end: rows of devices that take turns arrive mixed. */
static vkmm_status md_end(cli_report *report, const cli_bench *bench)
{
    const cli_report markdown = as_markdown(report);
    for (uint32_t d = 0; d < bench->device_count; d++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < bench->row_count; i++) {
            if (bench->rows[i].device != d) continue;
            if (rows++ == 0) md_section(&markdown, &bench->devices[d]);
            cli_columns_line(&markdown, bench_columns, VKMM_COUNT(bench_columns), &bench->rows[i]);
        }
        if (rows > 0) putc('\n', report->out);
    }
    close_bench(&markdown, bench);
    return VKMM_OK;
}

/* ---- run ---- */

static const cli_column run_columns[] = {
    {"size", NULL, 5, 0, 0, cli_cell_size},
    {"type", NULL, 4, 0, 0, cli_cell_type},
    {"kernel", NULL, 8, 0, 0, cli_cell_kernel},
    {"tile", NULL, 5, 0, 0, cli_cell_tile},
    {.path = "time.kernel_ms.median", .width = 9, .fill = cli_cell_marks},
    {"p5 – p95", "p5 - p95", 15, 0, 1, fill_spread},
    {"samples", NULL, 7, 1, 3, fill_count},
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
    if (report->rows == 0) widen(report, row, &report->verdict_width, cli_cell_verified);
    if (report->rows == 0 && row->panels.part_count == 0) cli_print_device(report, row->on, row->host);
    for (uint32_t i = 0; report->rows == 0 && i < row->panels.part_count; i++)
        cli_print_device(report, row->panels.parts[i].device, row->host);
    print_difference(report, row);
    if (report->rows == 0) cli_columns_line(report, run_columns, VKMM_COUNT(run_columns), NULL);
    cli_columns_line(report, run_columns, VKMM_COUNT(run_columns), row);
    if (row->panels.reason != NULL) print_panels(report, row);
    cli_notes_add(&report->notes, row);
    return VKMM_OK;
}

/* A table for all rows with the same options. */
static vkmm_status md_run(cli_report *report, const cli_bench_row *row)
{
    const cli_report markdown = as_markdown(report);
    char text[CLI_TEXT_DIFFERENCE];
    cli_text_difference(text, sizeof text, &row->problem);
    if (report->rows == 0 || strcmp(text, report->difference) != 0) {
        md_put(report->out, report->rows == 0 ? "### " : "\n### ", row->on != NULL ? row->on->name : row->host);
        md_put(report->out, text[0] != '\0' ? ": " : "", text);
        fputs("\n\n", report->out);
        cli_columns_line(&markdown, run_columns, VKMM_COUNT(run_columns), NULL);
    }
    VKMM_PUT(report->difference, "%s", text);
    cli_columns_line(&markdown, run_columns, VKMM_COUNT(run_columns), row);
    return VKMM_OK;
}

const cli_writer cli_md_writer = {
    "md", ".md", md_begin, .end = md_end, .run = md_run, .compare = cli_compare_md, .document = cli_md_document};

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
