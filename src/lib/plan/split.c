/* f32 multiplied as two f16 parts of each element, by matrix operations (doc/precision.md). Three steps prepare it: the
 * exponents of the lines of A and B, and the parts of each. They also find whether the parts hold the operands; if not,
 * the device dispatches the f32 kernel in place of the product's, and nothing else. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/recipe.h"
#include "plan/parts.h"

/* Sums of fewer terms are more precise in f32 than of parts, and hardly slower: they are split only if the kernel or
 * its configuration is named. If f32 has several sums of an element's terms, it takes a quarter as many, times the
 * square of the number of sums. */
enum { FEWEST_TERMS = 1024 };

static vkmm_status refuse_split(const vkmm_device_info *device, const vkmm_wish *wish, const vkmm_kernel *kernel)
{
    if (wish->shader) return vkmm_fail(VKMM_UNSUPPORTED, "a user's shader cannot multiply parts (split)");
    if (!device) return vkmm_fail(VKMM_NO_DEVICE, "a split product needs a Vulkan device");
    if (!kernel && device->matrices.refusal && *device->matrices.refusal)
        return vkmm_fail(VKMM_UNSUPPORTED, "split needs matrix operations of f16 summed in f32; \"%s\" has none: %s",
                         device->name, device->matrices.refusal);
    if (!kernel)
        return vkmm_fail(VKMM_UNSUPPORTED, "split needs matrix operations of f16 summed in f32; \"%s\" has none",
                         device->name);
    return vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s cannot multiply parts (split); %s can", wish->kernel,
                     kernel->name);
}

/* Sums to which a kernel adds the terms of one element, with K in one part. */
static uint32_t sums_of(const vkmm_choice *choice)
{
    return choice->kernel->sums ? choice->kernel->sums(&choice->config) : 1;
}

/* The error of products of `terms` positive terms, added in f32 to so many sums, which are then added up: its norm over
 * that of C (measured on an NVIDIA H200, like those below; doc/precision.md). */
static double error_of_sums(double terms, double sums)
{
    return 1.32e-8 * sqrt(terms / (sums * sums) + sums);
}

/* Elements of K that matrix operations sum at a time: as many as keep products of positive terms more precise than f32
 * with so many sums of an element's terms, but enough that few runs are left to add. */
static uint32_t run_of(const vkmm_choice *parts, uint64_t k, double sums)
{
    const double root = sqrt((double)k), longest = fmin(fmax(2.6 * root / sums + 20, root / 2), 256);
    const uint32_t depth = parts->config.values[VKMM_TUNE_DEPTH], steps = (uint32_t)(2 * longest / depth);
    return depth * (steps > 1 ? steps : 1);
}

/* Whether the error of parts is more than twice that of f32. A run loses up to 4.75e-9 for each of its elements, minus
 * 1e-7, because matrix operations truncate; then the runs of each part of K are added up in f32. */
static int is_less_precise(const vkmm_choice *parts, uint64_t k, double sums)
{
    const double run = parts->run / 2.0, splits = parts->info.whole_rows > 0 ? 1 : parts->info.splits;
    const double error = hypot(fmax(8.5e-8, 4.75e-9 * run - 1e-7), error_of_sums((double)k / run, splits));
    return error > 2 * error_of_sums((double)k, sums);
}

/* Elements along K of parts of `k` elements. */
static uint64_t parts_depth(uint64_t k)
{
    return 2 * vkmm_round_up(k, VKMM_PART);
}

static uint64_t inside(const vkmm_choice *choice, vkmm_problem *p)
{
    (void)choice;
    const uint64_t unit = VKMM_LINE / 2, k = parts_depth(p->k), depth = vkmm_round_up(k, unit);
    uint64_t bytes = 2 * VKMM_BINDING_ALIGNMENT; /* the device's decisions */
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const uint64_t extent = vkmm_extent_across(p, (vkmm_operand)o), matrices = vkmm_problem_batches(p);
        bytes += matrices * (2 * depth * vkmm_round_up(extent, unit) + 4 * extent) + VKMM_LINE + VKMM_BINDING_ALIGNMENT;
    }
    p->k = k;
    return bytes;
}

/* A problem of f32 becomes one of f16 and of twice the depth, whose operands are made of parts (shaders/split.comp),
 * with their exponents before them. Where an element of C has fewer products than FEWEST that are not 0, on average,
 * f32 is more precise. */
static void take_parts(vkmm_choice *choice)
{
    vkmm_problem *p = &choice->problem;
    enum { FEWEST = 16 };
    const uint64_t depth = parts_depth(p->k);
    const double terms = (double)p->k, products = terms * (double)p->m * (double)p->n * fmin(FEWEST, terms / 4);
    p->type = VKMM_F16;
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        vkmm_take_pack(choice, (vkmm_operand)o, depth, 0, 1);
        choice->packs[o].across = !vkmm_is_along_k(p, (vkmm_operand)o);
    }
    for (int o = VKMM_A; o <= VKMM_B; o++)
        choice->packs[o].fewest = (float)(products * (double)choice->packs[0].count * (double)choice->packs[1].count);
    p->k = depth;
    choice->decisions.bytes = VKMM_DISPATCH_BYTES;
}

