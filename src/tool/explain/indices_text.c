/* The tutorials' picture of a grid: each element of C with all indices of the invocation that computes it. */
#include <string.h>
#include "report/columns.h"
#include "report/text.h"
#include "explain/trace.h"

enum { MOST = 64, LABEL = 12, STANDARD_WIDTH = 80, PAIR = 24 };

/* The indices along one extent that are shown, ascending. */
typedef struct shown {
    unsigned count;
    uint64_t index[MOST];
} shown;

static void add(shown *s, uint64_t index, uint64_t extent)
{
    unsigned at = s->count;

    if (index >= extent || s->count == MOST) return;
    for (unsigned i = 0; i < s->count; i++)
        if (s->index[i] == index) return;
    for (; at > 0 && s->index[at - 1] > index; at--) s->index[at] = s->index[at - 1];
    s->index[at] = index;
    s->count++;
}

/* All, if there is room; else the ends and both sides of the first border between tiles, the more telling first. */
static shown choose(uint64_t extent, uint64_t tile, uint64_t room)
{
    const uint64_t wanted[] = {0, extent - 1, tile, tile - 1, 1, extent - 2, tile + 1, 2 * tile - 1, 2 * tile};
    shown s = {0};

    if (room > MOST) room = MOST;
    for (uint64_t i = 0; extent <= room && i < extent; i++) add(&s, i, extent);
    for (unsigned i = 0; extent > room && i < sizeof wanted / sizeof *wanted && (s.count < room || s.count < 2); i++)
        add(&s, wanted[i], extent);
    return s;
}

/* One pair for each element, and the axis of its name. */
static const struct {
    const char *name;
    size_t offset;
} lines[] = {{"global", offsetof(vkmm_invocation, global)},
             {"local", offsetof(vkmm_invocation, local)},
             {"workgroup", offsetof(vkmm_invocation, workgroup)},
             {"tile origin", offsetof(vkmm_invocation, tile_origin)}};

static void format_pair(const vkmm_invocation *one, unsigned line, char text[PAIR])
{
    uint32_t xy[2];

    memcpy(xy, (const char *)one + lines[line].offset, sizeof xy);
    snprintf(text, PAIR, "%u,%u", xy[0], xy[1]);
}

/* Columns of the widest pair: that of some corner, since all indices grow along rows and columns (or, counted
 * linearly, along both). */
static int widest(const vkmm_indices_row *row)
{
    size_t width = 5;

    for (int corner = 0; corner < 4; corner++) {
        vkmm_invocation one;
        row->place(row, corner & 1 ? row->problem.m - 1 : 0, corner & 2 ? row->problem.n - 1 : 0, &one);
        for (unsigned line = 0; line < sizeof lines / sizeof *lines; line++) {
            char text[PAIR];
            format_pair(&one, line, text);
            if (strlen(text) > width) width = strlen(text);
        }
    }
    return (int)width;
}

/* Between two shown neighbours: nothing, a tile's border, or what was left out. */
static const char *between(const vkmm_report *report, const shown *s, unsigned i, uint64_t tile, int linear)
{
    if (i == 0) return "  ";
    if (s->index[i] != s->index[i - 1] + 1) return report->utf8 ? " …" : " ~";
    if (!linear && s->index[i] % tile == 0) return report->utf8 ? " │" : " |";
    return "  ";
}

/* One line of the picture: the columns' names when `line` is negative, else one kind of pair for all elements of row
 * i. */
static void print_line(const vkmm_report *report, const vkmm_indices_row *row, const shown *cols, uint64_t i, int line,
                       int width)
{
    const uint32_t *tile = row->kernel->tile;

    fprintf(report->out, "%-*s", LABEL, line < 0 ? "" : lines[line].name);
    for (unsigned j = 0; j < cols->count; j++) {
        char text[PAIR];
        if (line < 0) {
            snprintf(text, sizeof text, "col %llu", (unsigned long long)cols->index[j]);
        } else {
            vkmm_invocation one;
            row->place(row, i, cols->index[j], &one);
            format_pair(&one, (unsigned)line, text);
        }
        fprintf(report->out, "%s %*s", between(report, cols, j, tile[1], tile[0] == 1), width, text);
    }
    putc('\n', report->out);
}

static void print_border(const vkmm_report *report, const shown *cols, int width)
{
    int length = LABEL + (int)cols->count * (width + 3);

    for (int i = 0; i < length; i++) fputs(report->utf8 ? "─" : "-", report->out);
    putc('\n', report->out);
}

vkmm_status vkmm_indices_text(const vkmm_report *report, const vkmm_indices_row *row)
{
    const vkmm_problem *problem = &row->problem;
    const uint32_t *tile = row->kernel->tile;
    const int room = report->columns > 0 ? report->columns : STANDARD_WIDTH;
    int width = widest(row);
    if (width < (int)sizeof "col 99" - 1) width = (int)sizeof "col 99" - 1;
    const shown rows = choose(problem->m, tile[0], 12),
                cols = choose(problem->n, tile[1], (uint64_t)(room - LABEL) / (uint64_t)(width + 3));
    char size[80];

    snprintf(size, sizeof size, report->utf8 ? "%llu×%llu" : "%llux%llu", (unsigned long long)problem->m,
             (unsigned long long)problem->n);
    fprintf(report->out,
            report->utf8 ? "%s, tile %u×%u: an extent of %s; pairs are x,y\n\n"
                         : "%s, tile %ux%u: an extent of %s; pairs are x,y\n\n",
            row->kernel->name, tile[0], tile[1], size);
    print_line(report, row, &cols, 0, -1, width);
    for (unsigned i = 0; i < rows.count; i++) {
        if (i > 0 && rows.index[i] != rows.index[i - 1] + 1)
            fprintf(report->out, "%s\n", report->utf8 ? "⋮" : ":");
        else if (i > 0 && tile[0] > 1 && rows.index[i] % tile[0] == 0)
            print_border(report, &cols, width);
        fprintf(report->out, "%srow %llu%s\n", vkmm_paint_on(report, VKMM_STRONG), (unsigned long long)rows.index[i],
                vkmm_paint_off(report, VKMM_STRONG));
        for (int line = 0; line < (int)(sizeof lines / sizeof *lines); line++)
            print_line(report, row, &cols, rows.index[i], line, width);
    }
    return VKMM_OK;
}
