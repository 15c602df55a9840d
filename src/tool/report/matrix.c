#include <string.h>
#include "math/type.h"
#include "report/matrix.h"

enum { MOST_ROWS = 16, MOST_COLS = 32, GAP = 2, TEXT = 32 };

/* Which indices of an extent are shown: the first `head`, then the last `tail` after an ellipsis (tail 0: all fit). */
typedef struct excerpt {
    uint64_t extent, head, tail;
} excerpt;

static excerpt choose(uint64_t extent, uint64_t most)
{
    excerpt e = {extent, extent, 0};

    if (extent > most) {
        e.head = most - most / 4;
        e.tail = most / 4;
        if (e.tail == 0 && e.head > 1) e.head--, e.tail++;
    }
    return e;
}

static uint64_t shown(excerpt e)
{
    return e.head + e.tail;
}

static uint64_t index_of(excerpt e, uint64_t position)
{
    return position < e.head ? position : e.extent - shown(e) + position;
}

static void format(char text[TEXT], const vkmm_view *view, uint64_t i, uint64_t j)
{
    double value = vkmm_view_get(view, i, j);

    /* As many digits as the type has; the shortest floats would show noise. */
    const int digits = view->type == VKMM_F16 ? 5 : view->type == VKMM_BF16 ? 4 : 6;

    if (vkmm_type_of(view->type)->is_float)
        snprintf(text, TEXT, "%.*g", digits, value);
    else
        snprintf(text, TEXT, "%.0f", value);
}

static int widest(const vkmm_view *view, excerpt rows, excerpt cols)
{
    size_t width = 1;

    for (uint64_t i = 0; i < shown(rows); i++) {
        for (uint64_t j = 0; j < shown(cols); j++) {
            char text[TEXT];
            format(text, view, index_of(rows, i), index_of(cols, j));
            if (strlen(text) > width) width = strlen(text);
        }
    }
    return (int)width;
}

/* Fewer columns until the line fits; their own widths decide. */
static excerpt fit(const vkmm_report *report, const vkmm_view *view, excerpt rows, int *width)
{
    int room = report->columns > 0 ? report->columns : 120;

    for (uint64_t most = MOST_COLS;; most--) {
        excerpt cols = choose(view->cols, most);
        *width = widest(view, rows, cols);
        if (most <= 2 || (int)shown(cols) * (*width + GAP) + (cols.tail > 0 ? GAP + 1 : 0) <= room) return cols;
    }
}

void vkmm_print_matrix(const vkmm_report *report, const char *title, const vkmm_view *view)
{
    const char *dots = report->utf8 ? "…" : "~";
    excerpt rows = choose(view->rows, MOST_ROWS), cols;
    int width = 1;

    fprintf(report->out, report->utf8 ? "%s (%llu×%llu)\n" : "%s (%llux%llu)\n", title, (unsigned long long)view->rows,
            (unsigned long long)view->cols);
    cols = fit(report, view, rows, &width);
    for (uint64_t i = 0; i < shown(rows) && view->cols > 0; i++) {
        if (i == rows.head) fprintf(report->out, "%*s%s\n", GAP, "", report->utf8 ? "⋮" : ":");
        for (uint64_t j = 0; j < shown(cols); j++) {
            char text[TEXT];
            format(text, view, index_of(rows, i), index_of(cols, j));
            if (j == cols.head) fprintf(report->out, "%*s%s", GAP, "", dots);
            fprintf(report->out, "%*s%*s", GAP, "", width, text);
        }
        putc('\n', report->out);
    }
    putc('\n', report->out);
}
