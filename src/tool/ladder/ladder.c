#include "base/alloc.h"
#include "base/limits.h"
#include "ladder/course.h"
#include "look/kernel.h"
#include "math/problem.h"
#include "options/step_table.h"
#include "session/commands.h"
#include "session/forecast.h"
#include "product/product.h"
#include "system/interrupt.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_STEPS = 32,
    MOST_ROWS = (MOST_STEPS + CLI_MOST_LISTED) * VKMM_TYPE_COUNT,
    GPU_SQUARE = 512 /* the serial step takes 8 times as long at 1024 */
};

/* How long a row is measured if nothing is given: all of them are to take seconds. */
#define SHORT_WARM_MS  40.0
#define SHORT_LEAST_MS 40.0
#define SHORT_MOST_MS  100.0

typedef struct climb {
    cli_session *session;
    const cli_request *request;
    cli_step steps[MOST_STEPS];
    cli_forecast forecasts[MOST_ROWS];
    uint32_t step_count;
    cli_ladder ladder;
    cli_bench_row rows[MOST_ROWS];
    uint32_t skipped; /* rows that every device should have, but that did not run */
    const char *why;  /* the first of them did not */
} climb;

static int is_serial(const cli_bench_row *row)
{
    return strcmp(row->kernel.name, "serial") == 0;
}

static void compare(cli_bench_row *row, const cli_bench_row *rows, uint32_t first, uint32_t at)
{
    if (!cli_bench_is_timed(row)) return;
    for (uint32_t i = first; i < at; i++) {
        if (!cli_bench_is_timed(&rows[i]) || rows[i].problem.k != row->problem.k) continue;
        row->times_previous = rows[i].figures.median_ms / row->figures.median_ms;
        if (is_serial(&rows[i])) row->times_serial = row->times_previous;
    }
    if (is_serial(row)) row->times_serial = 1;
}

/* The row that was added last; NULL: there are no more. */
static vkmm_status show(climb *c, const cli_bench_row *row)
{
    cli_session *session = c->session;
    const cli_writer *writer = session->writer;
    vkmm_status status = VKMM_OK;
    cli_progress_end(&session->console);
    if (writer->ladder != NULL)
        status = writer->ladder(&session->report, &c->ladder, row);
    else if (row != NULL)
        status = writer->run(&session->report, row);
    if (status != VKMM_OK) return VKMM_FAIL(session->log, status, "no memory to write the ladder");
    session->report.rows += writer->ladder != NULL ? row == NULL : row != NULL;
    if (row == NULL || session->writer != &cli_json_writer)
        cli_interrupt_says("vkmatmul: interrupted; the rows above are valid\n");
    return cli_report_flush(&session->report, session->log);
}

/* shader: NULL, or the user's, from a file. */
static cli_request request_of(const climb *c, const vkmm_problem *problem, const cli_step *step,
                              const vkmm_shader *shader)
{
    cli_request request = *c->request;
    request.kind = &cli_resident;
    request.job.problem = *problem;
    cli_step_apply(step, c->session->info, &request.job);
    request.job.shader = shader;
    request.shader_file = shader == NULL ? NULL : step->name;
    if (!step->has_tile) request.job.tile_rows = request.job.tile_cols = 0;
    return request;
}

/* Only of f32, which the course is about; a step that cannot be predicted has its sentence. */
static void foresee(climb *c, const cli_request *request, const cli_step *step, cli_bench_row *row)
{
    const int is_foreseen = vkmm_problem_types(&row->problem).out == VKMM_F32 && row->not_run[0] == '\0' &&
                            !step->on_host && request->job.shader == NULL;
    cli_forecast *forecast = &c->forecasts[c->ladder.count];
    vkmm_prediction prediction;
    c->session->console.muted = 1;
    const int is_known = is_foreseen && cli_predict(c->session, &request->job, &prediction) == VKMM_OK;
    *forecast = cli_forecast_of(step->name, step->sentence, is_known ? &prediction : NULL);
    c->session->console.muted = 0;
    row->forecast = forecast;
}

/* The step with tiles in shared memory or not, as the user's shader, and about as many elements of C per invocation:
 * what it reads is not counted. NULL: there is none. */
static const char *resembled(const vkmm_kernel_info *own)
{
    const uint32_t invocations = own->workgroup[0] * own->workgroup[1], elements = own->tile[0] * own->tile[1];
    if (own->shared_bytes == 0 && elements > invocations) return NULL;
    if (own->shared_bytes == 0) return own->workgroup[1] > 1 ? "grouped" : "naive";
    if (elements <= invocations) return own->tile[0] < 32 ? "tiled" : "tiled-32";
    return elements <= 8 * invocations ? "strip" : "block";
}

