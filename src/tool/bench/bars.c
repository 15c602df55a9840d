/* Bench reports on a terminal: a sparkline for each device and type, then bars by size, then the ladder. */
#include "bench/page.h"

#include "base/alloc.h"
#include "math/problem.h"
#include "math/types_name.h"
#include "bench/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST_BAR = 8, FIGURE_COLUMNS = 10, MOST_STEPS = 16 };

/* The devices that have a speed. */
typedef struct lineup {
    vkmm_contender *who; /* owned */
    uint32_t count;
    int failed; /* memory ran out */
} lineup;

/* ---- what is shown ---- */

static int is_of_types(const vkmm_bench_row *row, const vkmm_types *types)
{
    return vkmm_types_equal(vkmm_problem_types(&row->problem), *types);
}

/* Timed rows of one device and one combination of types. */
static int is_of(const vkmm_bench_row *row, const vkmm_contender *who, const vkmm_types *types)
{
    return row->device == who->device && is_of_types(row, types) && vkmm_bench_is_timed(row);
}

/* Whether it is the product of square matrices by the automatic choice of a kernel, one at a time, not transposed:
 * what curves over size show. */
static int is_square(const vkmm_bench_row *row)
{
    const vkmm_problem *p = &row->problem;

    return p->m == p->n && p->n == p->k && strcmp(row->asked, "auto") == 0 && strcmp(row->group, "ladder") != 0 &&
           vkmm_problem_batches(p) == 1 && p->op_a == VKMM_OP_N && p->op_b == VKMM_OP_N && !p->has_bias &&
           p->activation == VKMM_ACTIVATION_NONE;
}

/* Without the sizes beside a round one. */
static int is_over_size(const vkmm_bench_row *row)
{
    return is_square(row) && strcmp(row->group, "edge") != 0;
}

static int is_over_columns(const vkmm_bench_row *row)
{
    return strcmp(row->group, "llm") == 0 && strcmp(row->asked, "auto") == 0;
}

static int compare_rows(const void *left, const void *right)
{
    const vkmm_bench_row *a = *(const vkmm_bench_row *const *)left, *b = *(const vkmm_bench_row *const *)right;

    if (a->problem.n != b->problem.n) return a->problem.n < b->problem.n ? -1 : 1;
    return a < b ? -1 : 1; /* rows of one report lie in one array */
}

/* The rows of a curve, sorted by N, the first of several with one N; *count of them. Freed with vkmm_free; NULL: there
 * are none, or memory ran out. */
static const vkmm_bench_row **curve_of(lineup *all, const vkmm_contender *who, const vkmm_types *types,
                                       int (*picks)(const vkmm_bench_row *row), uint32_t *count)
{
    const vkmm_bench *bench = who->bench;
    const vkmm_bench_row **rows = vkmm_alloc(bench->row_count, sizeof *rows);
    uint32_t found = 0;

    *count = 0;
    if (rows == NULL) {
        all->failed = 1;
        return NULL;
    }
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_bench_row *row = &bench->rows[i];
        if (is_of(row, who, types) && picks(row) && row->figures.gflops > 0 && isfinite(row->figures.gflops))
            rows[found++] = row;
    }
    qsort(rows, found, sizeof *rows, compare_rows);
    for (uint32_t i = 0; i < found; i++) {
        if (*count == 0 || rows[*count - 1]->problem.n != rows[i]->problem.n) rows[(*count)++] = rows[i];
    }
    if (*count > 0) return rows;
    vkmm_free(rows);
    return NULL;
}

/* The steps of a device's ladder that were timed, in the order of their rows, each once; their count. */
static uint32_t steps_of(const vkmm_contender *who, const char *names[MOST_STEPS])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < who->bench->row_count && count < MOST_STEPS; i++) {
        const vkmm_bench_row *row = &who->bench->rows[i];
        uint32_t known = 0;
        if (row->device != who->device || strcmp(row->group, "ladder") != 0 || !vkmm_bench_is_timed(row)) continue;
        while (known < count && strcmp(names[known], row->asked) != 0) known++;
        if (known == count) names[count++] = row->asked;
    }
    return count;
}

static const vkmm_bench_row *step_of(const vkmm_contender *who, const char *kernel, const vkmm_types *types)
{
    for (uint32_t i = 0; i < who->bench->row_count; i++) {
        const vkmm_bench_row *row = &who->bench->rows[i];
        if (is_of(row, who, types) && strcmp(row->group, "ladder") == 0 && strcmp(row->asked, kernel) == 0) return row;
    }
    return NULL;
}

/* ---- marks and bars ---- */

static int columns_of(const vkmm_report *report)
{
    return report->columns > 0 ? report->columns : 80;
}

