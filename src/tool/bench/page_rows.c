/* Tables of rows: all that was measured, what could not be, how exact it was, and under which roof. */
#include "bench/page_parts.h"

#include "math/type.h"
#include "bench/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void vkmm_page_product(vkmm_page *page, const vkmm_bench_row *row)
{
    char size[VKMM_TEXT_PROBLEM], difference[VKMM_TEXT_DIFFERENCE];

    vkmm_text_problem(size, sizeof size, &row->problem, 1);
    vkmm_text_difference(difference, sizeof difference, &row->problem);
    vkmm_build(&page->out, "<tr><th scope=\"row\" class=\"name\"><span class=\"word\">%s</span>%s%s%s</th>", size,
               difference[0] != '\0' ? ", " : "", difference, row->rotating_bytes > 0 ? ", cold caches" : "");
    vkmm_page_text(page, vkmm_text_type(&row->problem, 1), "word");
}

/* ---- roofline ---- */

static int any_peak(const vkmm_page *page, int type)
{
    for (uint32_t i = 0; i < page->all.who_count; i++)
        if (page->all.who[i].bench->devices[page->all.who[i].device].peaks.multiply_adds_per_s[type] > 0) return 1;
    return 0;
}

static void peaks_table(vkmm_page *page)
{
    static const char *const heads[] = {"Device", "|Copy, GB/s", NULL};

    vkmm_page_table(page, 0,
                    "Measured peaks: multiply-adds in GFLOP/s, a multiplication and an addition each, of integers too",
                    NULL, heads);
    for (int type = 0; type < VKMM_TYPE_COUNT; type++)
        if (any_peak(page, type)) vkmm_page_head(page, vkmm_type_of((vkmm_type)type)->name, 1);
    vkmm_page_head(page, "Matrix units, best shape", 0);
    vkmm_page_table_body(page);
    for (uint32_t i = 0; i < page->all.who_count; i++) {
        const vkmm_contender *who = &page->all.who[i];
        const vkmm_bench_peaks *peaks = &who->bench->devices[who->device].peaks;
        const vkmm_bench_matrix *best = NULL;
        char text[160] = "";
        vkmm_page_row(page, who->label, 0);
        vkmm_page_figure(page, peaks->copy_bytes_per_s > 0 ? 1e-9 * peaks->copy_bytes_per_s : NAN);
        for (int type = 0; type < VKMM_TYPE_COUNT; type++)
            if (any_peak(page, type))
                vkmm_page_figure(page,
                                 peaks->multiply_adds_per_s[type] > 0 ? 2e-9 * peaks->multiply_adds_per_s[type] : NAN);
        for (uint32_t j = 0; j < peaks->matrix_count && j < VKMM_BENCH_MATRICES; j++) {
            if (peaks->matrix[j].multiply_adds_per_s > 0 &&
                (best == NULL || peaks->matrix[j].multiply_adds_per_s > best->multiply_adds_per_s))
                best = &peaks->matrix[j];
        }
        if (best != NULL) {
            char a[32], c[32], speed[48];
            vkmm_text_speed(speed, sizeof speed, 2 * best->multiply_adds_per_s, "FLOP/s");
            snprintf(text, sizeof text, "%u×%u×%u, %s to %s: %s", best->shape.m, best->shape.n, best->shape.k,
                     vkmm_component_name(best->shape.a, a), vkmm_component_name(best->shape.result, c), speed);
        }
        vkmm_page_text(page, text, "text");
        vkmm_page_row_end(page);
    }
    vkmm_page_table_end(page, 0);
}

void vkmm_page_roofline(vkmm_page *page)
{
    int any = 0;

    for (uint32_t i = 0; i < page->all.who_count; i++) {
        const vkmm_bench_peaks *peaks = &page->all.who[i].bench->devices[page->all.who[i].device].peaks;
        any |= peaks->copy_bytes_per_s > 0;
        for (int type = 0; type < VKMM_TYPE_COUNT; type++) any |= peaks->multiply_adds_per_s[type] > 0;
    }
    if (!any) return;
    vkmm_page_section(page, "roofline", "Roofline",
                      "Under the slope, memory is what limits; under the level, arithmetic. Products stand at 2·M·N·K "
                      "over the bytes of A, B and C once "
                      "each; steps of the ladder at the bytes they ask memory for, so that one above the slope was "
                      "answered by caches.");
    vkmm_page_charts(page, "roofline-");
    peaks_table(page);
    vkmm_page_end(page);
}

/* ---- tiles ---- */

