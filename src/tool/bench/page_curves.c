/* What is drawn as curves and bars, each with its figures in a table. */
#include "bench/page_parts.h"

#include "base/alloc.h"
#include "math/types_name.h"

#include <math.h>
#include <stdio.h>

/* ---- tables of curves: a line each x, a column each device ---- */

enum { MOST_PLACES = 512 };

typedef struct curve_table {
    vkmm_chart_point **points; /* by device; owned, and so is each */
    uint32_t *counts;          /* owned */
    double x[MOST_PLACES];     /* of all, ascending */
    uint32_t x_count;
} curve_table;

static void add_place(curve_table *table, double x)
{
    uint32_t at = table->x_count;

    for (uint32_t i = 0; i < table->x_count; i++) {
        if (table->x[i] == x) return;
    }
    if (table->x_count == MOST_PLACES) return;
    for (; at > 0 && table->x[at - 1] > x; at--) table->x[at] = table->x[at - 1];
    table->x[at] = x;
    table->x_count++;
}

static void collect(vkmm_page *page, const vkmm_types *types, vkmm_chart_pick pick, curve_table *table)
{
    const uint32_t count = page->all.who_count;

    table->x_count = 0;
    table->points = vkmm_alloc(count, sizeof *table->points);
    table->counts = vkmm_alloc(count, sizeof *table->counts);
    if (table->points == NULL || table->counts == NULL) page->all.failed = 1;
    for (uint32_t i = 0; i < count && !page->all.failed; i++) {
        table->points[i] = vkmm_chart_points(&page->all, &page->all.who[i], types, pick, 1, &table->counts[i]);
        for (uint32_t j = 0; j < table->counts[i]; j++) add_place(table, table->points[i][j].x);
    }
}

static void drop(vkmm_page *page, curve_table *table)
{
    for (uint32_t i = 0; table->points != NULL && i < page->all.who_count; i++) vkmm_free(table->points[i]);
    vkmm_free(table->points);
    vkmm_free(table->counts);
}

static double value_at(const curve_table *table, uint32_t who, double x)
{
    for (uint32_t i = 0; i < table->counts[who]; i++) {
        if (table->points[who][i].x == x) return table->points[who][i].y;
    }
    return NAN;
}

/* One table a type. Returns whether there was anything to show. */
static int curves(vkmm_page *page, const char *what, vkmm_chart_pick pick, const vkmm_types *types)
{
    static const char *const heads[] = {"|N", NULL};
    curve_table table;
    char caption[160];

    collect(page, types, pick, &table);
    if (table.x_count > 0 && !page->all.failed) {
        snprintf(caption, sizeof caption, "%s, %s", what, vkmm_types_name(*types, 1));
        vkmm_page_table(page, 1, caption, NULL, heads);
        for (uint32_t i = 0; i < page->all.who_count; i++) vkmm_page_head(page, page->all.who[i].label, 1);
        vkmm_page_table_body(page);
        for (uint32_t i = 0; i < table.x_count; i++) {
            char n[32];
            snprintf(n, sizeof n, "%.0f", table.x[i]);
            vkmm_page_row(page, n, 1);
            for (uint32_t j = 0; j < page->all.who_count; j++) vkmm_page_figure(page, value_at(&table, j, table.x[i]));
            vkmm_page_row_end(page);
        }
        vkmm_page_table_end(page, 1);
    }
    drop(page, &table);
    return table.x_count > 0;
}

static int any_curve(vkmm_page *page, vkmm_chart_pick pick)
{
    for (uint32_t i = 0; i < page->all.who_count; i++) {
        for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
            uint32_t count;
            vkmm_free(vkmm_chart_points(&page->all, &page->all.who[i], vkmm_types_at(t), pick, 1, &count));
            if (count > 0) return 1;
        }
    }
    return 0;
}

void vkmm_page_speed(vkmm_page *page)
{
    const int squares = any_curve(page, vkmm_pick_square), columns = any_curve(page, vkmm_pick_llm);

    if (!squares && !columns) return;
    vkmm_page_section(page, "speed", "Speed over size",
                      "Products of N×N matrices, both axes logarithmic. Whiskers, where they are wide enough to be "
                      "seen, reach from the 5th to the 95th "
                      "percentile of the samples.");
    vkmm_page_charts(page, "speed-");
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++)
        curves(page, "GFLOP/s over N", vkmm_pick_square, vkmm_types_at(t));
    if (columns) vkmm_page_charts(page, "columns-");
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++)
        curves(page, "GFLOP/s over N columns of B, as language models multiply", vkmm_pick_llm, vkmm_types_at(t));
    vkmm_page_end(page);
}

