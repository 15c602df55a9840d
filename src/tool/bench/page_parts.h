/* What the files bench_page_*.c share: the page that is being written, and its recurring elements. */
#ifndef VKMM_REPORT_BENCH_PAGE_PARTS_H
#define VKMM_REPORT_BENCH_PAGE_PARTS_H

#include "bench/charts.h"

/* Names of reports go in through vkmm_build_html alone. */
typedef struct vkmm_page {
    vkmm_builder out;
    const vkmm_report *report;
    vkmm_chart_maker all;      /* what is shown; without charts */
    const vkmm_charts *charts; /* drawn or not; may be NULL */
    const char *no_charts;
} vkmm_page;

/* "<section …><h2>title</h2><p>lead</p>"; lead may be NULL. Ends with page_end. */
void vkmm_page_section(vkmm_page *page, const char *id, const char *title, const char *lead);
void vkmm_page_end(vkmm_page *page);

/* The drawn charts whose names begin so. Returns how many there are, drawn or not. */
uint32_t vkmm_page_charts(vkmm_page *page, const char *beginning);

/* A table in a box that scrolls sideways; rows follow. fold: within <details>, closed, whose summary the caption is.
 * `about` (may be NULL) is a name that the caption ends with. Heads: one text each, "|" before those of figures;
 * NULL ends them, or begins heads that the caller writes. */
void vkmm_page_table(vkmm_page *page, int fold, const char *caption, const char *about, const char *const *heads);
void vkmm_page_table_body(vkmm_page *page); /* after the heads */
void vkmm_page_table_end(vkmm_page *page, int fold);

void vkmm_page_head(vkmm_page *page, const char *text, int is_figure); /* of a column */
void vkmm_page_row(vkmm_page *page, const char *text, int is_figure);  /* "<tr><th scope=row>text</th>" */
void vkmm_page_row_end(vkmm_page *page);
void vkmm_page_text(vkmm_page *page, const char *text,
                    const char *kind);                /* a cell; kind: its class, "name", "text", "wide", "n" */
void vkmm_page_figure(vkmm_page *page, double value); /* a cell; a dash where it is not finite */
void vkmm_page_percent(vkmm_page *page, double share);
void vkmm_page_none(vkmm_page *page); /* a cell that says that nothing is known */

void vkmm_page_product(
    vkmm_page *page, const vkmm_bench_row *row); /* begins a row: what was computed, with which caches, and the type */

/* A term and its value in a <dl>; nothing for an empty value. */
void vkmm_page_fact(vkmm_page *page, const char *term, const char *value);

/* Of devices, those that have no timed row included. */
const char *vkmm_page_report_name(const vkmm_bench *bench); /* of a file, or "this run" */

/* The sections. */
void vkmm_page_summary(vkmm_page *page);    /* bench_page_summary.c */
void vkmm_page_comparison(vkmm_page *page); /* bench_page_compare.c */
void vkmm_page_speed(vkmm_page *page);      /* bench_page_curves.c */
void vkmm_page_share(vkmm_page *page);
void vkmm_page_ladder(vkmm_page *page);
void vkmm_page_cliffs(vkmm_page *page);
void vkmm_page_roofline(vkmm_page *page); /* bench_page_rows.c */
void vkmm_page_tiles(vkmm_page *page);
void vkmm_page_errors(vkmm_page *page);
void vkmm_page_rows(vkmm_page *page);
void vkmm_page_not_run(vkmm_page *page);
void vkmm_page_runs(vkmm_page *page); /* bench_page_runs.c */

#endif
