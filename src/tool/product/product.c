#include "product/product.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "product/fingerprint.h"
#include "product/large.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

static uint64_t fingerprint(vkmm_job *job, const vkmm_problem *problem, vkmm_operand operand)
{
    return cli_fingerprint(vkmm_job_matrix(job, operand), vkmm_operand_bytes(problem, operand));
}

/* Of all that a kernel may only read; each operand counts in its place. */
static uint64_t inputs_fingerprint(vkmm_job *job, const vkmm_problem *problem)
{
    uint64_t sum = fingerprint(job, problem, VKMM_A) + 3 * fingerprint(job, problem, VKMM_B);

    return problem->has_bias ? sum + 5 * fingerprint(job, problem, VKMM_BIAS) : sum;
}

void cli_product_progress(cli_session *session, const cli_product *product, const char *what)
{
    char size[VKMM_TEXT_PROBLEM];

    vkmm_text_problem(size, sizeof size, &product->row.problem, session->console.utf8);
    cli_progress(&session->console, "%s %s %s: %s", size, vkmm_text_type(&product->row.problem, session->console.utf8),
                 product->row.kernel->name, what);
}

void cli_product_attempt(cli_session *session)
{
    if (!session->options->validate) cli_console_hold(&session->console);
}

/* Where the product will be tried again, it is no error yet. */
static vkmm_status tell_lost(cli_session *session, const cli_product *product, const char *what, const char *held)
{
    const vkmm_row *row = &product->row;
    const int utf8 = session->console.utf8;
    const uint64_t most = session->options->retries.value;
    char size[VKMM_TEXT_PROBLEM], again[96] = "";

    vkmm_text_problem(size, sizeof size, &row->problem, utf8);
    if (session->retried < most)
        snprintf(again, sizeof again, "; it is opened anew for retry %llu of %llu",
                 (unsigned long long)session->retried + 1, (unsigned long long)most);
    vkmm_say(&session->console.log, session->retried < most ? VKMM_LOG_WARNING : VKMM_LOG_ERROR,
             "the device was lost while %s %s %s%s%s%s%s%s", what, size, vkmm_text_type(&row->problem, utf8),
             row->kernel != NULL ? " with " : "", row->kernel != NULL ? row->kernel->name : "",
             held[0] != '\0' ? ": " : "", held, again);
    return VKMM_DEVICE_LOST;
}

vkmm_status cli_product_attempted(cli_session *session, cli_product *product, vkmm_status status, const char *what)
{
    const char *held = cli_console_release(&session->console);

    if (session->options->validate) held = "";
    if (status == VKMM_DEVICE_LOST) return tell_lost(session, product, what, held);
    if (status == VKMM_OUT_OF_MEMORY) product->is_short = 1;
    if (held[0] == '\0' || (product->is_short && product->can_stream)) return status;
    return vkmm_fail(&session->console.log, status, "%s", held);
}

/* Says why the product is wrong, and sees to it that the row says so too. */
vkmm_status cli_product_wrong(cli_session *session, cli_product *product, const char *sentence)
{
    if (sentence != product->verdict.sentence)
        snprintf(product->verdict.sentence, sizeof product->verdict.sentence, "%s", sentence);
    product->verdict.passed = 0;
    return vkmm_fail(&session->console.log, VKMM_WRONG_RESULT, "wrong result: %s", product->verdict.sentence);
}

/* Where the driver may be at fault, the user can do something about it. */
static void explain_wrong(cli_session *session, const cli_product *product)
{
    const vkmm_row *row = &product->row;

    if (row->device == NULL || vkmm_kernel_is_general(row->kernel->name) ||
        !vkmm_kernel_loops_too_long(row->device, row->kernel, &row->problem))
        return;
    vkmm_say(&session->console.log, VKMM_LOG_WARNING,
             "this may be the driver's fault: llvmpipe of older Mesa releases leaves a shader's loops after 65535 "
             "rounds; --kernel tiled "
             "needs fewer");
}

