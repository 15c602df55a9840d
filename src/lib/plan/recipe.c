#include "plan/recipe.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"

enum { REDUCE_WORKGROUP = 256 };

void vkmm_scalar_bits(vkmm_type type, double value, uint32_t bits[2])
{
    const float narrow = (float)value;
    bits[0] = bits[1] = 0;
    if (type == VKMM_F32) memcpy(bits, &narrow, sizeof narrow);
    if (type == VKMM_F64) memcpy(bits, &value, sizeof value);
    if (type == VKMM_I32) bits[0] = (uint32_t)(int64_t)value;
    if (type == VKMM_U32) bits[0] = (uint32_t)(int64_t)value;
}

vkmm_push vkmm_push_of(const vkmm_choice *choice, const vkmm_problem *p, uint64_t items)
{
    vkmm_push push = {.m = (uint32_t)p->m, .n = (uint32_t)p->n, .k = (uint32_t)p->k};
    if (!choice->kernel->tunables) return push;
    push.lda = (uint32_t)p->lda, push.ldb = (uint32_t)p->ldb, push.ldc = (uint32_t)p->ldc;
    push.offset_a = (uint32_t)p->offset_a, push.offset_b = (uint32_t)p->offset_b, push.offset_c = (uint32_t)p->offset_c;
    push.stride_a = (uint32_t)p->stride_a, push.stride_b = (uint32_t)p->stride_b, push.stride_c = (uint32_t)p->stride_c;
    push.splits = 1;
    push.split_depth = UINT32_MAX;
    push.end = (uint32_t)items;
    vkmm_scalar_bits(vkmm_types_scale(vkmm_problem_types(p)), p->alpha, push.alpha);
    vkmm_scalar_bits(vkmm_types_scale(vkmm_problem_types(p)), p->beta, push.beta);
    return push;
}

uint32_t vkmm_reduce_size(const vkmm_device_info *limits)
{
    return vkmm_widest_group(limits, REDUCE_WORKGROUP);
}

/* Each invocation computes an element of C, or a word if C is narrower; at worst, N elements begin and end in the
 * middle of a word. */
uint32_t vkmm_reduce_items(const vkmm_device_info *limits, const vkmm_problem *problem)
{
    const int narrow = vkmm_type_of(vkmm_operand_type(problem, VKMM_C))->bytes < 4;
    const uint64_t size = vkmm_reduce_size(limits), row = narrow ? problem->n / 2 + 1 : problem->n;
    const uint64_t groups = vkmm_divide_up(problem->m * row, size) * problem->batch_count;
    return (uint32_t)groups; /* no more than elements, which fit into the workspace, one binding, several times */
}

uint64_t vkmm_step_items(const vkmm_device_info *limits, const vkmm_recipe_step *step, uint64_t splits,
                         const vkmm_problem *seen)
{
    const vkmm_config tile = {{step->tile[0], step->tile[1]}};
    return step->tile[0] > 0 ? vkmm_config_tiles(seen, &tile) * splits : vkmm_reduce_items(limits, seen);
}

uint64_t vkmm_recipe_hash(const vkmm_recipe_pipeline *p)
{
    const size_t bytes = p->spec_count * sizeof *p->spec_ids;
    uint64_t hash = vkmm_hash(VKMM_HASH_START, p->module->words, p->module->bytes);
    hash = vkmm_hash(vkmm_hash(hash, p->spec_ids, bytes), p->spec_values, bytes);
    return vkmm_hash(hash, &p->subgroup_size, sizeof p->subgroup_size);
}

const vkmm_recipe_pipeline *vkmm_recipe_find(const vkmm_recipe *recipe, const char *name)
{
    for (uint32_t i = 0; i < recipe->pipeline_count; i++)
        if (strcmp(recipe->pipelines[i].name, name) == 0) return &recipe->pipelines[i];
    return NULL;
}

