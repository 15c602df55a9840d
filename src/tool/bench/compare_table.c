/* A comparison for people. Contenders are numbered; where a terminal is too narrow for all of them, the table comes
 * in parts, each with the first contender and some of the others. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/columns.h"
#include "bench/compare_words.h"
#include "report/text.h"

/* A table in the making: size, type, kernel, then two columns a contender, of which the first has no ratio. */
enum { SIZE, TYPE, KERNEL, FIRST };

typedef struct compare_grid {
    vkmm_report *report;
    const vkmm_compare_model *model;
    vkmm_place *places;
    vkmm_cell *cells;
    uint32_t from, to; /* contenders of this part, beside the first */
} compare_grid;

/* Column of a contender's speed; its ratio is the next. */
static uint32_t column_of(uint32_t contender)
{
    return FIRST + 2 * contender;
}

static void fill_titles(const compare_grid *grid, vkmm_cell *cells)
{
    snprintf(cells[SIZE].text, sizeof cells->text, "size");
    snprintf(cells[TYPE].text, sizeof cells->text, "type");
    snprintf(cells[KERNEL].text, sizeof cells->text, "kernel");
    for (uint32_t c = 0; c < grid->model->comparison->count; c++) {
        snprintf(cells[column_of(c)].text, sizeof cells->text, "GFLOP/s %u", c + 1);
        snprintf(cells[column_of(c) + 1].text, sizeof cells->text, "%u : 1", c + 1);
    }
    for (uint32_t i = 0; i < column_of(grid->model->comparison->count); i++) cells[i].paint = VKMM_DIM;
}

static void fill_row(const compare_grid *grid, const vkmm_compare_row *row, vkmm_cell *cells)
{
    memset(cells, 0, column_of(grid->model->comparison->count) * sizeof *cells);
    vkmm_bench_size_text(grid->report, row->like, cells[SIZE].text, sizeof cells->text);
    snprintf(cells[TYPE].text, sizeof cells->text, "%s", vkmm_text_type(&row->like->problem, grid->report->utf8));
    vkmm_text_clean(cells[KERNEL].text, sizeof cells->text, row->like->asked);
    for (uint32_t c = 0; c < grid->model->comparison->count; c++) {
        vkmm_compare_speed_cell(grid->report, row, c, &cells[column_of(c)]);
        vkmm_compare_ratio_cell(grid->report, &row->ratio[c], &cells[column_of(c) + 1]);
    }
}

/* A line of means: its name in place of the size, its ratios below those of the rows. */
static void fill_mean(const compare_grid *grid, const vkmm_compare_mean *mean, vkmm_cell *cells)
{
    memset(cells, 0, column_of(grid->model->comparison->count) * sizeof *cells);
    vkmm_compare_mean_name(grid->report, mean, cells[SIZE].text, sizeof cells->text);
    for (uint32_t c = 0; c < grid->model->comparison->count; c++) {
        snprintf(cells[column_of(c)].text, sizeof cells->text, "%u row%s", mean->counted[c],
                 mean->counted[c] == 1 ? " " : "s");
        cells[column_of(c)].paint = VKMM_DIM;
        vkmm_compare_ratio_cell(grid->report, &mean->ratio[c], &cells[column_of(c) + 1]);
    }
    if (mean->group == NULL)
        for (uint32_t i = 0; i < column_of(grid->model->comparison->count); i++)
            if (cells[i].paint == VKMM_PLAIN) cells[i].paint = VKMM_STRONG;
}

static void widen(const compare_grid *grid)
{
    for (uint32_t i = 0; i < column_of(grid->model->comparison->count); i++) {
        int width = (int)vkmm_text_columns(grid->cells[i].text);
        if (width > grid->places[i].width) grid->places[i].width = width;
        grid->places[i].right = i >= FIRST && (i - FIRST) % 2 == 0;
    }
}

static void measure(const compare_grid *grid)
{
    fill_titles(grid, grid->cells);
    widen(grid);
    for (uint32_t i = 0; i < grid->model->count; i++) {
        fill_row(grid, &grid->model->rows[i], grid->cells);
        widen(grid);
    }
    for (uint32_t i = 0; i < grid->model->mean_count; i++) {
        fill_mean(grid, &grid->model->means[i], grid->cells);
        widen(grid);
    }
}

/* Prints the columns of this part of what is in the cells. The room for them is behind the cells of all columns. */
static void print_part(const compare_grid *grid)
{
    uint32_t all = column_of(grid->model->comparison->count), count = FIRST + 1;
    vkmm_cell *cells = grid->cells + all;
    vkmm_place *places = grid->places + all;

    memcpy(cells, grid->cells, count * sizeof *cells);
    memcpy(places, grid->places, count * sizeof *places);
    for (uint32_t c = grid->from; c < grid->to; c++) {
        memcpy(cells + count, grid->cells + column_of(c), 2 * sizeof *cells);
        memcpy(places + count, grid->places + column_of(c), 2 * sizeof *places);
        count += 2;
    }
    vkmm_cells_line(grid->report, places, cells, count);
}

static void print_grid(const compare_grid *grid)
{
    fill_titles(grid, grid->cells);
    print_part(grid);
    for (uint32_t i = 0; i < grid->model->count; i++) {
        fill_row(grid, &grid->model->rows[i], grid->cells);
        print_part(grid);
    }
    fprintf(grid->report->out, "%sgeometric means%s\n", vkmm_paint_on(grid->report, VKMM_DIM),
            vkmm_paint_off(grid->report, VKMM_DIM));
    for (uint32_t i = 0; i < grid->model->mean_count; i++) {
        fill_mean(grid, &grid->model->means[i], grid->cells);
        print_part(grid);
    }
}