/* C's memory is an input where β is not 0 or where it has gaps, which must stay as they are. */
static vkmm_status fill(cli_session *session, const cli_inputs *inputs, cli_product *product)
{
    const vkmm_problem *problem = &product->row.problem;
    void *a = vkmm_job_matrix(product->job, VKMM_A), *b = vkmm_job_matrix(product->job, VKMM_B),
         *c = vkmm_job_matrix(product->job, VKMM_C);
    uint64_t bytes = vkmm_operand_bytes(problem, VKMM_C);

    product->a = a;
    product->b = b;
    product->c = c;
    cli_inputs_fill(inputs, problem, a, b);
    if (problem->has_bias) cli_inputs_fill_bias(inputs, problem, vkmm_job_matrix(product->job, VKMM_BIAS));
    if (!vkmm_job_reads_c(product->job)) return VKMM_OK;
    cli_inputs_fill_c(inputs, problem, c);
    if (bytes == 0) return VKMM_OK;
    product->before = vkmm_alloc(1, bytes);
    if (product->before == NULL)
        return vkmm_fail(&session->console.log, VKMM_OUT_OF_MEMORY, "no memory for a copy of C: %llu bytes",
                         (unsigned long long)bytes);
    memcpy(product->before, c, bytes);
    return VKMM_OK;
}

/* The product itself, and the verdict. A guard band that was written to is a wrong result as well as a wrong element
 * is. */
static vkmm_status run_and_judge(cli_session *session, const cli_inputs *inputs, cli_product *product)
{
    const vkmm_problem *problem = &product->row.problem;
    vkmm_verify_method method = (vkmm_verify_method)session->options->verify;
    uint64_t before, seed = cli_seed_of(inputs->seed, CLI_SEED_VERIFY);
    vkmm_status status, ran;

    cli_product_progress(session, product, "inputs");
    status = fill(session, inputs, product);
    if (status == VKMM_OK) status = cli_inputs_whole(&session->console.log, inputs);
    if (status != VKMM_OK) return status;
    before = inputs_fingerprint(product->job, problem);
    cli_product_progress(session, product, "multiplying");
    cli_product_attempt(session);
    product->run_ms = vkmm_now_ms();
    ran = vkmm_job_run(product->job);
    product->run_ms = vkmm_now_ms() - product->run_ms;
    ran = cli_product_attempted(session, product, ran, "multiplying");
    if (ran != VKMM_OK && ran != VKMM_WRONG_RESULT) return ran;
    cli_product_progress(session, product, "verifying");
    status = vkmm_verify_problem(&session->console.log, problem, product->a, product->b,
                                 problem->has_bias ? vkmm_job_matrix(product->job, VKMM_BIAS) : NULL, product->before,
                                 product->c, cli_inputs_numbers(inputs, problem), method, seed, &product->verdict);
    if (status != VKMM_OK) return status;
    if (ran == VKMM_WRONG_RESULT) return cli_product_wrong(session, product, "the kernel stored outside its matrix");
    /* On unified memory the kernel could reach the very inputs that it is judged by. */
    if (before != inputs_fingerprint(product->job, problem))
        return cli_product_wrong(session, product, "the kernel changed its inputs");
    product->judged = fingerprint(product->job, problem, VKMM_C);
    if (product->verdict.passed || product->verdict.method == VKMM_VERIFY_NONE) return VKMM_OK;
    explain_wrong(session, product);
    return cli_product_wrong(session, product, product->verdict.sentence);
}

/* Every run with a β changes the C that the next one reads: the last of many is compared after a run from the same
 * beginning. */
static vkmm_status run_again(cli_product *product)
{
    if (product->before == NULL || vkmm_problem_beta(&product->row.problem) == 0) return VKMM_OK;
    memcpy(vkmm_job_matrix(product->job, VKMM_C), product->before, vkmm_operand_bytes(&product->row.problem, VKMM_C));
    return vkmm_job_run(product->job);
}

vkmm_status cli_product_again(cli_session *session, cli_product *product)
{
    vkmm_status status;

    cli_product_attempt(session);
    status = cli_product_attempted(session, product, run_again(product), "repeating");
    if (status == VKMM_WRONG_RESULT) return cli_product_wrong(session, product, "the kernel stored outside its matrix");
    if (status != VKMM_OK) return status;
    if (product->judged == fingerprint(product->job, &product->row.problem, VKMM_C)) return VKMM_OK;
    return cli_product_wrong(session, product, "the product differs between runs");
}