vkmm_status vkmm_recipe_add(vkmm_recipe *recipe, uint32_t at, const vkmm_recipe_step *step)
{
    vkmm_recipe_step *added = vkmm_list_add(&recipe->steps, &recipe->step_count, 1, sizeof *added);
    if (!added) return VKMM_NO_MEMORY("for the steps of a product");
    for (; added > &recipe->steps[at]; added--) *added = added[-1];
    *added = *step;
    return VKMM_OK;
}

void vkmm_recipe_destroy(vkmm_recipe *recipe)
{
    vkmm_free(recipe->steps);
    *recipe = (vkmm_recipe){0};
}

void vkmm_recipe_constant(vkmm_recipe_pipeline *p, uint32_t id, uint32_t value)
{
    p->spec_ids[p->spec_count] = id;
    p->spec_values[p->spec_count++] = value;
}

static uint32_t constant_of(const vkmm_kernel_info *info, uint32_t id)
{
    for (uint32_t i = 0; i < info->spec_count; i++)
        if (info->spec_ids[i] == id) return info->spec_values[i];
    return 0;
}

void vkmm_recipe_kernel(const vkmm_kernel_info *kernel, vkmm_recipe_pipeline *p)
{
    p->subgroup_size = kernel->subgroup_size;
    for (uint32_t i = 0; i < kernel->spec_count; i++)
        vkmm_recipe_constant(p, kernel->spec_ids[i], kernel->spec_values[i]);
}

void vkmm_recipe_epilogue(const vkmm_device_info *limits, const vkmm_choice *choice, const vkmm_problem *problem,
                          vkmm_recipe_pipeline *p)
{
    const uint32_t bias = choice->swapped ? VKMM_BIAS_ROWS : VKMM_BIAS_COLS;
    vkmm_recipe_constant(p, VKMM_SPEC_WORKGROUP_X, vkmm_reduce_size(limits));
    vkmm_recipe_constant(p, VKMM_SPEC_WORKGROUP_Y, 1);
    vkmm_recipe_constant(p, VKMM_SPEC_HALF_SUMS, vkmm_problem_compute(&choice->problem) == VKMM_F16);
    vkmm_recipe_constant(p, VKMM_SPEC_OUT, constant_of(&choice->info, VKMM_SPEC_OUT));
    vkmm_recipe_constant(p, VKMM_SPEC_BIAS, problem->has_bias ? bias : 0);
    vkmm_recipe_constant(p, VKMM_SPEC_ACTIVATION, (uint32_t)problem->activation);
    vkmm_recipe_constant(p, VKMM_SPEC_SCALARS, choice->terms.scalars_in_memory != 0);
}

vkmm_recipe_bind vkmm_operand_bind(const vkmm_choice *choice, uint32_t binding)
{
    return (vkmm_recipe_bind){binding <= VKMM_B && choice->swapped ? VKMM_B - binding : binding, 0, 0};
}

/* Every binding that a shader declares must be set, also one that it does not read. */
static vkmm_recipe_bind bias_of(const vkmm_problem *problem)
{
    return (vkmm_recipe_bind){problem->has_bias ? VKMM_BIAS_PART : VKMM_C, 0, 0};
}

static vkmm_recipe_bind sums_of(const vkmm_choice *choice)
{
    if (!choice->reduce || choice->info.workspace_bytes == 0) return bias_of(&choice->problem);
    return (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, 0, choice->sums_bytes};
}

/* Whether an operand of the kernel lies packed in the workspace. */
static int lies_packed(const vkmm_choice *choice, int operand)
{
    return choice->packs[operand].bytes > 0 && !choice->packs[operand].bound;
}

/* A new pipeline, which binds what a kernel does: A and B where they lie, or packed; C; and a bias. */
static vkmm_recipe_pipeline *add_pipeline(const vkmm_choice *choice, const char *name, const vkmm_module *module,
                                          int packed, vkmm_recipe *recipe)
{
    vkmm_recipe_pipeline *p = &recipe->pipelines[recipe->pipeline_count++];
    *p = (vkmm_recipe_pipeline){.name = name, .module = module};
    for (uint32_t i = 0; i < recipe->binding_count; i++) p->bind[i] = vkmm_operand_bind(choice, i);
    for (int o = VKMM_A; o <= VKMM_B && packed; o++)
        if (lies_packed(choice, o))
            p->bind[o] = (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, choice->packs[o].at, choice->packs[o].bytes};
    if (choice->kernel->tunables) p->bind[VKMM_BINDING_WORKSPACE] = bias_of(&choice->problem);
    return p;
}

