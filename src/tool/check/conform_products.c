/* Products of every kernel, combination of types and op, on ragged and on whole tiles, with and without an epilogue;
 * and of every method, with the planner's kernel. */
#include "base/limits.h"
#include "check/conform.h"

#include <stdio.h>
#include <string.h>

#include "look/kernel.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "product/product.h"

/* Ops of A and B, each with an epilogue of its own, on either size. */
enum { OPS = 4, SIZES = 2, VARIANTS = OPS * SIZES };

static const uint64_t sizes[SIZES][3] = {{33, 17, 65}, {128, 128, 64}};

/* What failed in this process, as vkmm_device_info.refused_kernels. */
static uint32_t failed[VKMM_TYPE_COUNT];

static uint32_t kernel_count(void)
{
    uint32_t kernels = 0;
    while (vkmm_kernel_name(kernels) != NULL) kernels++;
    return kernels;
}

/* Those of a kernel; those by a method follow. */
static uint32_t kernel_cases(void)
{
    return VARIANTS * VKMM_TYPES_COUNT * kernel_count();
}

/* What a general kernel supports beyond the plain product. */
static void complicate(vkmm_problem *p, uint32_t op)
{
    static const double alphas[OPS] = {1, 2, 1, 2}, betas[OPS] = {0, 2, -1, 1};
    const int is_float = vkmm_type_of(p->type)->is_float;
    p->layout = op == 2 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
    p->op_a = op & 1 ? VKMM_OP_T : VKMM_OP_N;
    p->op_b = op & 2 ? VKMM_OP_T : VKMM_OP_N;
    p->lda = vkmm_operand_ld(p, VKMM_A) + op;
    p->ldb = vkmm_operand_ld(p, VKMM_B) + op;
    p->ldc = vkmm_operand_ld(p, VKMM_C) + op;
    p->alpha = alphas[op];
    p->beta = betas[op];
    p->has_bias = op & 1;
    if (op == 3) p->activation = is_float ? VKMM_GELU : VKMM_RELU;
    if (op == 2) p->activation = VKMM_RELU;
}

static int is_wanted(const cli_options *options, const char *kernel, vkmm_type type)
{
    int wanted = options->types.count == 0;
    for (uint32_t i = 0; i < options->types.count; i++) wanted |= options->types.type[i] == type;
    return wanted && (options->kernel == NULL || strcmp(options->kernel, kernel) == 0);
}

/* Whether the kernel takes the product on the device, or, by a method, any. Drivers of processors compile a general
 * kernel for seconds: there only the kernel that was asked for takes part, or the planner's choice, and its next one
 * after a failure. */
static int takes(const cli_session *session, const char *kernel, const vkmm_problem *problem, uint32_t variant)
{
    static const vkmm_log silent = {NULL, NULL};
    const vkmm_types types = vkmm_problem_types(problem);
    const int is_cpu = vkmm_is_processor(session->info) && session->options->kernel == NULL;
    const vkmm_job_params params = {.problem = *problem, .kernel = is_cpu ? NULL : kernel, .untuned = 1};
    vkmm_device_info info = *session->info;
    vkmm_kernel_info chosen;
    if (is_cpu) info.refused_kernels = failed;
    if (problem->method != VKMM_COMPUTE_DIRECT) return vkmm_kernel_choose(&silent, &info, &params, &chosen) == VKMM_OK;
    if (types.in == VKMM_F64 && !session->info->features.f64 && strcmp(kernel, "soft64") != 0) return 0;
    if (!vkmm_kernel_is_general(kernel))
        return variant % OPS == 0 && types.in == types.out && types.in == types.compute &&
               vkmm_type_of(types.in)->bytes >= 4 && vkmm_kernel_built(kernel, types.in);
    return vkmm_kernel_choose(&silent, &info, &params, &chosen) == VKMM_OK && strcmp(chosen.name, kernel) == 0;
}

/* The index-th of those by a method, with the planner's kernel: "auto". */
static const char *make_method(const cli_session *session, uint32_t index, vkmm_problem *problem)
{
    const uint64_t *size = sizes[index % SIZES];
    const uint32_t method = index / SIZES / VKMM_METHOD_TYPES, place = index / SIZES % VKMM_METHOD_TYPES;
    const vkmm_method_info *info = vkmm_method_at(method);
    *problem = VKMM_PROBLEM(.m = size[0], .n = size[1], .k = size[2], .type = info->types[place],
                            .method = (vkmm_method)method);
    if (info->titles[place] == NULL || session->options->kernel != NULL) return NULL;
    return is_wanted(session->options, "auto", problem->type) && takes(session, "auto", problem, 0) ? "auto" : NULL;
}

/* The index-th product: its kernel; NULL: the device does not have it. Neighbouring indices have different kernels, and
 * then other types, so that time that ends early leaves out none; those by a method follow. */
