/* What a bench says in words. */
#include <math.h>
#include <string.h>

#include "base/clean.h"
#include "math/type.h"
#include "bench/columns.h"
#include "report/text.h"

int vkmm_bench_is_wrong(const vkmm_bench_row *row)
{
    return row->not_run[0] == '\0' && !row->passed && row->method[0] != '\0' && strcmp(row->method, "none") != 0;
}

void vkmm_bench_remarks(const vkmm_bench_row *row, char text[VKMM_REMARKS])
{
    vkmm_text_difference(text, VKMM_REMARKS, &row->problem);
    if (row->not_run[0] != '\0')
        vkmm_join(text, VKMM_REMARKS, "; ", "not run: %s", row->not_run);
    else if (vkmm_bench_is_wrong(row))
        vkmm_join(text, VKMM_REMARKS, "; ", "wrong: %s", row->sentence);
    if (!row->figures.throttled) return;
    if (row->power.limited[0] != '\0')
        vkmm_join(text, VKMM_REMARKS, "; ", "throttled: the driver held the clock back (%s)", row->power.limited);
    else
        vkmm_join(text, VKMM_REMARKS, "; ", "throttled: its last round took %.0f %% longer than its first",
                  100 * row->figures.drift);
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

static int is_further_off(const vkmm_bench_row *row, const vkmm_bench_row *than)
{
    return fabs(row->figures.sum_ms / row->figures.wall_ms - 1) >
           fabs(than->figures.sum_ms / than->figures.wall_ms - 1);
}

static void close_sums(const vkmm_report *report, const vkmm_bench *bench)
{
    const vkmm_bench_row *worst = NULL;
    char name[300];
    uint32_t off = 0, known = 0;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (!isfinite(row->figures.sum_ms)) continue;
        known++;
        if (row->figures.adds_up) continue;
        off++;
        if (worst == NULL || is_further_off(row, worst)) worst = row;
    }
    if (worst == NULL) return;
    vkmm_bench_row_name(report, worst, name, sizeof name);
    vkmm_report_say(
        report, 0, VKMM_PLAIN,
        "uploads, kernel, overhead and downloads do not add up to the whole in %u of %u rows; the worst, %s: %s", off,
        known, name, worst->figures.apart);
}

void vkmm_bench_close(const vkmm_report *report, const vkmm_bench *bench)
{
    uint32_t by_host = 0;

    while (by_host < bench->row_count && !vkmm_row_by_host_clock(&bench->rows[by_host])) by_host++;
    if (by_host < bench->row_count)
        vkmm_report_say(report, 0, VKMM_PLAIN, "* kernel ms by the host's clock: %s", bench->rows[by_host].clock_note);
    close_sums(report, bench);
    for (uint32_t i = 0; i < bench->device_count; i++)
        if (bench->devices[i].failed[0] != '\0')
            vkmm_report_say(report, 0, VKMM_PLAIN, "%s failed: %s", bench->devices[i].label, bench->devices[i].failed);
    if (!bench->complete)
        vkmm_report_say(report, 0, VKMM_PLAIN, "unfinished%s%s", bench->note[0] != '\0' ? ": " : "", bench->note);
}

/* Adds "f32 33.2 TFLOP/s" where the speed is known. */
static void add_peak(char text[VKMM_PEAKS], const char *name, double per_s, const char *unit)
{
    static const char prefixes[] = "GTPE";
    unsigned i = 0;
    char figure[32];

    if (!(per_s > 0)) return;
    for (per_s /= 1e9; per_s >= 1000 && prefixes[i + 1] != '\0'; per_s /= 1000) i++;
    vkmm_text_figure(figure, sizeof figure, per_s);
    vkmm_join(text, VKMM_PEAKS, ", ", "%s %s %c%s", name, figure, prefixes[i], unit);
}

void vkmm_bench_peaks_text(const vkmm_report *report, const vkmm_bench_peaks *peaks, char text[VKMM_PEAKS])
{
    char name[160], a[32], b[32], c[32];

    text[0] = '\0';
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++)
        add_peak(text, vkmm_type_of((vkmm_type)type)->name, 2 * peaks->multiply_adds_per_s[type], "FLOP/s");
    add_peak(text, "copy", peaks->copy_bytes_per_s, "B/s");
    for (uint32_t i = 0; i < peaks->matrix_count && i < VKMM_BENCH_MATRICES; i++) {
        const vkmm_matrix_shape *shape = &peaks->matrix[i].shape;
        snprintf(name, sizeof name, report->utf8 ? "%s·%s+%s %u×%u×%u" : "%s*%s+%s %ux%ux%u",
                 vkmm_component_name(shape->a, a), vkmm_component_name(shape->b, b), vkmm_component_name(shape->c, c),
                 shape->m, shape->n, shape->k);
        add_peak(text, name, 2 * peaks->matrix[i].multiply_adds_per_s, "FLOP/s");
    }
}
