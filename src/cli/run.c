#include "cli/commands.h"
#include "cli/product.h"
#include "cli/shader.h"
#include "math/type.h"
#include "report/matrix.h"

static void print_matrices(const cli_session *session, const cli_product *product)
{
    vkmm_print_matrix(&session->report, "A", &product->a);
    vkmm_print_matrix(&session->report, "B", &product->b);
    vkmm_print_matrix(&session->report, session->report.utf8 ? "A · B" : "A * B", &product->c);
}

/* One row. Only the first of a problem is printed and saved, not the built-in kernel's beside the user's; and nothing is saved unless it
 * passed. */
static vkmm_status show_product(cli_session *session, const cli_inputs *inputs, const vkmm_job_params *params, int first)
{
    cli_product product = {0};
    vkmm_status status = cli_product_run(session, inputs, params, &product), shown = VKMM_OK;

    if (status == VKMM_OK) status = cli_session_validated(session);
    if (product.job != NULL) {
        cli_progress_end(&session->console);
        if (session->options->print && first) print_matrices(session, &product);
        shown = cli_session_row(session, &product.row);
    }
    if (status == VKMM_OK && shown == VKMM_OK && first && session->options->out != NULL)
        shown = vkmm_npy_write(&session->console.log, session->options->out, &product.c);
    cli_product_end(&product);
    return shown != VKMM_OK ? cli_worse(shown, status) : status;
}

/* One problem: the user's shader first, if there is one, then the built-in kernel. */
static vkmm_status run_problem(cli_session *session, const cli_inputs *inputs, const vkmm_shader *shader, vkmm_problem problem)
{
    const cli_options *options = session->options;
    vkmm_job_params params = {.problem = problem, .tile_rows = options->tile[0], .tile_cols = options->tile[1], .shader = shader};
    vkmm_status status = VKMM_OK;

    if (shader != NULL) {
        status = show_product(session, inputs, &params, 1);
        if (status == VKMM_DEVICE_LOST) return status;
    }
    params.shader = NULL;
    params.kernel = options->kernel;
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
    const cli_size standard = {1024, 1024, 1024};
    size_t count = options->sizes.count > 0 ? options->sizes.count : 1;
    vkmm_shader *shader = NULL;
    vkmm_status status = options->shader != NULL ? cli_shader_open(&session->console.log, options->shader, type, &shader) : VKMM_OK;

    if (status != VKMM_OK) return status;
    for (size_t i = 0; i < count; i++) {
        const cli_size *size = options->sizes.count > 0 ? &options->sizes.item[i] : &standard;
        vkmm_problem problem = {options->m.given ? options->m.value : size->m, options->n.given ? options->n.value : size->n,
                                options->k.given ? options->k.value : size->k, type};
        vkmm_status next = run_problem(session, inputs, shader, inputs->from_files ? cli_inputs_problem(inputs) : problem);
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
        vkmm_type type = inputs.from_files ? inputs.a.view.type : options->types.count > 0 ? options->types.type[i] : VKMM_F32;
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
