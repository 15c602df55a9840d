#include "session/commands.h"
#include "product/large.h"
#include "session/problem.h"
#include "product/product.h"
#include "run/shader.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/matrix.h"

#include <string.h>

enum { MOST_PRINTED = 4 }; /* matrices of a batch */

static void print_one(const cli_session *session, const char *name, const vkmm_problem *problem, const vkmm_view *view,
                      uint64_t batch)
{
    char title[64];

    if (vkmm_problem_batches(problem) > 1)
        snprintf(title, sizeof title, "%s, matrix %llu of %llu", name, (unsigned long long)batch + 1,
                 (unsigned long long)vkmm_problem_batches(problem));
    else
        snprintf(title, sizeof title, "%s", name);
    vkmm_print_matrix(&session->report, title, view);
}

static void print_bias(const cli_session *session, const vkmm_problem *problem, const void *bias)
{
    const vkmm_view row = vkmm_view_rows(bias, 1, problem->n, vkmm_operand_type(problem, VKMM_BIAS));

    vkmm_print_matrix(&session->report, "bias", &row);
}

/* op(A), op(B), the bias and C where they count, and the product; the first few of a batch. */
static void print_matrices(const cli_session *session, const cli_product *product)
{
    const vkmm_problem *problem = &product->row.problem;
    uint64_t batches = vkmm_problem_batches(problem);
    int utf8 = session->report.utf8, plain = vkmm_problem_alpha(problem) == 1 && vkmm_problem_beta(problem) == 0 &&
                                             !problem->has_bias && problem->activation == VKMM_ACTIVATION_NONE;
    const char *a = problem->op_a == VKMM_OP_N ? "A"
                    : utf8                     ? "Aᵀ"
                                               : "A^T",
               *b = problem->op_b == VKMM_OP_N ? "B"
                    : utf8                     ? "Bᵀ"
                                               : "B^T";
    char c[32] = "C";

    if (plain) snprintf(c, sizeof c, utf8 ? "%s · %s" : "%s * %s", a, b);
    for (uint64_t x = 0; x < batches && x < MOST_PRINTED; x++) {
        const vkmm_view view_a = cli_product_view(product, VKMM_A, x), view_b = cli_product_view(product, VKMM_B, x),
                        view_c = cli_product_view(product, VKMM_C, x);
        print_one(session, a, problem, &view_a, x);
        print_one(session, b, problem, &view_b, x);
        if (problem->has_bias && x == 0) print_bias(session, problem, cli_product_bias(product));
        if (vkmm_problem_beta(problem) != 0) {
            const vkmm_view before = cli_product_before(product, x);
            print_one(session, "C before", problem, &before, x);
        }
        print_one(session, c, problem, &view_c, x);
    }
}

/* Matrix by matrix where there is a batch, else two-dimensional. */
static vkmm_status save(cli_session *session, const cli_product *product)
{
    const vkmm_problem *problem = &product->row.problem;
    const vkmm_view first = vkmm_operand_view(problem, VKMM_C, product->c, 0);
    uint64_t batches = vkmm_problem_batches(problem);
    const vkmm_array all =
        batches == 1 ? vkmm_array_of(&first) : vkmm_array_stack(&first, batches, vkmm_operand_stride(problem, VKMM_C));

    return vkmm_array_write(&session->console.log, session->options->out, &all);
}

static int is_serial(const vkmm_job_params *params)
{
    return params->shader == NULL && params->kernel != NULL && strcmp(params->kernel, "serial") == 0;
}

/* As one job where the device has the memory for it, else in panels. */
static vkmm_status multiply(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params, int saves,
                            cli_product *product)
{
    const uint64_t limit = session->options->memory_limit.value;
    char reason[CLI_LARGE_REASON];
    vkmm_status status;

    if (is_serial(params)) return cli_product_run(session, inputs, params, product);
    status = vkmm_problem_check(&session->console.log, &params->problem, NULL);
    if (status == VKMM_OK) status = cli_session_device(session);
    if (status != VKMM_OK) return status;
    if (vkmm_stream_reason(session->device, &params->problem, limit, reason, sizeof reason) == NULL) {
        product->can_stream = 1;
        status = cli_product_run(session, inputs, params, product);
        if (status != VKMM_OUT_OF_MEMORY || !product->is_short) return status;
        snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, session->console.last_error);
        cli_product_end(product);
        *product = (cli_product){0};
    }
    return cli_large_run(session, inputs, params, reason, saves ? session->options->out : NULL, product);
}

