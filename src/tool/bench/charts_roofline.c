/* Rooflines (Williams, Waterman and Patterson, Communications of the ACM 52, 2009): speed over FLOP per byte of
 * memory, under what the device was measured to do at best; and errors over speed. */
#include "bench/charts.h"

#include "base/alloc.h"
#include "math/types_name.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is below the roof: the curves' points, and the steps of the ladder with their names. */
static int pick_any(const vkmm_bench_row *row, vkmm_chart_point *point)
{
    if (strcmp(row->group, "ladder") == 0) return 0;
    point->x = vkmm_row_intensity(row);
    point->y = point->low = point->high = row->figures.gflops;
    return 1;
}

static int pick_step(const vkmm_bench_row *row, vkmm_chart_point *point)
{
    if (strcmp(row->group, "ladder") != 0) return 0;
    point->x = vkmm_row_intensity(row);
    point->y = point->low = point->high = row->figures.gflops;
    return 1;
}

typedef struct ceiling {
    double flops, bytes, left, right, low; /* GFLOP/s, GB/s; FLOP/byte of both ends; GFLOP/s of the slowest */
} ceiling;

static void widen(ceiling *roof, const vkmm_chart_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (points[i].x < roof->left) roof->left = points[i].x;
        if (points[i].x > roof->right) roof->right = points[i].x;
        if (points[i].y < roof->low) roof->low = points[i].y;
    }
}

static void plot(vkmm_builder *builder, const ceiling *roof, const vkmm_types *types, int is_matrix, int any, int steps)
{
    const double ridge = roof->flops / roof->bytes;
    char bytes[64], flops[64];

    vkmm_text_figure(bytes, sizeof bytes, roof->bytes);
    vkmm_text_figure(flops, sizeof flops, roof->flops);
    vkmm_build_text(builder, "$roof << EOD\n");
    if (roof->left < ridge) vkmm_build(builder, "%.9g %.9g\n", roof->left, roof->left * roof->bytes);
    vkmm_build(builder, "%.9g %.9g\n%.9g %.9g\nEOD\n", ridge, roof->flops, roof->right, roof->flops);
    vkmm_chart_log_axis(builder, "x", roof->left, roof->right);
    vkmm_chart_log_axis(builder, "y", roof->low, roof->flops);
    vkmm_build_text(builder, "set xlabel 'FLOP per byte of memory' offset 0,0.6 noenhanced textcolor rgb '#1b2430'\n"
                             "set ylabel 'GFLOP/s' noenhanced textcolor rgb '#1b2430'\n");
    vkmm_build(builder,
               "plot $roof using 1:2 with lines lw 2 lc rgb '#5a6573' dt 1 title 'measured peaks: copy %s GB/s, %s%s "
               "%s GFLOP/s'",
               bytes, is_matrix ? "matrices of " : "", vkmm_types_words(*types), flops);
    if (any)
        vkmm_build(builder, ", $d0 using 1:2 with points lc rgb '%s' pt 7 ps 0.6 title 'products'",
                   vkmm_chart_colour(0));
    if (steps)
        vkmm_build(builder,
                   ", $d1 using 1:2 with points lc rgb '%s' pt 9 ps 0.9 title 'steps of the ladder', "
                   "$n using 1:2:3 with labels left offset 0.7,0.1 noenhanced textcolor rgb '#1b2430' notitle",
                   vkmm_chart_colour(1));
    vkmm_build_text(builder, "\n");
}

/* Kernels that read alike stand at one place, one name above the other is then not to be read: near the same point
 * only the first is named. */
static void name_steps(vkmm_builder *builder, const vkmm_chart_point *points, uint32_t count)
{
    vkmm_build_text(builder, "$n << EOD\n");
    for (uint32_t i = 0; i < count; i++) {
        int crowded = 0;
        for (uint32_t j = 0; j < i; j++)
            crowded |= fabs(log(points[i].x / points[j].x)) < 1.2 && fabs(log(points[i].y / points[j].y)) < 0.25;
        if (crowded) continue;
        vkmm_build(builder, "%.9g %.9g \"", points[i].x, points[i].y);
        vkmm_build_plain(builder, points[i].row->asked, 24);
        vkmm_build_text(builder, "\"\n");
    }
    vkmm_build_text(builder, "EOD\n");
}

