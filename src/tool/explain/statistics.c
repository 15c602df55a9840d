#include "explain/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "look/kernel.h"
#include "look/steps.h"
#include "math/method.h"
#include "math/type.h"
#include "report/json.h"
#include "report/records.h"
#include "report/columns.h"
#include "session/commands.h"
#include "system/interrupt.h"
#include "worker/worker.h"

#define PATIENCE_MS 120000.0 /* for one pipeline */

/* Problems for which planners choose differently. */
static const cli_size shapes[] = {
    {4096, 4096, 4096}, {1024, 1024, 1024}, {256, 256, 256},  {32, 32, 32},    {16384, 64, 1024},
    {64, 16384, 1024},  {4096, 8, 4096},    {8, 4096, 4096},  {4096, 1, 4096}, {1, 4096, 4096},
    {64, 64, 65536},    {4096, 24, 4096},   {24, 4096, 4096},
};

/* What else changes a pipeline. Without --all, only the first. */
static const struct variant {
    vkmm_op op_a, op_b;
    int is_odd, has_epilogue, has_method; /* the one that multiplies elements of this type in another */
} variants[] = {
    {VKMM_OP_N, VKMM_OP_N, 0, 0},    {VKMM_OP_N, VKMM_OP_T, 0, 0}, {VKMM_OP_T, VKMM_OP_N, 0, 0},
    {VKMM_OP_T, VKMM_OP_T, 0, 0},    {VKMM_OP_N, VKMM_OP_N, 1, 0}, {VKMM_OP_N, VKMM_OP_T, 1, 0},
    {VKMM_OP_T, VKMM_OP_N, 1, 0},    {VKMM_OP_T, VKMM_OP_T, 1, 0}, {VKMM_OP_N, VKMM_OP_N, 0, 1},
    {VKMM_OP_N, VKMM_OP_N, 0, 0, 1},
};
enum { SHAPES = VKMM_COUNT(shapes), VARIANTS = VKMM_COUNT(variants), MOST_STEPS = 16 };

/* A pipeline. */
typedef struct cli_pipeline {
    const char *device, *driver;
    vkmm_problem problem; /* the first that needs it */
    vkmm_kernel_info kernel;
    uint32_t step; /* index in the list of vkmm_kernel_steps */
    const char *name;
    char hash[17];
    cli_compiled compiled;
    double cycles_per_output;
    char error[CLI_SENTENCE]; /* "": it was compiled */
} cli_pipeline;

/* ---- vkmatmul.statistics/1, and the table ---- */

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

/* previous: the row above, or NULL. has_statistics: the driver reports more than the time. */
static void print_row(cli_report *report, const cli_pipeline *pipeline, const cli_pipeline *previous,
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
}

/* ---- the pipelines ---- */

typedef struct list {
    cli_session *session;
    vkmm_device_info info; /* the session's, without kernels that it refused */
    uint32_t refused_kernels[VKMM_TYPE_COUNT];
    cli_pipeline *items; /* owned */
    uint32_t count, refused;
    vkmm_status refusal; /* the first */
    char reason[CLI_SENTENCE];
    json_t *into; /* an array for the results; NULL: they are shown */
    char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE + 2];
} list;

static vkmm_job_params params_of(const cli_options *options, const vkmm_problem *problem)
{
    return (vkmm_job_params){.problem = *problem,
                             .kernel = options->kernel,
                             .config = options->config,
                             .tile_rows = options->tile[0],
                             .tile_cols = options->tile[1]};
}

/* Adds a pipeline unless it is in the list. */
static vkmm_status add(list *l, cli_pipeline *pipeline)
{
    cli_pipeline *item;
    for (uint32_t i = 0; i < l->count; i++)
        if (strcmp(l->items[i].hash, pipeline->hash) == 0) return VKMM_OK;
    item = vkmm_list_add(&l->items, &l->count, 1, sizeof *item);
    if (item == NULL) return vkmm_tell(l->session->log, VKMM_NO_MEMORY("for a list of pipelines"));
    *item = *pipeline;
    cli_session_widen(l->session, &item->problem);
    return VKMM_OK;
}

