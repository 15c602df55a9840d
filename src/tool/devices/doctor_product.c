/* Random products of every kernel and type, verified. */
#include "base/clock.h"
#include "base/random.h"
#include "devices/doctor.h"
#include "product/product.h"
#include "math/problem.h"
#include "math/types_name.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PRODUCTS = 2000, MOST_EXTENT = 160, SEED = 20 };

/* A stream of small random numbers. */
typedef struct dice {
    uint64_t seed, index;
} dice;

static uint64_t roll(dice *d, uint64_t sides)
{
    return vkmm_random_bits(d->seed, d->index++) % sides;
}

/* Small extents are as likely as large ones: edges are where kernels fail. */
static uint64_t extent(dice *d)
{
    uint64_t limit = 1 + roll(d, MOST_EXTENT);

    return 1 + roll(d, limit);
}

/* What a general kernel takes beyond the plain product. */
static void complicate(dice *d, vkmm_problem *p)
{
    static const double factors[] = {1, 0, 2, -1};

    p->layout = roll(d, 2) == 0 ? VKMM_ROW_MAJOR : VKMM_COL_MAJOR;
    p->op_a = roll(d, 2) == 0 ? VKMM_OP_N : VKMM_OP_T;
    p->op_b = roll(d, 2) == 0 ? VKMM_OP_N : VKMM_OP_T;
    p->lda = ((p->layout == VKMM_ROW_MAJOR) == (p->op_a == VKMM_OP_N) ? p->k : p->m) + roll(d, 4);
    p->ldb = ((p->layout == VKMM_ROW_MAJOR) == (p->op_b == VKMM_OP_N) ? p->n : p->k) + roll(d, 4);
    p->ldc = (p->layout == VKMM_ROW_MAJOR ? p->n : p->m) + roll(d, 4);
    p->alpha = factors[2 * roll(d, 2)];
    p->beta = factors[roll(d, 4)];
    p->has_bias = roll(d, 3) == 0;
    if (roll(d, 3) == 0) p->activation = vkmm_type_of(p->type)->is_float && roll(d, 2) == 0 ? VKMM_GELU : VKMM_RELU;
}

static int device_has(const vkmm_device_info *info, vkmm_type type)
{
    return type != VKMM_F64 || info->has_f64;
}

/* Whether the kernel takes products of the problem's types on the device. */
static int takes(const vkmm_device_info *info, const char *kernel, const vkmm_problem *problem)
{
    static const vkmm_log silent = {NULL, NULL};
    const vkmm_types types = vkmm_problem_types(problem);
    const vkmm_job_params params = {.problem = *problem, .kernel = kernel, .untuned = 1};
    vkmm_kernel_info info_of;

    if (!device_has(info, types.in)) return 0;
    if (!vkmm_kernel_is_general(kernel))
        return types.in == types.out && types.in == types.compute && vkmm_type_of(types.in)->bytes >= 4 &&
               vkmm_kernel_built(kernel, types.in);
    return vkmm_kernel_choose(&silent, info, &params, &info_of) == VKMM_OK;
}

/* The kernels that run on a device, and the combinations of types of it, take turns, those that are fast and much
 * used first; NULL where this turn has none. */
static const char *kernel_of(const vkmm_device_info *info, uint32_t turn, vkmm_problem *problem)
{
    uint32_t kernels = 0;
    const vkmm_types *types;
    const char *kernel;

    while (vkmm_kernel_name(kernels) != NULL) kernels++;
    kernel = vkmm_kernel_name(kernels - 1 - turn % kernels);
    types = vkmm_types_at((turn % kernels + turn / kernels) % VKMM_TYPES_COUNT);
    *problem =
        VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .type = types->in, .out_type = types->out, .compute = types->compute);
    /* A processor's driver compiles it for seconds, and the planner never takes it there. */
    if (info->type == VK_PHYSICAL_DEVICE_TYPE_CPU && info->has_broadcast && strcmp(kernel, "skinny") == 0) return NULL;
    /* Nor of those of matrix operations, whose compiling takes such a driver up to 20 s each. */
    if (info->type == VK_PHYSICAL_DEVICE_TYPE_CPU && strncmp(kernel, "coopmat", 7) == 0) return NULL;
    return strcmp(kernel, "serial") != 0 && takes(info, kernel, problem) ? kernel : NULL;
}

