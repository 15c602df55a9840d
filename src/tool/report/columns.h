/* Aligned columns for people: a table is data, one entry per column. */
#ifndef VKMM_REPORT_COLUMNS_H
#define VKMM_REPORT_COLUMNS_H

#include "report/report.h"

typedef enum vkmm_paint { VKMM_PLAIN, VKMM_GOOD, VKMM_BAD, VKMM_DIM, VKMM_STRONG } vkmm_paint;

/* Text and colour of one cell. */
typedef struct vkmm_cell {
    char text[1300];
    vkmm_paint paint;
} vkmm_cell;

typedef struct vkmm_column {
    const char *title, *ascii_title; /* NULL: the field's heading; the same */
    int width;                       /* columns of the terminal */
    int right;                       /* aligned to the right */
    int leaves; /* if the terminal is too narrow, columns are dropped in this order, from 1; 0: never */
    void (*fill)(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);
    const char *path; /* in vkmm_row_record: shows this figure, under its heading, before `fill`; NULL: none */
    vkmm_paint paint;
    int terminal; /* only for terminals: no other format shows it well */
} vkmm_column;

/* A table's columns as chosen for one report. */
typedef struct vkmm_columns {
    const vkmm_column *column;
    unsigned count;
    int leaving; /* columns whose `leaves` is from 1 to this are dropped */
} vkmm_columns;

/* Drops as many columns as report->columns requires. */
vkmm_columns vkmm_columns_fit(const vkmm_report *report, const vkmm_column *column, unsigned count);

/* The line of a row, or of the titles if it is NULL. */
void vkmm_columns_line(const vkmm_report *report, const vkmm_columns *columns, const vkmm_bench_row *row);

/* The place of a cell in any table; and a line of such cells, with two spaces between them, or of a table in Markdown.
 * What is too wide for the terminal continues on the next line, in titles and in rows. Texts wider than their place
 * push others to the right until there is room again. */
typedef struct vkmm_place {
    int width, right; /* right: aligned to the right */
    int hidden;
} vkmm_place;

void vkmm_cells_line(const vkmm_report *report, const vkmm_place *places, const vkmm_cell *cells, unsigned count);

/* The first line. */
void vkmm_cells_titles(const vkmm_report *report, const vkmm_place *places, vkmm_cell *cells, unsigned count);

/* The escape sequence that starts a colour ("" without report->colour), and the one that ends it. */
const char *vkmm_paint_on(const vkmm_report *report, vkmm_paint paint);
const char *vkmm_paint_off(const vkmm_report *report, vkmm_paint paint);
/* Arguments of printf between those two, as in "%s%u%s". */
#define VKMM_PAINTED(report, paint, ...) vkmm_paint_on(report, paint), __VA_ARGS__, vkmm_paint_off(report, paint)

/* Cells that several tables share. */
void vkmm_cell_size(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);
void vkmm_cell_type(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);
void vkmm_cell_kernel(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);
void vkmm_cell_tile(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);
void vkmm_cell_spread(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);
void vkmm_cell_count(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell); /* of samples */
void vkmm_cell_verified(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);

/* Adds to a time what vkmm_notes_print explains: "*" for the host's clock, "~" for one that is not stable. */
void vkmm_cell_marks(const vkmm_report *report, const vkmm_bench_row *row, vkmm_cell *cell);

/* Below a table: what the marks of its rows mean, and how many of their samples are outliers. */
void vkmm_notes_add(vkmm_notes *notes, const vkmm_bench_row *row);
void vkmm_notes_print(const vkmm_report *report, const vkmm_notes *notes);

void vkmm_cell_put(vkmm_cell *cell, const char *format, ...) VKMM_PRINTF(2, 3);

/* A figure, or a dash if it is NAN. */
void vkmm_cell_figure(const vkmm_report *report, vkmm_cell *cell, double value);

/* "llvmpipe (LLVM 15.0.6, 256 bits) · llvmpipe, Mesa 22.3.6 · Vulkan 1.3.230", or the host's processor and its
 * library: one line that names what computed. Clean; at most 1000 bytes. */
void vkmm_device_text(const vkmm_report *report, const vkmm_bench_device *device, char *text, size_t size);

/* The same; info NULL: the host's processor, of this name. */
void vkmm_print_device(const vkmm_report *report, const vkmm_device_info *info, const char *host);

#endif
