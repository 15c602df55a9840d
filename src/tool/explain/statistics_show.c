/* vkmatmul.statistics/1, and the table. */
#include <math.h>
#include <string.h>

#include "explain/statistics.h"
#include "report/json.h"
#include "report/records.h"
#include "report/wrap.h"

static json_t *put_types(const void *problem)
{
    return json_string(vkmm_text_type(problem, 0));
}

#define KEY(kind, member) VKMM_KEY(kind, cli_pipeline, member)

#define KERNEL_KEY(kind, member) VKMM_IN(kind, cli_pipeline, kernel, member)

static const vkmm_field fields[] = {
    {KEY(STRING, device)},
    {KEY(STRING, driver)},
    {"kernel", VKMM_FIELD_TEXT, VKMM_AT(cli_pipeline, kernel.name)},
    {"type", VKMM_FIELD_CUSTOM, VKMM_AT(cli_pipeline, problem), .put = put_types},
    {KEY(RECORD, problem), .record = &vkmm_problem_record},
    {KERNEL_KEY(TEXT, config), VKMM_MAYBE},
    {"tile", VKMM_FIELD_U32, VKMM_ARRAY(cli_pipeline, kernel.tile, 2)},
    {"workgroup", VKMM_FIELD_U32, VKMM_ARRAY(cli_pipeline, kernel.workgroup, 3)},
    {KERNEL_KEY(U32, shared_bytes)},
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(cli_pipeline, compiled), .record = &cli_compiled_record},
    {KEY(REAL, cycles_per_output)},
    {"pipeline", VKMM_FIELD_TEXT, VKMM_AT(cli_pipeline, hash)},
    {KEY(TEXT, error), VKMM_MAYBE},
};
static const vkmm_record record = {NULL, VKMM_FIELDS(fields), .schema = "vkmatmul.statistics/1"};

vkmm_status cli_statistics_json(vkmm_report *report, const cli_pipeline *pipeline)
{
    return vkmm_json_line(report, vkmm_record_json(&record, pipeline));
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

static void print_titles(vkmm_report *report, const cli_pipeline *pipeline, const vkmm_place *places)
{
    vkmm_cell cells[COLUMNS] = {[KERNEL] = {"kernel"}, [TYPE] = {"type"}, [PROBLEM] = {"problem"}};

    for (size_t i = 0; i < VKMM_COUNT(columns); i++) vkmm_cell_put(&cells[FIGURES + i], "%s", columns[i].title);
    vkmm_report_say(report, 0, VKMM_PLAIN, "%s, %s", pipeline->device, pipeline->driver);
    vkmm_cells_titles(report, places, cells, COLUMNS);
}

/* A configuration that several rows share is shown once, above them. */
static void print_config(vkmm_report *report, const cli_pipeline *pipeline, const cli_pipeline *previous)
{
    char text[VKMM_CONFIG_TEXT];

    if (pipeline->kernel.config[0] == '\0') return;
    if (previous != NULL && strcmp(previous->kernel.config, pipeline->kernel.config) == 0) return;
    VKMM_PUT(text, "%s", pipeline->kernel.config);
    for (char *at = text; *at != '\0'; at++)
        if (*at == ',') *at = ' '; /* lines break at spaces */
    vkmm_report_say(report, 4, VKMM_DIM, "%s", text);
}

vkmm_status cli_statistics_row(vkmm_report *report, const cli_pipeline *pipeline, const cli_pipeline *previous,
                               int has_statistics)
{
    vkmm_place places[COLUMNS] = {[KERNEL] = {8}, [TYPE] = {report->type_width}, [PROBLEM] = {report->size_width}};
    vkmm_cell cells[COLUMNS] = {0};

    for (size_t i = 0; i < VKMM_COUNT(columns); i++) {
        vkmm_cell *cell = &cells[FIGURES + i];
        double figure;
        memcpy(&figure, (const char *)pipeline + columns[i].offset, sizeof figure);
        places[FIGURES + i] = (vkmm_place){columns[i].width, 1, is_hidden(i, has_statistics)};
        vkmm_cell_figure(report, cell, figure);
        if (figure == floor(figure)) vkmm_cell_put(cell, "%.0f", figure);
        if (figure > 0 && (columns[i].offset == offsetof(cli_pipeline, compiled.spills) ||
                           columns[i].offset == offsetof(cli_pipeline, compiled.scratch_bytes)))
            cell->paint = VKMM_BAD;
    }
    if (previous == NULL) print_titles(report, pipeline, places);
    print_config(report, pipeline, previous);
    vkmm_cell_put(&cells[KERNEL], "%s", pipeline->kernel.name);
    vkmm_cell_put(&cells[TYPE], "%s", vkmm_text_type(&pipeline->problem, report->utf8));
    vkmm_text_problem(cells[PROBLEM].text, sizeof cells->text, &pipeline->problem, report->utf8);
    vkmm_cells_line(report, places, cells, COLUMNS);
    if (pipeline->error[0] != '\0') vkmm_report_say(report, 4, VKMM_BAD, "failed: %s", pipeline->error);
    return VKMM_OK;
}