uint32_t vkmm_recipe_packer(const vkmm_device_info *limits, const vkmm_choice *choice, const char *name, vkmm_type type,
                            vkmm_recipe *recipe)
{
    vkmm_recipe_pipeline *p = add_pipeline(choice, name, vkmm_module_find(name, VKMM_U32, VKMM_BUILD_PLAIN), 0, recipe);
    p->bind[VKMM_BINDING_WORKSPACE] = vkmm_operand_bind(choice, VKMM_BINDING_WORKSPACE);
    if (recipe->decisions.bytes > 0)
        p->bind[VKMM_C] = (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, recipe->decisions.at, recipe->decisions.bytes};
    vkmm_recipe_constant(p, VKMM_SPEC_WORKGROUP_X, vkmm_reduce_size(limits));
    vkmm_recipe_constant(p, VKMM_SPEC_BYTES, vkmm_type_of(type)->bytes);
    return recipe->pipeline_count - 1;
}

/* Where the recorder finds what it changes in a vkmm_push. Packed operands begin where the workspace has them. */
static vkmm_step_words product_words(const vkmm_choice *choice, int as_it_lies)
{
    const int packed[] = {lies_packed(choice, VKMM_A) && !as_it_lies, lies_packed(choice, VKMM_B) && !as_it_lies};
    return (vkmm_step_words){.extents = VKMM_WORD(vkmm_push, m),
                             .offsets = {packed[VKMM_A] ? 0 : VKMM_WORD(vkmm_push, offset_a),
                                         packed[VKMM_B] ? 0 : VKMM_WORD(vkmm_push, offset_b),
                                         VKMM_WORD(vkmm_push, offset_c)},
                             .items = VKMM_WORD(vkmm_push, first),
                             .scalars = VKMM_WORD(vkmm_push, alpha)};
}

static vkmm_recipe_step product_step(const vkmm_choice *choice)
{
    const vkmm_kernel_info *info = &choice->info;
    const int general = info->items > 0;
    vkmm_recipe_step step = {.when = VKMM_WHEN_EACH,
                             .cut = VKMM_CUT_ITEMS,
                             .items = general ? info->items : 1,
                             .tile = {info->tile[0], info->tile[1]},
                             .groups = {info->groups[0], info->groups[1], info->groups[2]}};
    vkmm_push push = vkmm_push_of(choice, &choice->problem, info->items);
    if (general) step.words = product_words(choice, 0);
    push.splits = info->splits;
    push.split_depth = choice->split_depth;
    push.whole_rows = info->whole_rows;
    push.run = choice->run;
    memcpy(step.push, &push, sizeof push);
    return step;
}

/* Its barrier is for validation, which cannot know that it stores elsewhere than the product. */
static vkmm_recipe_step edge_step(const vkmm_choice *choice, uint32_t pipeline)
{
    const vkmm_edge *edge = &choice->edge;
    const vkmm_push push = vkmm_push_of(choice, &edge->problem, edge->info.items);
    vkmm_recipe_step step = {.pipeline = pipeline,
                             .when = VKMM_WHEN_EACH,
                             .cut = edge->instead ? VKMM_CUT_SHARE : VKMM_CUT_NONE,
                             .barrier = edge->early ? VKMM_BARRIER_NONE : VKMM_BARRIER_COMPUTE,
                             .items = edge->info.items,
                             .tile = {edge->info.tile[0], edge->info.tile[1]},
                             .groups = {edge->info.groups[0], edge->info.groups[1], edge->info.groups[2]},
                             .words = product_words(choice, edge->instead || edge->early)};
    memcpy(step.push, &push, sizeof push);
    return step;
}

