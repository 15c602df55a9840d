/* A comparison for people. Contenders are numbered. The table has a part for each base, with the contenders whose
 * ratios are to it; if a terminal is too narrow for all of them, several parts. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "bench/compare.h"
#include "report/columns.h"
#include "report/text.h"

/* Columns: the first contender's speed, then two of each other, its speed and its ratio to its base. */
enum { SIZE, TYPE, KERNEL, SPEED, OTHERS };

typedef struct compare_grid {
    cli_report report;
    const cli_comparison *model;
    uint32_t columns;
    cli_place *places;
    cli_cell *cells; /* of the line that was filled last */
    int pairs;       /* there are several bases: the same devices in several reports */
} compare_grid;

/* Whether the contender's ratios are to another, `base`. */
static int is_of(const compare_grid *grid, uint32_t contender, uint32_t base)
{
    return contender != base && grid->model->contenders[contender].base == base;
}

/* ---- cells ---- */

static uint32_t speed_column(uint32_t contender)
{
    return contender == 0 ? SPEED : OTHERS + 2 * (contender - 1);
}

/* "▲ 2.005 (1.950–2.060)": faster, slower (▼) or unclear (≈); a dash if it is unknown. */
static void fill_ratio(const cli_report *report, const cli_interval *ratio, cli_cell *cell)
{
    static const char *const signs[] = {"▼", "≈", "▲"}, *const ascii[] = {"-", "~", "+"};
    static const cli_paint paints[] = {CLI_BAD, CLI_PLAIN, CLI_GOOD};
    const int verdict = cli_interval_verdict(ratio) + 1;
    const char *sign = (report->utf8 ? signs : ascii)[verdict], *to = report->utf8 ? "–" : "-";
    cell->paint = paints[verdict];
    if (!isfinite(ratio->middle))
        cli_cell_figure(report, cell, NAN);
    else if (!isfinite(ratio->low) || !isfinite(ratio->high)) /* unknown with one sample */
        cli_cell_put(cell, "%s %s (?)", sign, CLI_FIGURE(ratio->middle));
    else
        cli_cell_put(cell, "%s %s (%s%s%s)", sign, CLI_FIGURE(ratio->middle), CLI_FIGURE(ratio->low), to,
                     CLI_FIGURE(ratio->high));
}

/* GFLOP/s, with a star after the winner's; "wrong"; a dash. */
static void fill_speed(const compare_grid *grid, const cli_compare_row *row, uint32_t contender, cli_cell *cell)
{
    const cli_compare_cell *known = &row->cells[contender];
    const char *star = grid->report.utf8 ? "★" : "*";
    if (known->wrong) {
        cli_cell_put(cell, "wrong");
        cell->paint = CLI_BAD;
        return;
    }
    cli_cell_figure(&grid->report, cell, known->row != NULL ? known->row->figures.gflops : NAN);
    if (grid->pairs) return;
    if (row->winner == contender) cell->paint = CLI_STRONG;
    VKMM_JOIN(cell->text, "", "%s", row->winner == contender ? star : " ");
}

/* "256³", "f32", "auto" */
static void fill_problem(const cli_report *report, const cli_bench_row *row, cli_cell cells[SPEED])
{
    cli_cell_size(report, row, &cells[SIZE]);
    cli_cell_type(report, row, &cells[TYPE]);
    VKMM_CLEAN(cells[KERNEL].text, row->asked);
}

static void fill_titles(const compare_grid *grid)
{
    static const char *const titles[] = {"size", "type", "kernel"};
    for (int i = SIZE; i < SPEED; i++) cli_cell_put(&grid->cells[i], "%s", titles[i]);
    for (uint32_t c = 0; c < grid->model->count; c++) {
        cli_cell *cells = &grid->cells[speed_column(c)];
        cli_cell_put(&cells[0], "GFLOP/s %u", c + 1);
        if (c > 0) cli_cell_put(&cells[1], "%u : %u", c + 1, grid->model->contenders[c].base + 1);
    }
}

static void fill_row(const compare_grid *grid, const cli_compare_row *row)
{
    fill_problem(&grid->report, row->like, grid->cells);
    for (uint32_t c = 0; c < row->count; c++) {
        cli_cell *cells = &grid->cells[speed_column(c)];
        fill_speed(grid, row, c, &cells[0]);
        if (c > 0) fill_ratio(&grid->report, &row->cells[c].ratio.of, &cells[1]);
    }
}

