#include <stdarg.h>
#include <string.h>
#include "math/type.h"
#include "report/columns.h"
#include "report/text.h"
#include "explain/trace_command.h"

enum { TEXT = 40, INDENT = 4, LEAST_WIDTH = 40, STANDARD_WIDTH = 80 };

/* What all parts of the text need. */
typedef struct page {
    cli_report report; /* the narrowest text */
    const vkmm_trace *trace;
    const vkmm_invocation *followed;
    FILE *out;
    const char *mark, *times, *dot, *arrow; /* the mark is one column wide */
} page;

/* A matrix with some of its elements marked: those in mark_row and in mark_col, where -1 stands for all. */
typedef struct grid {
    vkmm_view view;
    int64_t mark_row, mark_col;
    int by_invocation; /* the elements are sums, some of which do not exist */
} grid;

static void number(char text[TEXT], double value, vkmm_type type)
{
    snprintf(text, TEXT, vkmm_type_of(type)->is_float ? "%.6g" : "%.0f", value);
}

/* As a factor: negative ones in parentheses. */
static void factor(char text[TEXT], double value, vkmm_type type)
{
    char plain[TEXT];
    number(plain, value, type);
    snprintf(text, TEXT, plain[0] == '-' ? "(%.36s)" : "%.36s", plain);
}

static void element(const page *p, const grid *g, uint64_t i, uint64_t j, char text[TEXT])
{
    if (g->by_invocation && !cli_trace_takes_part(p->trace, (uint32_t)(i * g->view.cols + j)))
        snprintf(text, TEXT, "-");
    else
        number(text, vkmm_view_get(&g->view, i, j), g->view.type);
}

static int widest(const page *p, const grid *g)
{
    size_t width = 1;
    for (uint64_t i = 0; i < g->view.rows; i++) {
        for (uint64_t j = 0; j < g->view.cols; j++) {
            char text[TEXT];
            element(p, g, i, j, text);
            if (strlen(text) > width) width = strlen(text);
        }
    }
    return (int)width;
}

static void print_element(const page *p, const grid *g, uint64_t i, uint64_t j, int width)
{
    int marked = (g->mark_row < 0 || g->mark_row == (int64_t)i) && (g->mark_col < 0 || g->mark_col == (int64_t)j);
    cli_paint paint = marked ? CLI_GOOD : CLI_PLAIN;
    char text[TEXT];
    int blank;
    element(p, g, i, j, text);
    blank = width - (int)strlen(text);
    fprintf(p->out, " %*s%s%s%s%s", blank, "", CLI_PAINTED(&p->report, paint, marked ? p->mark : " ", text));
}

/* All columns side by side, or as many at a time as fit. */
static void print_grid(const page *p, const grid *g)
{
    const int width = widest(p, g);
    const uint64_t most = (uint64_t)((p->report.columns - INDENT) / (width + 2)), some = most > 0 ? most : 1;
    for (uint64_t first = 0; first < g->view.cols; first += some) {
        uint64_t end = first + some < g->view.cols ? first + some : g->view.cols;
        if (g->view.cols > some)
            fprintf(p->out, "%*scolumns %llu to %llu:\n", INDENT, "", (unsigned long long)first,
                    (unsigned long long)end - 1);
        for (uint64_t i = 0; i < g->view.rows; i++) {
            fprintf(p->out, "%*s", INDENT, "");
            for (uint64_t j = first; j < end; j++) print_element(p, g, i, j, width);
            putc('\n', p->out);
        }
    }
}

/* ---- what happens before the first step ---- */

static void print_title(const page *p, const cli_trace_row *row)
{
    const vkmm_trace *trace = p->trace;
    const vkmm_problem *problem = &trace->problem;
    char size[80], name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE * 4];
    size_t bytes = (size_t)p->report.columns < sizeof name ? (size_t)p->report.columns - 3 : sizeof name;
    cli_text_size(size, sizeof size, problem, p->report.utf8);
    vkmm_clean(name, bytes, row->device->name);
    fprintf(p->out, "%s%s%s, tile %u%s%u, %s %s\non %s\n\n", CLI_PAINTED(&p->report, CLI_STRONG, trace->kernel.name),
            trace->kernel.tile[0], p->times, trace->kernel.tile[1], size, cli_text_type(problem, p->report.utf8), name);
}

static void print_inputs(const page *p)
{
    const vkmm_view a = cli_trace_matrix(p->trace, VKMM_A), b = cli_trace_matrix(p->trace, VKMM_B);
    cli_print_matrix(&p->report, "A", &a);
    cli_print_matrix(&p->report, "B", &b);
}