static vkmm_recipe_step reduce_step(const vkmm_device_info *limits, const vkmm_choice *choice, uint32_t pipeline)
{
    vkmm_recipe_step step = product_step(choice);
    const uint32_t most = limits->limits.max_workgroup_count[0];
    vkmm_problem in_parts = choice->problem;
    in_parts.m -= choice->info.whole_rows;
    step.pipeline = pipeline;
    step.barrier = VKMM_BARRIER_COMPUTE;
    step.cut = VKMM_CUT_NONE;
    step.items = vkmm_reduce_items(limits, &in_parts);
    step.tile[0] = step.tile[1] = 0;
    step.groups[0] = step.items < most ? (uint32_t)step.items : most;
    step.groups[1] = step.groups[2] = 1;
    ((vkmm_push *)step.push)->end = (uint32_t)step.items;
    return step;
}

static vkmm_status add(vkmm_recipe *recipe, const vkmm_recipe_step *step)
{
    return vkmm_recipe_add(recipe, recipe->step_count, step);
}

static vkmm_status add_reduce(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    vkmm_recipe_pipeline *p = add_pipeline(choice, "reduce", choice->reduce, 0, recipe);
    vkmm_recipe_epilogue(limits, choice, &choice->problem, p);
    for (int o = VKMM_A; o <= VKMM_B && choice->problem.has_bias; o++) p->bind[o] = bias_of(&choice->problem);
    if (choice->terms.scalars_in_memory) p->bind[VKMM_B] = (vkmm_recipe_bind){VKMM_SCALARS_PART, 0, 0};
    p->bind[VKMM_BINDING_WORKSPACE] = sums_of(choice);
    const vkmm_recipe_step step = reduce_step(limits, choice, recipe->pipeline_count - 1);
    return add(recipe, &step);
}

vkmm_status vkmm_recipe_edge(const vkmm_choice *choice, uint32_t at, vkmm_recipe *recipe)
{
    const vkmm_edge *edge = &choice->edge;
    const int packed = !edge->instead && !edge->early;
    vkmm_recipe_pipeline *p = add_pipeline(choice, edge->instead ? "instead" : "edge", edge->module, packed, recipe);
    vkmm_recipe_kernel(&edge->info, p);
    p->bind[VKMM_BINDING_WORKSPACE] = bias_of(&edge->problem);
    const vkmm_recipe_step step = edge_step(choice, recipe->pipeline_count - 1);
    return vkmm_recipe_add(recipe, at, &step);
}

vkmm_status vkmm_recipe_product(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    vkmm_recipe_pipeline *p = add_pipeline(choice, "product", choice->module, 1, recipe);
    if (choice->kernel->tunables) p->bind[VKMM_BINDING_WORKSPACE] = sums_of(choice);
    vkmm_recipe_kernel(&choice->info, p);
    const vkmm_recipe_step step = product_step(choice);
    vkmm_status status = add(recipe, &step);
    if (status == VKMM_OK && choice->reduce) status = add_reduce(limits, choice, recipe);
    if (status != VKMM_OK || !choice->edge.module) return status;
    if (choice->edge.early) recipe->steps[0].barrier = VKMM_BARRIER_COMPUTE; /* the product's */
    return vkmm_recipe_edge(choice, choice->edge.early ? 0 : 1, recipe);
}

vkmm_status vkmm_recipe_make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe)
{
    vkmm_status status;
    recipe->binding_count =
        choice->kernel->tunables ? VKMM_BINDING_WORKSPACE + 1 : VKMM_BINDING_COUNT + (uint32_t)choice->module->build;
    recipe->decisions = choice->decisions;
    if (choice->method) {
        status = choice->method->make(limits, choice, recipe);
    } else if (choice->experts.count > 0) {
        status = vkmm_recipe_experts(limits, choice, recipe);
    } else {
        status = vkmm_recipe_product(limits, choice, recipe);
        if (status == VKMM_OK && (choice->packs[VKMM_A].bytes > 0 || choice->packs[VKMM_B].bytes > 0))
            status = vkmm_recipe_packs(limits, choice, "pack", recipe);
    }
    if (choice->info.groups[0] == 0) recipe->step_count = 0; /* there is nothing to do */
    return status;
}
