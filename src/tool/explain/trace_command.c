#include "base/alloc.h"
#include "session/commands.h"
#include "session/output_file.h"
#include "product/inputs.h"
#include "options/values.h"
#include "math/problem.h"
#include "math/type.h"
#include "explain/trace_command.h"
#include "trace_page_parts.h" /* made by embed.py: the page before and after its data */

#include <stdlib.h>
#include <string.h>

static vkmm_status check(const cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    const char *const files[] = {options->a, options->b};
    if (options->sizes.count > 1)
        return VKMM_FAIL(log, VKMM_INVALID, "trace takes one size, not a list of %u", options->sizes.count);
    if (options->types.count > 1)
        return VKMM_FAIL(log, VKMM_INVALID, "trace takes one type, not a list of %u", options->types.count);
    if (session->writer == &cli_json_writer && options->html != NULL && strcmp(options->html, "/dev/stdout") == 0)
        return VKMM_FAIL(log, VKMM_INVALID, "--json and the page of --html cannot both go to standard output");
    return cli_output_page(session, "--html", options->html, files, 2);
}

static vkmm_job_params choose(const cli_options *options, const cli_inputs *inputs)
{
    cli_size size = options->sizes.count > 0 ? options->sizes.item[0] : (cli_size){2, 6, 4}; /* the tutorial's */
    vkmm_job_params params = {.kernel = options->kernel != NULL ? options->kernel : "tiled",
                              .tile_rows = options->tile[0] > 0 ? options->tile[0] : 2,
                              .tile_cols = options->tile[0] > 0 ? options->tile[1] : 2};
    if (options->m.given) size.m = options->m.value;
    if (options->n.given) size.n = options->n.value;
    if (options->k.given) size.k = options->k.value;
    if (inputs->from_files) size = cli_inputs_size(inputs, options);
    params.problem = VKMM_PROBLEM(.m = size.m, .n = size.n, .k = size.k);
    params.problem.type = inputs->from_files         ? cli_inputs_type(inputs)
                          : options->types.count > 0 ? options->types.type[0]
                                                     : VKMM_I32;
    return params;
}

/* Files may hold types that the tutorials' kernels do not support. */
static vkmm_status check_files(const vkmm_log *log, const cli_options *options, const cli_inputs *inputs)
{
    const vkmm_type type = inputs->from_files ? cli_inputs_type(inputs) : VKMM_F32;
    if (!cli_is_plain_type(type))
        return VKMM_FAIL(log, VKMM_INVALID,
                         "%s holds %s, but trace uses the tutorials' kernels, which support only f32, f64, i32 and u32",
                         options->a, vkmm_type_of(type)->name);
    for (int o = VKMM_A; o <= VKMM_B; o++)
        if (inputs->file[o].array.format != VKMM_PLAIN)
            return VKMM_FAIL(log, VKMM_INVALID, "%s holds blocks of %s, which the tutorials' kernels do not support",
                             inputs->path[o], vkmm_format_at(inputs->file[o].array.format)->name);
    if (cli_inputs_batches(inputs) > 1)
        return VKMM_FAIL(log, VKMM_INVALID, "trace shows one product, but the files hold a batch");
    return VKMM_OK;
}

/* ---- what a trace holds ---- */

vkmm_view cli_trace_matrix(const vkmm_trace *trace, vkmm_operand operand)
{
    const vkmm_problem *problem = &trace->problem;
    const void *data = operand == VKMM_A ? trace->a : operand == VKMM_B ? trace->b : trace->c;
    return vkmm_view_rows(data, vkmm_operand_rows(problem, operand), vkmm_operand_cols(problem, operand),
                          problem->type);
}

vkmm_view cli_trace_tile(const vkmm_trace *trace, vkmm_operand operand, uint32_t load)
{
    const uint64_t rows = trace->kernel.tile[0], cols = trace->kernel.tile[1], depth = trace->depth;
    const uint64_t before = load * (rows + cols) * depth + (operand == VKMM_A ? 0 : rows * depth);
    const vkmm_type type = trace->problem.type;
    return vkmm_view_rows((const char *)trace->tiles + before * vkmm_type_of(type)->bytes,
                          operand == VKMM_A ? rows : depth, operand == VKMM_A ? depth : cols, type);
}

