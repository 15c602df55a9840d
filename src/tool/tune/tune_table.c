/* What a tune found, for people: a line of figures, and below it the configuration, and why candidates failed. */
#include <string.h>
#include "report/columns.h"
#include "report/text.h"
#include "tune/tune.h"

enum { SIZE, TYPE, KERNEL, GFLOPS, PLANNED, GAIN, TRIED, FAILED, COLUMNS };
enum { INDENT = 4, LAST_COLUMN = 80 };

static void fill_figures(const cli_tune_row *row, cli_cell cells[COLUMNS])
{
    const vkmm_tuned *tuned = &row->tuned;
    cli_cell_put(&cells[KERNEL], "%s", tuned->best.kernel);
    cli_text_figure(cells[GFLOPS].text, sizeof cells->text, tuned->gflops);
    cells[GFLOPS].paint = CLI_STRONG;
    strcpy(cells[PLANNED].text, "-");
    strcpy(cells[GAIN].text, "-");
    if (tuned->planned_gflops > 0) {
        cli_text_figure(cells[PLANNED].text, sizeof cells->text, tuned->planned_gflops);
        cli_cell_put(&cells[GAIN], "%+.0f %%", 100 * (tuned->gflops / tuned->planned_gflops - 1));
    }
    cli_cell_put(&cells[TRIED], "%u", tuned->candidates + row->failed);
    cli_cell_put(&cells[FAILED], "%u", row->failed);
}

/* Lines break after commas. */
static void print_config(const cli_report *report, const char *config)
{
    int column = fprintf(report->out, "%*s", INDENT, "");
    for (int length; *config != '\0'; config += length) {
        length = (int)strcspn(config, ",");
        length += config[length] == ',';
        if (column > INDENT && column + length > LAST_COLUMN) column = fprintf(report->out, "\n%*s", INDENT, "") - 1;
        column += fprintf(report->out, "%.*s", length, config);
    }
    putc('\n', report->out);
}

/* The failures that share the reason of the index-th; 0 unless it is the first of them. */
static uint32_t count_reason(const cli_tune_row *row, uint32_t index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < row->failure_count; i++)
        if (strcmp(row->failures[i].reason, row->failures[index].reason) == 0) {
            if (i < index) return 0;
            count++;
        }
    return count;
}

/* How many candidates failed for each reason; if wanted, below it which ones. */
static void print_failures(const cli_report *report, const cli_tune_row *row)
{
    for (uint32_t i = 0; i < row->failure_count; i++) {
        const uint32_t count = count_reason(row, i);
        if (count == 0) continue;
        cli_report_say(report, INDENT, CLI_PLAIN, "%u failed: %s%s", count, row->failures[i].reason,
                       report->verbose ? "" : " (-v lists them)");
        for (uint32_t j = i; j < row->failure_count && report->verbose; j++)
            if (strcmp(row->failures[i].reason, row->failures[j].reason) == 0)
                cli_report_say(report, 2 * INDENT, CLI_PLAIN, "%s %s: %s", row->failures[j].candidate.kernel,
                               row->failures[j].candidate.config, row->failures[j].sentence);
    }
}

vkmm_status cli_table_tune(cli_report *report, const cli_tune_row *row)
{
    const int planned = strcmp(row->tuned.best.config, row->planned.config) == 0 &&
                        strcmp(row->tuned.best.kernel, row->planned.kernel) == 0;
    const int size = report->size_width, type = report->type_width;
    const cli_place places[COLUMNS] = {
        {size > 6 ? size : 6}, {type > 4 ? type : 4}, {8}, {7, 1}, {9, 1}, {7, 1}, {5, 1}, {6, 1}};
    cli_cell cells[COLUMNS] = {{"size"},      {"type"}, {"kernel"}, {"GFLOP/s"},
                               {"planner's"}, {"gain"}, {"tried"},  {"failed"}};
    if (report->rows == 0) {
        cli_print_device(report, row->device, NULL);
        cli_cells_titles(report, places, cells, COLUMNS);
    }
    memset(cells, 0, sizeof cells);
    cli_text_problem(cells[SIZE].text, sizeof cells->text, &row->problem, report->utf8);
    cli_cell_put(&cells[TYPE], "%s", cli_text_type(&row->problem, report->utf8));
    if (row->skipped[0] != '\0')
        cli_cell_put(&cells[KERNEL], "left out: %s", row->skipped);
    else
        fill_figures(row, cells);
    cli_cells_line(report, places, cells, COLUMNS);
    if (row->skipped[0] != '\0') return VKMM_OK;
    print_config(report, planned ? "the planner's own choice: nothing tried was faster" : row->tuned.best.config);
    print_failures(report, row);
    return VKMM_OK;
}
