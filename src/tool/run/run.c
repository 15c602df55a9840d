#include "session/output_file.h"
#include "session/commands.h"
#include "product/product.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/columns.h"
#include "system/interrupt.h"
#include "system/terminal.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PRINTED = 4 }; /* matrices of a batch */

/* op(A), op(B), the bias and C if they are used, and the product; the first few of a batch. */
static void print_matrices(const cli_session *session, const cli_product *product)
{
    const vkmm_problem *problem = &product->row.problem;
    uint64_t batches = vkmm_problem_batches(problem);
    int utf8 = session->report.utf8, plain = vkmm_problem_alpha(problem) == 1 && vkmm_problem_beta(problem) == 0 &&
                                             !problem->has_bias && problem->activation == VKMM_ACTIVATION_NONE;
    static const char *const as[] = {"A", "A^T", "Aᵀ"}, *const bs[] = {"B", "B^T", "Bᵀ"};
    const int transposed = utf8 ? 2 : 1;
    const char *a = as[problem->op_a == VKMM_OP_N ? 0 : transposed],
               *b = bs[problem->op_b == VKMM_OP_N ? 0 : transposed];
    char c[32] = "C";
    if (plain) VKMM_PUT(c, utf8 ? "%s · %s" : "%s * %s", a, b);
    const struct {
        const char *name;
        int which, counts;
    } parts[] = {{a, VKMM_A, 1},
                 {b, VKMM_B, 1},
                 {"bias", VKMM_BIAS, problem->has_bias},
                 {"C before", CLI_BEFORE, vkmm_problem_beta(problem) != 0},
                 {c, VKMM_C, 1}};
    for (uint64_t x = 0; x < batches && x < MOST_PRINTED; x++) {
        for (size_t i = 0; i < VKMM_COUNT(parts); i++) {
            const vkmm_view view = cli_stack_at(&product->stack[parts[i].which], x);
            const int is_bias = parts[i].which == VKMM_BIAS;
            char title[64];
            if (!parts[i].counts || (is_bias && x > 0)) continue;
            if (batches > 1 && !is_bias)
                VKMM_PUT(title, "%s, matrix %llu of %llu", parts[i].name, (unsigned long long)x + 1,
                         (unsigned long long)batches);
            else
                VKMM_PUT(title, "%s", parts[i].name);
            cli_print_matrix(&session->report, title, &view);
        }
    }
}

/* The product is saved before it is timed: a signal ends the process as soon as the file is complete. */
static vkmm_status save(cli_product *product)
{
    vkmm_status status;
    int signal;
    cli_interrupt_catch(1);
    cli_product_progress(product, "saving");
    status = product->kind->save(product);
    cli_interrupt_release();
    signal = cli_interrupted();
    if (status != VKMM_OK || signal == 0) return status;
    fflush(product->session->report.out);
    cli_interrupt_repeat(signal);
    return status;
}

/* Nothing is saved unless it passed. */
static vkmm_status keep(cli_product *product, vkmm_status status)
{
    if (product->request->print) {
        cli_progress_end(&product->session->console);
        print_matrices(product->session, product);
    }
    if (status == VKMM_OK && product->request->out != NULL) status = cli_session_validated(product->session);
    return status == VKMM_OK && product->request->out != NULL ? save(product) : status;
}

/* Shows one row. A lost device is opened again as often as requested. */
static vkmm_status show_product(cli_session *session, const cli_request *request)
{
    const vkmm_log *log = session->log;
    const uint64_t retries = session->options->retries.value;
    cli_product product = {0};
    vkmm_status status = cli_product_run(session, request, &product), shown = VKMM_OK;
    for (uint64_t retry = 1; status == VKMM_DEVICE_LOST && retry <= retries; retry++) {
        vkmm_say(log, VKMM_LOG_WARNING, "%s; it is opened again for retry %llu of %llu", session->console.last_error,
                 (unsigned long long)retry, (unsigned long long)retries);
        if (cli_session_validated(session) != VKMM_OK) return VKMM_WRONG_RESULT;
        cli_session_forget_device(session);
        status = cli_product_run(session, request, &product);
    }
    status =
        status != VKMM_OK ? VKMM_FAIL(log, status, "%s", session->console.last_error) : cli_session_validated(session);
    if (product.kernel != NULL) {
        cli_progress_end(&session->console);
        if (request->measure.last_run && product.row.on != NULL)
            VKMM_PUT(session->report.note,
                     "the times are of one run, which may include the shader's compilation; --bench repeats it");
        shown = cli_session_row(session, &product.row);
    }
    cli_product_end(&product);
    return shown != VKMM_OK ? cli_worse(shown, status) : status;
}