/* Adds the pipelines of a problem. One that the device cannot multiply is counted. */
static vkmm_status plan(list *l, const vkmm_problem *problem)
{
    cli_session *session = l->session;
    const vkmm_job_params params = params_of(session->options, problem);
    cli_pipeline pipeline = {.device = session->info->name, .driver = l->driver, .problem = *problem};
    vkmm_step_info steps[MOST_STEPS];
    uint32_t count = MOST_STEPS;
    vkmm_status status;
    session->console.muted = 1;
    status = vkmm_kernel_choose(session->log, &l->info, &params, &pipeline.kernel);
    if (status == VKMM_OK) status = vkmm_kernel_steps(session->log, &l->info, &params, steps, &count);
    session->console.muted = 0;
    if (status == VKMM_OK) pipeline.problem.method = pipeline.kernel.method;
    for (; status == VKMM_OK && pipeline.step < count; pipeline.step++) {
        pipeline.name = steps[pipeline.step].name;
        VKMM_PUT(pipeline.hash, "%016" PRIx64, steps[pipeline.step].pipeline_hash);
        status = add(l, &pipeline);
    }
    if (status != VKMM_UNSUPPORTED && status != VKMM_INVALID) return status;
    if (l->refused++ > 0) return VKMM_OK;
    l->refusal = status;
    VKMM_CLEAN(l->reason, session->console.last_error);
    return VKMM_OK;
}

static uint64_t odd(uint64_t extent)
{
    return extent > 16 ? extent + 1 : extent;
}

static vkmm_method method_of(vkmm_type type)
{
    uint32_t method = VKMM_COMPUTE_DIRECT + 1;
    while (vkmm_method_at(method) != NULL && vkmm_method_at(method)->types[0] != type) method++;
    return vkmm_method_at(method) != NULL ? (vkmm_method)method : VKMM_COMPUTE_DIRECT;
}

static vkmm_status plan_size(list *l, const cli_size *size, const vkmm_types *types)
{
    const cli_options *options = l->session->options;
    vkmm_status status = VKMM_OK;
    for (int i = 0; i < (options->all ? VARIANTS : 1) && status == VKMM_OK; i++) {
        const struct variant *variant = &variants[i];
        vkmm_problem problem = cli_problem_make(options, size, types->in);
        if (types->out != VKMM_AUTO) problem.out_type = types->out;
        if (types->compute != VKMM_AUTO) problem.compute = types->compute;
        if (options->all) {
            problem.op_a = variant->op_a;
            problem.op_b = variant->op_b;
            problem.has_bias |= variant->has_epilogue;
        }
        if (variant->has_method) problem.method = method_of(types->in);
        if (variant->has_method && problem.method == VKMM_COMPUTE_DIRECT) continue;
        if (variant->has_epilogue) problem.activation = vkmm_type_of(types->in)->is_float ? VKMM_GELU : VKMM_RELU;
        if (variant->is_odd) {
            problem.m = odd(problem.m);
            problem.n = odd(problem.n);
            problem.k = odd(problem.k);
        }
        status = plan(l, &problem);
    }
    return status;
}

static vkmm_status plan_types(list *l, const vkmm_types *types)
{
    const cli_options *options = l->session->options;
    const int own = cli_size_is_given(options);
    const size_t count = own ? cli_size_count(options) : SHAPES;
    vkmm_status status = VKMM_OK;
    for (size_t i = 0; i < count && status == VKMM_OK; i++) {
        const cli_size size = own ? cli_size_at(options, i, CLI_SQUARE) : shapes[i];
        status = plan_size(l, &size, types);
    }
    return status;
}

