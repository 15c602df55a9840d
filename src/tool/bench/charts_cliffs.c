/* The sizes just beside a round one: for every N three points, N - 1, N, N + 1, in percent of the speed at N. */
#include "bench/charts.h"

#include "math/types_name.h"

#include <stdio.h>

static int has_place(const uint64_t *n, uint32_t count, uint64_t wanted, uint32_t *place)
{
    for (*place = 0; *place < count; ++*place) {
        if (n[*place] == wanted) return 1;
    }
    return 0;
}

/* All N's of all devices, ascending. */
static uint32_t all_places(const vkmm_chart_maker *maker, const vkmm_types *types, uint64_t n[VKMM_MAX_CLIFFS])
{
    vkmm_cliff cliffs[VKMM_MAX_CLIFFS];
    uint32_t total = 0, place;

    for (uint32_t i = 0; i < maker->who_count; i++) {
        const uint32_t count = vkmm_cliffs_of(&maker->who[i], types, cliffs);
        for (uint32_t j = 0; j < count && total < VKMM_MAX_CLIFFS; j++) {
            if (has_place(n, total, cliffs[j].n, &place)) continue;
            for (place = total++; place > 0 && n[place - 1] > cliffs[j].n; place--) n[place] = n[place - 1];
            n[place] = cliffs[j].n;
        }
    }
    return total;
}

/* The worst loss beside a round size is what the summary names. */
typedef struct worst {
    double percent;
    uint64_t n, beside;
    uint32_t who;
} worst;

static uint32_t cliff_block(vkmm_builder *builder, const vkmm_chart_maker *maker, uint32_t who, const vkmm_types *types,
                            const uint64_t *n, uint32_t total, worst *low)
{
    vkmm_cliff cliffs[VKMM_MAX_CLIFFS];
    const uint32_t count = vkmm_cliffs_of(&maker->who[who], types, cliffs);
    uint32_t place;

    vkmm_build(builder, "$d%u << EOD\n", who);
    for (uint32_t i = 0; i < count; i++) {
        if (!has_place(n, total, cliffs[i].n, &place)) continue;
        for (int x = 0; x < 3; x++) {
            double percent;
            if (cliffs[i].row[x] == NULL) continue;
            percent = 100 * cliffs[i].row[x]->figures.gflops / cliffs[i].row[1]->figures.gflops;
            vkmm_build(builder, "%.3f %.6g\n", place + (x - 1) * 0.22, percent);
            if (percent < low->percent) *low = (worst){percent, cliffs[i].n, cliffs[i].row[x]->problem.n, who};
        }
        vkmm_build_text(builder, "\n");
    }
    vkmm_build_text(builder, "EOD\n");
    return count;
}

static void chart_cliffs(vkmm_chart_maker *maker, const vkmm_types *types)
{
    uint64_t n[VKMM_MAX_CLIFFS];
    const uint32_t total = all_places(maker, types, n);
    worst low = {1e300, 0, 0, 0};
    const char *comma = "";
    vkmm_builder builder;
    vkmm_chart *chart;
    char name[64], title[160];

    if (total == 0) return;
    snprintf(name, sizeof name, "cliffs-%s", vkmm_types_slug(*types));
    snprintf(title, sizeof title, "Cliffs: speed at N - 1, N and N + 1, %s", vkmm_types_words(*types));
    chart = vkmm_chart_begin(maker, &builder, name, title, maker->who_count);
    if (chart == NULL) return;
    vkmm_build_text(&builder, "set xtics (");
    for (uint32_t i = 0; i < total; i++)
        vkmm_build(&builder, "%s'%llu' %u", i > 0 ? ", " : "", (unsigned long long)n[i], i);
    vkmm_build(&builder, ") scale 0\nset xrange [-0.6:%.1f]\nset yrange [0:*<200]\nset offsets 0, 0, graph 0.05, 0\n",
               total - 0.4);
    vkmm_build_text(&builder, "set grid noxtics\nset xlabel 'N' offset 0,0.6 noenhanced textcolor rgb '#1b2430'\n"
                              "set ylabel 'percent of the speed at N' noenhanced textcolor rgb '#1b2430'\n");
    for (uint32_t i = 0; i < maker->who_count; i++) cliff_block(&builder, maker, i, types, n, total, &low);
    vkmm_build_text(&builder, "plot 100 with lines lw 0.8 lc rgb '#5a6573' dt 1 notitle, ");
    for (uint32_t i = 0; i < maker->who_count; i++) {
        vkmm_cliff cliffs[VKMM_MAX_CLIFFS];
        if (vkmm_cliffs_of(&maker->who[i], types, cliffs) == 0) continue;
        vkmm_build(&builder, "%s $d%u using 1:2 with linespoints", comma, i);
        vkmm_chart_style(&builder, i);
        vkmm_build_text(&builder, " title ");
        vkmm_chart_label(&builder, &maker->who[i]);
        comma = ",";
    }
    vkmm_build_text(&builder, "\n");
    snprintf(chart->summary, sizeof chart->summary,
             "Three points for each N, in percent of the speed at N: one element less, N, one more. The lowest is %.3g "
             "%% at %llu, beside "
             "%llu, on "
             "%.200s.",
             low.percent, (unsigned long long)low.beside, (unsigned long long)low.n, maker->who[low.who].label);
    vkmm_chart_end(maker, chart, &builder);
}

void vkmm_charts_cliffs(vkmm_chart_maker *maker)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) chart_cliffs(maker, vkmm_types_at(t));
}