/* How many were right; of a wrong or failing one, *text says what it was. */
typedef struct tally {
    uint32_t right;
    uint32_t kernels, types; /* bits of those, of vkmm_types_at, that had a right product */
    char text[300];
} tally;

static vkmm_status try_one(cli_session *session, uint32_t turn, tally *t)
{
    dice d = {SEED, (uint64_t)turn * 32};
    cli_product product = {0};
    cli_inputs inputs = {.init = turn % 2 == 0 ? VKMM_INIT_UNIFORM : VKMM_INIT_INT, .seed = turn + 1};
    cli_request request = {.job.untuned = 1, .inputs = &inputs};
    vkmm_job_params *params = &request.job;
    uint32_t kernels = 0;
    vkmm_status status;

    params->kernel = kernel_of(session->info, turn, &params->problem);
    if (params->kernel == NULL) return VKMM_UNSUPPORTED;
    params->problem.m = extent(&d);
    params->problem.n = extent(&d);
    params->problem.k = extent(&d);
    if (vkmm_kernel_is_general(params->kernel)) complicate(&d, &params->problem);
    snprintf(t->text, sizeof t->text, "%s, %s, m=%u n=%u k=%u", params->kernel,
             vkmm_text_type(&params->problem, session->console.utf8), (unsigned)params->problem.m,
             (unsigned)params->problem.n, (unsigned)params->problem.k);
    status = cli_product_prove(session, &request, &product);
    cli_product_end(&product);
    if (status != VKMM_OK) return status;
    while (vkmm_kernel_name(kernels) != NULL) kernels++;
    t->right++;
    t->kernels |= 1U << turn % kernels;
    t->types |= 1U << vkmm_types_index(vkmm_problem_types(&params->problem));
    return VKMM_OK;
}

static unsigned bits_in(uint32_t word)
{
    unsigned bits = 0;

    for (; word != 0; word &= word - 1) bits++;
    return bits;
}

void cli_check_products(cli_check *check, double end_ms)
{
    cli_session *session = check->session;
    tally t = {0};
    vkmm_status status = VKMM_OK;
    unsigned kernels, types;

    for (uint32_t turn = 0; turn < MOST_PRODUCTS && (status == VKMM_OK || status == VKMM_UNSUPPORTED); turn++) {
        if (turn > 0 && vkmm_now_ms() >= end_ms) break;
        status = try_one(session, turn, &t);
    }
    kernels = bits_in(t.kernels);
    types = bits_in(t.types);
    if (status == VKMM_WRONG_RESULT)
        cli_check_find(
            check, VKMM_GRADE_PROBLEM, 1,
            "Do not trust products of this device with this driver: try another version of the driver, and report the "
            "wrong product.",
            "after %u right products, %s: %.300s", t.right, t.text, session->console.last_error);
    else if (status != VKMM_OK && status != VKMM_UNSUPPORTED)
        cli_check_find(check, VKMM_GRADE_PROBLEM, 0, "", "after %u right products, %s failed: %.300s", t.right, t.text,
                       session->console.last_error);
    else if (t.right == 0)
        cli_check_find(check, VKMM_GRADE_WARNING, 0, "", "no kernel runs on this device");
    else
        cli_check_find(check, VKMM_GRADE_OK, 0, "",
                       "%u random product%s of %u kernel%s and %u combination%s of types, all right", t.right,
                       t.right == 1 ? "" : "s", kernels, kernels == 1 ? "" : "s", types, types == 1 ? "" : "s");
}