static void tile_table(vkmm_page *page, const vkmm_bench_tune *tune)
{
    static const char *const heads[] = {"Rows of the tile", NULL};
    char size[VKMM_TEXT_PROBLEM], caption[240];
    vkmm_tile_map map;

    if (!vkmm_tile_map_of(tune, &map)) return;
    vkmm_text_problem(size, sizeof size, &tune->problem, 1);
    snprintf(caption, sizeof caption,
             "Best milliseconds by rows and columns of the tile: %s %s, %u candidates, %u of them failed", size,
             vkmm_text_type(&tune->problem, 1), map.measured + map.failed, map.failed);
    vkmm_page_table(page, 1, caption, tune->device, heads);
    for (uint32_t j = 0; j < map.col_count; j++) {
        char text[32];
        snprintf(text, sizeof text, "%u columns", map.cols[j]);
        vkmm_page_head(page, text, 1);
    }
    vkmm_page_table_body(page);
    for (uint32_t i = map.row_count; i-- > 0;) {
        char text[32];
        snprintf(text, sizeof text, "%u", map.rows[i]);
        vkmm_page_row(page, text, 1);
        for (uint32_t j = 0; j < map.col_count; j++) vkmm_page_figure(page, map.ms[i][j]);
        vkmm_page_row_end(page);
    }
    vkmm_page_table_end(page, 1);
}

void vkmm_page_tiles(vkmm_page *page)
{
    uint32_t maps = 0;

    for (uint32_t i = 0; i < page->all.bench_count; i++) {
        const vkmm_bench *bench = &page->all.benches[i];
        for (uint32_t j = 0; j < bench->tune_count; j++) {
            vkmm_tile_map map;
            if (!vkmm_tile_map_of(&bench->tunes[j], &map)) continue;
            if (maps++ == 0) {
                vkmm_page_section(page, "tiles", "Tiles that a tune tried",
                                  "The best time of each size of tile, whatever the other tunables were.");
                vkmm_page_charts(page, "tiles-");
            }
            tile_table(page, &bench->tunes[j]);
        }
    }
    if (maps > 0) vkmm_page_end(page);
}

/* ---- errors ---- */

void vkmm_page_errors(vkmm_page *page)
{
    static const char *const heads[] = {"Product", "Type",   "Device",          "Kernel", "|GFLOP/s",
                                        "|Error",  "|Bound", "|Error of bound", "Method", NULL};
    uint32_t rows = 0;

    for (uint32_t i = 0; i < page->all.who_count; i++) {
        const vkmm_contender *who = &page->all.who[i];
        for (uint32_t j = 0; j < who->bench->row_count; j++) {
            const vkmm_bench_row *row = &who->bench->rows[j];
            char text[32];
            if (row->device != who->device || !vkmm_bench_is_timed(row) || !vkmm_type_of(row->problem.type)->is_float)
                continue;
            if (rows++ == 0) {
                vkmm_page_section(page, "errors", "Error beside speed",
                                  "How far each product is from the exact one, as its verification measured it, "
                                  "against the bound that rounding allows. "
                                  "Integers are exact, or wrong.");
                vkmm_page_charts(page, "error-");
                vkmm_page_table(page, 1, "Errors of all floating-point products", NULL, heads);
                vkmm_page_table_body(page);
            }
            vkmm_page_product(page, row);
            vkmm_page_text(page, who->label, "name");
            vkmm_page_text(page, row->kernel.name, "word");
            vkmm_page_figure(page, row->figures.gflops);
            snprintf(text, sizeof text, "%.3g", row->error);
            vkmm_page_text(page, isfinite(row->error) ? text : "", "n");
            snprintf(text, sizeof text, "%.3g", row->bound);
            vkmm_page_text(page, isfinite(row->bound) ? text : "", "n");
            vkmm_page_percent(page, row->error / row->bound);
            vkmm_page_text(page, row->method, "word");
            vkmm_page_row_end(page);
        }
    }
    if (rows == 0) return;
    vkmm_page_table_end(page, 1);
    vkmm_page_end(page);
}

/* ---- all rows ---- */

static void range(vkmm_page *page, double low, double high)
{
    char left[32], right[32], text[80] = "";

    if (isfinite(low) && isfinite(high)) {
        vkmm_text_figure(left, sizeof left, low);
        vkmm_text_figure(right, sizeof right, high);
        snprintf(text, sizeof text, "%s–%s", left, right);
    }
    vkmm_page_text(page, text, "n");
}

