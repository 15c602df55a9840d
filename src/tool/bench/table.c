/* A bench for people: aligned columns, as each row becomes known. Rows that did not run come at the end, grouped
 * by reason: one by one they would hide those that did. */
#include <math.h>
#include <string.h>

#include "bench/columns.h"
#include "bench/writer.h"
#include "report/wrap.h"
#include "report/text.h"

enum { USUAL_SIZE = 14, USUAL_KERNEL = 10 };

/* Begins the rows of one device. */
static void print_section(vkmm_report *report, const vkmm_bench *bench, uint32_t device)
{
    const vkmm_columns columns = vkmm_columns_fit(report, vkmm_bench_columns, VKMM_BENCH_COLUMNS);
    char text[VKMM_PEAKS];

    if (report->section != 0) putc('\n', report->out);
    report->section = device + 1;
    if (device < bench->device_count) {
        vkmm_device_text(report, &bench->devices[device], text, sizeof text);
        vkmm_report_say(report, 0, VKMM_STRONG, "%s", text);
        vkmm_bench_peaks_text(report, &bench->devices[device].peaks, text);
        if (text[0] != '\0') vkmm_report_say(report, 0, VKMM_PLAIN, "measured peaks: %s", text);
    }
    vkmm_columns_line(report, &columns, NULL);
}

static void widen(const vkmm_report *report, const vkmm_bench_row *row, int *width,
                  void (*fill)(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell))
{
    vkmm_cell cell = {0};
    int columns;

    fill(report, row, &cell);
    columns = (int)vkmm_text_columns(cell.text);
    if (columns > *width) *width = columns;
}

static vkmm_status begin(vkmm_report *report, const vkmm_bench *bench)
{
    report->section = 0;
    /* In a run, no row is known yet: leaves room for what the suites contain. */
    if (bench->row_count == 0 && report->size_width < USUAL_SIZE) report->size_width = USUAL_SIZE;
    if (bench->row_count == 0 && report->kernel_width < USUAL_KERNEL) report->kernel_width = USUAL_KERNEL;
    for (uint32_t i = 0; i < bench->row_count; i++) {
        widen(report, &bench->rows[i], &report->size_width, vkmm_cell_size);
        widen(report, &bench->rows[i], &report->type_width, vkmm_cell_type);
        widen(report, &bench->rows[i], &report->kernel_width, vkmm_cell_kernel);
    }
    return VKMM_OK;
}

static vkmm_status row(vkmm_report *report, const vkmm_bench *bench, const vkmm_bench_row *row)
{
    const vkmm_columns columns = vkmm_columns_fit(report, vkmm_bench_columns, VKMM_BENCH_COLUMNS);
    char text[VKMM_REMARKS];

    if (row->not_run[0] != '\0') return VKMM_OK; /* at the end, together */
    if (report->section != row->device + 1) print_section(report, bench, row->device);
    vkmm_columns_line(report, &columns, row);
    vkmm_bench_remarks(row, text);
    if (text[0] != '\0') vkmm_report_say(report, 4, vkmm_bench_is_wrong(row) ? VKMM_BAD : VKMM_DIM, "%s", text);
    return VKMM_OK;
}

static int is_left_out(const vkmm_bench_row *row, const vkmm_bench_row *like)
{
    return row->not_run[0] != '\0' && row->device == like->device && strcmp(row->not_run, like->not_run) == 0;
}

/* The rows of a device that did not run for one reason, from the first of them on: the reason, then the rows. */
static void print_left_out(const vkmm_report *report, const vkmm_bench *bench, uint32_t first)
{
    enum { INDENT = 4 };
    const vkmm_bench_row *like = &bench->rows[first];
    const int most = report->columns > 0 ? report->columns : 120, several = bench->device_count > 1;
    char name[600];
    int used = 0;

    vkmm_report_say(report, 0, VKMM_PLAIN, "not run%s%s: %s", several ? " on " : "",
                    several && like->device < bench->device_count ? bench->devices[like->device].label : "",
                    like->not_run);
    fputs(vkmm_paint_on(report, VKMM_DIM), report->out);
    for (uint32_t i = first; i < bench->row_count; i++) {
        if (!is_left_out(&bench->rows[i], like)) continue;
        vkmm_bench_row_name(report, &bench->rows[i], name, sizeof name);
        const int length = (int)vkmm_text_columns(name), fits = used + 2 + length + 1 <= most;
        if (used == 0 || !fits) fprintf(report->out, "%s%*s", used > 0 ? ",\n" : "", INDENT, "");
        fprintf(report->out, "%s%s", used > 0 && fits ? ", " : "", name);
        used = (used > 0 && fits ? used + 2 : INDENT) + length;
    }
    fprintf(report->out, "%s\n", vkmm_paint_off(report, VKMM_DIM));
}

