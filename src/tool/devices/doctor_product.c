/* Random products of every kernel and type, verified. */
#include "base/clock.h"
#include "base/random.h"
#include "devices/doctor.h"
#include "look/kernel.h"
#include "product/product.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PRODUCTS = 2000, MOST_EXTENT = 160, SEED = 20 };

/* A generator of small random numbers. */
typedef struct dice {
    uint64_t seed, index;
} dice;

static uint64_t roll(dice *d, uint64_t sides)
{
    return vkmm_random_bits(d->seed, d->index++) % sides;
}

/* Small extents are as likely as large ones, because kernels fail at edges. */
static uint64_t extent(dice *d)
{
    uint64_t limit = 1 + roll(d, MOST_EXTENT);

    return 1 + roll(d, limit);
}

/* What a general kernel supports beyond the plain product. */
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

/* Whether the kernel supports the problem on the device. Drivers of processors need seconds to compile a general
 * kernel, up to 20 s if it uses matrix operations: there, only the planner's choice takes part. */
static int takes(const vkmm_device_info *info, const char *kernel, const vkmm_problem *problem)
{
    static const vkmm_log silent = {NULL, NULL};
    const int is_cpu = info->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const vkmm_types types = vkmm_problem_types(problem);
    const vkmm_job_params params = {.problem = *problem, .kernel = is_cpu ? NULL : kernel, .untuned = 1};
    vkmm_kernel_info chosen;

    if (types.in == VKMM_F64 && !info->features.f64) return 0;
    if (!vkmm_kernel_is_general(kernel))
        return types.in == types.out && types.in == types.compute && vkmm_type_of(types.in)->bytes >= 4 &&
               vkmm_kernel_built(kernel, types.in);
    return vkmm_kernel_choose(&silent, info, &params, &chosen) == VKMM_OK && strcmp(chosen.name, kernel) == 0;
}

/* What was right; *text describes a wrong or failing product. */
typedef struct tally {
    uint32_t right;
    uint32_t kernels, types; /* bits of those, of vkmm_types_at, that had a right product */
    char text[300];
} tally;

/* Takes the device's kernels and combinations of types in turn, fast and common ones first. VKMM_UNSUPPORTED: this turn
 * has none. */
static vkmm_status try_one(cli_session *session, uint32_t turn, tally *t)
{
    dice d = {SEED, (uint64_t)turn * 32};
    cli_product product = {0};
    cli_inputs inputs = {.init = turn % 2 == 0 ? VKMM_INIT_UNIFORM : VKMM_INIT_INT, .seed = turn + 1};
    cli_request request = {.job.untuned = 1, .inputs = &inputs, .kind = &cli_resident};
    vkmm_problem *problem = &request.job.problem;
    uint32_t kernels = 0, type;
    vkmm_status status;

    while (vkmm_kernel_name(kernels) != NULL) kernels++;
    type = (turn % kernels + turn / kernels) % VKMM_TYPES_COUNT;
    request.job.kernel = vkmm_kernel_name(kernels - 1 - turn % kernels);
    *problem = VKMM_PROBLEM(.m = 64, .n = 64, .k = 64, .type = vkmm_types_at(type)->in,
                            .out_type = vkmm_types_at(type)->out, .compute = vkmm_types_at(type)->compute);
    if (strcmp(request.job.kernel, "serial") == 0 || !takes(session->info, request.job.kernel, problem))
        return VKMM_UNSUPPORTED;
    problem->m = extent(&d);
    problem->n = extent(&d);
    problem->k = extent(&d);
    if (vkmm_kernel_is_general(request.job.kernel)) complicate(&d, problem);
    VKMM_PUT(t->text, "%s, %s, m=%u n=%u k=%u", request.job.kernel, cli_text_type(problem, session->console.utf8),
             (unsigned)problem->m, (unsigned)problem->n, (unsigned)problem->k);
    status = cli_product_prove(session, &request, &product);
    cli_product_end(&product);
    if (status != VKMM_OK) return status;
    t->right++;
    t->kernels |= 1U << turn % kernels;
    t->types |= 1U << type;
    return VKMM_OK;
}

void cli_check_products(cli_exam *exam)
{
    cli_session *session = exam->session;
    tally t = {0};
    vkmm_status status = VKMM_OK;
    unsigned kernels, types;

    for (uint32_t turn = 0; turn < MOST_PRODUCTS && (status == VKMM_OK || status == VKMM_UNSUPPORTED); turn++) {
        if (turn > 0 && vkmm_now_ms() >= exam->end_ms) break;
        status = try_one(session, turn, &t);
    }
    kernels = (unsigned)__builtin_popcount(t.kernels);
    types = (unsigned)__builtin_popcount(t.types);
    if (status == VKMM_WRONG_RESULT) exam->status = status;
    if (status == VKMM_WRONG_RESULT)
        cli_doctor_find(
            exam, CLI_PROBLEM,
            "Do not trust products of this device with this driver: try another version of the driver, and report the "
            "wrong product.",
            "after %u correct products, %s: %.300s", t.right, t.text, session->console.last_error);
    else if (status != VKMM_OK && status != VKMM_UNSUPPORTED)
        cli_doctor_find(exam, CLI_PROBLEM, "", "after %u correct products, %s failed: %.300s", t.right, t.text,
                        session->console.last_error);
    else if (t.right == 0)
        cli_doctor_find(exam, CLI_WARNING, "", "no kernel runs on this device");
    else
        cli_doctor_find(exam, CLI_OK, "",
                        "%u random product%s of %u kernel%s and %u combination%s of types, all correct", t.right,
                        t.right == 1 ? "" : "s", kernels, kernels == 1 ? "" : "s", types, types == 1 ? "" : "s");
}
