/* What a product is compared with (verify.h): A·B by the same kernel, where vectors cannot judge C itself. */
#include "base/alloc.h"
#include "math/type.h"
#include "product/product.h"

/* The same kernel and configuration, without α, β, the bias and the activation; narrow sums are not rounded. */
static vkmm_status multiply_plainly(cli_product *p)
{
    const vkmm_type in = p->request->job.problem.type;
    cli_request *request = p->plain_request = vkmm_alloc(1, sizeof *request);

    p->plain = vkmm_alloc(1, sizeof *p->plain);
    if (request == NULL || p->plain == NULL) return vkmm_tell(p->session->log, VKMM_NO_MEMORY("to verify the product"));
    *request = *p->request;
    p->plain->same = p;
    request->out = NULL;
    request->job.problem.alpha = 1;
    request->job.problem.beta = 0;
    request->job.problem.has_bias = 0;
    request->job.problem.activation = VKMM_ACTIVATION_NONE;
    if (vkmm_type_is_narrow(in)) request->job.problem.out_type = VKMM_F32;
    request->job.problem.method = p->row.problem.method;
    request->job.kernel = p->kernel->name;
    request->job.config = p->kernel->config[0] != '\0' ? p->kernel->config : NULL;
    return cli_product_compute(p->session, request, p->kind, p->plain);
}

vkmm_status cli_product_beside(cli_product *p)
{
    const vkmm_problem *problem = &p->request->job.problem;

    if (!cli_verify_wants_sums(problem, p->stack, p->request->verify)) return VKMM_OK;
    const vkmm_status status = multiply_plainly(p);
    if (status == VKMM_OK) p->stack[CLI_SUMS] = p->plain->stack[VKMM_C];
    return status == VKMM_DEVICE_LOST || status == VKMM_STOPPED ? status : VKMM_OK; /* else samples must do */
}

void cli_product_beside_end(cli_product *p)
{
    if (p->plain != NULL) cli_product_end(p->plain);
    vkmm_free(p->plain);
    vkmm_free(p->plain_request);
}