/* Many more runs: their last product must have the very bits that were judged. */
static vkmm_status measure(cli_session *session, cli_product *product)
{
    const cli_options *options = session->options;
    const vkmm_problem *problem = &product->row.problem;
    vkmm_measure_params params = {.iters = (uint32_t)options->iters.value,
                                  .cold_iters = (uint32_t)options->cold_iters.value,
                                  .cold_iters_given = options->cold_iters.given,
                                  .min_time_ms = options->min_time_ms,
                                  .max_time_ms = options->max_time_ms};
    vkmm_status status;

    /* Whoever asks for a long sample does not want it cut by the default. */
    if (params.max_time_ms <= 0 && params.min_time_ms > 1500) params.max_time_ms = 2 * params.min_time_ms;
    cli_product_progress(session, product, "timing");
    cli_product_attempt(session);
    status = vkmm_job_measure(product->job, &params, &product->row.time);
    status = cli_product_attempted(session, product, status, "timing");
    if (status == VKMM_OK) status = cli_product_again(session, product);
    if (status != VKMM_OK) return status;
    product->row.timed = product->row.time.kernel.count > 0 && product->row.time.kernel.median > 0;
    if (product->row.timed) product->row.gflops = vkmm_problem_flops(problem) / product->row.time.kernel.median * 1e-6;
    return VKMM_OK;
}

int cli_product_is_work(const vkmm_problem *problem)
{
    return vkmm_problem_flops(problem) > 0 && vkmm_problem_alpha(problem) != 0;
}

void cli_product_begin_row(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                           const vkmm_kernel_info *kernel, cli_product *product)
{
    vkmm_row *row = &product->row;

    row->kernel = kernel;
    row->device = params->shader == NULL && strcmp(kernel->name, "serial") == 0 ? NULL : session->info;
    row->host = session->host;
    row->problem = params->problem;
    row->seed = inputs->seed;
    row->init = cli_inputs_name(inputs);
    row->shader_file = params->shader != NULL ? session->options->shader : NULL;
}

vkmm_status cli_product_prove(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                              cli_product *product)
{
    int serial = params->shader == NULL && params->kernel != NULL && strcmp(params->kernel, "serial") == 0;
    vkmm_status status = vkmm_problem_check(&session->console.log, &params->problem, NULL);

    if (status != VKMM_OK) return status;
    if (!serial) status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    product->row.problem = params->problem;
    cli_product_attempt(session);
    status = vkmm_job_create(serial ? NULL : session->device, &session->console.log, params, &product->job);
    status = cli_product_attempted(session, product, status, "planning");
    if (status != VKMM_OK) return status;
    cli_product_begin_row(session, inputs, params, vkmm_job_kernel(product->job), product);
    status = run_and_judge(session, inputs, product);
    if (status != VKMM_OK && status != VKMM_WRONG_RESULT) cli_product_end(product);
    return status;
}

void cli_product_fill_verdict(cli_product *product)
{
    product->row.verify = (vkmm_row_verify){vkmm_verify_method_name(product->verdict.method), product->verdict.passed,
                                            product->verdict.error, product->verdict.bound, product->verdict.sentence};
}

vkmm_status cli_product_run(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                            cli_product *product)
{
    vkmm_status status = cli_product_prove(session, inputs, params, product);

    if (status == VKMM_OK && product->verdict.passed && cli_product_is_work(&params->problem))
        status = measure(session, product);
    product->row.wall_ms = product->run_ms;
    if (status != VKMM_OK && status != VKMM_WRONG_RESULT)
        cli_product_end(product);
    else
        cli_product_fill_verdict(product);
    return status;
}

vkmm_view cli_product_view(const cli_product *product, vkmm_operand operand, uint64_t batch)
{
    const void *data = operand == VKMM_A ? product->a : operand == VKMM_B ? product->b : product->c;

    if (product->large != NULL) return cli_large_view(product->large, operand, batch);
    return vkmm_operand_view(&product->row.problem, operand, data, batch);
}

vkmm_view cli_product_before(const cli_product *product, uint64_t batch)
{
    if (product->large != NULL) return cli_large_before(product->large, batch);
    return vkmm_operand_view(&product->row.problem, VKMM_C, product->before, batch);
}

const void *cli_product_bias(const cli_product *product)
{
    return product->large != NULL ? cli_large_bias(product->large) : vkmm_job_matrix(product->job, VKMM_BIAS);
}

void cli_product_end(cli_product *product)
{
    vkmm_job_destroy(&product->job);
    cli_large_end(&product->large);
    vkmm_free(product->before);
    product->before = NULL;
    product->row.kernel = NULL;
}
