/* What a missing barrier does, for people: how often each version was wrong, and a wrong instance beside the right
 * one. */
#include <string.h>
#include "report/columns.h"
#include "report/text.h"
#include "report/writers.h"

/* SIDE: columns of a terminal for each of the two matrices, so that both fit into 80. */
enum { MOST_ROWS = 16, SIDE = 38 };

/* The part of the matrices that is shown. */
typedef struct window {
    uint32_t row0, col0, rows, cols;
    int width; /* of a number */
} window;

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static int digits(int32_t value)
{
    char text[16];

    return snprintf(text, sizeof text, "%d", value);
}

/* All of a small matrix; of a large one the rows and columns that begin with the tile of the wrong element. */
static window choose(const vkmm_race_row *row)
{
    const vkmm_race_count *racing = &row->result->without_barrier;
    const uint32_t *tile = row->result->kernel.tile;
    window w = {.rows = smaller(row->rows, MOST_ROWS), .width = 1};

    for (uint64_t i = 0; i < (uint64_t)row->rows * row->cols; i++) {
        int needed = digits(row->right[i]), other = digits(row->without_barrier[i]);
        if (needed < other) needed = other;
        if (w.width < needed) w.width = needed;
    }
    w.cols = smaller(row->cols, (uint32_t)(SIDE / (w.width + 2)));
    w.row0 = smaller(racing->row / tile[0] * tile[0], row->rows - w.rows);
    w.col0 = smaller(racing->col / tile[1] * tile[1], row->cols - w.cols);
    return w;
}

/* One row of one matrix: wrong numbers carry a star, and a colour where there is one. */
static void print_numbers(const vkmm_report *report, const vkmm_race_row *row, const int32_t *sums, const window *w,
                          uint32_t i)
{
    for (uint32_t j = w->col0; j < w->col0 + w->cols; j++) {
        uint64_t at = (uint64_t)i * row->cols + j;
        int wrong = sums[at] != row->right[at], last = j + 1 == w->col0 + w->cols;
        vkmm_paint paint = wrong ? VKMM_BAD : VKMM_PLAIN;
        fprintf(report->out, " %s%*d%s%s", vkmm_paint_on(report, paint), w->width, sums[at],
                wrong  ? "*"
                : last ? ""
                       : " ",
                vkmm_paint_off(report, paint));
    }
}

static void print_matrices(const vkmm_report *report, const vkmm_race_row *row)
{
    const window w = choose(row);
    int side = (int)w.cols * (w.width + 2), title = side > 16 ? side : 16;

    if (w.rows < row->rows || w.cols < row->cols)
        fprintf(report->out, "   Rows %u to %u, columns %u to %u:\n", w.row0, w.row0 + w.rows - 1, w.col0,
                w.col0 + w.cols - 1);
    fprintf(report->out, "   %-*s   without the barrier%s\n", title, "right",
            row->result->without_barrier.wrong_runs > 0 ? " (* wrong)" : "");
    for (uint32_t i = w.row0; i < w.row0 + w.rows; i++) {
        fprintf(report->out, "  ");
        print_numbers(report, row, row->right, &w, i);
        fprintf(report->out, "%*s", title - side + 4, "");
        print_numbers(report, row, row->without_barrier, &w, i);
        putc('\n', report->out);
    }
}

static void print_count(const vkmm_report *report, const char *version, const vkmm_race_row *row,
                        const vkmm_race_count *count)
{
    vkmm_paint paint = count->wrong_runs > 0 ? VKMM_BAD : VKMM_GOOD;

    fprintf(report->out, "   %-8s wrong in %s%u of %u%s runs", version, vkmm_paint_on(report, paint), count->wrong_runs,
            row->result->runs, vkmm_paint_off(report, paint));
    if (count->wrong_runs > 0)
        fprintf(report->out, ", %llu of %llu elements", (unsigned long long)count->wrong_elements,
                (unsigned long long)row->rows * row->cols * row->result->runs);
    putc('\n', report->out);
}

/* Why it came out as it did, as far as that can be told. */
static void print_reason(const vkmm_report *report, const vkmm_race_row *row)
{
    const vkmm_race_count *racing = &row->result->without_barrier;
    const vkmm_kernel_info *kernel = &row->result->kernel;
    uint32_t invocations = kernel->workgroup[0] * kernel->workgroup[1];

    if (row->result->with_barrier.wrong_runs > 0)
        fprintf(report->out, "   With the barrier every run must be right: this device or its driver is at fault.\n");
    if (racing->wrong_runs > 0) {
        fprintf(report->out, "   Element (%u, %u): %d without the barrier, %d is right.", racing->row, racing->col,
                racing->got, racing->want);
        if (strcmp(row->init, "ones") == 0)
            fprintf(report->out,
                    " All values are 1, so it\n   saw what %d of the %d invocations with an element had stored.",
                    racing->got, racing->want);
        putc('\n', report->out);
    } else if (invocations <= row->device->subgroup_size) {
        fprintf(report->out,
                "   The race did not show: all %u invocations of a tile are in one subgroup of\n"
                "   %u, which this device takes in step. No rule makes it do so.\n",
                invocations, row->device->subgroup_size);
    } else {
        fprintf(report->out, "   The race did not show in these runs. No rule keeps it from the next.\n");
    }
}

vkmm_status vkmm_table_race(vkmm_report *report, const vkmm_race_row *row)
{
    const vkmm_kernel_info *kernel = &row->result->kernel;
    const char *x = report->utf8 ? "×" : "x";

    if (report->rows > 0) putc('\n', report->out);
    if (row->first) vkmm_print_device(report, row->device, NULL);
    fprintf(report->out, "%s%u%s%u%s, tiles of %u%s%u (%u invocations), values %s\n",
            vkmm_paint_on(report, VKMM_STRONG), row->rows, x, row->cols, vkmm_paint_off(report, VKMM_STRONG),
            kernel->tile[0], x, kernel->tile[1], kernel->workgroup[0] * kernel->workgroup[1],
            strcmp(row->init, "ones") == 0 ? "all 1"
            : report->utf8                 ? "1, 2, 3, …"
                                           : "1, 2, 3, ...");
    print_count(report, "with", row, &row->result->with_barrier);
    print_count(report, "without", row, &row->result->without_barrier);
    print_reason(report, row);
    print_matrices(report, row);
    return VKMM_OK;
}

vkmm_status vkmm_table_race_end(vkmm_report *report)
{
    if (report->rows > 0)
        fprintf(report->out, "\nEvery element becomes the sum of its tile: each invocation stores its own in\n"
                             "shared memory, then adds up all of them. Without a barrier between store and\n"
                             "sum nothing makes it wait for the others. A race that never shows is still a\n"
                             "race: the next driver, device or load may show it.\n");
    return VKMM_OK;
}
