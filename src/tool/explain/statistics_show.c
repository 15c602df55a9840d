/* vkmatmul.statistics/1, and the table. */
#include <math.h>
#include <string.h>

#include "explain/statistics.h"
#include "report/json.h"
#include "report/records.h"
#include "report/wrap.h"

static json_t *put_types(const void *problem)
{
    return json_string(cli_text_type(problem, 0));
}

#define KEY(kind, member) CLI_KEY(kind, cli_pipeline, member)

#define KERNEL_KEY(kind, member) CLI_IN(kind, cli_pipeline, kernel, member)

static const cli_field fields[] = {
    {KEY(STRING, device)},
    {KEY(STRING, driver)},
    {"kernel", CLI_FIELD_TEXT, CLI_AT(cli_pipeline, kernel.name)},
    {"type", CLI_FIELD_CUSTOM, CLI_AT(cli_pipeline, problem), .put = put_types},
    {KEY(RECORD, problem), .record = &cli_problem_record},
    {KERNEL_KEY(TEXT, config), CLI_MAYBE},
    {"tile", CLI_FIELD_U32, CLI_ARRAY(cli_pipeline, kernel.tile, 2)},
    {"workgroup", CLI_FIELD_U32, CLI_ARRAY(cli_pipeline, kernel.workgroup, 3)},
    {KERNEL_KEY(U32, shared_bytes)},
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_pipeline, compiled), .record = &cli_compiled_record},
    {KEY(REAL, cycles_per_output)},
    {"pipeline", CLI_FIELD_TEXT, CLI_AT(cli_pipeline, hash)},
    {KEY(TEXT, error), CLI_MAYBE},
};
static const vkmm_record record = {NULL, CLI_FIELDS(fields), .schema = "vkmatmul.statistics/1"};

json_t *cli_statistics_json(const cli_pipeline *pipeline)
{
    return cli_record_json(&record, pipeline);
}

static const struct column {
    const char *title;
    int width;
    size_t offset; /* in cli_pipeline, of a figure that the driver reports */
} columns[] = {
    {"regs", 4, offsetof(cli_pipeline, compiled.registers)},
    {"spills", 6, offsetof(cli_pipeline, compiled.spills)},
    {"scratch", 7, offsetof(cli_pipeline, compiled.scratch_bytes)},
    {"occup.", 6, offsetof(cli_pipeline, compiled.occupancy)},
    {"cycles", 8, offsetof(cli_pipeline, compiled.cycles)},
    {"/output", 7, offsetof(cli_pipeline, cycles_per_output)},
    {"instr.", 6, offsetof(cli_pipeline, compiled.instructions)},
    {"subgroup", 8, offsetof(cli_pipeline, compiled.subgroup_size)},
    {"compile ms", 10, offsetof(cli_pipeline, compiled.compile_ms)},
};
enum { KERNEL, TYPE, PROBLEM, FIGURES, COLUMNS = FIGURES + VKMM_COUNT(columns) };

/* The time is the last, and the only one where the driver reports nothing. */
static int is_hidden(size_t column, int has_statistics)
{
    return !has_statistics && column + 1 < VKMM_COUNT(columns);
}

static void print_titles(cli_report *report, const cli_pipeline *pipeline, const cli_place *places)
{
    cli_cell cells[COLUMNS] = {[KERNEL] = {"kernel"}, [TYPE] = {"type"}, [PROBLEM] = {"problem"}};

    for (size_t i = 0; i < VKMM_COUNT(columns); i++) cli_cell_put(&cells[FIGURES + i], "%s", columns[i].title);
    cli_report_say(report, 0, CLI_PLAIN, "%s, %s", pipeline->device, pipeline->driver);
    cli_cells_titles(report, places, cells, COLUMNS);
}

/* A configuration that several rows share is shown once, above them. */
static void print_config(cli_report *report, const cli_pipeline *pipeline, const cli_pipeline *previous)
{
    char text[VKMM_CONFIG_TEXT];

    if (pipeline->kernel.config[0] == '\0') return;
    if (previous != NULL && strcmp(previous->kernel.config, pipeline->kernel.config) == 0) return;
    VKMM_PUT(text, "%s", pipeline->kernel.config);
    for (char *at = text; *at != '\0'; at++)
        if (*at == ',') *at = ' '; /* lines break at spaces */
    cli_report_say(report, 4, CLI_DIM, "%s", text);
}

vkmm_status cli_statistics_row(cli_report *report, const cli_pipeline *pipeline, const cli_pipeline *previous,
                               int has_statistics)
{
    cli_place places[COLUMNS] = {[KERNEL] = {8}, [TYPE] = {report->type_width}, [PROBLEM] = {report->size_width}};
    cli_cell cells[COLUMNS] = {0};

    for (size_t i = 0; i < VKMM_COUNT(columns); i++) {
        cli_cell *cell = &cells[FIGURES + i];
        double figure;
        memcpy(&figure, (const char *)pipeline + columns[i].offset, sizeof figure);
        places[FIGURES + i] = (cli_place){columns[i].width, 1, is_hidden(i, has_statistics)};
        cli_cell_figure(report, cell, figure);
        if (figure == floor(figure)) cli_cell_put(cell, "%.0f", figure);
        if (figure > 0 && (columns[i].offset == offsetof(cli_pipeline, compiled.spills) ||
                           columns[i].offset == offsetof(cli_pipeline, compiled.scratch_bytes)))
            cell->paint = CLI_BAD;
    }
    if (previous == NULL) print_titles(report, pipeline, places);
    print_config(report, pipeline, previous);
    cli_cell_put(&cells[KERNEL], "%s", pipeline->kernel.name);
    cli_cell_put(&cells[TYPE], "%s", cli_text_type(&pipeline->problem, report->utf8));
    cli_text_problem(cells[PROBLEM].text, sizeof cells->text, &pipeline->problem, report->utf8);
    cli_cells_line(report, places, cells, COLUMNS);
    if (pipeline->error[0] != '\0') cli_report_say(report, 4, CLI_BAD, "failed: %s", pipeline->error);
    return VKMM_OK;
}