/* One problem: the user's shaders first, then the built-in kernel. The first is printed and saved. */
static vkmm_status run_problem(cli_session *session, const cli_request *request, vkmm_shader *const *shaders)
{
    const cli_options *options = session->options;
    cli_request product = *request;
    vkmm_status status = VKMM_OK;
    product.out = options->out;
    product.print = options->print;
    product.judged = keep;
    for (uint32_t i = 0; i < options->shaders.count; i++) {
        product.job.shader = shaders[i];
        product.shader_file = options->shaders.item[i];
        status = cli_worse(status, show_product(session, &product));
        if (status == VKMM_DEVICE_LOST) return status;
        product.job.shader = NULL;
        product.out = NULL;
        product.print = 0;
    }
    product.job.kernel = options->kernel;
    product.job.config = options->config;
    return cli_worse(status, show_product(session, &product));
}

/* Whether the rest of a list makes sense after this status. */
static int is_final(cli_session *session, vkmm_status status)
{
    return status == VKMM_DEVICE_LOST || status == VKMM_NO_DEVICE || ferror(session->report.out);
}

static vkmm_status choose_square(cli_session *session)
{
    const char *kernel = session->options->kernel;
    const int is_serial = kernel != NULL && strcmp(kernel, "serial") == 0 && session->options->shaders.count == 0;
    const vkmm_status status = is_serial ? VKMM_OK : cli_session_device(session);
    if (status == VKMM_OK) cli_session_square(session, CLI_SQUARE);
    return status;
}

vkmm_status cli_command_run(cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    const uint32_t types = options->types.count > 0 ? options->types.count : 1;
    cli_inputs inputs;
    cli_request request;
    vkmm_shader *shaders[CLI_MOST_LISTED] = {NULL};
    const char *files[4 + CLI_MOST_LISTED] = {options->a, options->b, options->c, options->bias};
    vkmm_status status, next;
    memcpy(files + 4, options->shaders.item, sizeof options->shaders.item);
    status = cli_output_spares(session, options->out, files, VKMM_COUNT(files));

    if (options->out != NULL && strcmp(options->out, "-") == 0) { /* standard output gets the product */
        session->report.out = stderr;
        session->report.colour = cli_terminal_colour(stderr);
    }
    if (status != VKMM_OK) return status;
    session->shares = 1;
    status = next = cli_inputs_open(log, options, &inputs);
    if (status != VKMM_OK) goto done;
    request = cli_request_make(options, &inputs);
    if (!inputs.from_files && !cli_size_is_given(options)) status = next = choose_square(session);
    if (status != VKMM_OK) goto done;
    for (uint32_t t = 0; t < types && !is_final(session, next); t++) {
        const vkmm_type type = inputs.from_files          ? cli_inputs_type(&inputs)
                               : options->types.count > 0 ? options->types.type[t]
                                                          : VKMM_F32;
        size_t sizes = cli_size_count(options);
        next = VKMM_OK;
        for (uint32_t i = 0; i < options->shaders.count && next == VKMM_OK; i++)
            next = cli_shader_open(log, options->shaders.item[i], type, &shaders[i]);
        status = cli_worse(status, next);
        if (next != VKMM_OK) sizes = 0;
        for (size_t i = 0; i < sizes && !is_final(session, next); i++) {
            const cli_size size =
                inputs.from_files ? cli_inputs_size(&inputs, options) : cli_size_at(options, i, session->square);
            next = cli_request_problem(log, options, &size, type, &request);
            if (next == VKMM_OK) cli_session_widen(session, &request.job.problem);
            if (next == VKMM_OK && !inputs.from_files) cli_session_note_square(session);
            if (next == VKMM_OK) next = run_problem(session, &request, shaders);
            status = cli_worse(status, next);
        }
        for (uint32_t i = 0; i < options->shaders.count; i++) vkmm_shader_destroy(&shaders[i]);
    }
    if (session->writer->run_end != NULL) session->writer->run_end(&session->report);
    if (options->verify == CLI_VERIFY_NONE && session->report.rows > 0)
        vkmm_say(log, VKMM_LOG_WARNING, "not verified, so no speed is shown");
done:
    cli_inputs_close(&inputs);
    return status;
}