/* "square f32", or "all", in place of the size; its ratios below those of the rows. */
static void fill_mean(const compare_grid *grid, const cli_compare_mean *mean)
{
    char text[300] = "all";
    if (mean->group != NULL) VKMM_PUT(text, "%s %s", mean->group, vkmm_types_name(mean->types, grid->report.utf8));
    vkmm_clean(grid->cells[SIZE].text, sizeof grid->cells->text, text);
    if (grid->report.markdown) cli_cell_put(&grid->cells[KERNEL], "mean");
    for (uint32_t c = 0; c < mean->count; c++) {
        cli_cell *cells = &grid->cells[speed_column(c)];
        cli_cell_put(&cells[0], "%u row%s", mean->cells[c].mean.count, mean->cells[c].mean.count == 1 ? " " : "s");
        cells[0].paint = CLI_DIM;
        if (c > 0) fill_ratio(&grid->report, &mean->cells[c].ratio.of, &cells[1]);
    }
    for (uint32_t i = 0; i < grid->columns && mean->group == NULL; i++)
        if (grid->cells[i].paint == CLI_PLAIN) grid->cells[i].paint = CLI_STRONG;
}

/* ---- the table ---- */

/* Line 0 has the titles; then come the rows and the means. 0: no more. */
static int fill(const compare_grid *grid, uint32_t line)
{
    const cli_comparison *model = grid->model;
    memset(grid->cells, 0, grid->columns * sizeof *grid->cells);
    if (line == 0)
        fill_titles(grid);
    else if (line <= model->row_count)
        fill_row(grid, &model->rows[line - 1]);
    else if (line <= model->row_count + model->mean_count)
        fill_mean(grid, &model->means[line - 1 - model->row_count]);
    else
        return 0;
    return 1;
}

static void measure(const compare_grid *grid)
{
    for (uint32_t line = 0; fill(grid, line); line++) {
        for (uint32_t i = 0; i < grid->columns; i++) {
            const int width = (int)cli_text_columns(grid->cells[i].text);
            if (width > grid->places[i].width) grid->places[i].width = width;
            grid->places[i].right = i == SPEED || (i >= OTHERS && (i - OTHERS) % 2 == 0);
        }
    }
}

/* Whether a line compares contenders of a part with their base. */
static int has_line(const compare_grid *grid, uint32_t line, uint32_t base, uint32_t from, uint32_t to)
{
    const cli_comparison *model = grid->model;
    int has = line == 0;
    for (uint32_t c = from; c < to; c++) {
        if (!is_of(grid, c, base)) continue;
        if (line > model->row_count)
            has |= model->means[line - 1 - model->row_count].cells[c].mean.count > 0;
        else if (line > 0)
            has |= model->rows[line - 1].cells[base].row != NULL && model->rows[line - 1].cells[c].row != NULL;
    }
    return has || !grid->pairs;
}

/* A base, and those of its contenders that are from `from` to `to`. */
static void print_part(const compare_grid *grid, uint32_t base, uint32_t from, uint32_t to)
{
    const cli_report *report = &grid->report;
    const uint32_t means = grid->model->row_count + 1;
    int titled = report->markdown;
    for (uint32_t c = 0; c < grid->model->count; c++) {
        const int hidden = c < from || c >= to || !is_of(grid, c, base);
        grid->places[speed_column(c)].hidden = hidden && c != base;
        if (c > 0) grid->places[speed_column(c) + 1].hidden = hidden;
    }
    putc('\n', report->out);
    for (uint32_t line = 0; fill(grid, line); line++) {
        if (!has_line(grid, line, base, from, to)) continue;
        if (line >= means && !titled++)
            fprintf(report->out, "%sgeometric means%s\n", cli_paint_on(report, CLI_DIM),
                    cli_paint_off(report, CLI_DIM));
        if (line == 0)
            cli_cells_titles(report, grid->places, grid->cells, grid->columns);
        else
            cli_cells_line(report, grid->places, grid->cells, grid->columns);
    }
}

/* As many contenders per part as fit in the terminal, at least one. */
static void print_parts(const compare_grid *grid, uint32_t base)
{
    const cli_place *places = grid->places;
    const uint32_t count = grid->model->count;
    int fixed = places[speed_column(base)].width;
    for (uint32_t i = 0; i < SPEED; i++) fixed += places[i].width + 2;
    for (uint32_t from = base + 1, to; from < count; from = to) {
        int width = fixed, shown = 0;
        for (to = from; to < count; to++) {
            if (!is_of(grid, to, base)) continue;
            width += places[speed_column(to)].width + places[speed_column(to) + 1].width + 4;
            if (grid->report.columns > 0 && width > grid->report.columns && shown > 0) break;
            shown++;
        }
        if (shown > 0) print_part(grid, base, from, to);
    }
}

/* ---- words ---- */

