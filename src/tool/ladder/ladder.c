#include "base/alloc.h"
#include "look/kernel.h"
#include "session/commands.h"
#include "session/problem.h"
#include "product/product.h"
#include "system/interrupt.h"

#include <stdio.h>

/* The device's fast kernel, which computes many elements in an invocation's registers. */
static const vkmm_tutorial fast = {"auto", "fast", 0, 0};

enum { MOST_STEPS = 32, GPU_SQUARE = 512 /* the serial step takes 8 times as long at 1024 */ };

/* How long a row is measured if nothing is given: all fourteen are to take seconds. */
#define SHORT_WARM_MS  50.0
#define SHORT_LEAST_MS 50.0
#define SHORT_MOST_MS  200.0

typedef struct climb {
    cli_session *session;
    const cli_request *request;
    vkmm_tutorial steps[MOST_STEPS]; /* in the tutorials' order, then the fast one */
    uint32_t step_count;
    vkmm_ladder ladder;
    vkmm_bench_row rows[MOST_STEPS * VKMM_TYPE_COUNT];
} climb;

static void compare(vkmm_bench_row *row, const vkmm_bench_row *rows, uint32_t first, uint32_t at)
{
    if (!vkmm_bench_is_timed(row)) return;
    for (uint32_t i = first; i < at; i++) {
        if (!vkmm_bench_is_timed(&rows[i])) continue;
        row->times_previous = rows[i].figures.median_ms / row->figures.median_ms;
        if (i == first) row->times_serial = row->times_previous;
    }
    if (at == first) row->times_serial = 1;
}

/* The row that was added last; NULL: there are no more. */
static vkmm_status show(climb *c, const vkmm_bench_row *row)
{
    cli_session *session = c->session;
    const vkmm_writer *writer = session->writer;
    vkmm_status status = VKMM_OK;

    cli_progress_end(&session->console);
    if (writer->ladder != NULL)
        status = writer->ladder(&session->report, &c->ladder, row);
    else if (row != NULL)
        status = writer->run(&session->report, row);
    if (status != VKMM_OK) return vkmm_fail(session->log, status, "no memory to write the ladder");
    session->report.rows += writer->ladder != NULL ? row == NULL : row != NULL;
    if (row == NULL || !session->options->json)
        vkmm_interrupt_says("vkmatmul: interrupted; the rows above are valid\n");
    return vkmm_report_flush(&session->report, session->log);
}

static cli_request request_of(const climb *c, const vkmm_problem *problem, const vkmm_tutorial *step)
{
    cli_request request = *c->request;

    request.kind = &cli_resident;
    request.job.problem = *problem;
    request.job.kernel = step->name;
    if (!step->has_tile) request.job.tile_rows = request.job.tile_cols = 0;
    return request;
}

static vkmm_status climb_step(climb *c, const vkmm_problem *problem, const vkmm_tutorial *step, uint32_t first)
{
    const cli_options *options = c->session->options;
    cli_request request = request_of(c, problem, step);
    cli_product product = {0};
    vkmm_bench_row *row = &c->rows[c->ladder.count];
    vkmm_status status;

    /* The row shows why a step cannot run; a wrong result is reported at once. */
    c->session->console.muted = !options->validate;
    status = cli_product_run(c->session, &request, &product);
    c->session->console.muted = 0;
    if (status == VKMM_WRONG_RESULT)
        vkmm_say(c->session->log, VKMM_LOG_ERROR, "%s: %s", step->name, product.verdict.sentence);
    if (status == VKMM_OK) status = cli_session_validated(c->session);
    if (product.kernel == NULL) { /* the reason instead of a result */
        cli_product_row(c->session, &request, row);
        row->on = c->session->info;
        VKMM_PUT(row->kernel.name, "%s", step->name);
        VKMM_PUT(row->not_run, "%.*s", (int)sizeof row->not_run - 1, c->session->console.last_error);
    } else {
        *row = product.row;
        product.row = (vkmm_bench_row){0};
    }
    cli_product_end(&product);
    row->step = step->step;
    compare(row, c->rows, first, c->ladder.count++);
    return cli_worse(status, show(c, row));
}

