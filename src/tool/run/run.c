#include "session/commands.h"
#include "session/problem.h"
#include "product/product.h"
#include "run/shader.h"
#include "math/problem.h"
#include "report/matrix.h"

#include <stdio.h>

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
        const vkmm_view view_a = vkmm_stack_at(&product->stack[VKMM_A], x),
                        view_b = vkmm_stack_at(&product->stack[VKMM_B], x),
                        view_c = vkmm_stack_at(&product->stack[VKMM_C], x);
        print_one(session, a, problem, &view_a, x);
        print_one(session, b, problem, &view_b, x);
        if (problem->has_bias && x == 0) print_bias(session, problem, product->memory[VKMM_BIAS]);
        if (vkmm_problem_beta(problem) != 0) {
            const vkmm_view before = vkmm_stack_at(&product->before_stack, x);
            print_one(session, "C before", problem, &before, x);
        }
        print_one(session, c, problem, &view_c, x);
    }
}

/* On a device that is opened anew when it was lost, as often as was asked for. */
static vkmm_status multiply(cli_session *session, const cli_request *request, cli_product *product)
{
    const vkmm_log *log = &session->console.log;
    const uint64_t most = session->options->retries.value;
    vkmm_status status;

    for (uint64_t retry = 1;; retry++) {
        status = cli_product_run(session, request, product);
        if (status != VKMM_DEVICE_LOST || retry > most) break;
        vkmm_say(log, VKMM_LOG_WARNING, "%s; it is opened anew for retry %llu of %llu", session->console.last_error,
                 (unsigned long long)retry, (unsigned long long)most);
        status = cli_session_validated(session);
        if (status != VKMM_OK) return status;
        cli_session_forget_device(session);
    }
    if (status != VKMM_OK) return vkmm_fail(log, status, "%s", session->console.last_error);
    return cli_session_validated(session);
}

/* One row. Nothing is saved unless it passed. */
static vkmm_status show_product(cli_session *session, const cli_request *request, int prints)
{
    cli_product product = {0};
    vkmm_status status = multiply(session, request, &product), shown = VKMM_OK;

    if (product.row.kernel != NULL) {
        cli_progress_end(&session->console);
        if (prints) print_matrices(session, &product);
        shown = cli_session_row(session, &product.row);
    }
    if (status == VKMM_OK && shown == VKMM_OK && request->out != NULL) shown = product.kind->save(&product);
    cli_product_end(&product);
    return shown != VKMM_OK ? cli_worse(shown, status) : status;
}

/* One problem: the user's shader first, if there is one, then the built-in kernel. The first is printed and saved. */
static vkmm_status run_problem(cli_session *session, const cli_request *request, vkmm_shader *shader)
{
    const cli_options *options = session->options;
    cli_request own = *request, builtin = *request;
    vkmm_status status = VKMM_OK;

    own.out = options->out;
    own.job.shader = shader;
    if (shader != NULL) {
        status = show_product(session, &own, options->print);
        if (status == VKMM_DEVICE_LOST) return status;
    } else {
        builtin.out = options->out;
    }
    builtin.job.kernel = options->kernel;
    builtin.job.config = options->config;
    return cli_worse(status, show_product(session, &builtin, options->print && shader == NULL));
}

/* Whether the rest of a list makes sense after this status. */
static int is_final(cli_session *session, vkmm_status status)
{
    return status == VKMM_DEVICE_LOST || status == VKMM_NO_DEVICE || ferror(session->report.out);
}

static vkmm_status run_type(cli_session *session, cli_request *request, vkmm_type type)
{
    const cli_options *options = session->options;
    const vkmm_log *log = &session->console.log;
    vkmm_shader *shader = NULL;
    vkmm_status status = options->shader != NULL ? cli_shader_open(log, options->shader, type, &shader) : VKMM_OK;

    if (status != VKMM_OK) return status;
    for (size_t i = 0; i < cli_size_count(options); i++) {
        const cli_size size =
            request->inputs->from_files ? cli_inputs_size(request->inputs, options) : cli_size_at(options, i);
        vkmm_status next = cli_request_problem(log, options, &size, type, request);
        if (next == VKMM_OK) next = run_problem(session, request, shader);
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
    cli_request request;
    uint32_t types = options->types.count > 0 ? options->types.count : 1;
    vkmm_status status = cli_inputs_open(&session->console.log, options, &inputs);

    if (status != VKMM_OK) goto done;
    request = cli_request_make(options, &inputs);
    for (uint32_t i = 0; i < types; i++) {
        vkmm_type type = inputs.from_files          ? cli_inputs_type(&inputs)
                         : options->types.count > 0 ? options->types.type[i]
                                                    : VKMM_F32;
        vkmm_status next = run_type(session, &request, type);
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
