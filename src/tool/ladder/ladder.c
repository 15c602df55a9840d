#include "base/alloc.h"
#include "session/commands.h"
#include "session/problem.h"
#include "product/product.h"
#include "math/type.h"

#include <stdio.h>
#include <string.h>

/* The tutorials' order; then what lies beyond it: the device's fast kernel, which computes many elements in an
 * invocation's registers. */
static const struct {
    const char *step, *kernel;
    int tiled; /* --tile counts */
} steps[] = {{"1a", "serial", 0}, {"1b 2a", "naive", 0},   {"2b", "grouped", 1}, {"1c 2c", "tiled", 1},
             {"3a", "band", 1},   {"3b", "band-tiled", 1}, {"fast", "auto", 0}};

enum { STEPS = sizeof steps / sizeof *steps };

/* A row and copies of all that it borrows from its job, which is gone when the table is shown. */
typedef struct memory {
    vkmm_kernel_info kernel;
    vkmm_verdict verdict;
    double *samples; /* of the three series, one after another; owned */
    char skipped[512];
} memory;

typedef struct climb {
    cli_session *session;
    const cli_request *request;
    vkmm_row rows[STEPS * VKMM_TYPE_COUNT];
    memory kept[STEPS * VKMM_TYPE_COUNT];
    size_t count;
} climb;

static double *keep_series(vkmm_series *series, double *to)
{
    if (series->count > 0) memcpy(to, series->samples, series->count * sizeof *to);
    series->samples = to;
    return to + series->count;
}

static vkmm_status keep(const cli_product *product, vkmm_row *row, memory *kept)
{
    vkmm_measurement *time = &row->time;
    size_t samples;
    double *to;

    *row = product->row;
    kept->kernel = *product->row.kernel;
    kept->verdict = product->verdict;
    row->kernel = &kept->kernel;
    row->verify.sentence = kept->verdict.sentence;
    samples = (size_t)time->kernel.count + time->submit.count + time->transfer.count;
    kept->samples = to = vkmm_alloc(samples, sizeof *to);
    if (to == NULL) {
        row->timed = 0;
        return VKMM_OUT_OF_MEMORY;
    }
    to = keep_series(&time->kernel, to);
    to = keep_series(&time->submit, to);
    keep_series(&time->transfer, to);
    return VKMM_OK;
}

/* A step that did not run: a row with the reason in the place of a result. */
static void keep_reason(climb *c, vkmm_row *row, memory *kept, const vkmm_problem *problem, unsigned step)
{
    snprintf(kept->skipped, sizeof kept->skipped, "%.*s", (int)sizeof kept->skipped - 1,
             c->session->console.last_error);
    snprintf(kept->kernel.name, sizeof kept->kernel.name, "%s", steps[step].kernel);
    *row =
        (vkmm_row){.device = c->session->info, .host = c->session->host, .problem = *problem, .kernel = &kept->kernel};
    row->seed = c->request->inputs->seed;
    row->init = cli_inputs_name(c->request->inputs);
    row->skipped = kept->skipped;
}

static void compare(vkmm_row *row, const vkmm_row *rows, size_t first, size_t at)
{
    if (!row->timed) return;
    for (size_t i = first; i < at; i++) {
        if (!rows[i].timed) continue;
        row->times_previous = rows[i].time.kernel.median / row->time.kernel.median;
        if (i == first) row->times_serial = row->times_previous;
    }
    if (at == first) row->times_serial = 1;
}

