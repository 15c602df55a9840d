#include "base/alloc.h"
#include "product/large_parts.h"
#include "math/problem.h"

#include <stdio.h>

void cli_large_time(char text[CLI_LARGE_TIME], double ms)
{
    const double seconds = ms / 1000 + 0.5;

    if (seconds >= 1e7)
        snprintf(text, CLI_LARGE_TIME, "%.0f days", seconds / 86400);
    else if (seconds >= 3600)
        snprintf(text, CLI_LARGE_TIME, "%d h %d min", (int)(seconds / 3600), (int)seconds % 3600 / 60);
    else if (seconds >= 60)
        snprintf(text, CLI_LARGE_TIME, "%d min %d s", (int)(seconds / 60), (int)seconds % 60);
    else
        snprintf(text, CLI_LARGE_TIME, "%d s", (int)seconds);
}

static int show_progress(void *user, const vkmm_stream_state *state)
{
    cli_large *large = user;
    char text[128], left[CLI_LARGE_TIME];

    cli_large_time(left, state->left_ms);
    snprintf(text, sizeof text, "%llu of %llu panels%s%s%s", (unsigned long long)state->done,
             (unsigned long long)state->panels, state->left_ms >= 0 ? ", " : "", state->left_ms >= 0 ? left : "",
             state->left_ms >= 0 ? " left" : "");
    cli_product_progress(large->session, large->product, text);
    return 0;
}

/* One sample of each, as the writers of rows know them. */
static vkmm_series series_of(const double *ms)
{
    return (vkmm_series){ms, 1, *ms, *ms, *ms, *ms};
}

static void fill_times(const cli_large *large, cli_product *product)
{
    const vkmm_stream_times *times = &large->panels.times;
    vkmm_row *row = &product->row;

    product->run_ms = row->wall_ms = times->wall_ms;
    if (!product->verdict.passed || !cli_product_is_work(&row->problem) || times->kernel_ms <= 0) return;
    row->time.kernel = series_of(&times->kernel_ms);
    row->time.transfer = series_of(&times->wall_ms);
    row->time.clock = times->clock;
    row->time.clock_note = times->clock == VKMM_CLOCK_HOST ? "panels were timed from submission to the fence" : "";
    row->time.mapped = large->panels.partition.staging_bytes == 0;
    row->timed = 1;
    row->gflops = vkmm_problem_flops(&row->problem) / times->kernel_ms * 1e-6;
}

static vkmm_status run(cli_large *large, cli_product *product)
{
    vkmm_stream_io io = cli_large_io(large);
    vkmm_status status;

    io.progress = show_progress;
    cli_product_progress(large->session, product, "multiplying");
    cli_product_attempt(large->session);
    status = vkmm_stream_run(large->stream, &io, &large->panels.times);
    large->panels.partition = vkmm_stream_partition(large->stream);
    return cli_product_attempted(large->session, product, status, "multiplying");
}

static vkmm_status run_and_judge(cli_large *large, cli_product *product)
{
    cli_session *session = large->session;
    vkmm_status status, ran = run(large, product);

    if (ran != VKMM_OK && ran != VKMM_WRONG_RESULT) return ran;
    cli_product_progress(session, product, "verifying");
    status = cli_large_verify(large, &product->row.problem, &product->verdict);
    if (status == VKMM_OK) status = cli_inputs_whole(&session->console.log, large->inputs);
    if (status != VKMM_OK) return status;
    if (ran == VKMM_WRONG_RESULT) return cli_product_wrong(session, product, "the kernel stored outside its panel");
    if (product->verdict.passed || product->verdict.method == VKMM_VERIFY_NONE) return VKMM_OK;
    return cli_product_wrong(session, product, product->verdict.sentence);
}

static vkmm_status plan(cli_large *large, const vkmm_job_params *params, cli_product *product)
{
    const vkmm_stream_params stream = {.job = *params, .memory_limit = large->session->options->memory_limit.value};
    vkmm_status status;

    product->row.problem = params->problem;
    cli_product_attempt(large->session);
    status = vkmm_stream_create(large->session->device, &large->session->console.log, &stream, &large->stream);
    status = cli_product_attempted(large->session, product, status, "planning");
    if (status != VKMM_OK) return status;
    cli_product_begin_row(large->session, large->inputs, params, vkmm_stream_kernel(large->stream), product);
    large->panels.batches = vkmm_problem_batches(&params->problem);
    large->panels.reason = large->reason;
    product->row.panels = &large->panels;
    return VKMM_OK;
}

vkmm_status cli_large_run(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                          const char *reason, const char *out, cli_product *product)
{
    cli_large *large = vkmm_alloc(1, sizeof *large);
    vkmm_status status;

    product->large = large;
    if (large == NULL) return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for a product in panels");
    large->session = session;
    large->inputs = inputs;
    large->product = product;
    snprintf(large->reason, sizeof large->reason, "%s", reason);
    status = plan(large, params, product);
    if (status == VKMM_OK) {
        cli_product_progress(session, product, "inputs");
        status = cli_large_operands(large, &params->problem, out);
    }
    if (status == VKMM_OK) status = run_and_judge(large, product);
    if (status == VKMM_OK || status == VKMM_WRONG_RESULT) {
        fill_times(large, product);
        cli_product_fill_verdict(product);
    } else {
        cli_product_end(product);
    }
    return status;
}

vkmm_status cli_large_save(cli_product *product)
{
    cli_product_progress(product->large->session, product, "saving");
    return vkmm_array_writer_commit(&product->large->writer);
}

void cli_large_end(cli_large **pointer)
{
    cli_large *large = *pointer;

    if (large == NULL) return;
    if (large->writer != NULL) vkmm_array_writer_discard(&large->writer);
    vkmm_stream_destroy(&large->stream);
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) vkmm_room_close(&large->room[o]);
    vkmm_room_close(&large->before);
    vkmm_free(large);
    *pointer = NULL;
}