static vkmm_status plan_all(list *l)
{
    static const vkmm_type usual[] = {VKMM_F32, VKMM_F16};
    const cli_options *options = l->session->options;
    const vkmm_type *type = options->types.count > 0 ? options->types.type : usual;
    const uint32_t count = options->types.count > 0 ? options->types.count : 2;
    const vkmm_types *types;
    vkmm_status status = VKMM_OK;
    for (uint32_t i = 0; !options->all && i < count && status == VKMM_OK; i++)
        status = plan_types(l, &(vkmm_types){.in = type[i]});
    for (uint32_t i = 0; options->all && (types = vkmm_types_at(i)) != NULL && status == VKMM_OK; i++) {
        uint32_t t = 0;
        while (t < options->types.count && type[t] != types->in) t++;
        if (options->types.count == 0 || t < options->types.count) status = plan_types(l, types);
    }
    if (status == VKMM_OK && l->count == 0) return VKMM_FAIL(l->session->log, l->refusal, "%s", l->reason);
    return status;
}

/* What the planner chose is named: in the worker it might choose otherwise. */
static json_t *request_of(const cli_options *options, const cli_pipeline *pipeline)
{
    const char *config = pipeline->kernel.config;
    return json_pack("{s:s,s:s,s:o,s:s?,s:s?,s:i,s:i,s:i}", "ask", "compile", "pipeline", pipeline->hash, "problem",
                     cli_record_json(&cli_problem_record, &pipeline->problem), "kernel", pipeline->kernel.name,
                     "config", config[0] != '\0' ? config : NULL, "rows", (int)options->tile[0], "cols",
                     (int)options->tile[1], "step", (int)pipeline->step);
}

/* Compiles a pipeline in the worker. What goes wrong is the pipeline's error. */
static cli_reply compile(cli_worker *worker, cli_pipeline *pipeline)
{
    cli_compiled *compiled = &pipeline->compiled;
    const vkmm_kernel_info *kernel = &pipeline->kernel;
    json_t *answer = NULL;
    cli_reply reply;
    worker->losses = 0;
    reply = cli_worker_start(worker, PATIENCE_MS);
    if (reply == CLI_REPLY_ANSWER)
        reply = cli_worker_ask(worker, request_of(worker->session->options, pipeline), PATIENCE_MS, &answer);
    cli_compiled_record.start(compiled);
    if (pipeline->step > 0) {
        VKMM_PUT(pipeline->kernel.name, "%s", pipeline->name);
        pipeline->kernel.config[0] = '\0';
    }
    if (reply == CLI_REPLY_ANSWER && worker->status == VKMM_OK) {
        if (!cli_record_parse(answer, &cli_compiled_record, compiled, pipeline->error))
            reply = cli_worker_distrust(worker, pipeline->error);
    } else {
        VKMM_CLEAN(pipeline->error, worker->sentence);
    }
    json_decref(answer);
    if (kernel->tile[0] > 0 && pipeline->step == 0)
        pipeline->cycles_per_output = compiled->cycles / compiled->subgroup_size * kernel->workgroup[0] *
                                      kernel->workgroup[1] / kernel->tile[0] / kernel->tile[1];
    else
        pipeline->cycles_per_output = NAN;
    return reply;
}

static vkmm_status show(list *l, uint32_t index)
{
    cli_session *session = l->session;
    const cli_pipeline *pipeline = &l->items[index];
    vkmm_status status = VKMM_OK;
    cli_progress_end(&session->console);
    if (l->into != NULL) {
        if (cli_json_add(l->into, cli_record_json(&record, pipeline)) != 0)
            status = cli_session_wrote(session, VKMM_OUT_OF_MEMORY);
    } else if (session->writer->document != NULL) {
        status = cli_session_document(session, cli_record_json(&record, pipeline));
    } else {
        print_row(&session->report, pipeline, index > 0 ? &pipeline[-1] : NULL, session->info->features.statistics);
        status = cli_session_wrote(session, VKMM_OK);
    }
    return status == VKMM_OK && pipeline->error[0] != '\0' ? VKMM_WRONG_RESULT : status;
}