static vkmm_status climb_step(climb *c, const vkmm_problem *problem, unsigned step, size_t first)
{
    const cli_options *options = c->session->options;
    cli_request request = *c->request;
    cli_product product = {0};
    vkmm_row *row = &c->rows[c->count];
    vkmm_status status;

    request.kind = &cli_resident;
    request.job.problem = *problem;
    request.job.kernel = steps[step].kernel;
    if (!steps[step].tiled) request.job.tile_rows = request.job.tile_cols = 0;
    /* The reason of a step that cannot run stands in its row; a wrong result is said at once. */
    c->session->console.muted = !options->validate;
    status = cli_product_run(c->session, &request, &product);
    c->session->console.muted = 0;
    if (status == VKMM_WRONG_RESULT)
        vkmm_say(&c->session->console.log, VKMM_LOG_ERROR, "%s: %s", steps[step].kernel, product.verdict.sentence);
    if (status == VKMM_OK) status = cli_session_validated(c->session);
    if (product.row.kernel == NULL)
        keep_reason(c, row, &c->kept[c->count], problem, step);
    else if (keep(&product, row, &c->kept[c->count]) != VKMM_OK)
        status = vkmm_fail(&c->session->console.log, VKMM_OUT_OF_MEMORY, "no memory to keep the samples of a step");
    cli_product_end(&product);
    row->step = steps[step].step;
    compare(row, c->rows, first, c->count);
    c->count++;
    return status;
}

static vkmm_status climb_type(climb *c, vkmm_problem problem)
{
    size_t first = c->count;
    vkmm_status status = VKMM_OK;

    for (unsigned step = 0; step < STEPS; step++) {
        vkmm_status next = climb_step(c, &problem, step, first);
        status = cli_worse(status, next);
        if (next == VKMM_DEVICE_LOST) break;
    }
    return status;
}

static vkmm_status show(climb *c, const vkmm_problem *problem, vkmm_status status)
{
    cli_session *session = c->session;
    vkmm_ladder ladder = {
        session->info, session->host, *problem, c->request->inputs->seed, cli_inputs_name(c->request->inputs),
        c->rows,       c->count};
    unsigned skipped = 0;

    for (size_t i = 0; i < c->count; i++) skipped += c->rows[i].skipped != NULL;
    cli_progress_end(&session->console);
    if (session->writer->ladder(&session->report, &ladder) != VKMM_OK)
        return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory to write the ladder");
    session->report.rows++;
    if (skipped > 0)
        vkmm_say(&session->console.log, VKMM_LOG_ERROR, "%u of %zu steps did not run: %s", skipped, c->count,
                 c->kept[0].skipped[0] != '\0' ? c->kept[0].skipped : c->session->console.last_error);
    return cli_worse(status, vkmm_report_flush(&session->report, &session->console.log));
}

static vkmm_status climb_size(cli_session *session, const cli_request *request, vkmm_problem problem)
{
    static const cli_types standard = {2, {VKMM_I32, VKMM_F32}};
    const cli_types *types = session->options->types.count > 0 ? &session->options->types : &standard;
    climb *c = vkmm_alloc(1, sizeof *c);
    vkmm_status status = VKMM_OK;

    if (c == NULL) return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for a ladder");
    c->session = session;
    c->request = request;
    for (uint32_t i = 0; i < types->count && status != VKMM_DEVICE_LOST; i++) {
        problem.type = types->type[i];
        status = cli_worse(status, climb_type(c, problem));
    }
    status = show(c, &problem, status);
    for (size_t i = 0; i < c->count; i++) vkmm_free(c->kept[i].samples);
    vkmm_free(c);
    return status;
}

vkmm_status cli_ladder(cli_session *session)
{
    const cli_options *options = session->options;
    cli_inputs inputs;
    cli_request request;
    vkmm_status status = cli_inputs_open(&session->console.log, options, &inputs);

    /* Without a device there is no ladder to climb: say so before the long serial step. */
    if (status == VKMM_OK) status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    request = cli_request_make(options, &inputs);
    for (size_t i = 0; i < cli_size_count(options); i++) {
        const cli_size size = cli_size_at(options, i);
        status = cli_worse(status, climb_size(session, &request, cli_problem_make(options, &size, VKMM_F32)));
        if (status == VKMM_DEVICE_LOST || ferror(session->report.out)) break;
    }
    return status;
}
