/* Random products of every kernel and type, verified. */
#include "base/clock.h"
#include "base/random.h"
#include "cli/doctor.h"
#include "cli/product.h"
#include "math/type.h"

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
    p->scaled = 1;
    p->alpha = factors[2 * roll(d, 2)];
    p->beta = factors[roll(d, 4)];
}

static int device_has(const vkmm_device_info *info, vkmm_type type)
{
    return type != VKMM_F64 || info->has_f64;
}

/* The kernels that run on a device, and the types of it, take turns, those that are fast and much used first; NULL where this turn has none. */
static const char *kernel_of(const vkmm_device_info *info, uint32_t turn, vkmm_type *type)
{
    uint32_t kernels = 0;
    const char *kernel;

    while (vkmm_kernel_name(kernels) != NULL) kernels++;
    kernel = vkmm_kernel_name(kernels - 1 - turn % kernels);
    *type = (vkmm_type)((turn % kernels + turn / kernels) % VKMM_TYPE_COUNT);
    /* A processor's driver compiles it for seconds, and the planner never takes it there. */
    if (info->type == VK_PHYSICAL_DEVICE_TYPE_CPU && info->has_broadcast && strcmp(kernel, "skinny") == 0) return NULL;
    if (strcmp(kernel, "serial") == 0 || !device_has(info, *type) || !vkmm_kernel_built(kernel, *type)) return NULL;
    return kernel;
}

/* How many were right; of a wrong or failing one, *text says what it was. */
typedef struct tally {
    uint32_t right;
    uint32_t kernels, types; /* bits of those that had a right product */
    char text[300];
} tally;

static vkmm_status try_one(cli_session *session, uint32_t turn, tally *t)
{
    dice d = {SEED, (uint64_t)turn * 32};
    cli_product product = {0};
    cli_inputs inputs = {.init = turn % 2 == 0 ? VKMM_INIT_UNIFORM : VKMM_INIT_INT, .seed = turn + 1};
    vkmm_job_params params = {.untuned = 1};
    uint32_t kernels = 0;
    vkmm_status status;

    params.kernel = kernel_of(session->info, turn, &params.problem.type);
    if (params.kernel == NULL) return VKMM_UNSUPPORTED;
    params.problem.m = extent(&d);
    params.problem.n = extent(&d);
    params.problem.k = extent(&d);
    if (vkmm_kernel_is_general(params.kernel)) complicate(&d, &params.problem);
    snprintf(t->text, sizeof t->text, "%s, %s, m=%u n=%u k=%u", params.kernel, vkmm_type_of(params.problem.type)->name,
             (unsigned)params.problem.m, (unsigned)params.problem.n, (unsigned)params.problem.k);
    status = cli_product_prove(session, &inputs, &params, &product);
    cli_product_end(&product);
    if (status != VKMM_OK) return status;
    while (vkmm_kernel_name(kernels) != NULL) kernels++;
    t->right++;
    t->kernels |= 1U << turn % kernels;
    t->types |= 1U << params.problem.type;
    return VKMM_OK;
}

static unsigned bits_in(uint32_t word)
{
    unsigned bits = 0;

    for (; word != 0; word &= word - 1) bits++;
    return bits;
}

void cli_check_products(cli_session *session, double end_ms)
{
    tally t = {0};
    vkmm_status status = VKMM_OK;
    unsigned kernels, types;

    cli_check_begin("products");
    for (uint32_t turn = 0; turn < MOST_PRODUCTS && (status == VKMM_OK || status == VKMM_UNSUPPORTED); turn++) {
        if (turn > 0 && vkmm_now_ms() >= end_ms) break;
        status = try_one(session, turn, &t);
    }
    kernels = bits_in(t.kernels);
    types = bits_in(t.types);
    if (status == VKMM_WRONG_RESULT)
        cli_check_find(VKMM_GRADE_PROBLEM, 1, "products",
                       "Do not trust products of this device with this driver: try another version of the driver, and report the "
                       "wrong product.",
                       "after %u right products, %s: %.300s", t.right, t.text, session->console.last_error);
    else if (status != VKMM_OK && status != VKMM_UNSUPPORTED)
        cli_check_find(VKMM_GRADE_PROBLEM, 0, "products", "", "after %u right products, %s failed: %.300s", t.right, t.text,
                       session->console.last_error);
    else if (t.right == 0)
        cli_check_find(VKMM_GRADE_WARNING, 0, "products", "", "no kernel runs on this device");
    else
        cli_check_find(VKMM_GRADE_OK, 0, "products", "", "%u random product%s of %u kernel%s and %u type%s, all right", t.right,
                       t.right == 1 ? "" : "s", kernels, kernels == 1 ? "" : "s", types, types == 1 ? "" : "s");
}