/* A name in so many columns at most, its end cut off; *used gets its columns. */
static void name_of(char text[VKMM_BENCH_TEXT + 4], const vkmm_report *report, const char *name, size_t most,
                    size_t *used)
{
    size_t columns = 0;
    char *at;

    vkmm_text_clean(text, VKMM_BENCH_TEXT, name);
    *used = vkmm_text_columns(text);
    if (*used <= most) return;
    for (at = text; *at != '\0'; at++) {
        if (((unsigned char)*at & 0xc0) == 0x80) continue;
        if (columns + (report->utf8 ? 1 : 2) >= most) break;
        columns++;
    }
    strcpy(at, report->utf8 ? "…" : "..");
    *used = vkmm_text_columns(text);
}

static void pad(const vkmm_report *report, size_t used, size_t wanted)
{
    for (; used < wanted; used++) fputc(' ', report->out);
}

/* One mark of eight heights for each value, as shares of the largest. */
static void spark(const vkmm_report *report, const vkmm_bench_row *const *rows, uint32_t count)
{
    static const char *const tall[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char plain[] = "_.-:=+*#";
    double most = 0;

    for (uint32_t i = 0; i < count; i++) most = fmax(most, rows[i]->figures.gflops);
    for (uint32_t i = 0; i < count; i++) {
        const int height = (int)(rows[i]->figures.gflops / most * 7.999);
        if (report->utf8)
            fputs(tall[height], report->out);
        else
            fputc(plain[height], report->out);
    }
}

/* A bar of a share of so many columns, in eighths of a column where the terminal has them; any speed shows at least
 * a trace. Then the figure. */
static void bar(const vkmm_report *report, double value, double most, int columns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    unsigned length = (unsigned)(value / most * 8 * columns + 0.5);
    char figure[64];

    if (length < 1) length = 1;
    for (unsigned i = 0; i < length / 8; i++) fputs(report->utf8 ? "█" : "#", report->out);
    if (report->utf8)
        fputs(eighths[length % 8], report->out);
    else if (length < 8)
        fputc('#', report->out);
    vkmm_text_figure(figure, sizeof figure, value);
    fprintf(report->out, " %s\n", figure);
}

static int bar_columns(const vkmm_report *report, size_t before)
{
    const int left = columns_of(report) - (int)before - FIGURE_COLUMNS;

    return left > NARROWEST_BAR ? left : NARROWEST_BAR;
}

/* "f32  NVIDIA H200 … ▁▂▄▇█  12.3 to 43210 GFLOP/s, N 256 to 8192" */
static void overview(const vkmm_report *report, lineup *all)
{
    const size_t most = (size_t)columns_of(report) / 3;
    int lines = 0;

    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        for (uint32_t i = 0; i < all->count; i++) {
            uint32_t count;
            const vkmm_bench_row **rows = curve_of(all, &all->who[i], vkmm_types_at(t), is_over_size, &count);
            const char *type = vkmm_types_name(*vkmm_types_at(t), report->utf8);
            char name[VKMM_BENCH_TEXT + 4], low[64], high[64];
            double least = INFINITY, best = 0;
            size_t used;
            if (rows == NULL) continue;
            for (uint32_t j = 0; j < count; j++) {
                least = fmin(least, rows[j]->figures.gflops);
                best = fmax(best, rows[j]->figures.gflops);
            }
            if (lines++ == 0) fprintf(report->out, "Speed over size, %s\n", report->utf8 ? "N×N×N" : "NxNxN");
            name_of(name, report, all->who[i].label, most, &used);
            vkmm_text_figure(low, sizeof low, least);
            vkmm_text_figure(high, sizeof high, best);
            fprintf(report->out, "  %s", type);
            pad(report, vkmm_text_columns(type), 4);
            fprintf(report->out, " %s", name);
            pad(report, used, most + 1);
            if (count <= (uint32_t)columns_of(report) / 4) spark(report, rows, count);
            pad(report, count, 8);
            if (count > 1)
                fprintf(report->out, "  %s to %s GFLOP/s\n", low, high);
            else
                fprintf(report->out, "  %s GFLOP/s\n", high);
            vkmm_free(rows);
        }
    }
    if (lines > 0) fputc('\n', report->out);
}

static void title(const vkmm_report *report, const char *label, const char *rest)
{
    char name[VKMM_BENCH_TEXT + 4];
    size_t used;

    name_of(name, report, label, (size_t)columns_of(report) - strlen(rest) - 2, &used);
    fprintf(report->out, "%s%s%s%s\n", report->colour ? "\033[1m" : "", name, rest, report->colour ? "\033[0m" : "");
}