/* The same, on a device that is opened anew when it was lost, as often as was asked for. */
static vkmm_status multiply_again(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                                  int saves, cli_product *product)
{
    vkmm_status status;

    for (session->retried = 0;; session->retried++) {
        status = multiply(session, inputs, params, saves, product);
        if (status != VKMM_DEVICE_LOST || session->retried >= session->options->retries.value) return status;
        cli_product_end(product);
        *product = (cli_product){0};
        status = cli_session_validated(session);
        if (status != VKMM_OK) return status;
        cli_session_forget_device(session);
    }
}

/* One row. Only the first of a problem is printed and saved, not the built-in kernel's beside the user's; and
 * nothing is saved unless it passed. */
static vkmm_status show_product(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params,
                                int first)
{
    cli_product product = {0};
    const int saves = first && session->options->out != NULL;
    vkmm_status status = multiply_again(session, inputs, params, saves, &product), shown = VKMM_OK;

    if (status == VKMM_OK) status = cli_session_validated(session);
    if (product.row.kernel != NULL) {
        cli_progress_end(&session->console);
        if (session->options->print && first) print_matrices(session, &product);
        shown = cli_session_row(session, &product.row);
    }
    if (status == VKMM_OK && shown == VKMM_OK && saves)
        shown = product.large != NULL ? cli_large_save(&product) : save(session, &product);
    cli_product_end(&product);
    return shown != VKMM_OK ? cli_worse(shown, status) : status;
}

/* One problem: the user's shader first, if there is one, then the built-in kernel. */
static vkmm_status run_problem(cli_session *session, const cli_inputs *inputs, const vkmm_shader *shader,
                               vkmm_problem problem)
{
    const cli_options *options = session->options;
    vkmm_job_params params = {.problem = problem,
                              .tile_rows = options->tile[0],
                              .tile_cols = options->tile[1],
                              .shader = shader,
                              .untuned = options->untuned};
    vkmm_status status = cli_inputs_check(&session->console.log, inputs, &problem);

    if (status == VKMM_OK && options->out != NULL)
        status = vkmm_array_takes(&session->console.log, options->out, vkmm_operand_type(&problem, VKMM_C));
    if (status != VKMM_OK) return status;
    if (shader != NULL) {
        status = show_product(session, inputs, &params, 1);
        if (status == VKMM_DEVICE_LOST) return status;
    }
    params.shader = NULL;
    params.kernel = options->kernel;
    params.config = options->config;
    return cli_worse(status, show_product(session, inputs, &params, shader == NULL));
}

/* Whether the rest of a list makes sense after this status. */
static int is_final(cli_session *session, vkmm_status status)
{
    return status == VKMM_DEVICE_LOST || status == VKMM_NO_DEVICE || ferror(session->report.out);
}

static vkmm_status run_type(cli_session *session, const cli_inputs *inputs, vkmm_type type)
{
    const cli_options *options = session->options;
    cli_options stacked = *options; /* with the batch that the files have */
    vkmm_shader *shader = NULL;
    vkmm_status status =
        options->shader != NULL ? cli_shader_open(&session->console.log, options->shader, type, &shader) : VKMM_OK;

    if (status != VKMM_OK) return status;
    if (cli_inputs_batches(inputs) > 0) stacked.batch_count = (cli_number){1, cli_inputs_batches(inputs)};
    for (size_t i = 0; i < cli_size_count(options); i++) {
        const cli_size size = inputs->from_files ? cli_inputs_size(inputs, options) : cli_size_at(options, i);
        vkmm_status next = run_problem(session, inputs, shader, cli_problem_make(&stacked, &size, type));
        status = cli_worse(status, next);
        if (is_final(session, next)) break;
    }
    vkmm_shader_destroy(&shader);
    return status;
}

vkmm_status cli_run(cli_session *session)
{
    const cli_options *options = session->options;
    cli_inputs inputs;
    uint32_t types = options->types.count > 0 ? options->types.count : 1;
    vkmm_status status = cli_inputs_open(&session->console.log, options, &inputs);

    if (status != VKMM_OK) goto done;
    for (uint32_t i = 0; i < types; i++) {
        vkmm_type type = inputs.from_files          ? cli_inputs_type(&inputs)
                         : options->types.count > 0 ? options->types.type[i]
                                                    : VKMM_F32;
        vkmm_status next = run_type(session, &inputs, type);
        status = cli_worse(status, next);
        if (is_final(session, next)) break;
    }
    if (session->writer->end != NULL) session->writer->end(&session->report);
    if (options->verify == VKMM_VERIFY_NONE && session->report.rows > 0)
        vkmm_say(&session->console.log, VKMM_LOG_WARNING, "not verified, so no speed is shown");
done:
    cli_inputs_close(&inputs);
    return status;
}
