/* What a bench says in words. */
#include <math.h>
#include <string.h>

#include "math/type.h"
#include "bench/columns.h"
#include "report/text.h"

void vkmm_text_speed(char *text, size_t size, double per_s, const char *unit)
{
    static const char prefixes[] = "GTPE";
    unsigned i = 0;
    char figure[32];

    per_s /= 1e9;
    while (per_s >= 1000 && prefixes[i + 1] != '\0') {
        per_s /= 1000;
        i++;
    }
    vkmm_text_figure(figure, sizeof figure, per_s);
    snprintf(text, size, "%s %c%s", figure, prefixes[i], unit);
}

int vkmm_bench_is_wrong(const vkmm_bench_row *row)
{
    return row->not_run[0] == '\0' && !row->passed && row->method[0] != '\0' && strcmp(row->method, "none") != 0;
}

int vkmm_bench_remark(const vkmm_bench_row *row, unsigned index, char text[512])
{
    char clean[VKMM_TEXT_DIFFERENCE];
    unsigned at = 0;

    vkmm_text_difference(clean, sizeof clean, &row->problem);
    if (clean[0] != '\0' && index == at++) return snprintf(text, 512, "%s", clean);
    if (row->not_run[0] != '\0') {
        vkmm_text_clean(clean, sizeof clean, row->not_run);
        if (index == at++) return snprintf(text, 512, "not run: %s", clean);
    } else if (vkmm_bench_is_wrong(row)) {
        vkmm_text_clean(clean, sizeof clean, row->sentence);
        if (index == at++) return snprintf(text, 512, "wrong: %s", clean);
    }
    if (row->figures.throttled && index == at++) {
        vkmm_text_clean(clean, sizeof clean, row->power.limited);
        if (clean[0] != '\0') return snprintf(text, 512, "throttled: the driver held the clock back (%s)", clean);
        return snprintf(text, 512, "throttled: its last round took %.0f %% longer than its first",
                        100 * row->figures.drift);
    }
    return 0;
}

void vkmm_bench_row_name(const vkmm_report *report, const vkmm_bench_row *row, char *text, size_t size)
{
    char difference[VKMM_TEXT_DIFFERENCE];
    vkmm_cell problem, kernel;
    const int is_auto = row->kernel.name[0] == '\0' && strcmp(row->asked, "auto") == 0;

    vkmm_cell_size(report, row, &problem);
    vkmm_cell_kernel(report, row, &kernel);
    vkmm_text_difference(difference, sizeof difference, &row->problem);
    snprintf(text, size, "%s %s%s%s%s%s%s", problem.text, vkmm_text_type(&row->problem, report->utf8),
             is_auto ? "" : " ", is_auto ? "" : kernel.text, difference[0] != '\0' ? " (" : "", difference,
             difference[0] != '\0' ? ")" : "");
}

static int close_clock(const vkmm_bench *bench, char text[512])
{
    char clean[200];

    for (uint32_t i = 0; i < bench->row_count; i++) {
        if (!vkmm_row_by_host_clock(&bench->rows[i])) continue;
        vkmm_text_clean(clean, sizeof clean, bench->rows[i].clock_note);
        return snprintf(text, 512, "* kernel ms by the host's clock: %s", clean);
    }
    return 0;
}

static int is_further_off(const vkmm_bench_row *row, const vkmm_bench_row *than)
{
    return fabs(row->figures.sum_ms / row->figures.wall_ms - 1) >
           fabs(than->figures.sum_ms / than->figures.wall_ms - 1);
}

static int close_sums(const vkmm_report *report, const vkmm_bench *bench, char text[512])
{
    const vkmm_bench_row *worst = NULL;
    char clean[200], name[300];
    uint32_t off = 0, known = 0;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (!isfinite(row->figures.sum_ms)) continue;
        known++;
        if (row->figures.adds_up) continue;
        off++;
        if (worst == NULL || is_further_off(row, worst)) worst = row;
    }
    if (worst == NULL) return 0;
    vkmm_bench_row_name(report, worst, name, sizeof name);
    vkmm_text_clean(clean, sizeof clean, worst->figures.apart);
    return snprintf(
        text, 512,
        "uploads, kernel, overhead and downloads do not add up to the whole in %u of %u rows; the worst, %s: %s", off,
        known, name, clean);
}

int vkmm_bench_closing(const vkmm_report *report, const vkmm_bench *bench, unsigned index, char text[512])
{
    char clean[VKMM_BENCH_TEXT], label[200];
    unsigned left = index;

    if (close_clock(bench, text) && left-- == 0) return 1;
    if (close_sums(report, bench, text) && left-- == 0) return 1;
    for (uint32_t i = 0; i < bench->device_count; i++) {
        if (bench->devices[i].failed[0] == '\0' || left-- > 0) continue;
        vkmm_text_clean(label, sizeof label, bench->devices[i].label);
        vkmm_text_clean(clean, sizeof clean, bench->devices[i].failed);
        return snprintf(text, 512, "%s failed: %s", label, clean);
    }
    if (bench->complete || left > 0) return 0;
    vkmm_text_clean(clean, sizeof clean, bench->note);
    return snprintf(text, 512, "unfinished%s%s", clean[0] != '\0' ? ": " : "", clean);
}

static void name_matrix(const vkmm_report *report, const vkmm_matrix_shape *shape, char *text, size_t size)
{
    char a[32], b[32], c[32];

    snprintf(text, size, report->utf8 ? "%s·%s+%s %u×%u×%u" : "%s*%s+%s %ux%ux%u", vkmm_component_name(shape->a, a),
             vkmm_component_name(shape->b, b), vkmm_component_name(shape->c, c), shape->m, shape->n, shape->k);
}

int vkmm_bench_peak_text(const vkmm_report *report, const vkmm_bench_device *device, unsigned index,
                         char text[VKMM_PEAK_TEXT])
{
    const vkmm_bench_peaks *peaks = &device->peaks;
    char speed[48], name[160];
    unsigned at = 0;

    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        if (!(peaks->multiply_adds_per_s[type] > 0) || index != at++) continue;
        vkmm_text_speed(speed, sizeof speed, 2 * peaks->multiply_adds_per_s[type], "FLOP/s");
        return snprintf(text, VKMM_PEAK_TEXT, "%s %s", vkmm_type_of((vkmm_type)type)->name, speed);
    }
    if (peaks->copy_bytes_per_s > 0 && index == at++) {
        vkmm_text_speed(speed, sizeof speed, peaks->copy_bytes_per_s, "B/s");
        return snprintf(text, VKMM_PEAK_TEXT, "copy %s", speed);
    }
    for (uint32_t i = 0; i < peaks->matrix_count && i < VKMM_BENCH_MATRICES; i++) {
        if (!(peaks->matrix[i].multiply_adds_per_s > 0) || index != at++) continue;
        name_matrix(report, &peaks->matrix[i].shape, name, sizeof name);
        vkmm_text_speed(speed, sizeof speed, 2 * peaks->matrix[i].multiply_adds_per_s, "FLOP/s");
        return snprintf(text, VKMM_PEAK_TEXT, "%s %s", name, speed);
    }
    return 0;
}