/* Each reason once for each device. */
static void print_all_left_out(const vkmm_report *report, const vkmm_bench *bench)
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

static void print_count(const vkmm_report *report, const char *what, uint32_t count)
{
    if (count > 0) fprintf(report->out, ", %u %s", count, what);
}

/* "31 rows: 28 timed, 1 wrong, 2 not run". */
static vkmm_status end(vkmm_report *report, const vkmm_bench *bench)
{
    uint32_t timed = 0, wrong = 0, not_run = 0, busy = 0, throttled = 0;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        not_run += row->not_run[0] != '\0';
        wrong += (uint32_t)vkmm_bench_is_wrong(row);
        timed += isfinite(row->figures.gflops) ? 1 : 0;
        busy += row->figures.busy ? 1 : 0;
        throttled += row->figures.throttled ? 1 : 0;
    }
    print_all_left_out(report, bench);
    if (report->section != 0 || not_run > 0) putc('\n', report->out);
    fprintf(report->out, "%u row%s: %u with a speed", bench->row_count, bench->row_count == 1 ? "" : "s", timed);
    print_count(report, "wrong", wrong);
    print_count(report, "on a busy machine", busy);
    print_count(report, "throttled", throttled);
    print_count(report, "not run", not_run);
    putc('\n', report->out);
    vkmm_bench_close(report, bench);
    return VKMM_OK;
}

const vkmm_bench_writer vkmm_bench_table = {"table", NULL, begin, row, end};

/* ---- Markdown, for issues and pages ---- */

static void md_section(const vkmm_report *report, const vkmm_bench_device *device)
{
    const vkmm_columns columns = {vkmm_bench_columns, VKMM_BENCH_COLUMNS, 0};
    char text[VKMM_PEAKS];

    fputs("### ", report->out);
    vkmm_device_text(report, device, text, sizeof text);
    vkmm_md_text(report->out, text);
    vkmm_bench_peaks_text(report, &device->peaks, text);
    fputs(text[0] != '\0' ? "\n\nMeasured peaks: " : "", report->out);
    vkmm_md_text(report->out, text);
    fputs("\n\n", report->out);
    vkmm_columns_line(report, &columns, NULL);
}

static vkmm_status md_begin(vkmm_report *report, const vkmm_bench *bench)
{
    fputs("vkmatmul ", report->out);
    vkmm_md_text(report->out, bench->version);
    fputs(", shaders ", report->out);
    vkmm_md_text(report->out, bench->shader_hash);
    if (bench->command != NULL) {
        fputs(": ", report->out);
        vkmm_md_text(report->out, bench->command);
    }
    fputs("\n\n", report->out);
    return VKMM_OK;
}

/* Everything is written at the end: rows of devices that take turns arrive mixed. */
static vkmm_status md_end(vkmm_report *report, const vkmm_bench *bench)
{
    const vkmm_columns columns = {vkmm_bench_columns, VKMM_BENCH_COLUMNS, 0};
    vkmm_report markdown = *report;

    markdown.utf8 = markdown.markdown = 1;
    markdown.colour = 0;
    for (uint32_t d = 0; d < bench->device_count; d++) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < bench->row_count; i++) {
            if (bench->rows[i].device != d) continue;
            if (rows++ == 0) md_section(&markdown, &bench->devices[d]);
            vkmm_columns_line(&markdown, &columns, &bench->rows[i]);
        }
        if (rows > 0) putc('\n', report->out);
    }
    vkmm_bench_close(&markdown, bench);
    return VKMM_OK;
}

const vkmm_bench_writer vkmm_bench_md = {"md", ".md", md_begin, NULL, md_end};
