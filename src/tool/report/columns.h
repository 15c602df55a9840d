/* What people read: aligned columns (a table is data, one entry per column), sentences, and matrices. */
#pragma once

#include "base/clean.h"
#include "math/matrix.h"
#include "report/report.h"

typedef enum cli_paint { CLI_PLAIN, CLI_GOOD, CLI_BAD, CLI_DIM, CLI_STRONG } cli_paint;

/* Text and colour of one cell. */
typedef struct cli_cell {
    char text[1300];
    cli_paint paint;
} cli_cell;

typedef struct cli_column {
    const char *title, *ascii_title; /* NULL: the field's heading; the same */
    int width;                       /* columns of the terminal */
    int right;                       /* aligned to the right */
    int leaves; /* if the terminal is too narrow, columns are dropped in this order, from 1; 0: never */
    void (*fill)(const cli_report *report, const cli_bench_row *row, cli_cell *cell);
    const char *path; /* in cli_row_record: shows this figure, under its heading, before `fill`; NULL: none */
    cli_paint paint;
} cli_column;

/* The line of a row, or of the titles if it is NULL. Drops as many columns as report->columns requires. */
void cli_columns_line(const cli_report *report, const cli_column *column, unsigned count, const cli_bench_row *row);

/* The place of a cell in any table; and a line of such cells, with two spaces between them, or of a table in Markdown.
 * What is too wide for the terminal continues on the next line, in titles and in rows. Texts wider than their place
 * push others to the right until there is room again. */
typedef struct cli_place {
    int width, right; /* right: aligned to the right */
    int hidden;
} cli_place;

void cli_cells_line(const cli_report *report, const cli_place *places, const cli_cell *cells, unsigned count);

/* The first line. */
void cli_cells_titles(const cli_report *report, const cli_place *places, cli_cell *cells, unsigned count);

/* The escape sequence that starts a colour ("" without report->colour), and the one that ends it. */
const char *cli_paint_on(const cli_report *report, cli_paint paint);
const char *cli_paint_off(const cli_report *report, cli_paint paint);
/* Arguments of printf between those two, as in "%s%u%s". */
#define CLI_PAINTED(report, paint, ...) cli_paint_on(report, paint), __VA_ARGS__, cli_paint_off(report, paint)

/* Cells that several tables share. */
void cli_cell_size(const cli_report *report, const cli_bench_row *row, cli_cell *cell);
void cli_cell_type(const cli_report *report, const cli_bench_row *row, cli_cell *cell);
void cli_cell_kernel(const cli_report *report, const cli_bench_row *row, cli_cell *cell);
void cli_cell_tile(const cli_report *report, const cli_bench_row *row, cli_cell *cell);
void cli_cell_verified(const cli_report *report, const cli_bench_row *row, cli_cell *cell);

/* Adds to a time what cli_notes_print explains: "*" for the host's clock, "~" for one that is not stable. */
void cli_cell_marks(const cli_report *report, const cli_bench_row *row, cli_cell *cell);

/* Below a table: what the marks of its rows mean, and how many of their samples are outliers. */
void cli_notes_add(cli_notes *notes, const cli_bench_row *row);
void cli_notes_print(const cli_report *report, const cli_notes *notes);

void cli_cell_put(cli_cell *cell, const char *format, ...) VKMM_PRINTF(2, 3);

/* A figure, or a dash if it is NAN. */
void cli_cell_figure(const cli_report *report, cli_cell *cell, double value);

/* "llvmpipe (LLVM 15.0.6, 256 bits) · llvmpipe, Mesa 22.3.6 · Vulkan 1.3.230", or the host's processor and its
 * library: one line that names what computed. Clean; at most 1000 bytes. */
void cli_device_text(const cli_report *report, const cli_bench_device *device, char *text, size_t size);

/* The same; info NULL: the host's processor, of this name. */
void cli_print_device(const cli_report *report, const vkmm_device_info *info, const char *host);

/* ---- sentences, wrapped between words ---- */

/* Writes a text whose lines begin at column `indent`; no line is longer than report->columns (or 80). Ends the last
 * line. Texts of drivers and files must be clean (vkmm_clean). */
void cli_wrap(const cli_report *report, int indent, const char *text);

/* A sentence below a table: indented on all lines, as wide as the terminal; without a terminal, a single line. In
 * Markdown, a list item. Cleans the text, which may have 4000 bytes. */
void cli_report_say(const cli_report *report, int indent, cli_paint paint, const char *format, ...) VKMM_PRINTF(4, 5);

/* A name of a driver, a file or a user, escaped for Markdown: no markup, no links, no mentions of people, no end of a
 * table cell. */
void cli_md_text(FILE *out, const char *text);

/* ---- matrices ---- */

/* title, the shape, then one line per row. At most 16 rows and as many columns as fit in report->columns (120 when 0),
 * with an ellipsis in place of what is left out. Floats show 6 significant digits, f16 5, bf16 4. */
void cli_print_matrix(const cli_report *report, const char *title, const vkmm_view *view);