vkmm_view cli_trace_sums(const vkmm_trace *trace)
{
    return vkmm_view_rows(trace->sums, trace->sum_count, trace->invocation_count, trace->problem.type);
}

int cli_trace_takes_part(const vkmm_trace *trace, uint32_t invocation)
{
    return trace->depth > 0 || trace->invocations[invocation].inside;
}

cli_term cli_trace_term(const vkmm_trace *trace, uint32_t k, uint32_t invocation)
{
    const vkmm_invocation *one = &trace->invocations[invocation];
    const uint32_t cols = trace->kernel.tile[1];
    if (trace->depth == 0)
        return (cli_term){cli_trace_matrix(trace, VKMM_A), cli_trace_matrix(trace, VKMM_B), one->row, one->col, k};
    return (cli_term){cli_trace_tile(trace, VKMM_A, k / trace->depth), cli_trace_tile(trace, VKMM_B, k / trace->depth),
                      invocation / cols, invocation % cols, k % trace->depth};
}

/* ---- the command ---- */

/* With --html, the only text output is the page's path. */
static vkmm_status show_trace(cli_session *session, const cli_trace_row *row)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    vkmm_status status = VKMM_OK;
    cli_progress_end(&session->console);
    if (session->writer == &cli_json_writer || options->html != NULL) {
        char *json = cli_trace_json(&session->report, row);
        if (json == NULL) return vkmm_tell(log, VKMM_NO_MEMORY("to write the trace"));
        if (options->html != NULL) status = cli_output_write_page(session, options->html, &cli_trace_template, json);
        if (session->writer == &cli_json_writer && status == VKMM_OK) fprintf(session->report.out, "%s\n", json);
        free(json);
    } else {
        cli_trace_text(&session->report, row);
    }
    return status != VKMM_OK ? status : cli_report_flush(&session->report, log);
}

static vkmm_status trace(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *job)
{
    const cli_at *at = &session->options->at;
    const vkmm_problem *problem = &job->problem;
    vkmm_trace_params params = {.job = *job, .row = at->row, .col = at->col};
    cli_trace_row row = {session->info, NULL, inputs->seed, cli_inputs_name(inputs)};
    vkmm_trace *result = NULL;
    vkmm_status status = vkmm_trace_check(session->device, &params); /* before allocating memory that may be huge */
    void *a = NULL, *b = NULL;
    if (status != VKMM_OK) return status;
    params.a = a = vkmm_alloc(1, vkmm_operand_bytes(problem, VKMM_A));
    params.b = b = vkmm_alloc(1, vkmm_operand_bytes(problem, VKMM_B));
    if (a == NULL || b == NULL) {
        status = vkmm_tell(session->log, VKMM_NO_MEMORY("for A and B"));
    } else {
        cli_inputs_fill(inputs, problem, VKMM_A, a, NULL);
        cli_inputs_fill(inputs, problem, VKMM_B, b, NULL);
    }
    if (status == VKMM_OK) status = vkmm_trace_create(session->device, &params, &result);
    row.trace = result;
    if (status == VKMM_OK) status = cli_session_validated(session);
    if (status == VKMM_OK) status = show_trace(session, &row);
    vkmm_trace_destroy(&result);
    vkmm_free(a);
    vkmm_free(b);
    return status;
}

vkmm_status cli_command_trace(cli_session *session)
{
    const vkmm_log *log = session->log;
    cli_inputs inputs = {0};
    vkmm_status status = check(session);
    if (status == VKMM_OK) status = cli_inputs_open(log, session->options, &inputs);
    if (status == VKMM_OK) status = check_files(log, session->options, &inputs);
    if (status == VKMM_OK) {
        vkmm_job_params params = choose(session->options, &inputs);
        status = vkmm_tell(log, vkmm_problem_check(&params.problem));
        if (status == VKMM_OK) status = cli_session_device(session);
        if (status == VKMM_OK) status = trace(session, &inputs, &params);
    }
    cli_inputs_close(&inputs);
    return status;
}
