/* The ladder: one chart a device, bars by kernel, in each group one a type. */
#include "bench/charts.h"

#include "math/types_name.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

uint32_t vkmm_ladder_steps(const vkmm_contender *who, uint32_t who_count, const char *names[VKMM_MAX_STEPS])
{
    uint32_t count = 0;

    for (uint32_t w = 0; w < who_count; w++) {
        for (uint32_t i = 0; i < who[w].bench->row_count && count < VKMM_MAX_STEPS; i++) {
            const vkmm_bench_row *row = &who[w].bench->rows[i];
            uint32_t known = 0;
            if (row->device != who[w].device || strcmp(row->group, "ladder") != 0 || !vkmm_bench_is_timed(row))
                continue;
            while (known < count && strcmp(names[known], row->asked) != 0) known++;
            if (known == count) names[count++] = row->asked;
        }
    }
    return count;
}

const vkmm_bench_row *vkmm_ladder_row(const vkmm_contender *who, const char *kernel, const vkmm_types *types)
{
    for (uint32_t i = 0; i < who->bench->row_count; i++) {
        const vkmm_bench_row *row = &who->bench->rows[i];
        if (row->device == who->device && strcmp(row->group, "ladder") == 0 && vkmm_is_of_types(row, types) &&
            strcmp(row->asked, kernel) == 0 && vkmm_bench_is_timed(row))
            return row;
    }
    return NULL;
}

/* Where the bars of one type stand, how high and how wide they are. */
static void bars(vkmm_builder *builder, const vkmm_contender *who, const vkmm_types *types, uint32_t place,
                 uint32_t bars_each)
{
    const char *names[VKMM_MAX_STEPS];
    const uint32_t steps = vkmm_ladder_steps(who, 1, names);
    const double width = 0.8 / bars_each;

    vkmm_build(builder, "$d%u << EOD\n", place);
    for (uint32_t i = 0; i < steps; i++) {
        const vkmm_bench_row *row = vkmm_ladder_row(who, names[i], types);
        if (row != NULL)
            vkmm_build(builder, "%.4f %.9g %.4f\n", i + (place - (bars_each - 1) / 2.0) * width, row->figures.gflops,
                       width * 0.92);
    }
    vkmm_build_text(builder, "EOD\n");
}

static void axes(vkmm_builder *builder, const char *const *names, uint32_t steps)
{
    vkmm_build_text(builder, "set xtics (");
    for (uint32_t i = 0; i < steps; i++) {
        if (i > 0) vkmm_build_text(builder, ", ");
        vkmm_build_quoted(builder, names[i], 32);
        vkmm_build(builder, " %u", i);
    }
    vkmm_build(builder,
               ") noenhanced scale 0\nset xrange [-0.6:%.1f]\nset yrange [0:*]\nset grid noxtics\nset key width 1\n",
               steps - 0.4);
    vkmm_build_text(builder, "set style fill solid 1.0 noborder\nset offsets 0, 0, graph 0.08, 0\n"
                             "set ylabel 'GFLOP/s' noenhanced textcolor rgb '#1b2430'\n");
}

static void summarise(vkmm_chart *chart, const vkmm_contender *who, const vkmm_types *types)
{
    const char *names[VKMM_MAX_STEPS];
    const uint32_t steps = vkmm_ladder_steps(who, 1, names);
    const vkmm_bench_row *slow = NULL, *fast = NULL;
    char low[64], high[64];

    for (uint32_t i = 0; i < steps; i++) {
        const vkmm_bench_row *row = vkmm_ladder_row(who, names[i], types);
        if (row == NULL) continue;
        if (slow == NULL || row->figures.gflops < slow->figures.gflops) slow = row;
        if (fast == NULL || row->figures.gflops > fast->figures.gflops) fast = row;
    }
    if (slow == NULL) return;
    vkmm_text_figure(low, sizeof low, slow->figures.gflops);
    vkmm_text_figure(high, sizeof high, fast->figures.gflops);
    snprintf(chart->summary, sizeof chart->summary,
             "Bars of GFLOP/s, a group each step of the ladder on %.160s. In %s, the slowest is %s (%s), the fastest "
             "%s (%s), %.3g times as "
             "fast.",
             who->label, vkmm_types_words(*types), slow->asked, low, fast->asked, high,
             fast->figures.gflops / slow->figures.gflops);
}

uint32_t vkmm_ladder_types(const vkmm_contender *who, const char *const *names, uint32_t steps,
                           const vkmm_types *types[VKMM_TYPES_COUNT])
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < VKMM_TYPES_COUNT; t++) {
        int any = 0;
        for (uint32_t i = 0; i < steps; i++) any |= vkmm_ladder_row(who, names[i], vkmm_types_at(t)) != NULL;
        if (any) types[count++] = vkmm_types_at(t);
    }
    return count;
}

static void chart_ladder(vkmm_chart_maker *maker, uint32_t index)
{
    const vkmm_contender *who = &maker->who[index];
    const char *names[VKMM_MAX_STEPS];
    const uint32_t steps = vkmm_ladder_steps(who, 1, names);
    const vkmm_types *all[VKMM_TYPES_COUNT];
    const uint32_t types = vkmm_ladder_types(who, names, steps, all);
    vkmm_builder builder;
    vkmm_chart *chart;
    char name[64], title[160];

    if (types == 0) return;
    snprintf(name, sizeof name, "ladder-%u", index + 1);
    snprintf(title, sizeof title, "The ladder, %.120s%s%s", who->label, types == 1 ? ", " : "",
             types == 1 ? vkmm_types_words(*all[0]) : "");
    chart = vkmm_chart_begin(maker, &builder, name, title, 1);
    if (chart == NULL) return;
    axes(&builder, names, steps);
    if (types == 1) vkmm_build_text(&builder, "unset key\n");
    for (uint32_t i = 0; i < types; i++) bars(&builder, who, all[i], i, types);
    vkmm_build_text(&builder, "plot");
    for (uint32_t i = 0; i < types; i++)
        vkmm_build(&builder, "%s $d%u using 1:2:3 with boxes lc rgb '%s' title '%s'", i > 0 ? "," : "", i,
                   vkmm_chart_colour(i), vkmm_types_words(*all[i]));
    for (uint32_t i = 0; i < types && types * steps <= 16; i++)
        vkmm_build(&builder,
                   ", $d%u using 1:2:(sprintf($2 < 100 ? '%%.3g' : '%%.0f', $2)) with labels offset 0,0.6 textcolor "
                   "rgb '#1b2430' notitle",
                   i);
    vkmm_build_text(&builder, "\n");
    summarise(chart, who, all[0]);
    vkmm_chart_end(maker, chart, &builder);
}

void vkmm_charts_ladder(vkmm_chart_maker *maker)
{
    for (uint32_t i = 0; i < maker->who_count; i++) chart_ladder(maker, i);
}
