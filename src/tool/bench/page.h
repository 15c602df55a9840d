/* Bench reports as one page: self-contained HTML, its charts drawn by gnuplot. Its sources are src/report/page; it
 * loads nothing and runs no script but its own. */
#ifndef VKMM_REPORT_BENCH_PAGE_H
#define VKMM_REPORT_BENCH_PAGE_H

#include "bench/writer.h"

#define VKMM_MAX_CHARTS 96

/* One chart. */
typedef struct vkmm_chart {
    char name[64]; /* of a file, without its ending: "speed-f32", "ladder-f32", "roofline-1" */
    char title[160];
    char summary[512]; /* what it shows, for those who do not see it */
    unsigned height;   /* of a drawing 640 wide */
    char *script;      /* gnuplot's, but for its `set terminal` and `set output`; owned. No text of a report gets in but
                          through a whitelist */
    char *svg;         /* the drawing; owned; NULL: not drawn */
} vkmm_chart;

typedef struct vkmm_charts {
    vkmm_chart chart[VKMM_MAX_CHARTS];
    uint32_t count, left_out; /* left_out: for which there was no room */
} vkmm_charts;

/* Makes the scripts of all charts that these reports have data for. Ended by vkmm_charts_free. */
vkmm_status vkmm_charts_make(const vkmm_bench *benches, uint32_t count, vkmm_charts *charts);
void vkmm_charts_free(vkmm_charts *charts);

/* The whole input for gnuplot, which then writes the drawing on its standard output. titled: the chart carries its
 * own title. Freed with vkmm_free; NULL when memory ends. */
typedef enum vkmm_drawing {
    VKMM_DRAW_SVG,
    VKMM_DRAW_PNGCAIRO,
    VKMM_DRAW_PNG
} vkmm_drawing; /* gnuplot is built with either PNG, both or none */
char *vkmm_chart_input(const vkmm_chart *chart, vkmm_drawing drawing, int titled);

/* A drawing of gnuplot's, with drawing elements alone: what it does not know is left out, ids get the prefix,
 * colours become #rrggbb. standalone: a file of its own, with a style that follows light and dark; otherwise an
 * element for a page. Freed with vkmm_free; NULL: it is no drawing, or memory ended. */
char *vkmm_chart_clean(const char *svg, const char *prefix, const char *title, int standalone);

/* The page. Charts without a drawing are left out, and the page says why (no_charts, NULL: all are drawn). *page
 * gets the whole file, 0-terminated, *bytes long; the caller frees it with vkmm_free. VKMM_OUT_OF_MEMORY otherwise. */
vkmm_status vkmm_bench_page(const vkmm_report *report, const vkmm_bench *benches, uint32_t count,
                            const vkmm_charts *charts, const char *no_charts, char **page, size_t *bytes);

/* The same for a terminal: a sparkline for each device and type, then horizontal bars by size, and the ladder; as
 * wide as report->columns. */
vkmm_status vkmm_bench_bars(const vkmm_report *report, const vkmm_bench *benches, uint32_t count);

#endif
