#include "bench/charts.h"

#include "base/alloc.h"
#include "math/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours, the yellow left out, which white paper swallows; page/chart.css has the same, and lighter
 * ones for dark screens. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5a6573"};
static const int marks[] = {7, 5, 9, 13, 11,
                            6, 4, 8, 12, 10}; /* disc, square, triangle, diamond …: gnuplot's numbers */
static const char *const dashes[] = {"1", "(10,4)", "(3,3)", "(12,4,3,4)", "(6,3)"};

const char *vkmm_chart_colour(uint32_t index)
{
    return colours[index % (sizeof colours / sizeof *colours)];
}

void vkmm_chart_mark(vkmm_builder *builder, uint32_t index)
{
    vkmm_build(builder, " lc rgb '%s' pt %d ps 0.75", vkmm_chart_colour(index),
               marks[index % (sizeof marks / sizeof *marks)]);
}

void vkmm_chart_style(vkmm_builder *builder, uint32_t index)
{
    vkmm_chart_mark(builder, index);
    vkmm_build(builder, " lw 1.8 dt %s", dashes[index % (sizeof dashes / sizeof *dashes)]);
}

/* ---- what is charted ---- */

static int compare_points(const void *left, const void *right)
{
    const vkmm_chart_point *a = left, *b = right;

    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->row < b->row ? -1 : 1; /* rows of one report lie in one array */
}

/* once: of several at one x, the first row of the report stays. */
static uint32_t sort(vkmm_chart_point *points, uint32_t count, int once)
{
    uint32_t kept = 0;

    qsort(points, count, sizeof *points, compare_points);
    for (uint32_t i = 0; i < count; i++) {
        if (once && kept > 0 && points[kept - 1].x == points[i].x) continue;
        points[kept++] = points[i];
    }
    return kept;
}

int vkmm_is_of_types(const vkmm_bench_row *row, const vkmm_types *types)
{
    return vkmm_types_equal(vkmm_problem_types(&row->problem), *types);
}

vkmm_chart_point *vkmm_chart_points(vkmm_chart_maker *maker, const vkmm_contender *who, const vkmm_types *types,
                                    vkmm_chart_pick pick, int once, uint32_t *count)
{
    const vkmm_bench *bench = who->bench;
    vkmm_chart_point *points = vkmm_alloc(bench->row_count, sizeof *points);

    *count = 0;
    if (points == NULL) {
        maker->failed = 1;
        return NULL;
    }
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        vkmm_chart_point *point = &points[*count];
        if (row->device != who->device || !vkmm_is_of_types(row, types) || !vkmm_bench_is_timed(row) ||
            !pick(row, point))
            continue;
        if (!(point->x > 0 && point->y > 0) || !isfinite(point->x) || !isfinite(point->y))
            continue; /* axes are logarithmic */
        point->row = row;
        ++*count;
    }
    *count = sort(points, *count, once);
    if (*count > 0) return points;
    vkmm_free(points);
    return NULL;
}

int vkmm_chart_is_square(const vkmm_bench_row *row)
{
    const vkmm_problem *p = &row->problem;

    return p->m == p->n && p->n == p->k && strcmp(row->asked, "auto") == 0 && strcmp(row->group, "ladder") != 0 &&
           vkmm_problem_batches(p) == 1 && p->op_a == VKMM_OP_N && p->op_b == VKMM_OP_N && !p->has_bias &&
           p->activation == VKMM_ACTIVATION_NONE;
}

static void place(const vkmm_bench_row *row, vkmm_chart_point *point)
{
    const vkmm_bench_figures *f = &row->figures;

    point->x = (double)row->problem.n;
    point->y = f->gflops;
    point->low = f->p95_ms > 0 ? f->gflops * f->median_ms / f->p95_ms : f->gflops;
    point->high = f->p5_ms > 0 ? f->gflops * f->median_ms / f->p5_ms : f->gflops;
}

int vkmm_pick_square(const vkmm_bench_row *row, vkmm_chart_point *point)
{
    if (!vkmm_chart_is_square(row) || strcmp(row->group, "edge") == 0) return 0;
    place(row, point);
    return 1;
}