static void print_invocations(const page *p)
{
    const vkmm_trace *trace = p->trace;
    static const cli_place places[] = {{12, 1}, {11, 1}, {9, 1}, {9, 1}, {11, 1}, {0}};
    enum { COLUMNS = VKMM_COUNT(places) };
    cli_cell cells[COLUMNS] = {{"  invocation"}, {"global"}, {"local"}, {"workgroup"}, {"tile origin"}, {"element"}};
    cli_report_say(&p->report, 0, CLI_PLAIN,
                   "Workgroup %u,%u computes C[%u][%u]; %s marks its invocation. Pairs are x,y.",
                   p->followed->workgroup[0], p->followed->workgroup[1], p->followed->row, p->followed->col, p->mark);
    putc('\n', p->out);
    cli_cells_titles(&p->report, places, cells, COLUMNS);
    for (uint32_t i = 0; i < trace->invocation_count; i++) {
        const vkmm_invocation *one = &trace->invocations[i];
        const uint32_t *const pairs[] = {one->global, one->local, one->workgroup, one->tile_origin};
        const int followed = i == trace->followed;
        cli_cell_put(&cells[0], "%s%*u", followed ? p->mark : " ", 11,
                     one->local[1] * trace->kernel.workgroup[0] + one->local[0]);
        for (int j = 0; j < 4; j++) cli_cell_put(&cells[1 + j], "%u,%u", pairs[j][0], pairs[j][1]);
        cli_cell_put(&cells[5], "C[%u][%u]%s", one->row, one->col, one->inside ? "" : " outside");
        for (int j = 0; j < COLUMNS; j++) cells[j].paint = followed ? CLI_GOOD : CLI_PLAIN;
        cli_cells_line(&p->report, places, cells, COLUMNS);
    }
}

/* ---- the steps ---- */

VKMM_PRINTF(3, 4)
static void print_step(const page *p, unsigned long long number_of_step, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(p->out, "\n%s%llu.%s ", CLI_PAINTED(&p->report, CLI_STRONG, number_of_step));
    cli_wrap(&p->report, 2 + snprintf(NULL, 0, "%llu", number_of_step), text);
}

static void print_load(const page *p, uint32_t load, unsigned long long step)
{
    const uint32_t cols = p->trace->kernel.tile[1], at = p->trace->followed;
    const grid a = {cli_trace_tile(p->trace, VKMM_A, load), at / cols, -1, 0};
    const grid b = {cli_trace_tile(p->trace, VKMM_B, load), -1, at % cols, 0};
    const uint32_t depth = p->trace->depth, k0 = load * depth;
    const vkmm_invocation *first = &p->trace->invocations[0];
    print_step(p, step, "load: all invocations together fill shared memory for k = %u to %u", k0, k0 + depth - 1);
    fprintf(p->out, "    tileA (%u%s%u), A from row %u, column %u on\n", p->trace->kernel.tile[0], p->times, depth,
            first->row, k0);
    print_grid(p, &a);
    fprintf(p->out, "    tileB (%u%s%u), B from row %u, column %u on\n", depth, p->times, p->trace->kernel.tile[1], k0,
            first->col);
    print_grid(p, &b);
}

/* All sums after k, each where its element of the tile is. */
static vkmm_view sums_after(const vkmm_trace *trace, uint32_t k)
{
    const vkmm_view all = cli_trace_sums(trace);
    const uint64_t bytes = vkmm_type_of(all.type)->bytes;
    return vkmm_view_rows((const char *)all.data + k * all.cols * bytes, trace->kernel.tile[0], trace->kernel.tile[1],
                          all.type);
}

/* Whether the term for k lies beyond K and, as recorded, changed no sum. */
static int is_idle(const vkmm_trace *trace, uint32_t k)
{
    const uint64_t bytes = (uint64_t)trace->invocation_count * vkmm_type_of(trace->problem.type)->bytes;
    return k > 0 && k >= trace->problem.k &&
           memcmp(sums_after(trace, k).data, sums_after(trace, k - 1).data, bytes) == 0;
}

/* The followed invocation's product and sum: "C[0][3]: 4 + 2·10 = 24", of which these are the parts. */
typedef struct addition {
    char before[TEXT], a[TEXT], b[TEXT], after[TEXT];
} addition;