static void say_contenders(const compare_grid *grid)
{
    for (uint32_t i = 0; i < grid->model->count; i++) {
        const cli_contender *contender = &grid->model->contenders[i];
        const cli_bench *bench = contender->bench;
        char device[1000], source[600];
        cli_device_text(&grid->report, contender->on, device, sizeof device);
        VKMM_PUT(source, "%s", bench->name);
        VKMM_JOIN(source, ", ", "vkmatmul %s", bench->version);
        if (bench->created[0] != '\0') VKMM_JOIN(source, ", ", "%s", bench->created);
        if (grid->report.markdown) {
            cli_report_say(&grid->report, 0, CLI_PLAIN, "%u: %s, %s", i + 1, device, source);
            continue;
        }
        cli_report_say(&grid->report, 2, CLI_STRONG, "%u  %s", i + 1, device);
        cli_report_say(&grid->report, 5, CLI_DIM, "%s", source);
    }
}

/* "1 wins 12 rows, 2 wins 15; 4 are unclear". Wins are by contender's number. */
static void say_wins(const compare_grid *grid)
{
    const cli_comparison *comparison = grid->model;
    const uint32_t unclear = grid->model->unclear;
    char text[1000] = "";
    for (uint32_t c = 0; c < comparison->count; c++)
        VKMM_JOIN(text, ", ", "%u wins %u row%s", c + 1, comparison->contenders[c].wins,
                  comparison->contenders[c].wins == 1 ? "" : "s");
    cli_report_say(&grid->report, 0, CLI_PLAIN, "%s; %u %s unclear: there the interval of the two fastest contains 1",
                   text, unclear, unclear == 1 ? "is" : "are");
}

/* "2 is slower than 1 in 1024³ f32 auto: ▼ 0.900 (0.890–0.910)"; "3 is wrong in …, where 1 is right". */
static void say_regressions(const compare_grid *grid)
{
    const cli_comparison *model = grid->model;
    const cli_report *report = &grid->report;
    cli_report_say(report, 0, model->regressions > 0 ? CLI_BAD : CLI_GOOD,
                   "%u regression%s beyond the noise and %.4g %%", model->regressions,
                   model->regressions == 1 ? "" : "s", 100 * model->regression);
    for (uint64_t i = 0; i < (uint64_t)model->row_count * model->count; i++) {
        const uint32_t c = (uint32_t)(i % model->count), base = model->contenders[c].base + 1;
        const cli_compare_row *row = &model->rows[i / model->count];
        cli_cell cells[SPEED] = {0}, ratio = {"", CLI_PLAIN};
        char name[3 * sizeof ratio.text];
        if (!row->cells[c].regressed) continue;
        fill_problem(report, row->like, cells);
        fill_ratio(report, &row->cells[c].ratio.of, &ratio);
        VKMM_PUT(name, "%s %s %s", cells[SIZE].text, cells[TYPE].text, cells[KERNEL].text);
        if (row->cells[c].wrong)
            cli_report_say(report, 2, CLI_PLAIN, "%u is wrong in %s, where %u is right", c + 1, name, base);
        else
            cli_report_say(report, 2, CLI_PLAIN, "%u is slower than %u in %s: %s", c + 1, base, name, ratio.text);
    }
}

static vkmm_status print_all(compare_grid grid)
{
    for (uint32_t c = 0; c < grid.model->count; c++) grid.pairs |= grid.model->contenders[c].base != 0;
    grid.columns = speed_column(grid.model->count);
    grid.places = vkmm_alloc(grid.columns, sizeof *grid.places);
    grid.cells = vkmm_alloc(grid.columns, sizeof *grid.cells);
    if (grid.places != NULL && grid.cells != NULL) {
        measure(&grid);
        say_contenders(&grid);
        for (uint32_t c = 0; c < grid.model->count; c++) print_parts(&grid, c);
        putc('\n', grid.report.out);
        cli_report_say(&grid.report, 0, CLI_PLAIN,
                       grid.report.utf8 ? "▲ faster%s, ▼ slower, ≈ no difference beyond the noise; in brackets the "
                                          "95 %% interval%s"
                                        : "+ faster%s, - slower, ~ no difference beyond the noise; in brackets the "
                                          "95 %% interval%s",
                       grid.pairs ? "" : " than 1",
                       grid.pairs         ? ""
                       : grid.report.utf8 ? ". ★ fastest"
                                          : ". * fastest");
        if (!grid.pairs) say_wins(&grid);
        for (uint32_t i = 0; i < grid.model->note_count; i++)
            cli_report_say(&grid.report, 0, CLI_PLAIN, "%s", grid.model->notes[i]);
        if (grid.model->regression >= 0) say_regressions(&grid);
    }
    const vkmm_status status = grid.places != NULL && grid.cells != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;
    vkmm_free(grid.places);
    vkmm_free(grid.cells);
    return status;
}

vkmm_status cli_compare_table(const cli_comparison *model)
{
    return print_all((compare_grid){.report = *model->report, .model = model});
}

vkmm_status cli_compare_md(const cli_comparison *model)
{
    compare_grid grid = {.report = *model->report, .model = model};
    grid.report.utf8 = grid.report.markdown = 1;
    grid.report.columns = grid.report.colour = 0;
    return print_all(grid);
}