int vkmm_pick_llm(const vkmm_bench_row *row, vkmm_chart_point *point)
{
    if (strcmp(row->group, "llm") != 0 || strcmp(row->asked, "auto") != 0) return 0;
    place(row, point);
    return 1;
}

int vkmm_pick_share(const vkmm_bench_row *row, vkmm_chart_point *point)
{
    const double scale = 100 * row->figures.arithmetic_share / row->figures.gflops;

    if (!vkmm_pick_square(row, point) || !(scale > 0)) return 0;
    point->y *= scale;
    point->low *= scale;
    point->high *= scale;
    return 1;
}

static const vkmm_bench_row *square(const vkmm_contender *who, const vkmm_types *types, uint64_t n)
{
    for (uint32_t i = 0; i < who->bench->row_count; i++) {
        const vkmm_bench_row *row = &who->bench->rows[i];
        if (row->device == who->device && vkmm_is_of_types(row, types) && row->problem.n == n &&
            vkmm_bench_is_timed(row) && vkmm_chart_is_square(row))
            return row;
    }
    return NULL;
}

uint32_t vkmm_cliffs_of(const vkmm_contender *who, const vkmm_types *types, vkmm_cliff cliffs[VKMM_MAX_CLIFFS])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < who->bench->row_count && count < VKMM_MAX_CLIFFS; i++) {
        const uint64_t n = who->bench->rows[i].problem.n;
        uint32_t at = count;
        vkmm_cliff cliff = {n, {NULL, NULL, NULL}};
        if (n < 2 || n % 2 != 0 || (cliff.row[1] = square(who, types, n)) != &who->bench->rows[i]) continue;
        cliff.row[0] = square(who, types, n - 1);
        cliff.row[2] = square(who, types, n + 1);
        if (cliff.row[0] == NULL && cliff.row[2] == NULL) continue;
        for (; at > 0 && cliffs[at - 1].n > n; at--) cliffs[at] = cliffs[at - 1];
        cliffs[at] = cliff;
        count++;
    }
    return count;
}

double vkmm_row_intensity(const vkmm_bench_row *row)
{
    const double flops = row->figures.gflops * row->figures.median_ms * 1e6; /* 1e9 a second over 1e3 ms a second */

    if (row->asked_bytes > 0) return flops / row->asked_bytes;
    return row->figures.gflops / row->figures.gbytes_per_s;
}

/* ---- scripts ---- */

vkmm_chart *vkmm_chart_begin(vkmm_chart_maker *maker, vkmm_builder *builder, const char *name, const char *title,
                             uint32_t lines)
{
    vkmm_chart *chart;

    *builder = (vkmm_builder){0};
    if (maker->failed) return NULL;
    if (maker->charts->count == VKMM_MAX_CHARTS) {
        maker->charts->left_out++;
        return NULL;
    }
    chart = &maker->charts->chart[maker->charts->count];
    *chart = (vkmm_chart){0};
    snprintf(chart->name, sizeof chart->name, "%s", name);
    snprintf(chart->title, sizeof chart->title, "%s", title);
    chart->height = 340 + 16 * lines;
    vkmm_build_text(builder, "set encoding utf8\n"
                             "set border 3 lw 0.8 lc rgb '#5a6573'\n"
                             "set tics nomirror scale 0.6 textcolor rgb '#1b2430'\n"
                             "set grid xtics ytics lw 0.7 lc rgb '#dcdfe3' dt 1\n"
                             "set key bmargin left horizontal Left reverse noenhanced samplen 3 width -2 height 0.7 "
                             "textcolor rgb '#1b2430'\n"
                             "set errorbars 0.4\n");
    return chart;
}

void vkmm_chart_end(vkmm_chart_maker *maker, vkmm_chart *chart, vkmm_builder *builder)
{
    chart->script = vkmm_build_take(builder, NULL);
    if (chart->script == NULL)
        maker->failed = 1;
    else
        maker->charts->count++;
}

