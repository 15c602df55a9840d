/* Curves over size: a line a device. */
#include "bench/charts.h"

#include "base/alloc.h"
#include "math/types_name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct curve {
    vkmm_chart_point *points;
    uint32_t count, who;
} curve;

/* "The fastest is NAME: 43210 GFLOP/s at N = 8192." of the highest point of all. */
static void summarise(vkmm_chart *chart, const vkmm_chart_maker *maker, const curve *curves, uint32_t count,
                      const char *unit)
{
    char figure[64];
    const vkmm_chart_point *best = NULL;
    uint32_t who = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < curves[i].count; j++) {
            if (best != NULL && curves[i].points[j].y <= best->y) continue;
            best = &curves[i].points[j];
            who = curves[i].who;
        }
    }
    if (best == NULL) return;
    vkmm_text_figure(figure, sizeof figure, best->y);
    snprintf(chart->summary, sizeof chart->summary,
             "%u line%s, one a device. The highest point is that of %.200s: %s %s at N = %.0f.", count,
             count == 1 ? "" : "s", maker->who[who].label, figure, unit, best->x);
}

static void axis(vkmm_builder *builder, const curve *curves, uint32_t count)
{
    double low = INFINITY, high = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < curves[i].count; j++) {
            if (curves[i].points[j].low < low) low = curves[i].points[j].low;
            if (curves[i].points[j].high > high) high = curves[i].points[j].high;
        }
    }
    vkmm_chart_log_axis(builder, "y", low, high);
}

static void draw(vkmm_builder *builder, const vkmm_chart_maker *maker, const curve *curves, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) vkmm_chart_block(builder, i, curves[i].points, curves[i].count);
    vkmm_build_text(builder, "plot");
    for (uint32_t i = 0; i < count; i++) {
        vkmm_build(builder, "%s $d%u using 1:2:3:4 with yerrorlines", i > 0 ? "," : "", i);
        vkmm_chart_style(builder, curves[i].who);
        vkmm_build_text(builder, " title ");
        vkmm_chart_label(builder, &maker->who[curves[i].who]);
    }
    vkmm_build_text(builder, "\n");
}

typedef struct curve_kind {
    const char *name, *title, *unit, *axes;
    int is_share; /* whose axis is not logarithmic */
    vkmm_chart_pick pick;
} curve_kind;

static void chart_type(vkmm_chart_maker *maker, const curve_kind *kind, const vkmm_types *types, curve *curves)
{
    vkmm_builder builder;
    vkmm_chart *chart;
    char name[64], title[160];
    uint32_t count = 0, longest = 0;

    for (uint32_t i = 0; i < maker->who_count; i++) {
        curves[count].points = vkmm_chart_points(maker, &maker->who[i], types, kind->pick, 1, &curves[count].count);
        curves[count].who = i;
        if (curves[count].count > longest) longest = curves[count].count;
        count += curves[count].points != NULL;
    }
    snprintf(name, sizeof name, "%s-%s", kind->name, vkmm_types_slug(*types));
    snprintf(title, sizeof title, "%s, %s", kind->title, vkmm_types_words(*types));
    /* Single sizes make no curve; they are in the tables. */
    chart = longest > 1 ? vkmm_chart_begin(maker, &builder, name, title, count) : NULL;
    if (chart != NULL) {
        vkmm_build_text(&builder, kind->axes);
        if (!kind->is_share) axis(&builder, curves, count);
        draw(&builder, maker, curves, count);
        summarise(chart, maker, curves, count, kind->unit);
        vkmm_chart_end(maker, chart, &builder);
    }
    for (uint32_t i = 0; i < count; i++) vkmm_free(curves[i].points);
}

void vkmm_charts_speed(vkmm_chart_maker *maker)
{
#define OVER_N "set logscale x 2\nset format x '%.0f'\nset xlabel 'N' offset 0,0.6 noenhanced textcolor rgb '#1b2430'\n"
#define SPEED  "set ylabel 'GFLOP/s' noenhanced textcolor rgb '#1b2430'\n"
    static const curve_kind kinds[] = {
        {"speed", "Speed over size", "GFLOP/s", OVER_N SPEED, 0, vkmm_pick_square},
        {"columns", "Speed over columns of B", "GFLOP/s", OVER_N SPEED, 0, vkmm_pick_llm},
        {"share", "Share of the measured multiply-add peak", "%",
         OVER_N "set yrange [0:*<105]\nset ylabel 'percent of peak' noenhanced textcolor rgb '#1b2430'\n", 1,
         vkmm_pick_share},
    };
    curve *curves = vkmm_alloc(maker->who_count + 1, sizeof *curves);

    if (curves == NULL) maker->failed = 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (uint32_t t = 0; vkmm_types_at(t) != NULL && curves != NULL; t++)
            chart_type(maker, &kinds[i], vkmm_types_at(t), curves);
    }
    vkmm_free(curves);
}