static void full_row(vkmm_page *page, const vkmm_bench_row *row)
{
    const vkmm_bench_figures *f = &row->figures;
    char text[VKMM_CONFIG_TEXT + 64];

    vkmm_page_product(page, row);
    snprintf(text, sizeof text, "%s%s", row->kernel.name, row->kernel.tuned ? " (tuned)" : "");
    vkmm_page_text(page, text, "word");
    vkmm_page_figure(page, f->gflops);
    vkmm_page_figure(page, f->median_ms);
    range(page, f->low_ms, f->high_ms);
    range(page, f->p5_ms, f->p95_ms);
    vkmm_page_figure(page, f->gbytes_per_s);
    vkmm_page_percent(page, f->arithmetic_share);
    vkmm_page_percent(page, f->copy_share);
    vkmm_page_figure(page, vkmm_row_intensity(row));
    vkmm_page_figure(page, f->submit_ms);
    vkmm_page_figure(page, f->transfer_ms);
    vkmm_page_figure(page, f->sum_ms);
    vkmm_page_text(page, f->apart[0] != '\0' ? f->apart : isfinite(f->sum_ms) ? "yes" : "", "wide");
    vkmm_page_figure(page, row->power.joules);
    vkmm_page_figure(page, row->power.mhz[1]);
    snprintf(text, sizeof text, "%u", row->kernel_ms.count);
    vkmm_page_text(page, row->kernel_ms.count > 0 ? text : "", "n");
    snprintf(text, sizeof text, "%.16s%s%.128s", row->clock, row->clock_note[0] != '\0' ? ": " : "", row->clock_note);
    vkmm_page_text(page, text, "name");
    vkmm_page_figure(page, row->slope_ms > 0 ? row->slope_ms : NAN);
    snprintf(text, sizeof text, "%s%s%.128s", f->throttled ? "throttled" : "",
             f->throttled && row->power.limited[0] != '\0' ? ": " : "", row->power.limited);
    vkmm_page_text(page, text, "name");
    vkmm_page_text(page, row->kernel.config, "wide");
    vkmm_page_row_end(page);
}

void vkmm_page_rows(vkmm_page *page)
{
    static const char *const heads[] = {"Product",
                                        "Type",
                                        "Kernel",
                                        "|GFLOP/s",
                                        "|Median ms",
                                        "|95 % interval",
                                        "|5–95 % of samples",
                                        "|GB/s",
                                        "|Of peak",
                                        "|Of copy",
                                        "|FLOP/byte",
                                        "|Submit ms",
                                        "|With transfers, ms",
                                        "|Sum of its parts, ms",
                                        "Do they add up?",
                                        "|Joule",
                                        "|MHz",
                                        "|Samples",
                                        "Clock",
                                        "|Slope ms",
                                        "Slowed down",
                                        "Tunables",
                                        NULL};

    if (page->all.who_count == 0) return;
    vkmm_page_section(page, "rows", "All rows",
                      "Medians; milliseconds of the kernel alone, from submission to fence, and with the transfers of "
                      "A, B and C, which its parts "
                      "(upload, kernel, "
                      "overhead, download) should add up to. Slope: one dispatch by the host&#39;s clock, over batches "
                      "that grow, to check the "
                      "device&#39;s clock. A dash: not known.");
    for (uint32_t i = 0; i < page->all.who_count; i++) {
        const vkmm_contender *who = &page->all.who[i];
        vkmm_page_table(page, 1, "All timed rows", who->label, heads);
        vkmm_page_table_body(page);
        for (uint32_t j = 0; j < who->bench->row_count; j++) {
            if (who->bench->rows[j].device == who->device && vkmm_bench_is_timed(&who->bench->rows[j]))
                full_row(page, &who->bench->rows[j]);
        }
        vkmm_page_table_end(page, 1);
    }
    vkmm_page_end(page);
}

static int has_no_speed(const vkmm_bench *bench, uint32_t row)
{
    return !vkmm_bench_is_timed(&bench->rows[row]) && bench->rows[row].device < bench->device_count;
}

/* A list that is longer than a screen is folded. */
static int is_long(const vkmm_page *page)
{
    uint32_t rows = 0;

    for (uint32_t i = 0; i < page->all.bench_count; i++)
        for (uint32_t j = 0; j < page->all.benches[i].row_count; j++)
            rows += has_no_speed(&page->all.benches[i], j) != 0;
    return rows > 16;
}

void vkmm_page_not_run(vkmm_page *page)
{
    const int fold = is_long(page);
    static const char *const heads[] = {"Product", "Type", "Kernel asked for", "Device", "Report", "Why", NULL};
    uint32_t rows = 0;

    for (uint32_t i = 0; i < page->all.bench_count; i++) {
        const vkmm_bench *bench = &page->all.benches[i];
        for (uint32_t j = 0; j < bench->row_count; j++) {
            const vkmm_bench_row *row = &bench->rows[j];
            if (!has_no_speed(bench, j)) continue;
            if (rows++ == 0) {
                vkmm_page_section(page, "not-run", "Not run, or without a speed",
                                  "No figure is made up for what was not measured, or came out wrong.");
                vkmm_page_table(page, fold, "Products without a speed", NULL, heads);
                vkmm_page_table_body(page);
            }
            vkmm_page_product(page, row);
            vkmm_page_text(page, row->asked, "word");
            vkmm_page_text(page, bench->devices[row->device].label, "name");
            vkmm_page_text(page, vkmm_page_report_name(bench), "name");
            vkmm_page_text(page, row->not_run[0] != '\0' ? row->not_run : row->sentence,
                           vkmm_bench_is_wrong(row) ? "text slower" : "text");
            vkmm_page_row_end(page);
        }
    }
    if (rows == 0) return;
    vkmm_page_table_end(page, fold);
    vkmm_page_end(page);
}