/* The kernel multiplies parts. The device lets that of the plain product take its place if the operands cannot be
 * split; it must do with one pass, and with the operands as they are. */
static vkmm_status choose(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                          vkmm_choice *choice)
{
    const vkmm_wish alone = {.config = "splits=1", .pack = VKMM_PACK_NEVER, .terms = {.in_one = 1}};
    const vkmm_wish any = {.pack = wish->pack, .terms = wish->terms};
    const int named = wish->kernel && strcmp(wish->kernel, "auto") != 0;
    const uint64_t fewest = named || wish->config ? 1 : FEWEST_TERMS;
    vkmm_problem plain = *problem, parts = vkmm_problem_row_major(problem, &choice->swapped);
    vkmm_choice instead, usual; /* f32 as it takes the parts' place, and as it would be without them */
    plain.method = VKMM_COMPUTE_DIRECT;
    choice->problem = parts;
    parts.type = VKMM_F16;
    const vkmm_kernel *kernel = device && !wish->shader ? vkmm_any_kernel(device, &parts) : NULL;
    if (!kernel || (named && strcmp(wish->kernel, kernel->name) != 0)) return refuse_split(device, wish, kernel);
    if (parts.m == 0 || parts.n == 0 || parts.k < fewest) return vkmm_choose(device, &plain, &any, choice);
    vkmm_status status = vkmm_choose(device, &plain, &alone, &instead);
    if (status == VKMM_OK && parts.k < fewest / 4 * sums_of(&instead) * sums_of(&instead))
        return vkmm_choose(device, &plain, &any, choice);
    if (status == VKMM_OK) status = vkmm_choose(device, &plain, &any, &usual);
    if (status != VKMM_OK) return status;
    const double sums = (double)usual.info.splits * sums_of(&usual);
    choice->terms = wish->terms;
    choice->terms.in_one = 1;
    choice->method = &vkmm_split_plan;
    choice->kernel = kernel;
    take_parts(choice);
    status = vkmm_choose_general(device, wish, choice);
    if (status != VKMM_OK) return status;
    choice->edge = (vkmm_edge){instead.module, instead.info, instead.problem, 1};
    choice->run = run_of(choice, parts.k, sums);
    if (fewest > 1 && is_less_precise(choice, parts.k, sums)) *choice = usual;
    return status;
}

/* Gives the device what it decides with: how many workgroups each step has if the parts hold the operands. */
static void tell(const vkmm_recipe *recipe, const vkmm_choice *choice, vkmm_recipe_step *step)
{
    vkmm_pack_push *push = (vkmm_pack_push *)step->push;
    const vkmm_repack *r = &choice->packs[push->is_b];
    push->transpose = r->across != 0;
    push->exponents = (uint32_t)(r->at / 4);
    push->fewest = r->fewest;
    for (uint32_t i = 0; i < recipe->step_count; i++)
        if (recipe->steps[i].decision > 0) push->groups[recipe->steps[i].decision - 1] = recipe->steps[i].groups[0];
}

/* The device decides on these steps. */
static void decide_on(vkmm_recipe *recipe)
{
    static const char *const names[VKMM_DISPATCH_COUNT] = {
        [VKMM_DISPATCH_FIRST] = "product", [VKMM_DISPATCH_SECOND] = "reduce", [VKMM_DISPATCH_INSTEAD] = "instead"};
    for (uint32_t i = 0; i < recipe->step_count; i++)
        for (uint32_t n = 0; n < VKMM_DISPATCH_COUNT; n++)
            if (strcmp(recipe->pipelines[recipe->steps[i].pipeline].name, names[n]) == 0)
                recipe->steps[i].decision = n + 1;
    recipe->steps[0].barrier = VKMM_BARRIER_DECISIONS; /* the product */
}

static vkmm_status make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    vkmm_status status = vkmm_recipe_product(limits, choice, recipe);
    if (status != VKMM_OK) return status;
    decide_on(recipe);
    status = vkmm_recipe_packs(limits, choice, "split", recipe);
    if (status != VKMM_OK) return status;
    const uint32_t scale = vkmm_recipe_packer(limits, choice, "scale", VKMM_F32, recipe);
    for (uint32_t i = 0; i < 2; i++) tell(recipe, choice, &recipe->steps[i]); /* B and A are packed in this order */
    recipe->steps[0].barrier = VKMM_BARRIER_COMPUTE;
    for (uint32_t o = VKMM_A; o <= VKMM_B && status == VKMM_OK; o++) {
        const vkmm_repack *r = &choice->packs[o];
        vkmm_recipe_step step = recipe->steps[1]; /* that which packs the operand */
        step.pipeline = scale;
        step.barrier = VKMM_BARRIER_NONE;
        step.groups[0] = (uint32_t)vkmm_divide_up(r->across ? r->from.length : r->from.count, VKMM_SCALED_LINES);
        step.groups[1] = 1;
        status = vkmm_recipe_add(recipe, o, &step);
    }
    return status;
}

const vkmm_method_plan vkmm_split_plan = {
    .method = VKMM_COMPUTE_SPLIT, .choose = choose, .make = make, .inside = inside};