void vkmm_chart_log_axis(vkmm_builder *builder, const char *axis, double low, double high)
{
    static const double steps[] = {1, 2, 5}, close[] = {1, 1.5, 2, 3, 4, 5, 7};
    const double from = low / 1.35, to = high * 1.35;
    const int near = to / from<12, most = to / from> 3000 ? 1 : near ? 7 : 3;
    const char *comma = "";

    vkmm_build(builder, "set logscale %s 10\nset %srange [%.6g:%.6g]\nset %stics (", axis, axis, from, to, axis);
    for (double power = pow(10, floor(log10(from))); power <= to; power *= 10) {
        for (int i = 0; i < most; i++) {
            const double value = (near ? close : steps)[i] * power;
            if (value < from || value > to) continue;
            vkmm_build(builder, value < 1e-4 ? "%s'%.0e' %g" : "%s'%.10g' %g", comma, value, value);
            comma = ", ";
        }
    }
    vkmm_build_text(builder, ")\n");
}

void vkmm_chart_block(vkmm_builder *builder, uint32_t index, const vkmm_chart_point *points, uint32_t count)
{
    vkmm_build(builder, "$d%u << EOD\n", index);
    for (uint32_t i = 0; i < count; i++)
        vkmm_build(builder, "%.9g %.9g %.9g %.9g\n", points[i].x, points[i].y, points[i].low, points[i].high);
    vkmm_build_text(builder, "EOD\n");
}

void vkmm_chart_label(vkmm_builder *builder, const vkmm_contender *who)
{
    vkmm_build_quoted(builder, who->label, VKMM_LABEL_COLUMNS);
}

char *vkmm_chart_input(const vkmm_chart *chart, vkmm_drawing drawing, int titled)
{
    static const char *const png = "size 1280,%u font 'sans,20' linewidth 2 pointscale 1.6 background rgb '#ffffff'\n";
    const unsigned height = chart->height + (titled ? 24 : 0);
    vkmm_builder builder = {0};

    vkmm_build(&builder, "set terminal %s ",
               drawing == VKMM_DRAW_SVG   ? "svg"
               : drawing == VKMM_DRAW_PNG ? "png truecolor"
                                          : "pngcairo");
    if (drawing == VKMM_DRAW_SVG)
        vkmm_build(&builder, "size 640,%u dynamic font 'sans-serif,13'\n", height);
    else
        vkmm_build(&builder, png, 2 * height);
    if (titled) {
        vkmm_build_text(&builder, "set title ");
        vkmm_build_quoted(&builder, chart->title, sizeof chart->title);
        vkmm_build_text(&builder, " noenhanced textcolor rgb '#1b2430'\n");
    }
    vkmm_build_text(&builder, chart->script);
    return vkmm_build_take(&builder, NULL);
}

vkmm_contender *vkmm_chart_start(vkmm_chart_maker *maker)
{
    vkmm_contender *who = vkmm_contenders_of(maker->benches, maker->bench_count, &maker->who_count);

    maker->who = who;
    if (who != NULL) return who;
    maker->who_count = 0;
    for (uint32_t i = 0; i < maker->bench_count; i++) {
        for (uint32_t j = 0; j < maker->benches[i].row_count; j++)
            maker->failed |= vkmm_bench_is_timed(&maker->benches[i].rows[j]);
    }
    return NULL;
}

vkmm_status vkmm_charts_make(const vkmm_bench *benches, uint32_t count, vkmm_charts *charts)
{
    vkmm_chart_maker maker = {.benches = benches, .bench_count = count, .charts = charts};
    vkmm_contender *who = vkmm_chart_start(&maker);

    memset(charts, 0, sizeof *charts);
    vkmm_charts_speed(&maker);
    vkmm_charts_ladder(&maker);
    vkmm_charts_cliffs(&maker);
    vkmm_charts_errors(&maker);
    vkmm_charts_tiles(&maker);
    vkmm_charts_roofline(&maker);
    vkmm_free(who);
    if (!maker.failed) return VKMM_OK;
    vkmm_charts_free(charts);
    return VKMM_OUT_OF_MEMORY;
}

void vkmm_charts_free(vkmm_charts *charts)
{
    for (uint32_t i = 0; i < charts->count; i++) {
        vkmm_free(charts->chart[i].script);
        vkmm_free(charts->chart[i].svg);
    }
    memset(charts, 0, sizeof *charts);
}