static void chart_roofline(vkmm_chart_maker *maker, uint32_t index, const vkmm_types *types)
{
    const vkmm_contender *who = &maker->who[index];
    const vkmm_bench_peaks *peaks = &who->bench->devices[who->device].peaks;
    int is_matrix = 0;
    ceiling roof = {2e-9 * vkmm_bench_peak_of(peaks, *types, &is_matrix), 1e-9 * peaks->copy_bytes_per_s, 1, 1, 1};
    uint32_t any_count, step_count;
    vkmm_chart_point *any, *steps;
    vkmm_builder builder;
    vkmm_chart *chart = NULL;
    char name[64], title[160], level[64];

    if (!(roof.flops > 0) || !(roof.bytes > 0)) return;
    any = vkmm_chart_points(maker, who, types, pick_any, 0, &any_count);
    steps = vkmm_chart_points(maker, who, types, pick_step, 0, &step_count);
    snprintf(name, sizeof name, "roofline-%u-%s", index + 1, vkmm_types_slug(*types));
    snprintf(title, sizeof title, "Roofline, %.100s, %s", who->label, vkmm_types_words(*types));
    if (any_count > 2 || steps != NULL) chart = vkmm_chart_begin(maker, &builder, name, title, 3);
    if (chart != NULL) {
        roof.left = roof.right = roof.flops / roof.bytes;
        roof.low = roof.flops;
        widen(&roof, any, any_count);
        widen(&roof, steps, step_count);
        roof.left *= 0.6;
        roof.right *= 2;
        if (roof.low > roof.left * roof.bytes) roof.low = roof.left * roof.bytes;
        vkmm_chart_block(&builder, 0, any, any_count);
        vkmm_chart_block(&builder, 1, steps, step_count);
        name_steps(&builder, steps, step_count);
        plot(&builder, &roof, types, is_matrix, any != NULL, steps != NULL);
        vkmm_text_figure(level, sizeof level, roof.flops);
        snprintf(chart->summary, sizeof chart->summary,
                 "Each product of %.160s in %s by its FLOP per byte of memory, under the measured roof: a slope of "
                 "%.4g GB/s up to %.3g "
                 "FLOP per "
                 "byte, then level at %s GFLOP/s.",
                 who->label, vkmm_types_words(*types), roof.bytes, roof.flops / roof.bytes, level);
        vkmm_chart_end(maker, chart, &builder);
    }
    vkmm_free(any);
    vkmm_free(steps);
}

void vkmm_charts_roofline(vkmm_chart_maker *maker)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        for (uint32_t i = 0; i < maker->who_count; i++) chart_roofline(maker, i, vkmm_types_at(t));
    }
}

/* ---- errors ---- */

static int pick_error(const vkmm_bench_row *row, vkmm_chart_point *point)
{
    point->x = row->figures.gflops;
    point->y = row->error / row->bound;
    point->low = point->high = point->y;
    return row->bound > 0;
}

static void chart_errors(vkmm_chart_maker *maker, const vkmm_types *types)
{
    vkmm_builder builder;
    vkmm_chart *chart = NULL;
    const vkmm_contender *worst_who = NULL;
    double worst = 0;
    char name[64], title[160];

    snprintf(name, sizeof name, "error-%s", vkmm_types_slug(*types));
    snprintf(title, sizeof title, "Error beside speed, %s", vkmm_types_words(*types));
    for (uint32_t i = 0, lines = 0; i < maker->who_count; i++) {
        uint32_t count;
        vkmm_chart_point *points = vkmm_chart_points(maker, &maker->who[i], types, pick_error, 0, &count);
        if (points == NULL) continue;
        if (lines++ == 0) chart = vkmm_chart_begin(maker, &builder, name, title, maker->who_count + 1);
        if (chart != NULL) vkmm_chart_block(&builder, i, points, count);
        for (uint32_t j = 0; j < count; j++) {
            if (points[j].y <= worst) continue;
            worst = points[j].y;
            worst_who = &maker->who[i];
        }
        vkmm_free(points);
    }
    if (chart == NULL) return;
    vkmm_build_text(&builder,
                    "set logscale x 10\nset logscale y 10\nset format x '%g'\nset format y '%g'\nset yrange [*:1]\n"
                    "set xlabel 'GFLOP/s' offset 0,0.6 noenhanced textcolor rgb '#1b2430'\n"
                    "set ylabel 'error / bound' noenhanced textcolor rgb '#1b2430'\nplot 1 with lines lw 1.5 lc rgb "
                    "'#5a6573' dt 1 title 'bound'");
    for (uint32_t i = 0; i < maker->who_count; i++) {
        char block[32];
        snprintf(block, sizeof block, "$d%u << EOD", i);
        if (builder.failed || strstr(builder.text, block) == NULL) continue;
        vkmm_build(&builder, ", $d%u using 1:2 with points", i);
        vkmm_chart_mark(&builder, i);
        vkmm_build_text(&builder, " title ");
        vkmm_chart_label(&builder, &maker->who[i]);
    }
    vkmm_build_text(&builder, "\n");
    snprintf(chart->summary, sizeof chart->summary,
             "Each verified product by its speed and by its error as a share of what is allowed. The largest share is "
             "%.3g, on %.200s.",
             worst, worst_who != NULL ? worst_who->label : "none");
    vkmm_chart_end(maker, chart, &builder);
}

void vkmm_charts_errors(vkmm_chart_maker *maker)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        if (vkmm_type_of(vkmm_types_at(t)->in)->is_float) chart_errors(maker, vkmm_types_at(t));
    }
}