static const char *make(const cli_session *session, uint32_t index, vkmm_problem *problem, uint32_t *variant)
{
    const uint32_t kernels = kernel_count(), turn = index / kernels, place = kernels - 1 - index % kernels;
    const char *kernel = vkmm_kernel_name(place);
    const vkmm_types *types = vkmm_types_at((turn + place) % VKMM_TYPES_COUNT);
    *variant = index < kernel_cases() ? turn / VKMM_TYPES_COUNT : 0;
    if (index >= kernel_cases()) return make_method(session, index - kernel_cases(), problem);
    const uint64_t *size = sizes[*variant / OPS];
    *problem = VKMM_PROBLEM(.m = size[0], .n = size[1], .k = size[2], .type = types->in, .out_type = types->out,
                            .compute = types->compute);
    if (vkmm_kernel_is_general(kernel)) complicate(problem, *variant % OPS);
    if (strcmp(kernel, "serial") == 0 || !is_wanted(session->options, kernel, types->in)) return NULL;
    return takes(session, kernel, problem, *variant) ? kernel : NULL;
}

static int find(const cli_session *session, uint32_t index, cli_case *found)
{
    vkmm_problem p;
    uint32_t variant;
    if (index >= kernel_cases() + VKMM_METHOD_COUNT * VKMM_METHOD_TYPES * SIZES) return CLI_NO_CASE;
    const char *kernel = make(session, index, &p, &variant);
    if (kernel == NULL) return 0;
    if (p.method == VKMM_COMPUTE_DIRECT) VKMM_PUT(found->finding, "kernel %s %s", kernel, vkmm_type_of(p.type)->name);
    VKMM_PUT(found->name, "%s, %s, %ux%ux%u, %c%c", p.method ? vkmm_method_at(p.method)->name : kernel,
             vkmm_types_name(vkmm_problem_types(&p), session->console.utf8), (unsigned)p.m, (unsigned)p.n,
             (unsigned)p.k, "NT"[p.op_a], "NT"[p.op_b]);
    return 1;
}

/* The command line that multiplies the same matrices. */
static void write_command(const char *kernel, const vkmm_problem *p, const cli_inputs *inputs, char text[CLI_CASE_TEXT])
{
    const char *const ops = "NT";
    const vkmm_types types = vkmm_problem_types(p);
    char more[200] = "";
    if (vkmm_kernel_is_general(kernel))
        VKMM_PUT(more, " --layout %s --transposeA %c --transposeB %c --lda %u --ldb %u --ldc %u --alpha %g --beta %g",
                 p->layout == VKMM_ROW_MAJOR ? "row" : "col", ops[p->op_a], ops[p->op_b], (unsigned)p->lda,
                 (unsigned)p->ldb, (unsigned)p->ldc, p->alpha, p->beta);
    if (p->has_bias) VKMM_JOIN(more, "", " --bias_vector");
    if (p->activation != VKMM_ACTIVATION_NONE)
        VKMM_JOIN(more, "", " --activation %s", vkmm_activation_name(p->activation));
    snprintf(text, CLI_CASE_TEXT,
             "vkmatmul --kernel %s -s %ux%ux%u --type %s --out-type %s --compute %s%s --init %s --seed %u --no-cache "
             "--verify full",
             kernel, (unsigned)p->m, (unsigned)p->n, (unsigned)p->k, vkmm_type_of(types.in)->name,
             vkmm_type_of(types.out)->name,
             p->method ? vkmm_method_at(p->method)->name : vkmm_type_of(types.compute)->name, more,
             cli_inputs_name(inputs), (unsigned)inputs->seed);
}

static vkmm_status run(cli_session *session, uint32_t index, cli_case *result)
{
    uint32_t variant;
    cli_request request = {.job.untuned = 1, .kind = &cli_resident, .verify = CLI_VERIFY_FULL};
    const char *kernel = make(session, index, &request.job.problem, &variant);
    const cli_inputs inputs = {.init = variant % 2 == 0 ? VKMM_INIT_UNIFORM : VKMM_INIT_INT, .seed = index + 1};
    cli_product product = {0};
    request.inputs = &inputs;
    request.job.kernel = kernel;
    const vkmm_status status = cli_product_prove(session, &request, &product);
    cli_product_end(&product);
    result->passed = status == VKMM_OK;
    result->file[0] = '\0'; /* there is a command line instead */
    if (status == VKMM_OK || status == VKMM_OUT_OF_MEMORY || status == VKMM_DEVICE_LOST) return status;
    if (request.job.problem.method == VKMM_COMPUTE_DIRECT)
        failed[request.job.problem.type] |= 1u << (kernel_count() - 1 - index % kernel_count());
    VKMM_PUT(result->why, "%.480s", session->console.last_error);
    write_command(kernel, &request.job.problem, &inputs, result->again);
    return VKMM_OK;
}

const cli_case_part cli_products_part = {"products", find, run, NULL, 0};