static addition add(const page *p, uint32_t k)
{
    const vkmm_trace *trace = p->trace;
    const vkmm_view all = cli_trace_sums(trace);
    const cli_term term = cli_trace_term(trace, k, trace->followed);
    addition added = {.before = "0"};
    factor(added.a, vkmm_view_get(&term.a, term.row, term.k), all.type);
    factor(added.b, vkmm_view_get(&term.b, term.k, term.col), all.type);
    if (k > 0) number(added.before, vkmm_view_get(&all, k - 1, trace->followed), all.type);
    number(added.after, vkmm_view_get(&all, k, trace->followed), all.type);
    return added;
}

static void print_sum(const page *p, uint32_t k, unsigned long long step)
{
    const vkmm_trace *trace = p->trace;
    const uint32_t depth = trace->depth, cols = trace->kernel.tile[1];
    const int idle = is_idle(trace, k);
    const grid g = {sums_after(trace, k), trace->followed / cols, trace->followed % cols, 1};
    const addition added = add(p, k);
    if (depth > 0)
        print_step(p, step, "k = %u: sum += tileA[y][%u] * tileB[%u][x]%s", k, k % depth, k % depth,
                   idle ? "; padding: no sum changes" : "");
    else
        print_step(p, step, "k = %u: sum += A[row][%u] * B[%u][col]", k, k, k);
    if (idle) return;
    print_grid(p, &g);
    fprintf(p->out, "  %s%s C[%u][%u]: %s + %s%s%s = %s%s\n",
            CLI_PAINTED(&p->report, CLI_GOOD, p->mark, p->followed->row, p->followed->col, added.before, added.a,
                        p->dot, added.b, added.after));
}

static unsigned long long print_steps(const page *p)
{
    const uint32_t depth = p->trace->depth;
    unsigned long long step = 1;
    for (uint32_t k = 0; k < p->trace->sum_count; k++) {
        if (depth > 0 && k % depth == 0) {
            print_load(p, k / depth, step++);
            print_step(p, step++, "barrier: both tiles are complete before any invocation reads them");
        }
        print_sum(p, k, step++);
        if (depth > 0 && (k + 1) % depth == 0)
            print_step(p, step++, "barrier: all invocations have read the tiles before they are overwritten");
    }
    return step;
}

/* The whole sum of the followed invocation, broken before the edge: C[0][3]: 1·4 = 4 → +2·10 = 24 → … */
static void print_story(const page *p)
{
    const vkmm_trace *trace = p->trace;
    int column;
    fputs(cli_paint_on(&p->report, CLI_GOOD), p->out);
    column = fprintf(p->out, "C[%u][%u]:", p->followed->row, p->followed->col);
    if (trace->sum_count == 0) fputs(" no term, so 0", p->out);
    for (uint32_t k = 0; k < trace->sum_count && !is_idle(trace, k); k++) { /* all that follow are idle */
        const addition added = add(p, k);
        char piece[4 * TEXT], arrow[8] = "";
        int length;
        if (k > 0) VKMM_PUT(arrow, "%s +", p->arrow);
        VKMM_PUT(piece, "%s%s%s%s = %s", arrow, added.a, p->dot, added.b, added.after);
        length = (int)cli_text_columns(piece) + 1;
        if (column + length > p->report.columns) column = fprintf(p->out, "\n  ") - 1;
        fprintf(p->out, " %s", piece);
        column += length;
    }
    fprintf(p->out, "%s\n", cli_paint_off(&p->report, CLI_GOOD));
}

void cli_trace_text(const cli_report *report, const cli_trace_row *row)
{
    const vkmm_trace *trace = row->trace;
    const vkmm_view c = cli_trace_matrix(trace, VKMM_C);
    const int utf8 = report->utf8, width = report->columns > 0 ? report->columns : STANDARD_WIDTH;
    page p = {.report = *report,
              .trace = trace,
              .followed = &trace->invocations[trace->followed],
              .out = report->out,
              .mark = utf8 ? "▸" : "*",
              .times = utf8 ? "×" : "x",
              .dot = utf8 ? "·" : "*",
              .arrow = utf8 ? "→" : "->"};
    unsigned long long step;
    char value[TEXT];
    p.report.columns = width > LEAST_WIDTH ? width : LEAST_WIDTH;
    print_title(&p, row);
    print_inputs(&p);
    print_invocations(&p);
    step = print_steps(&p);
    number(value, vkmm_view_get(&c, p.followed->row, p.followed->col), c.type);
    print_step(&p, step, "store: each invocation in C writes its sum; C[%u][%u] = %s", p.followed->row, p.followed->col,
               value);
    putc('\n', p.out);
    print_story(&p);
}