/* After a refusal: what runs instead, if the planner chose the kernel. */
static vkmm_status plan_again(list *l, const cli_pipeline *pipeline)
{
    const vkmm_problem problem = pipeline->problem; /* the list may move */
    uint32_t *refused = &l->refused_kernels[problem.type], kernel = 0;
    if (l->session->options->kernel != NULL || pipeline->step > 0) return VKMM_OK;
    while (strcmp(vkmm_kernel_name(kernel), pipeline->kernel.name) != 0) kernel++;
    if (*refused & 1u << kernel) return VKMM_OK;
    *refused |= 1u << kernel;
    return plan(l, &problem);
}

static vkmm_status compile_all(list *l)
{
    cli_session *session = l->session;
    cli_worker worker = {
        .session = session, .command = "statistics-worker", .device = session->info, .words = {"--no-cache"}};
    vkmm_status status = VKMM_OK;
    for (uint32_t i = 0; i < l->count && !cli_interrupted(); i++) {
        cli_progress(&session->console, "compiling pipeline %u of %u", i + 1, l->count);
        const cli_reply reply = compile(&worker, &l->items[i]);
        if (reply == CLI_REPLY_INTERRUPTED) break;
        if (reply == CLI_REPLY_NO_WORKER) {
            status = VKMM_FAIL(session->log, worker.status, "%s", worker.sentence);
            break;
        }
        const vkmm_status next = show(l, i);
        status = cli_worse(status, next);
        if (next != VKMM_OK && next != VKMM_WRONG_RESULT) break;
        if (worker.status == VKMM_UNSUPPORTED && plan_again(l, &l->items[i]) != VKMM_OK) break;
    }
    cli_worker_close(&worker);
    return status;
}

static void start(list *l, cli_session *session)
{
    *l = (list){.session = session, .info = *session->info};
    l->info.refused_kernels = l->refused_kernels;
    VKMM_PUT(l->driver, "%s%s%s", session->info->driver.name, session->info->driver.info[0] != '\0' ? ", " : "",
             session->info->driver.info);
}

vkmm_status cli_statistics_collect(cli_session *session, const vkmm_problem *problems, uint32_t count, json_t *into)
{
    vkmm_status status = VKMM_OK;
    list l;
    start(&l, session);
    l.into = into;
    for (uint32_t i = 0; i < count && status == VKMM_OK; i++) status = plan(&l, &problems[i]);
    if (status == VKMM_OK) status = compile_all(&l);
    cli_progress_end(&session->console);
    vkmm_free(l.items);
    return status;
}

vkmm_status cli_command_statistics(cli_session *session)
{
    list l;
    const char *kernel = session->options->kernel;
    vkmm_status status;
    if (kernel != NULL && strcmp(kernel, "serial") == 0)
        return VKMM_FAIL(session->log, VKMM_INVALID, "the kernel serial runs on the host: no driver compiles it");
    status = cli_session_find_device(session);
    if (status != VKMM_OK) return status;
    start(&l, session);
    status = plan_all(&l);
    if (status == VKMM_OK) status = compile_all(&l);
    if (l.count > 0 && !session->info->features.statistics && session->writer->document == NULL)
        cli_report_say(&session->report, 0, CLI_PLAIN,
                       "This driver reports only how long it compiles; more needs "
                       "VK_KHR_pipeline_executable_properties.");
    if (l.count > 0 && l.refused > 0 && session->writer->document == NULL)
        cli_report_say(&session->report, 0, CLI_PLAIN, "%u problems are not possible here; the first: %s", l.refused,
                       l.reason);
    vkmm_free(l.items);
    return cli_worse(status, cli_report_flush(&session->report, session->log));
}
