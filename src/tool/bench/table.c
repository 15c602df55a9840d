/* A bench for people: aligned columns, as each row becomes known. Rows that did not run come at the end, by their
 * reasons: one by one they would bury those that did. */
#include <math.h>
#include <string.h>

#include "bench/columns.h"
#include "bench/writers.h"
#include "report/text.h"

enum { USUAL_SIZE = 14, USUAL_KERNEL = 10 };

/* An entry of a list with commas, whose lines begin at column `indent`. *used: columns of the line so far; `indent`
 * before the first entry. */
static void print_entry(const vkmm_report *report, int indent, int *used, const char *text)
{
    int most = report->columns > 0 ? report->columns : 120, length = (int)vkmm_text_columns(text);

    if (*used > indent && *used + 2 + length + 1 > most) {
        fprintf(report->out, ",\n%*s", indent, "");
        *used = indent;
    } else if (*used > indent) {
        fputs(", ", report->out);
        *used += 2;
    }
    fputs(text, report->out);
    *used += length;
}

static void print_peaks(const vkmm_report *report, const vkmm_bench_device *device)
{
    static const char label[] = "measured peaks: ";
    int indent = (int)sizeof label - 1, used = indent;
    char text[VKMM_PEAK_TEXT];

    for (unsigned i = 0; vkmm_bench_peak_text(report, device, i, text); i++) {
        if (i == 0) fputs(label, report->out);
        print_entry(report, indent, &used, text);
    }
    if (used > indent) putc('\n', report->out);
}

/* Begins the rows of one device. */
static void print_section(vkmm_report *report, const vkmm_bench *bench, uint32_t device)
{
    vkmm_columns columns;
    char text[1000];

    if (report->section != 0) putc('\n', report->out);
    report->section = device + 1;
    if (device < bench->device_count) {
        vkmm_device_text(report, &bench->devices[device], text, sizeof text);
        fputs(vkmm_paint_on(report, VKMM_STRONG), report->out);
        vkmm_print_wrapped(report, text, 0);
        fputs(vkmm_paint_off(report, VKMM_STRONG), report->out);
        print_peaks(report, &bench->devices[device]);
    }
    columns = vkmm_columns_fit(report, vkmm_bench_columns, VKMM_BENCH_COLUMNS);
    vkmm_columns_titles(report, &columns);
}

static void widen(const vkmm_report *report, const vkmm_bench_row *row, int *width,
                  void (*fill)(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell))
{
    vkmm_cell cell;
    int columns;

    fill(report, row, &cell);
    columns = (int)vkmm_text_columns(cell.text);
    if (columns > *width) *width = columns;
}

static vkmm_status begin(vkmm_report *report, const vkmm_bench *bench)
{
    report->section = 0;
    /* Of a run, no row is known yet: room for what the suites hold. */
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
    char text[512];

    if (row->not_run[0] != '\0') return VKMM_OK; /* at the end, together */
    if (report->section != row->device + 1) print_section(report, bench, row->device);
    vkmm_columns_row(report, &columns, row);
    for (unsigned i = 0; vkmm_bench_remark(row, i, text); i++) {
        vkmm_paint paint = strncmp(text, "wrong", 5) == 0 ? VKMM_BAD : VKMM_DIM;
        fputs(vkmm_paint_on(report, paint), report->out);
        vkmm_print_wrapped(report, text, 4);
        fputs(vkmm_paint_off(report, paint), report->out);
    }
    return VKMM_OK;
}

static int is_left_out(const vkmm_bench_row *row, const vkmm_bench_row *like)
{
    return row->not_run[0] != '\0' && row->device == like->device && strcmp(row->not_run, like->not_run) == 0;
}

/* What of a device did not run for one reason: the reason, then the rows. From the first of them on. */
static void print_left_out(const vkmm_report *report, const vkmm_bench *bench, uint32_t first)
{
    const vkmm_bench_row *like = &bench->rows[first];
    char why[VKMM_BENCH_TEXT], label[VKMM_BENCH_TEXT], text[1024];
    int indent = 4, used = indent;

    vkmm_text_clean(why, sizeof why, like->not_run);
    vkmm_text_clean(label, sizeof label, like->device < bench->device_count ? bench->devices[like->device].label : "");
    snprintf(text, sizeof text, "not run%s%s: %s", bench->device_count > 1 ? " on " : "",
             bench->device_count > 1 ? label : "", why);
    vkmm_print_wrapped(report, text, 0);
    fprintf(report->out, "%s%*s", vkmm_paint_on(report, VKMM_DIM), indent, "");
    for (uint32_t i = first; i < bench->row_count; i++) {
        if (!is_left_out(&bench->rows[i], like)) continue;
        vkmm_bench_row_name(report, &bench->rows[i], text, sizeof text);
        print_entry(report, indent, &used, text);
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
    uint32_t timed = 0, wrong = 0, not_run = 0, throttled = 0;
    char text[512];

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        not_run += row->not_run[0] != '\0';
        wrong += (uint32_t)vkmm_bench_is_wrong(row);
        timed += isfinite(row->figures.gflops) ? 1 : 0;
        throttled += row->figures.throttled ? 1 : 0;
    }
    print_all_left_out(report, bench);
    if (report->section != 0 || not_run > 0) putc('\n', report->out);
    fprintf(report->out, "%u row%s: %u with a speed", bench->row_count, bench->row_count == 1 ? "" : "s", timed);
    print_count(report, "wrong", wrong);
    print_count(report, "throttled", throttled);
    print_count(report, "not run", not_run);
    putc('\n', report->out);
    for (unsigned i = 0; vkmm_bench_closing(report, bench, i, text); i++) vkmm_print_wrapped(report, text, 0);
    return VKMM_OK;
}

const vkmm_bench_writer vkmm_bench_table = {"table", NULL, begin, row, end};
