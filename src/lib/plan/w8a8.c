/* f16 or bf16 multiplied as bytes: a step for each operand divides its lines by a 127th of their largest magnitudes
 * (shaders/quantize.comp), any general kernel multiplies bytes, and the second pass scales the sums. */
#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "math/modular.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/recipe.h"
#include "plan/parts.h"

enum { STEP = 64, SIDE = 32 }; /* bytes along K; lines of a workgroup that lie across memory */

/* Makes a problem one of bytes, whose C is as it was. */
static void make_inner(vkmm_problem *p)
{
    p->out_type = vkmm_operand_type(p, VKMM_C);
    p->type = VKMM_I8;
    p->compute = VKMM_I32;
}

/* The kernel that multiplies the bytes, whose lines lie along K. */
static const vkmm_kernel *kernel_for(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish)
{
    const char *name = vkmm_asked_kernel(problem, wish);
    vkmm_problem inner = *problem;
    make_inner(&inner);
    inner.k = inner.lda = inner.ldb = vkmm_round_up(inner.k, VKMM_LINE);
    inner.op_a = VKMM_OP_N, inner.op_b = VKMM_OP_T;
    inner.offset_a = inner.offset_b = inner.stride_a = inner.stride_b = 0;
    if (!name && wish->tuned) name = wish->tuned->kernel;
    if (name) return vkmm_kernel_find(name);
    const vkmm_kernel *kernel = vkmm_planned_kernel(device, &inner, vkmm_refused_kernels(device, VKMM_I8));
    return kernel ? kernel : vkmm_any_kernel(device, &inner);
}

/* Puts quantised operands in the place of the caller's. */
static void take_bytes(const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_problem *p = &choice->problem;
    const vkmm_type type = p->type;
    const uint64_t depth = vkmm_round_up(p->k, STEP);
    make_inner(p);
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const int caller = choice->swapped ? VKMM_B - o : o;
        vkmm_take_pack(choice, (vkmm_operand)o, depth, wish->pack & 1u << caller ? wish->pack : 0, 1);
        choice->packs[o].type = type;
    }
    p->k = depth;
}

static vkmm_status refuse(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish)
{
    const uint32_t both = VKMM_PACK_A | VKMM_PACK_B;
    const vkmm_kernel *kernel = wish->kernel ? vkmm_kernel_find(wish->kernel) : NULL;
    if (!device) return vkmm_fail(VKMM_NO_DEVICE, "a w8a8 product needs a Vulkan device");
    if (wish->shader || (kernel && !kernel->tunables))
        return vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s cannot multiply bytes (w8a8); general kernels can",
                         wish->shader ? "user" : kernel->name);
    if (problem->k > VKMM_MODULAR_DEPTH)
        return vkmm_fail(VKMM_UNSUPPORTED, "K is %llu; sums of bytes fit into 32 bits up to %d",
                         (unsigned long long)problem->k, VKMM_MODULAR_DEPTH);
    if (wish->pack & VKMM_PACK_BOUND && (wish->pack & both) == both)
        return vkmm_fail(VKMM_UNSUPPORTED, "a recorded w8a8 product has at most one packed operand");
    return VKMM_OK;
}

static vkmm_status choose(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                          vkmm_choice *choice)
{
    vkmm_problem plain = *problem;
    vkmm_status status = refuse(device, problem, wish);
    if (status != VKMM_OK) return status;
    plain.method = VKMM_COMPUTE_DIRECT;
    choice->terms = wish->terms;
    choice->problem = vkmm_problem_row_major(problem, &choice->swapped);
    if (choice->problem.m == 0 || choice->problem.n == 0 || choice->problem.k == 0)
        return vkmm_choose(device, &plain, wish, choice);
    choice->method = &vkmm_w8a8_plan;
    choice->kernel = kernel_for(device, &choice->problem, wish);
    if (!choice->kernel) return vkmm_fail(VKMM_UNSUPPORTED, "no kernel multiplies bytes on \"%s\"", device->name);
    take_bytes(wish, choice);
    if (!vkmm_module_for(choice->kernel->name, &choice->problem, device, NULL))
        return vkmm_refuse_module(device, choice->kernel->name, &choice->problem);
    status = vkmm_choose_general(device, wish, choice);
    choice->reduce = vkmm_module_find("reduce_scaled", VKMM_F32, VKMM_BUILD_PLAIN);
    return status;
}