/* VKMM_UNSUPPORTED if the product would not be made as the step says. */
static vkmm_status check_step(const climb *c, const cli_request *request, const cli_step *step, vkmm_type type)
{
    vkmm_kernel_info info;
    if (type != VKMM_F32 && (step->type || step->compute || step->method))
        return VKMM_FAIL(c->session->log, VKMM_UNSUPPORTED, "the step %s is for f32", step->name);
    if (step->method == VKMM_COMPUTE_DIRECT ||
        vkmm_kernel_choose(NULL, c->session->info, &request->job, &info) != VKMM_OK || info.method == step->method)
        return VKMM_OK;
    return VKMM_FAIL(c->session->log, VKMM_UNSUPPORTED, "the planner multiplies this without %s, with the kernel %s",
                     step->name, info.name);
}

static vkmm_status climb_step(climb *c, const vkmm_problem *problem, const cli_step *step, const vkmm_shader *shader,
                              uint32_t first)
{
    const cli_options *options = c->session->options;
    cli_request request = request_of(c, problem, step, shader);
    cli_product product = {0};
    cli_bench_row *row = &c->rows[c->ladder.count];
    vkmm_status status;
    /* The row shows why a step cannot run; a wrong result is reported at once. */
    c->session->console.muted = !options->validate;
    status = check_step(c, &request, step, problem->type);
    if (status == VKMM_OK) status = cli_product_run(c->session, &request, &product);
    c->session->console.muted = 0;
    if (status == VKMM_WRONG_RESULT)
        vkmm_say(c->session->log, VKMM_LOG_ERROR, "%s: %s", step->name, product.verdict.sentence);
    if (status == VKMM_OK) status = cli_session_validated(c->session);
    if (product.kernel == NULL) { /* the reason instead of a result */
        cli_product_row(c->session, &request, row);
        row->on = c->session->info;
        VKMM_PUT(row->kernel.name, "%s", shader != NULL ? "user" : step->kernel != NULL ? step->kernel : "auto");
        VKMM_PUT(row->not_run, "%.*s", (int)sizeof row->not_run - 1, c->session->console.last_error);
    } else {
        *row = product.row;
        product.row = (cli_bench_row){0};
    }
    cli_product_end(&product);
    row->step = step->place;
    foresee(c, &request, step, row);
    /* What a device lacks is no failure of the ladder. */
    if (status == VKMM_UNSUPPORTED && step->is_general) status = VKMM_OK;
    if (row->not_run[0] != '\0' && !step->is_general && c->skipped++ == 0) c->why = row->not_run;
    compare(row, c->rows, first, c->ladder.count);
    cli_forecast *forecast = &c->forecasts[c->ladder.count++];
    if (shader != NULL && row->not_run[0] == '\0')
        forecast->resembles = resembled(&row->kernel);
    else if (!vkmm_is_processor(c->session->info)) /* the reasons are those of GPUs */
        forecast->why = cli_step_why(step->name, row->times_previous, forecast->predicted_ms, row->figures.median_ms);
    return cli_worse(status, show(c, row));
}

/* Whether the next step makes no sense after this status. */
static int is_final(const climb *c, vkmm_status status)
{
    return status == VKMM_DEVICE_LOST || ferror(c->session->report.out);
}

static vkmm_status climb_shader(climb *c, const vkmm_problem *problem, const char *file, uint32_t first)
{
    const cli_step step = {.name = file, .sentence = "", .place = "own", .has_tile = 1};
    vkmm_shader *shader;
    vkmm_status status = cli_shader_open(c->session->log, file, problem->type, &shader);
    if (status == VKMM_OK) status = climb_step(c, problem, &step, shader, first);
    vkmm_shader_destroy(&shader);
    return status;
}

/* No step twice: the steps of general kernels are for f32; for the other types, and where another kernel is the
 * fastest, there is the fast one. */
static int is_wanted(const climb *c, const vkmm_problem *problem, uint32_t index)
{
    const cli_step *step = &c->steps[index];
    vkmm_kernel_info info;
    if (c->session->options->kernels.count > 0) return 1;
    if (step->is_general) return problem->type == VKMM_F32;
    if (strcmp(step->name, "auto") != 0 || problem->type != VKMM_F32) return 1;
    const cli_request request = request_of(c, problem, step, NULL);
    return vkmm_kernel_choose(NULL, c->session->info, &request.job, &info) != VKMM_OK ||
           strcmp(info.name, "blocked") != 0;
}

/* The kernels in their order, then the user's. */
static vkmm_status climb_type(climb *c, vkmm_problem problem)
{
    const cli_options *options = c->session->options;
    const int has_own = cli_shaders_are_for(options, problem.type);
    uint32_t first = c->ladder.count;
    vkmm_status status = VKMM_OK, next = VKMM_OK;
    for (uint32_t i = 0; i < c->step_count && !is_final(c, next); i++) {
        if (!is_wanted(c, &problem, i)) continue;
        next = climb_step(c, &problem, &c->steps[i], NULL, first);
        status = cli_worse(status, next);
    }
    for (uint32_t i = 0; has_own && i < options->shaders.count && !is_final(c, next); i++) {
        next = climb_shader(c, &problem, options->shaders.item[i], first);
        status = cli_worse(status, next);
    }
    return status;
}