static vkmm_status climb_type(climb *c, vkmm_problem problem)
{
    uint32_t first = c->ladder.count;
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < c->step_count; i++) {
        vkmm_status next = climb_step(c, &problem, &c->steps[i], first);
        status = cli_worse(status, next);
        if (next == VKMM_DEVICE_LOST || ferror(c->session->report.out)) break;
    }
    return status;
}

static void estimate(climb *c, vkmm_problem problem, const cli_types *types)
{
    double ms = 0;

    for (uint32_t i = 0; i < types->count; i++) {
        problem.type = types->type[i];
        for (uint32_t step = 0; step < c->step_count; step++) {
            const cli_request request = request_of(c, &problem, &c->steps[step]);
            ms += cli_estimate_ms(c->session, &request);
        }
    }
    cli_estimate_show(c->session, "the ladder of", &problem, ms);
}

static vkmm_status finish(climb *c, vkmm_status status)
{
    cli_session *session = c->session;
    unsigned skipped = 0;

    for (uint32_t i = 0; i < c->ladder.count; i++) skipped += c->rows[i].not_run[0] != '\0';
    status = cli_worse(status, show(c, NULL));
    if (skipped > 0)
        vkmm_say(session->log, VKMM_LOG_ERROR, "%u of %u steps did not run: %s", skipped, c->ladder.count,
                 c->rows[0].not_run[0] != '\0' ? c->rows[0].not_run : session->console.last_error);
    return status;
}

static vkmm_status climb_size(cli_session *session, const cli_request *request, vkmm_problem problem)
{
    static const cli_types standard = {2, {VKMM_I32, VKMM_F32}};
    const cli_types *types = session->options->types.count > 0 ? &session->options->types : &standard;
    climb *c = vkmm_alloc(1, sizeof *c);
    vkmm_status status = VKMM_OK;

    if (c == NULL) return VKMM_NO_MEMORY(session->log, "for a ladder");
    c->session = session;
    c->request = request;
    while (c->step_count + 1 < MOST_STEPS && vkmm_tutorial_at(c->step_count, &c->steps[c->step_count])) c->step_count++;
    c->steps[c->step_count++] = fast;
    c->ladder = (vkmm_ladder){
        session->info, session->host, problem, request->inputs->seed, cli_inputs_name(request->inputs), c->rows, 0};
    estimate(c, problem, types);
    for (uint32_t i = 0; i < types->count && status != VKMM_DEVICE_LOST && !ferror(session->report.out); i++) {
        problem.type = types->type[i];
        status = cli_worse(status, climb_type(c, problem));
    }
    status = finish(c, status);
    for (uint32_t i = 0; i < c->ladder.count; i++) vkmm_bench_row_free(&c->rows[i]);
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

vkmm_status cli_ladder(cli_session *session)
{
    const cli_options *options = session->options;
    cli_inputs inputs;
    cli_request request;
    vkmm_status status = cli_inputs_open(session->log, options, &inputs);

    /* Report a missing device before the long serial step. */
    if (status == VKMM_OK) status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    request = cli_request_make(options, &inputs);
    cli_session_square(session, GPU_SQUARE);
    cli_session_note_square(session);
    if (!cli_size_is_given(options)) shorten(&request.measure);
    vkmm_interrupt_says("vkmatmul: interrupted; there is no result\n");
    for (size_t i = 0; i < cli_size_count(options); i++) {
        const cli_size size = cli_size_at(options, i, session->square);
        status = cli_worse(status, climb_size(session, &request, cli_problem_make(options, &size, VKMM_F32)));
        if (status == VKMM_DEVICE_LOST || ferror(session->report.out)) break;
    }
    vkmm_interrupt_says(NULL);
    return status;
}
