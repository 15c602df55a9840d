/* Bench reports on a terminal: a sparkline for each device and type, then bars by size, by shape, and of the ladder. */
#include "bench/bench_page.h"

#include "base/alloc.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/document_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST_BAR = 8, WIDEST_BAR = 240, FIGURE_COLUMNS = 10, MOST_MARKS = 64 };

/* ---- what is shown ---- */

/* The charts of each device and combination of types: curves over size and over columns of B with the automatically
 * chosen kernel, every other shape, and the tutorials' steps. */
typedef enum chart { OVER_N, OVER_COLUMNS, OTHERS, LADDER, CHARTS } chart;

/* Curves have only plain products of square matrices, without the sizes next to a round one. CHARTS: none. */
static chart chart_of(const cli_bench_row *row)
{
    const vkmm_problem *p = &row->problem;
    const int by_auto = strcmp(row->asked, "auto") == 0;

    if (strcmp(row->group, "ladder") == 0) return LADDER;
    if (strcmp(row->group, "llm") == 0) return by_auto ? OVER_COLUMNS : CHARTS;
    if (p->m != p->n || p->n != p->k || !by_auto || vkmm_problem_batches(p) != 1 || p->op_a != VKMM_OP_N ||
        p->op_b != VKMM_OP_N || p->has_bias || p->activation != VKMM_ACTIVATION_NONE)
        return OTHERS;
    return strcmp(row->group, "edge") == 0 ? CHARTS : OVER_N;
}

/* The text before its bar. */
static void name_row(const cli_report *report, chart what, const cli_bench_row *row, char text[CLI_TEXT_PROBLEM])
{
    if (what == OTHERS) {
        cli_text_problem(text, CLI_TEXT_PROBLEM, &row->problem, report->utf8);
        if (strcmp(row->asked, "auto") != 0) vkmm_join(text, CLI_TEXT_PROBLEM, " ", "%s", row->asked);
    } else if (what == LADDER) {
        vkmm_clean(text, CLI_TEXT_PROBLEM, row->asked);
    } else {
        snprintf(text, CLI_TEXT_PROBLEM, "%llu", (unsigned long long)row->problem.n);
    }
}

static int compare_rows(const void *left, const void *right)
{
    const cli_bench_row *a = *(const cli_bench_row *const *)left, *b = *(const cli_bench_row *const *)right;

    if (a->problem.n != b->problem.n) return a->problem.n < b->problem.n ? -1 : 1;
    return a < b ? -1 : 1; /* the rows of a report are in one array */
}

/* Writes a chart's rows to `rows`, which has room for all rows of the report, and returns their count. A curve is
 * sorted by N, and has the first of several rows with the same N. */
static uint32_t rows_of(chart what, const cli_contender *who, vkmm_types types, const cli_bench_row **rows)
{
    uint32_t found = 0, count = 0;

    for (uint32_t i = 0; i < who->bench->row_count; i++) {
        const cli_bench_row *row = &who->bench->rows[i];
        if (row->device == who->device && vkmm_types_equal(vkmm_problem_types(&row->problem), types) &&
            row->figures.gflops > 0 && isfinite(row->figures.gflops) && chart_of(row) == what)
            rows[found++] = row;
    }
    if (what != OVER_N && what != OVER_COLUMNS) return found;
    qsort(rows, found, sizeof *rows, compare_rows);
    for (uint32_t i = 0; i < found; i++)
        if (count == 0 || rows[count - 1]->problem.n != rows[i]->problem.n) rows[count++] = rows[i];
    return count;
}

static double best_of(const cli_bench_row *const *rows, uint32_t count)
{
    double best = 0;

    for (uint32_t i = 0; i < count; i++) best = fmax(best, rows[i]->figures.gflops);
    return best;
}

static double least_of(const cli_bench_row *const *rows, uint32_t count)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < count; i++) least = fmin(least, rows[i]->figures.gflops);
    return least;
}

/* ---- how it is shown ---- */

static int columns_of(const cli_report *report)
{
    return report->columns > 0 ? report->columns : 80;
}

/* A name, truncated to so many columns. */
static void name_of(char text[CLI_BENCH_TEXT], const cli_report *report, const char *name, size_t most)
{
    const char *dots = report->utf8 ? "…" : "..";
    char *at = text;

    vkmm_clean(text, CLI_BENCH_TEXT - 4, name);
    if (cli_text_columns(text) <= most) return;
    for (size_t left = most - cli_text_columns(dots); left > 0; left--) do
            at++;
        while (((unsigned char)*at & 0xc0) == 0x80);
    strcpy(at, dots);
}