/* The index-th: the kernels of the tutorials, in the order of the table of kernels, for every type that they have; then
 * the others: 1, or 0 past the end. */
static int step_at(uint32_t index, cli_step *step)
{
    vkmm_tutorial tutorial;
    uint32_t count = 0;
    if (vkmm_tutorial_at(index, &tutorial)) {
        *step = (cli_step){.name = tutorial.name,
                           .kernel = tutorial.name,
                           .sentence = tutorial.summary,
                           .place = tutorial.step,
                           .has_tile = tutorial.has_tile,
                           .on_host = tutorial.on_host};
        return 1;
    }
    while (vkmm_tutorial_at(count, &tutorial)) count++;
    return cli_general_step(index - count, step);
}

static cli_step step_named(const char *name)
{
    cli_step step;
    for (uint32_t i = 0; step_at(i, &step); i++)
        if (strcmp(step.name, name) == 0) return step;
    return (cli_step){.name = name, .kernel = name, .sentence = "", .place = ""};
}

/* The kernels of --kernel; without it, all steps in their order. */
static void list_steps(climb *c)
{
    const cli_list *kernels = &c->session->options->kernels;
    for (; c->step_count < kernels->count; c->step_count++)
        c->steps[c->step_count] = step_named(kernels->item[c->step_count]);
    while (kernels->count == 0 && c->step_count < MOST_STEPS && step_at(c->step_count, &c->steps[c->step_count]))
        c->step_count++;
}

static vkmm_status finish(climb *c, vkmm_status status)
{
    cli_session *session = c->session;
    status = cli_worse(status, show(c, NULL));
    if (c->skipped > 0)
        vkmm_say(session->log, VKMM_LOG_ERROR, "%u of %u steps did not run: %s", c->skipped, c->ladder.count, c->why);
    return cli_worse(status, cli_course_write(session, &c->ladder));
}

static vkmm_status climb_size(cli_session *session, const cli_request *request, vkmm_problem problem)
{
    static const cli_types standard = {2, {VKMM_I32, VKMM_F32}};
    const cli_types *types = session->options->types.count > 0 ? &session->options->types : &standard;
    climb *c = vkmm_alloc(1, sizeof *c);
    vkmm_status status = VKMM_OK;
    if (c == NULL) return vkmm_tell(session->log, VKMM_NO_MEMORY("for a ladder"));
    c->session = session;
    c->request = request;
    list_steps(c);
    c->ladder = (cli_ladder){session->info,
                             session->host,
                             problem,
                             request->inputs->seed,
                             cli_inputs_name(request->inputs),
                             c->rows,
                             0,
                             session->options->kernels.count == 0};
    for (uint32_t i = 0; i < types->count && !is_final(c, status); i++) {
        problem.type = types->type[i];
        status = cli_worse(status, climb_type(c, problem));
    }
    status = finish(c, status);
    for (uint32_t i = 0; i < c->ladder.count; i++) cli_bench_row_free(&c->rows[i]);
    vkmm_free(c);
    return status;
}

static void shorten(vkmm_measure_params *measure)
{
    if (measure->min_time_ms > 0 || measure->max_time_ms > 0) return;
    measure->warm_time_ms = SHORT_WARM_MS;
    measure->min_time_ms = SHORT_LEAST_MS;
    measure->max_time_ms = SHORT_MOST_MS;
}

vkmm_status cli_command_ladder(cli_session *session)
{
    const cli_options *options = session->options;
    cli_inputs inputs;
    cli_request request;
    vkmm_status status = cli_course_check(session);
    if (status == VKMM_OK) status = cli_inputs_open(session->log, options, &inputs);
    if (status == VKMM_OK) status = cli_shaders_check(session->log, options);
    /* Report a missing device before the long serial step. */
    if (status == VKMM_OK) status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    request = cli_request_make(options, &inputs);
    cli_session_square(session, GPU_SQUARE);
    cli_session_note_square(session);
    if (!cli_size_is_given(options)) shorten(&request.measure);
    cli_interrupt_says("vkmatmul: interrupted; there is no result\n");
    for (size_t i = 0; i < cli_size_count(options); i++) {
        const cli_size size = cli_size_at(options, i, session->square);
        status = cli_worse(status, climb_size(session, &request, cli_problem_make(options, &size, VKMM_F32)));
        if (status == VKMM_DEVICE_LOST || ferror(session->report.out)) break;
    }
    if (session->writer->ladder == NULL && session->writer->run_end != NULL) session->writer->run_end(&session->report);
    cli_interrupt_says(NULL);
    return status;
}