static void curve(const vkmm_report *report, lineup *all, uint32_t who, const vkmm_types *types,
                  int (*picks)(const vkmm_bench_row *row), const char *what)
{
    uint32_t count;
    const vkmm_bench_row **rows = curve_of(all, &all->who[who], types, picks, &count);
    char rest[128];
    double best = 0;

    if (count < 2) { /* the overview has single ones */
        vkmm_free(rows);
        return;
    }
    snprintf(rest, sizeof rest, ", %s: GFLOP/s %s", vkmm_types_name(*types, report->utf8), what);
    title(report, all->who[who].label, rest);
    for (uint32_t i = 0; i < count; i++) best = fmax(best, rows[i]->figures.gflops);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(report->out, "%8llu ", (unsigned long long)rows[i]->problem.n);
        bar(report, rows[i]->figures.gflops, best, bar_columns(report, 9));
    }
    fputc('\n', report->out);
    vkmm_free(rows);
}

static void ladder(const vkmm_report *report, const vkmm_contender *who, const vkmm_types *types)
{
    const char *names[MOST_STEPS];
    const uint32_t count = steps_of(who, names);
    char rest[64];
    double best = 0;
    size_t widest = 0, used;

    for (uint32_t i = 0; i < count; i++) {
        const vkmm_bench_row *row = step_of(who, names[i], types);
        if (row != NULL && row->figures.gflops > best) best = row->figures.gflops;
        if (strlen(names[i]) > widest) widest = strlen(names[i]);
    }
    if (!(best > 0)) return;
    snprintf(rest, sizeof rest, ", %s: the ladder, GFLOP/s", vkmm_types_name(*types, report->utf8));
    title(report, who->label, rest);
    for (uint32_t i = 0; i < count; i++) {
        const vkmm_bench_row *row = step_of(who, names[i], types);
        char name[VKMM_BENCH_TEXT + 4];
        if (row == NULL) continue;
        name_of(name, report, names[i], 12, &used);
        pad(report, used, 12);
        fprintf(report->out, "%s ", name);
        bar(report, row->figures.gflops, best, bar_columns(report, 13));
    }
    fputc('\n', report->out);
}

/* Of every other shape, a bar beside its extents. */
static int is_other(const vkmm_bench_row *row)
{
    return strcmp(row->group, "ladder") != 0 && strcmp(row->group, "llm") != 0 && !is_square(row);
}

static void others(const vkmm_report *report, const vkmm_contender *who, const vkmm_types *types)
{
    char name[VKMM_TEXT_PROBLEM], rest[64];
    size_t widest = 0;
    double best = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < who->bench->row_count; i++) {
            const vkmm_bench_row *row = &who->bench->rows[i];
            if (!is_of(row, who, types) || !is_other(row)) continue;
            vkmm_text_problem(name, sizeof name, &row->problem, report->utf8);
            if (pass == 0) {
                widest = vkmm_text_columns(name) > widest ? vkmm_text_columns(name) : widest;
                best = row->figures.gflops > best ? row->figures.gflops : best;
                continue;
            }
            pad(report, vkmm_text_columns(name), widest + 2);
            fprintf(report->out, "%s ", name);
            bar(report, row->figures.gflops, best, bar_columns(report, widest + 3));
        }
        snprintf(rest, sizeof rest, ", %s: other shapes, GFLOP/s", vkmm_types_name(*types, report->utf8));
        if (best > 0 && pass == 0) title(report, who->label, rest);
    }
    if (best > 0) fputc('\n', report->out);
}

static void missing(const vkmm_report *report, const vkmm_bench *bench)
{
    uint32_t wrong = 0, not_run = 0;

    for (uint32_t i = 0; i < bench->row_count; i++) {
        wrong += vkmm_bench_is_wrong(&bench->rows[i]) != 0;
        not_run += bench->rows[i].not_run[0] != '\0';
    }
    if (wrong + not_run == 0) return;
    title(report, bench->name[0] != '\0' ? bench->name : "this run", "");
    if (not_run > 0) fprintf(report->out, "  %u not run; the page of -o has the reasons\n", not_run);
    if (wrong > 0) fprintf(report->out, "  %u wrong, and without a speed\n", wrong);
}

vkmm_status vkmm_bench_bars(const vkmm_report *report, const vkmm_bench *benches, uint32_t count)
{
    lineup all = {NULL, 0, 0};

    all.who = vkmm_contenders_of(benches, count, &all.count);
    if (all.who == NULL) return VKMM_OUT_OF_MEMORY;
    overview(report, &all);
    for (uint32_t i = 0; i < all.count; i++) {
        for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++)
            curve(report, &all, i, vkmm_types_at(t), is_over_size, "over N");
        for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++)
            curve(report, &all, i, vkmm_types_at(t), is_over_columns, "over columns of B");
        for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) others(report, &all.who[i], vkmm_types_at(t));
        for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) ladder(report, &all.who[i], vkmm_types_at(t));
    }
    if (all.count == 0) fputs("No product of these reports has a speed.\n", report->out);
    for (uint32_t i = 0; i < count; i++) missing(report, &benches[i]);
    vkmm_free(all.who);
    return all.failed ? VKMM_OUT_OF_MEMORY : VKMM_OK;
}