/* "f32  NVIDIA H200 … ▁▂▄▇█  12.3 to 43210 GFLOP/s" */
static void overview(const cli_report *report, const cli_contender *who, vkmm_types types, const cli_bench_row **rows,
                     int *lines)
{
    const uint32_t count = rows_of(OVER_N, who, types, rows);
    const cli_place places[] = {
        {.width = 5}, {.width = columns_of(report) / 3 - 2}, {.width = count > 8 ? (int)count : 8}, {.width = 23}};
    cli_cell cells[4] = {0};
    char *mark = cells[2].text;
    const double least = least_of(rows, count), best = best_of(rows, count);

    if (count == 0) return;
    if ((*lines)++ == 0) fprintf(report->out, "Speed over size, %s\n", report->utf8 ? "N×N×N" : "NxNxN");
    cli_cell_put(&cells[0], "  %s", vkmm_types_name(types, report->utf8));
    name_of(cells[1].text, report, who->label, (size_t)places[1].width);
    for (uint32_t i = 0; i < count && count <= (uint32_t)columns_of(report) / 4 && count <= MOST_MARKS; i++)
        mark += sprintf(mark, "%s", cli_text_mark(rows[i]->figures.gflops / best, report->utf8));
    cli_cell_put(&cells[3], "%s%s%s GFLOP/s", count > 1 ? CLI_FIGURE(least) : "", count > 1 ? " to " : "",
                 CLI_FIGURE(best));
    cli_cells_line(report, places, cells, 4);
}

static void title(const cli_report *report, const char *label, const char *rest)
{
    char name[CLI_BENCH_TEXT];

    name_of(name, report, label, (size_t)columns_of(report) - strlen(rest) - 2);
    fprintf(report->out, "%s%s%s%s\n", CLI_PAINTED(report, CLI_STRONG, name, rest));
}

static void draw(const cli_report *report, chart what, const cli_contender *who, vkmm_types types,
                 const cli_bench_row **rows)
{
    static const char *const titles[] = {"GFLOP/s over N", "GFLOP/s over columns of B", "other shapes, GFLOP/s",
                                         "the ladder, GFLOP/s, logarithmic scale"};
    const uint32_t count = rows_of(what, who, types, rows);
    const double least = least_of(rows, count), best = best_of(rows, count);
    char name[CLI_TEXT_PROBLEM], rest[128];
    int widest = 8, room;

    if (count == 0 || (count == 1 && (what == OVER_N || what == OVER_COLUMNS))) return; /* the overview shows it */
    VKMM_PUT(rest, ", %s: %s", vkmm_types_name(types, report->utf8), titles[what]);
    title(report, who->label, rest);
    for (uint32_t i = 0; i < count; i++) {
        name_row(report, what, rows[i], name);
        widest = (int)cli_text_columns(name) > widest ? (int)cli_text_columns(name) : widest;
    }
    room = columns_of(report) - widest - 1 - FIGURE_COLUMNS;
    room = room < NARROWEST_BAR ? NARROWEST_BAR : room > WIDEST_BAR ? WIDEST_BAR : room;
    for (uint32_t i = 0; i < count; i++) {
        char text[3 * WIDEST_BAR + 4];
        name_row(report, what, rows[i], name);
        const double speed = rows[i]->figures.gflops;
        cli_text_bar(text, what == LADDER ? cli_text_log_share(speed, least, best) : speed / best, room, report->utf8);
        fprintf(report->out, "%*s%s %s %s\n", widest - (int)cli_text_columns(name), "", name, text, CLI_FIGURE(speed));
    }
    fputc('\n', report->out);
}

static void missing(const cli_report *report, const cli_bench *bench)
{
    uint32_t wrong = 0, not_run = 0;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        wrong += cli_bench_is_wrong(&bench->rows[i]) != 0;
        not_run += bench->rows[i].not_run[0] != '\0';
    }
    if (wrong + not_run == 0) return;
    title(report, bench->name[0] != '\0' ? bench->name : "this run", "");
    if (not_run > 0) fprintf(report->out, "  %u not run; the page that -o writes gives the reasons\n", not_run);
    if (wrong > 0) fprintf(report->out, "  %u wrong, with no speed\n", wrong);
}

vkmm_status cli_bench_bars(const cli_report *report, const cli_bench *benches, uint32_t count)
{
    uint32_t most = 0, who_count;
    cli_contender *who = cli_contenders_of(benches, count, &who_count);
    const cli_bench_row **rows;
    int lines = 0;

    for (uint32_t i = 0; i < count; i++) most = benches[i].row_count > most ? benches[i].row_count : most;
    rows = vkmm_alloc(most, sizeof *rows);
    if (who == NULL || rows == NULL) {
        vkmm_free(who);
        vkmm_free(rows);
        return VKMM_OUT_OF_MEMORY;
    }
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++)
        for (uint32_t i = 0; i < who_count; i++) overview(report, &who[i], *vkmm_types_at(t), rows, &lines);
    if (lines > 0) fputc('\n', report->out);
    for (uint32_t i = 0; i < who_count; i++)
        for (int c = OVER_N; c < CHARTS; c++)
            for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++)
                draw(report, (chart)c, &who[i], *vkmm_types_at(t), rows);
    if (who_count == 0) fputs("No product in these reports has a speed.\n", report->out);
    for (uint32_t i = 0; i < count; i++) missing(report, &benches[i]);
    vkmm_free(who);
    vkmm_free(rows);
    return VKMM_OK;
}
