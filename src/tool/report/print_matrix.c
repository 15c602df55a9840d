#include <string.h>
#include "math/type.h"
#include "report/columns.h"

enum { MOST_ROWS = 16, MOST_COLS = 32, GAP = 2, TEXT = 32 };

/* The indices of an extent that are shown: all, or the first three quarters of `most` and the last ones. */
static uint32_t choose(uint64_t extent, uint32_t most, uint64_t *index)
{
    const uint32_t tail = most < 4 ? most / 2 : most / 4, count = extent < most ? (uint32_t)extent : most;
    for (uint32_t i = 0; i < count; i++) index[i] = i < most - tail ? i : extent - count + i;
    return count;
}

/* Whether indices are left out before this one. */
static int is_after_gap(const uint64_t *index, uint32_t i)
{
    return i > 0 && index[i] != index[i - 1] + 1;
}

static void format(char text[TEXT], const vkmm_view *view, uint64_t i, uint64_t j)
{
    double value = vkmm_view_get(view, i, j);
    /* As many digits as the type has; the shortest floats would show noise. */
    const vkmm_type_info *type = vkmm_type_of(view->type);

    if (type->is_float)
        snprintf(text, TEXT, "%.*g", type->digits < 6 ? type->digits : 6, value);
    else
        snprintf(text, TEXT, "%.0f", value);
}

void cli_print_matrix(const cli_report *report, const char *title, const vkmm_view *view)
{
    uint64_t rows[MOST_ROWS], cols[MOST_COLS];
    const uint32_t row_count = choose(view->rows, MOST_ROWS, rows);
    const int room = report->columns > 0 ? report->columns : 120;
    uint32_t col_count, most = MOST_COLS + 1;
    int width, whole;
    char text[TEXT];
    do { /* fewer columns until a line fits; their own widths decide */
        col_count = choose(view->cols, --most, cols);
        width = 1;
        for (uint32_t i = 0; i < row_count; i++) {
            for (uint32_t j = 0; j < col_count; j++) {
                format(text, view, rows[i], cols[j]);
                if ((int)strlen(text) > width) width = (int)strlen(text);
            }
        }
        whole = (int)col_count * (width + GAP) + (col_count < view->cols ? GAP + 1 : 0);
    } while (most > 2 && whole > room);
    fprintf(report->out, report->utf8 ? "%s (%llu×%llu)\n" : "%s (%llux%llu)\n", title, (unsigned long long)view->rows,
            (unsigned long long)view->cols);
    for (uint32_t i = 0; i < row_count && view->cols > 0; i++) {
        if (is_after_gap(rows, i)) fprintf(report->out, "%*s%s\n", GAP, "", report->utf8 ? "⋮" : ":");
        for (uint32_t j = 0; j < col_count; j++) {
            format(text, view, rows[i], cols[j]);
            if (is_after_gap(cols, j)) fprintf(report->out, "%*s%s", GAP, "", report->utf8 ? "…" : "~");
            fprintf(report->out, "%*s%*s", GAP, "", width, text);
        }
        putc('\n', report->out);
    }
    putc('\n', report->out);
}