static void quantize(const vkmm_device_info *limits, const vkmm_repack *r, vkmm_recipe_step *step)
{
    vkmm_pack_push *push = (vkmm_pack_push *)step->push;
    const uint64_t lines = r->transposed ? vkmm_divide_up(r->from.length, SIDE) : r->from.count,
                   most = limits->limits.max_workgroup_count[0];
    push->exponents = (uint32_t)(r->at / 4);
    step->groups[0] = (uint32_t)(lines < most ? lines : most);
    step->groups[1] = 1;
}

/* The second pass finds what the bytes of each line count for. */
static void scale(const vkmm_choice *choice, vkmm_recipe *recipe)
{
    for (uint32_t i = 0; i < recipe->step_count; i++) {
        vkmm_recipe_step *step = &recipe->steps[i];
        vkmm_recipe_pipeline *p = &recipe->pipelines[step->pipeline];
        vkmm_push *push = (vkmm_push *)step->push;
        if (strcmp(p->name, "reduce") != 0) continue;
        uint32_t *at[] = {&push->offset_a, &push->offset_b}, *stride[] = {&push->stride_a, &push->stride_b}, packed = 0;
        p->bind[VKMM_BINDING_WORKSPACE] = (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, 0, choice->info.workspace_bytes};
        for (int o = VKMM_A; o <= VKMM_B; o++) {
            const vkmm_repack *r = &choice->packs[o];
            *at[o] = (uint32_t)(r->at / 4);
            *stride[o] = r->count > 1 ? (uint32_t)vkmm_extent_across(&choice->problem, (vkmm_operand)o) : 0;
            step->words.offsets[o] = 0;
            if (!r->bound) continue;
            packed = (uint32_t)o + 1;
            p->bind[VKMM_B] = vkmm_operand_bind(choice, (uint32_t)o);
        }
        vkmm_recipe_constant(p, VKMM_SPEC_PACKED, packed);
    }
}

static vkmm_status make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    vkmm_status status = vkmm_recipe_product(limits, choice, recipe);
    if (status != VKMM_OK) return status;
    scale(choice, recipe);
    status = vkmm_recipe_packs(limits, choice, "quantize", recipe);
    if (status != VKMM_OK) return status;
    for (uint32_t i = 0; i < 2; i++) { /* B and A are quantised in this order */
        vkmm_recipe_step *step = &recipe->steps[i];
        const vkmm_repack *r = &choice->packs[((const vkmm_pack_push *)step->push)->is_b];
        quantize(limits, r, step);
        /* What is packed has a pipeline of its own, because a slot binds each pipeline once. */
        if (r->bound) step->pipeline = vkmm_recipe_packer(limits, choice, "quantize", VKMM_I8, recipe);
    }
    for (uint32_t i = 0; i < recipe->pipeline_count; i++)
        if (strcmp(recipe->pipelines[i].name, "quantize") == 0)
            vkmm_recipe_constant(&recipe->pipelines[i], VKMM_SPEC_PLAIN, vkmm_stored_as(choice->packs[VKMM_A].type));
    return VKMM_OK;
}

static uint64_t inside(const vkmm_choice *choice, vkmm_problem *p)
{
    (void)choice;
    const uint64_t depth = vkmm_round_up(p->k, VKMM_LINE);
    uint64_t bytes = 0;
    for (int o = VKMM_A; o <= VKMM_B; o++)
        bytes += vkmm_problem_batches(p) * vkmm_extent_across(p, (vkmm_operand)o) * (depth + 4) + VKMM_LINE +
                 VKMM_BINDING_ALIGNMENT;
    make_inner(p);
    p->k = vkmm_round_up(p->k, STEP);
    return bytes;
}

const vkmm_method_plan vkmm_w8a8_plan = {.method = VKMM_COMPUTE_W8A8, .choose = choose, .make = make, .inside = inside};
