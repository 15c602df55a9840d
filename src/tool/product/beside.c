/* What a product is compared with (verify.h): A·B by the same kernel, where vectors cannot judge C itself, or by
 * another kernel (--verify twin). */
#include "base/alloc.h"
#include "math/half.h"
#include "math/problem.h"
#include "math/type.h"
#include "product/product.h"

#include <math.h>
#include <string.h>

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

/* Elements as they are multiplied, packed row by row in the type of the twin; magnitudes, or with their signs. */
static void convert(const cli_product *p, const vkmm_view *view, vkmm_type type, int magnitudes, char *packed)
{
    const int rounds = view->type == VKMM_F32 && vkmm_problem_compute(&p->request->job.problem) == VKMM_F16;
    const size_t size = vkmm_type_of(type)->bytes;

    for (uint64_t i = 0; i < view->rows; i++)
        for (uint64_t j = 0; j < view->cols; j++, packed += size) {
            double value = vkmm_view_get(view, i, j);
            if (rounds) value = (double)vkmm_f16_rounded((float)value);
            vkmm_type_put(type, packed, magnitudes ? fabs(value) : value);
        }
}

/* Every matrix of the batch; magnitudes: |A|·|B|. */
static vkmm_status multiply_batch(cli_product *p, vkmm_job *job, vkmm_type type, int magnitudes, char *sums)
{
    const vkmm_problem *problem = &p->request->job.problem;
    const uint64_t batches = vkmm_problem_batches(problem), bytes = problem->m * problem->n * vkmm_type_of(type)->bytes;
    vkmm_status status = VKMM_OK;

    for (uint64_t x = 0; x < batches && status == VKMM_OK; x++) {
        for (int o = VKMM_A; o <= VKMM_B; o++) {
            const vkmm_view view = cli_stack_at(&p->stack[o], x);
            convert(p, &view, type, magnitudes, vkmm_job_matrix(job, (vkmm_operand)o));
        }
        status = vkmm_job_run(job);
        if (status == VKMM_OK) memcpy(sums + x * bytes, vkmm_job_matrix(job, VKMM_C), bytes);
    }
    return status;
}

/* The tutorials' kernels share no code with the general ones; both multiply plain matrices of words. */
static vkmm_status multiply_by_twin(cli_product *p)
{
    const vkmm_problem *problem = &p->request->job.problem;
    const vkmm_type_info *info = vkmm_type_of(problem->type);
    const vkmm_type type = !info->is_float             ? vkmm_types_default(problem->type).out
                           : problem->type == VKMM_F64 ? VKMM_F64
                                                       : VKMM_F32;
    const uint64_t elements = problem->m * problem->n * vkmm_problem_batches(problem);
    const vkmm_job_params params = {.problem =
                                        VKMM_PROBLEM(.m = problem->m, .n = problem->n, .k = problem->k, .type = type),
                                    .kernel = vkmm_kernel_is_general(p->kernel->name) ? "naive" : "blocked"};
    const vkmm_view sums = vkmm_view_rows(NULL, problem->m, problem->n, type);
    vkmm_job *job = NULL;
    vkmm_status status = cli_session_device(p->session);

    for (int s = 0; s < 1 + info->is_float && status == VKMM_OK; s++) {
        p->twin[s] = vkmm_alloc(elements + 1, vkmm_type_of(type)->bytes);
        if (p->twin[s] == NULL) status = vkmm_tell(p->session->log, VKMM_NO_MEMORY("for the twin's product"));
        p->stack[CLI_SUMS + s] = (cli_stack){sums, problem->m * problem->n};
        p->stack[CLI_SUMS + s].first.data = p->twin[s];
    }
    if (status == VKMM_OK) status = vkmm_job_create(p->session->device, p->session->log, &params, &job);
    for (int s = 0; s < 1 + info->is_float && status == VKMM_OK; s++)
        status = multiply_batch(p, job, type, s, p->twin[s]);
    vkmm_job_destroy(&job);
    return status == VKMM_OUT_OF_MEMORY ? VKMM_UNSUPPORTED : status; /* panels would not help */
}

vkmm_status cli_product_beside(cli_product *p)
{
    const vkmm_problem *problem = &p->request->job.problem;

    if (p->request->verify == CLI_VERIFY_TWIN && problem->m > 0 && problem->n > 0 && problem->k > 0)
        return multiply_by_twin(p);
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
    for (int s = 0; s < 2; s++) vkmm_free(p->twin[s]);
}
