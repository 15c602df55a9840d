/* Maps of tiles: what a tune measured, by rows and columns of the workgroup's tile. */
#include "bench/charts.h"

#include "math/type.h"
#include "report/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The value of a tunable in "rows=128,cols=64,depth=16"; 0 where it is not named. */
static uint32_t tunable(const char *config, const char *name)
{
    const size_t length = strlen(name);
    unsigned value;

    for (const char *at = config; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, length) == 0 && at[length] == '=' && isdigit((unsigned char)at[length + 1]) &&
            sscanf(at + length + 1, "%5u", &value) == 1)
            return value;
    }
    return 0;
}

/* The place of a value on a side, which stays ascending; VKMM_MAX_MAP: no room. */
static void insert(uint32_t *side, uint32_t *count, uint32_t value)
{
    uint32_t at = 0;

    while (at < *count && side[at] < value) at++;
    if ((at < *count && side[at] == value) || *count == VKMM_MAX_MAP) return;
    memmove(side + at + 1, side + at, (*count - at) * sizeof *side);
    side[at] = value;
    ++*count;
}

static uint32_t place(const uint32_t *side, uint32_t count, uint32_t value)
{
    uint32_t at = 0;

    while (at < count && side[at] != value) at++;
    return at;
}

int vkmm_tile_map_of(const vkmm_bench_tune *tune, vkmm_tile_map *map)
{
    uint32_t tiles = 0;

    memset(map, 0, sizeof *map);
    map->best_ms = NAN;
    for (uint32_t i = 0; i < VKMM_MAX_MAP; i++) {
        for (uint32_t j = 0; j < VKMM_MAX_MAP; j++) map->ms[i][j] = NAN;
    }
    for (uint32_t i = 0; i < tune->count; i++) {
        const vkmm_bench_trial *trial = &tune->trials[i];
        const uint32_t rows = tunable(trial->config, "rows"), cols = tunable(trial->config, "cols");
        map->measured += trial->ms > 0;
        map->failed += !(trial->ms > 0);
        if (rows == 0 || cols == 0 || !(trial->ms > 0)) continue;
        insert(map->rows, &map->row_count, rows);
        insert(map->cols, &map->col_count, cols);
    }
    for (uint32_t i = 0; i < tune->count; i++) {
        const vkmm_bench_trial *trial = &tune->trials[i];
        const uint32_t row = place(map->rows, map->row_count, tunable(trial->config, "rows"));
        const uint32_t col = place(map->cols, map->col_count, tunable(trial->config, "cols"));
        if (row == map->row_count || col == map->col_count || !(trial->ms > 0)) continue;
        tiles += isnan(map->ms[row][col]) ? 1 : 0;
        if (!(map->ms[row][col] <= trial->ms)) map->ms[row][col] = trial->ms;
        if (map->best_ms <= trial->ms) continue;
        map->best_ms = trial->ms;
        map->best = trial;
    }
    return tiles >= 2;
}

/* From pale to deep blue with the speed: its share of the best, from a quarter on, in eight steps. Dark cells have
 * white figures. */
static void cell(vkmm_builder *builder, const vkmm_tile_map *map, uint32_t row, uint32_t col)
{
    static const unsigned shades[] = {0xf3f7fb, 0xdce9f4, 0xc0d8ec, 0x9cc3e1, 0x6fa8d2, 0x3f89bd, 0x1c6aa1, 0x084b7a};
    const double share = map->best_ms / map->ms[row][col];
    const int step = share < 0.25 ? 0 : share >= 1 ? 7 : (int)(1 + (share - 0.25) / 0.75 * 6);

    vkmm_build(builder, "%u %u %u %.9g %u\n", col, row, shades[step], map->ms[row][col],
               step >= 5 ? 0xfffffeu : 0x000001u);
}

static void sides(vkmm_builder *builder, const char *axis, const uint32_t *side, uint32_t count)
{
    vkmm_build(builder, "set %stics (", axis);
    for (uint32_t i = 0; i < count; i++) vkmm_build(builder, "%s'%u' %u", i > 0 ? ", " : "", side[i], i);
    vkmm_build(builder, ") scale 0\nset %srange [-0.5:%.1f]\n", axis, count - 0.5);
}

static void chart_tune(vkmm_chart_maker *maker, const vkmm_bench_tune *tune, uint32_t number)
{
    vkmm_tile_map map;
    vkmm_builder builder;
    vkmm_chart *chart;
    char name[64], title[160], size[VKMM_TEXT_PROBLEM];

    if (!vkmm_tile_map_of(tune, &map)) return;
    vkmm_text_problem(size, sizeof size, &tune->problem, 0);
    snprintf(name, sizeof name, "tiles-%u", number);
    snprintf(title, sizeof title, "Tiles tried, %.40s %s, %.80s", size, vkmm_text_type(&tune->problem, 0),
             tune->device);
    chart = vkmm_chart_begin(maker, &builder, name, title, 0);
    if (chart == NULL) return;
    sides(&builder, "x", map.cols, map.col_count);
    sides(&builder, "y", map.rows, map.row_count);
    vkmm_build_text(&builder, "$d0 << EOD\n");
    for (uint32_t i = 0; i < map.row_count; i++) {
        for (uint32_t j = 0; j < map.col_count; j++) {
            if (!isnan(map.ms[i][j])) cell(&builder, &map, i, j);
        }
    }
    vkmm_build_text(&builder, "EOD\nunset grid\nunset key\nset border 0\nset style fill solid 1.0 noborder\n"
                              "set xlabel 'columns of the tile' offset 0,0.6 noenhanced textcolor rgb '#1b2430'\n"
                              "set ylabel 'rows of the tile' noenhanced textcolor rgb '#1b2430'\n"
                              "plot $d0 using 1:2:(0.48):(0.46):3 with boxxyerror lc rgb variable notitle, "
                              "$d0 using 1:2:(sprintf('%.4g', $4)):5 with labels textcolor rgb variable notitle\n");
    snprintf(chart->summary, sizeof chart->summary,
             "The best time, in milliseconds, of each size of tile that was tried; the darker, the faster. Best: %.4g "
             "ms by %s with %s.",
             map.best_ms, map.best->kernel, map.best->config);
    vkmm_chart_end(maker, chart, &builder);
}

void vkmm_charts_tiles(vkmm_chart_maker *maker)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < maker->bench_count; i++) {
        for (uint32_t j = 0; j < maker->benches[i].tune_count; j++)
            chart_tune(maker, &maker->benches[i].tunes[j], ++number);
    }
}