void vkmm_page_share(vkmm_page *page)
{
    if (!any_curve(page, vkmm_pick_share)) return;
    vkmm_page_section(page, "share", "Share of peak",
                      "The same products against what the device was measured to do at best: chains of multiply-adds "
                      "in registers, nothing read, nothing "
                      "written.");
    vkmm_page_charts(page, "share-");
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++)
        curves(page, "Percent of the multiply-add peak over N", vkmm_pick_share, vkmm_types_at(t));
    vkmm_page_end(page);
}

/* ---- the ladder ---- */

static void ladder_table(vkmm_page *page, const vkmm_contender *who)
{
    static const char *const heads[] = {"Step", NULL};
    const char *names[VKMM_MAX_STEPS];
    const uint32_t count = vkmm_ladder_steps(who, 1, names);
    const vkmm_types *all[VKMM_TYPES_COUNT];
    const uint32_t types = vkmm_ladder_types(who, names, count, all);

    if (count == 0) return;
    vkmm_page_table(page, 1, "GFLOP/s of each step", who->label, heads);
    for (uint32_t t = 0; t < types; t++) vkmm_page_head(page, vkmm_types_name(*all[t], 1), 1);
    vkmm_page_head(page, "Size", 0);
    vkmm_page_table_body(page);
    for (uint32_t i = 0; i < count; i++) {
        char size[VKMM_TEXT_PROBLEM] = "";
        vkmm_page_row(page, names[i], 0);
        for (uint32_t t = 0; t < types; t++) {
            const vkmm_bench_row *row = vkmm_ladder_row(who, names[i], all[t]);
            vkmm_page_figure(page, row != NULL ? row->figures.gflops : NAN);
            if (row != NULL) vkmm_text_problem(size, sizeof size, &row->problem, 1);
        }
        vkmm_page_text(page, size, "word");
        vkmm_page_row_end(page);
    }
    vkmm_page_table_end(page, 1);
}

void vkmm_page_ladder(vkmm_page *page)
{
    const char *names[VKMM_MAX_STEPS];

    if (vkmm_ladder_steps(page->all.who, page->all.who_count, names) == 0) return;
    vkmm_page_section(page, "ladder", "The ladder",
                      "The steps of the tutorials, from one invocation an element to tiles in shared memory, and the "
                      "fastest kernel beyond them. Each "
                      "device has axes of its own.");
    vkmm_page_charts(page, "ladder-");
    for (uint32_t i = 0; i < page->all.who_count; i++) ladder_table(page, &page->all.who[i]);
    vkmm_page_end(page);
}

/* ---- cliffs ---- */

static double speed(const vkmm_bench_row *row)
{
    return row != NULL ? row->figures.gflops : NAN;
}

void vkmm_page_cliffs(vkmm_page *page)
{
    static const char *const heads[] = {"Device",      "Type",        "|N", "|GFLOP/s at N − 1", "|at N", "|at N + 1",
                                        "|N − 1 of N", "|N + 1 of N", NULL};
    uint32_t lines = 0;

    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        for (uint32_t i = 0; i < page->all.who_count; i++) {
            vkmm_cliff cliffs[VKMM_MAX_CLIFFS];
            const uint32_t count = vkmm_cliffs_of(&page->all.who[i], vkmm_types_at(t), cliffs);
            for (uint32_t j = 0; j < count; j++) {
                const vkmm_cliff *cliff = &cliffs[j];
                if (lines++ == 0) {
                    vkmm_page_section(page, "cliffs", "Cliffs",
                                      "A size that is one beside a round one fits tiles and alignment worse. What that "
                                      "costs, in percent "
                                      "of the speed at N.");
                    vkmm_page_charts(page, "cliffs-");
                    vkmm_page_table(page, 1, "Speed at N − 1, N and N + 1", NULL, heads);
                    vkmm_page_table_body(page);
                }
                vkmm_page_row(page, page->all.who[i].label, 0);
                vkmm_page_text(page, vkmm_types_name(*vkmm_types_at(t), 1), "word");
                vkmm_build(&page->out, "<td class=\"n\">%llu</td>", (unsigned long long)cliff->n);
                for (int x = 0; x < 3; x++) vkmm_page_figure(page, speed(cliff->row[x]));
                vkmm_page_percent(page, speed(cliff->row[0]) / speed(cliff->row[1]));
                vkmm_page_percent(page, speed(cliff->row[2]) / speed(cliff->row[1]));
                vkmm_page_row_end(page);
            }
        }
    }
    if (lines == 0) return;
    vkmm_page_table_end(page, 1);
    vkmm_page_end(page);
}