/* As many contenders a part as the terminal is wide enough for, at least one. */
static void print_parts(compare_grid *grid)
{
    const uint32_t count = grid->model->comparison->count;
    int fixed = 0;

    for (uint32_t i = 0; i <= FIRST; i++) fixed += grid->places[i].width + 2;
    for (grid->from = 1; grid->from < count; grid->from = grid->to) {
        int width = fixed;
        for (grid->to = grid->from; grid->to < count; grid->to++) {
            width += grid->places[column_of(grid->to)].width + grid->places[column_of(grid->to) + 1].width + 4;
            if (grid->report->columns > 0 && width - 2 > grid->report->columns && grid->to > grid->from) break;
        }
        putc('\n', grid->report->out);
        print_grid(grid);
    }
}

static void print_painted(const vkmm_report *report, const char *text, int indent, vkmm_paint paint)
{
    fputs(vkmm_paint_on(report, paint), report->out);
    vkmm_print_wrapped(report, text, indent);
    fputs(vkmm_paint_off(report, paint), report->out);
}

static void print_contenders(const vkmm_report *report, const vkmm_comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->count; i++) {
        const vkmm_contender *contender = &comparison->contenders[i];
        char text[1000], line[1100], name[VKMM_BENCH_TEXT], version[64], created[64];
        vkmm_bench_device_text(report, &contender->bench->devices[contender->device], text, sizeof text);
        vkmm_text_clean(name, sizeof name, contender->bench->name);
        vkmm_text_clean(version, sizeof version, contender->bench->version);
        vkmm_text_clean(created, sizeof created, contender->bench->created);
        snprintf(line, sizeof line, "%u  %s", i + 1, text);
        print_painted(report, line, 2, VKMM_STRONG);
        snprintf(line, sizeof line, "%s%svkmatmul %s%s%s", name, name[0] != '\0' ? ", " : "", version,
                 created[0] != '\0' ? ", " : "", created);
        print_painted(report, line, 5, VKMM_DIM);
    }
}

/* One and the same device in several reports: its own line, since the ratios above are to the first contender. */
static void print_same_devices(const vkmm_report *report, const vkmm_compare_model *model)
{
    vkmm_interval *ratios = vkmm_alloc(model->count, sizeof *ratios);

    for (uint32_t c = 1; ratios != NULL && c < model->comparison->count; c++) {
        vkmm_interval mean;
        vkmm_cell cell = {"", VKMM_PLAIN};
        uint32_t base = model->base[c], count = 0;
        if (base == VKMM_NOBODY || base == 0) continue;
        for (uint32_t i = 0; i < model->count; i++) {
            const vkmm_compare_row *row = &model->rows[i];
            if (row->of[base] == NULL || row->of[c] == NULL) continue;
            ratios[count] = vkmm_bench_ratio(row->of[base], row->of[c], model->comparison->paired);
            count += isfinite(ratios[count].low) ? 1 : 0;
        }
        if (count == 0) continue;
        mean = vkmm_bench_mean(ratios, count);
        vkmm_compare_ratio_cell(report, &mean, &cell);
        fprintf(report->out, "the same device, %u : %u over %u rows: %s\n", c + 1, base + 1, count, cell.text);
    }
    vkmm_free(ratios);
}

static void print_words(vkmm_report *report, const vkmm_compare_model *model)
{
    char text[1000];

    putc('\n', report->out);
    vkmm_print_wrapped(
        report,
        report->utf8
            ? "▲ faster than 1, ▼ slower, ≈ no difference beyond the noise; in brackets the 95 % interval. ★ fastest"
            : "+ faster than 1, - slower, ~ no difference beyond the noise; in brackets the 95 % interval. * fastest",
        0);
    vkmm_compare_wins(model, text, sizeof text);
    vkmm_print_wrapped(report, text, 0);
    print_same_devices(report, model);
    for (unsigned i = 0; vkmm_compare_note(model, i, text); i++) vkmm_print_wrapped(report, text, 0);
    if (model->comparison->regression < 0) return;
    fprintf(report->out, "%s%u regression%s beyond the noise and %.4g %%%s\n",
            vkmm_paint_on(report, model->regression_count > 0 ? VKMM_BAD : VKMM_GOOD), model->regression_count,
            model->regression_count == 1 ? "" : "s", 100 * model->comparison->regression,
            vkmm_paint_off(report, model->regression_count > 0 ? VKMM_BAD : VKMM_GOOD));
    for (uint32_t i = 0; i < model->regression_count; i++) {
        vkmm_compare_regression(report, model, &model->regressions[i], text, sizeof text);
        vkmm_print_wrapped(report, text, 2);
    }
}

vkmm_status vkmm_compare_table(vkmm_report *report, vkmm_comparison *comparison)
{
    vkmm_compare_model model = {0};
    compare_grid grid = {.report = report, .model = &model};
    vkmm_status status = vkmm_compare_model_make(comparison, &model);
    size_t columns = 2 * (size_t)column_of(comparison->count);

    if (status == VKMM_OK && model.count > 0) {
        grid.places = vkmm_alloc(columns, sizeof *grid.places);
        grid.cells = vkmm_alloc(columns, sizeof *grid.cells);
        status = grid.places != NULL && grid.cells != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;
    }
    if (status == VKMM_OK && model.count > 0) {
        measure(&grid);
        print_contenders(report, comparison);
        print_parts(&grid);
        print_words(report, &model);
    }
    vkmm_free(grid.places);
    vkmm_free(grid.cells);
    vkmm_compare_model_free(&model);
    return status;
}
