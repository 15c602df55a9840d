/* How charts are made: what the files charts_*.c share. Scripts hold numbers, texts of this program, and texts of
 * reports as vkmm_build_quoted leaves them. */
#ifndef VKMM_REPORT_CHARTS_H
#define VKMM_REPORT_CHARTS_H

#include "math/types_name.h"
#include "bench/page.h"
#include "report/build.h"

#define VKMM_LABEL_COLUMNS 44 /* of a device's name in a chart's key */

/* All that is charted. */
typedef struct vkmm_chart_maker {
    const vkmm_bench *benches;
    uint32_t bench_count;
    const vkmm_contender *who;
    uint32_t who_count;
    vkmm_charts *charts;
    int failed; /* memory ended */
} vkmm_chart_maker;

/* Finds who is charted, from benches and bench_count. The caller frees what it returns with vkmm_free; NULL: nobody
 * has a speed, or memory ended. */
vkmm_contender *vkmm_chart_start(vkmm_chart_maker *maker);

typedef struct vkmm_chart_point {
    double x, y, low, high; /* low, high: of y, its 5 % and 95 % of samples */
    const vkmm_bench_row *row;
} vkmm_chart_point;

/* Whether a timed row belongs into a chart, and where; sets all but point->row. */
typedef int (*vkmm_chart_pick)(const vkmm_bench_row *row, vkmm_chart_point *point);

/* Whether a row is of these types, of all three. */
int vkmm_is_of_types(const vkmm_bench_row *row, const vkmm_types *types);

/* The points of one device and of one combination of types, sorted by x; once: each x once, as curves need it.
 * *count of them; freed with vkmm_free. NULL: there are none (or memory ended: `failed`). */
vkmm_chart_point *vkmm_chart_points(vkmm_chart_maker *maker, const vkmm_contender *who, const vkmm_types *types,
                                    vkmm_chart_pick pick, int once, uint32_t *count);

/* Whether it is the product of square matrices by the automatic choice of a kernel, one at a time, not transposed:
 * what curves over size show. */
int vkmm_chart_is_square(const vkmm_bench_row *row);
int vkmm_pick_square(const vkmm_bench_row *row,
                     vkmm_chart_point *point); /* x: N, y: GFLOP/s; without the sizes beside a round one */
int vkmm_pick_llm(const vkmm_bench_row *row, vkmm_chart_point *point);   /* x: N of the group "llm" */
int vkmm_pick_share(const vkmm_bench_row *row, vkmm_chart_point *point); /* y: percent of the multiply-add peak */

/* N's whose neighbours N - 1 or N + 1 were measured as well, with the rows of all three; NULL where there is none. */
typedef struct vkmm_cliff {
    uint64_t n;
    const vkmm_bench_row *row[3]; /* N - 1, N, N + 1; row[1] is never NULL, nor are both others */
} vkmm_cliff;

#define VKMM_MAX_CLIFFS 32
uint32_t vkmm_cliffs_of(const vkmm_contender *who, const vkmm_types *types, vkmm_cliff cliffs[VKMM_MAX_CLIFFS]);

/* The steps of the ladder that were timed, in the order of their rows, each once; their count. Texts belong to the
 * reports. And a device's row of one, NULL without. */
#define VKMM_MAX_STEPS 16
uint32_t vkmm_ladder_steps(const vkmm_contender *who, uint32_t who_count, const char *names[VKMM_MAX_STEPS]);
const vkmm_bench_row *vkmm_ladder_row(const vkmm_contender *who, const char *kernel, const vkmm_types *types);

/* The combinations of types that have one of these steps; their count. */
uint32_t vkmm_ladder_types(const vkmm_contender *who, const char *const *names, uint32_t steps,
                           const vkmm_types *types[VKMM_TYPES_COUNT]);

/* FLOP per byte: of memory asked for where the kernel's reads are known by formula, otherwise of A, B and C once
 * each; NAN without a speed. */
double vkmm_row_intensity(const vkmm_bench_row *row);

/* One tile of a map: the best time of all candidates with so many rows and columns; and the map's sides, ascending. */
#define VKMM_MAX_MAP 16
typedef struct vkmm_tile_map {
    uint32_t rows[VKMM_MAX_MAP], cols[VKMM_MAX_MAP], row_count, col_count;
    double ms[VKMM_MAX_MAP][VKMM_MAX_MAP]; /* NAN: none was measured */
    uint32_t measured, failed;             /* candidates */
    double best_ms;
    const vkmm_bench_trial *best;
} vkmm_tile_map;

/* 0: fewer than two tiles were measured. */
int vkmm_tile_map_of(const vkmm_bench_tune *tune, vkmm_tile_map *map);

/* Begins a chart: its names, the lines of its key, and the settings that all have. NULL: no room is left. `builder`
 * gets the script; vkmm_chart_end takes it over. */
vkmm_chart *vkmm_chart_begin(vkmm_chart_maker *maker, vkmm_builder *builder, const char *name, const char *title,
                             uint32_t lines);
void vkmm_chart_end(vkmm_chart_maker *maker, vkmm_chart *chart, vkmm_builder *builder);

/* " lc rgb '#0072b2' pt 7 dt 1 …" of the n-th line of a chart: colours that all eyes tell apart, and marks and
 * dashes besides. */
void vkmm_chart_style(vkmm_builder *builder, uint32_t index);
void vkmm_chart_mark(vkmm_builder *builder, uint32_t index); /* the same without a line */
const char *vkmm_chart_colour(uint32_t index);               /* "#0072b2" */

/* A logarithmic axis, "x" or "y", around the values from low to high, with figures at 1, 2 and 5, at more or fewer
 * where these are too few or too many. */
void vkmm_chart_log_axis(vkmm_builder *builder, const char *axis, double low, double high);

/* "$d3 << EOD", numbers, "EOD" */
void vkmm_chart_block(vkmm_builder *builder, uint32_t index, const vkmm_chart_point *points, uint32_t count);

/* The name of a device, and of its driver where that is not in it, as a title in a key. */
void vkmm_chart_label(vkmm_builder *builder, const vkmm_contender *who);

/* Each adds its charts. */
void vkmm_charts_speed(vkmm_chart_maker *maker);    /* charts_speed.c: speed over size, over columns, share of peak */
void vkmm_charts_ladder(vkmm_chart_maker *maker);   /* charts_ladder.c */
void vkmm_charts_cliffs(vkmm_chart_maker *maker);   /* charts_cliffs.c */
void vkmm_charts_roofline(vkmm_chart_maker *maker); /* charts_roofline.c */
void vkmm_charts_errors(vkmm_chart_maker *maker);   /* charts_roofline.c */
void vkmm_charts_tiles(vkmm_chart_maker *maker);    /* charts_tiles.c */

#endif
