#include "plan/recipe.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
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
    vkmm_scalar_bits(vkmm_types_scale(vkmm_problem_types(p)), choice->problem.alpha, push.alpha);
    vkmm_scalar_bits(vkmm_types_scale(vkmm_problem_types(p)), choice->problem.beta, push.beta);
    return push;
}

uint32_t vkmm_reduce_size(const vkmm_device_info *limits)
{
    const uint32_t most = limits->max_invocations < limits->max_workgroup_size[0] ? limits->max_invocations
                                                                                  : limits->max_workgroup_size[0];
    return most < REDUCE_WORKGROUP ? most : REDUCE_WORKGROUP;
}

/* Each invocation computes an element of C, or a word if C is narrower; at worst, N elements begin and end in the
 * middle of a word. */
uint32_t vkmm_reduce_items(const vkmm_device_info *limits, const vkmm_problem *problem)
{
    const int narrow = vkmm_type_of(vkmm_operand_type(problem, VKMM_C))->bytes < 4;
    const uint64_t size = vkmm_reduce_size(limits), row = narrow ? problem->n / 2 + 1 : problem->n;
    const uint64_t groups = (problem->m * row + size - 1) / size * problem->batch_count;
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

vkmm_status vkmm_recipe_add(const vkmm_log *log, vkmm_recipe *recipe, const vkmm_recipe_step *step)
{
    vkmm_recipe_step *added = vkmm_list_add(&recipe->steps, &recipe->step_count, 1, sizeof *added);
    if (!added) return VKMM_NO_MEMORY(log, "for the steps of a product");
    *added = *step;
    return VKMM_OK;
}

void vkmm_recipe_destroy(vkmm_recipe *recipe)
{
    vkmm_free(recipe->steps);
    *recipe = (vkmm_recipe){0};
}

/* How a pipeline of a choice reads and writes. */
typedef enum pipeline_role { PRODUCT, SECOND, PACKING, EDGE, SCALING } pipeline_role;

static void add_constant(vkmm_recipe_pipeline *p, uint32_t id, uint32_t value)
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

static void add_second_constants(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe_pipeline *p)
{
    const vkmm_problem *residues = choice->modular.moduli > 0 ? &choice->modular.problem : NULL;
    const vkmm_kernel_info *info = &choice->info;
    add_constant(p, VKMM_SPEC_WORKGROUP_X, vkmm_reduce_size(limits));
    add_constant(p, VKMM_SPEC_WORKGROUP_Y, 1);
    add_constant(p, VKMM_SPEC_HALF_SUMS, vkmm_problem_compute(&choice->problem) == VKMM_F16);
    add_constant(p, VKMM_SPEC_OUT, constant_of(info, VKMM_SPEC_OUT));
    add_constant(p, VKMM_SPEC_BIAS,
                 !residues || !residues->has_bias ? constant_of(info, VKMM_SPEC_BIAS)
                 : choice->swapped                ? VKMM_BIAS_ROWS
                                                  : VKMM_BIAS_COLS);
    add_constant(p, VKMM_SPEC_ACTIVATION,
                 residues ? (uint32_t)residues->activation : constant_of(info, VKMM_SPEC_ACTIVATION));
    add_constant(p, VKMM_SPEC_SCALARS, choice->terms.scalars_in_memory != 0);
}

static void add_kernel_constants(const vkmm_kernel_info *kernel, vkmm_recipe_pipeline *p)
{
    p->subgroup_size = kernel->subgroup_size;
    for (uint32_t i = 0; i < kernel->spec_count; i++) add_constant(p, kernel->spec_ids[i], kernel->spec_values[i]);
}

/* Bindings of a product that is not one of residues. Every binding that a shader declares must be set. */
static vkmm_recipe_bind bind_of(const vkmm_choice *choice, uint32_t binding, pipeline_role role)
{
    const int prepares = role == PACKING || role == SCALING, has_bias = choice->problem.has_bias;
    const vkmm_recipe_bind itself = {binding, 0, 0};
    const vkmm_repack *pack = binding <= VKMM_B ? &choice->packs[binding] : NULL;
    if (binding == VKMM_C && prepares && choice->scaling)
        return (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, choice->decisions.at, choice->decisions.bytes};
    if (binding == VKMM_B && role == SECOND && choice->terms.scalars_in_memory)
        return (vkmm_recipe_bind){VKMM_SCALARS_PART, 0, 0};
    if (pack && role == SECOND && has_bias) return (vkmm_recipe_bind){VKMM_BIAS_PART, 0, 0};
    if (pack && role == PRODUCT && pack->bytes > 0 && !pack->bound)
        return (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, pack->at, pack->bytes};
    if (pack && choice->swapped) return (vkmm_recipe_bind){VKMM_B - binding, 0, 0};
    if (binding != VKMM_BINDING_WORKSPACE || choice->info.splits == 0 || prepares) return itself;
    if (role != EDGE && choice->reduce && choice->info.workspace_bytes > 0)
        return (vkmm_recipe_bind){VKMM_BINDING_WORKSPACE, 0, choice->sums_bytes};
    return (vkmm_recipe_bind){has_bias ? VKMM_BIAS_PART : VKMM_C, 0, 0};
}

/* Returns the index of a new pipeline; UINT32_MAX: the choice has none of this role. */
static uint32_t add_pipeline(const vkmm_device_info *limits, const vkmm_choice *choice, pipeline_role role,
                             vkmm_recipe *recipe)
{
    const int residues = choice->modular.moduli > 0, parts = choice->scaling != NULL;
    const vkmm_module *const modules[] = {choice->module, choice->reduce, choice->packing, choice->edge.module,
                                          choice->scaling};
    const char *const names[] = {"product", residues ? "finish" : "reduce",
                                 residues ? "residues"
                                 : parts  ? "split"
                                          : "pack",
                                 choice->edge.instead ? "instead" : "edge", "scale"};
    vkmm_recipe_pipeline p = {.name = names[role], .module = modules[role]};
    if (!p.module) return UINT32_MAX;
    if (role == SECOND) add_second_constants(limits, choice, &p);
    if (role == PRODUCT || role == EDGE) add_kernel_constants(role == EDGE ? &choice->edge.info : &choice->info, &p);
    if (role == PACKING || role == SCALING) {
        const vkmm_type type = role == PACKING ? choice->problem.type : vkmm_method_type(choice->problem.method);
        add_constant(&p, VKMM_SPEC_WORKGROUP_X, vkmm_reduce_size(limits));
        add_constant(&p, VKMM_SPEC_BYTES, vkmm_type_of(type)->bytes);
    }
    const int lies_packed = role == EDGE && !choice->edge.instead && !choice->edge.early;
    for (uint32_t i = 0; i < recipe->binding_count; i++)
        p.bind[i] = residues ? vkmm_modular_bind(choice, i, p.name) : bind_of(choice, i, lies_packed ? PRODUCT : role);
    recipe->pipelines[recipe->pipeline_count] = p;
    return recipe->pipeline_count++;
}

/* Where the recorder finds what it changes in a vkmm_push. Packed operands begin where the workspace has them. */
static vkmm_step_words product_words(const vkmm_choice *choice, int as_it_lies)
{
    const int packed[] = {choice->packs[VKMM_A].bytes > 0 && !choice->packs[VKMM_A].bound && !as_it_lies,
                          choice->packs[VKMM_B].bytes > 0 && !choice->packs[VKMM_B].bound && !as_it_lies};
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
    if (choice->scaling) step.decision = VKMM_DISPATCH_FIRST + 1;
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
                             .decision = edge->instead ? VKMM_DISPATCH_INSTEAD + 1 : 0,
                             .words = product_words(choice, edge->instead || edge->early)};
    memcpy(step.push, &push, sizeof push);
    return step;
}

static vkmm_recipe_step reduce_step(const vkmm_device_info *limits, const vkmm_choice *choice, uint32_t pipeline)
{
    vkmm_recipe_step step = product_step(choice);
    const uint32_t most = limits->max_workgroup_count[0];
    vkmm_problem in_parts = choice->problem;
    in_parts.m -= choice->info.whole_rows;
    step.pipeline = pipeline;
    step.barrier = VKMM_BARRIER_COMPUTE;
    step.cut = VKMM_CUT_NONE;
    step.items = vkmm_reduce_items(limits, &in_parts);
    step.tile[0] = step.tile[1] = 0;
    step.groups[0] = step.items < most ? (uint32_t)step.items : most;
    step.groups[1] = step.groups[2] = 1;
    if (choice->scaling) step.decision = VKMM_DISPATCH_SECOND + 1;
    ((vkmm_push *)step.push)->end = (uint32_t)step.items;
    return step;
}

static vkmm_recipe_step pack_step(const vkmm_choice *choice, vkmm_operand operand, uint32_t reduce_groups)
{
    const vkmm_repack *r = &choice->packs[operand];
    const uint32_t bytes = vkmm_type_of(choice->problem.type)->bytes;
    const uint64_t ld = r->ld * bytes / 4;
    uint64_t groups[3];
    vkmm_recipe_step step = {.when = r->bound ? VKMM_WHEN_PACK : r->once ? VKMM_WHEN_ONCE : VKMM_WHEN_EACH};
    const vkmm_pack_push push = {
        .lines = (uint32_t)r->from.count,
        .length = (uint32_t)r->from.length,
        .ld = (uint32_t)r->from.ld,
        .offset = (uint32_t)r->offset,
        .stride = (uint32_t)r->stride,
        .to_lines = (uint32_t)r->lines,
        .to_ld = (uint32_t)ld,
        .to_offset = (uint32_t)((r->at + r->first) / 4),
        .to_stride = (uint32_t)(r->lines * ld),
        .is_b = operand == VKMM_B,
        .transpose = r->first > 0 ? r->across != 0 : r->transposed != 0,
        .exponents = (uint32_t)(r->at / 4),
        .groups = {[VKMM_DISPATCH_FIRST] = choice->info.groups[0],
                   [VKMM_DISPATCH_SECOND] = reduce_groups,
                   [VKMM_DISPATCH_INSTEAD] = choice->edge.info.groups[0]},
        .fewest = r->fewest,
    };
    vkmm_repack_groups(r, bytes, groups);
    for (int axis = 0; axis < 3; axis++) step.groups[axis] = (uint32_t)groups[axis];
    step.words.offsets[operand] = VKMM_WORD(vkmm_pack_push, offset);
    _Static_assert(sizeof push <= sizeof step.push, "a step's push constants");
    memcpy(step.push, &push, sizeof push);
    return step;
}

/* The exponents of an operand's lines: VKMM_SCALED_LINES for each workgroup. */
static vkmm_recipe_step scale_step(const vkmm_choice *choice, vkmm_operand operand, uint32_t pipeline,
                                   uint32_t reduce_groups)
{
    const vkmm_repack *r = &choice->packs[operand];
    vkmm_recipe_step step = pack_step(choice, operand, reduce_groups);
    step.pipeline = pipeline;
    step.groups[0] = (uint32_t)vkmm_divide_up(r->across ? r->from.length : r->from.count, VKMM_SCALED_LINES);
    step.groups[1] = 1;
    return step;
}

/* Everything before the product: scaling; then packing, and what an early edge computes at the same time. The packing
 * of B comes first if nothing was scaled: scaled last, B is more likely to be in a cache. */
static vkmm_status add_preparations(const vkmm_log *log, const vkmm_choice *choice, const uint32_t pipelines[],
                                    uint32_t reduce_groups, vkmm_recipe *recipe, vkmm_step_barrier *barrier)
{
    vkmm_status status = VKMM_OK;
    *barrier = choice->scaling ? VKMM_BARRIER_DECISIONS : VKMM_BARRIER_NONE;
    for (int o = VKMM_A; o <= VKMM_B && choice->scaling && status == VKMM_OK; o++) {
        const vkmm_recipe_step step = scale_step(choice, (vkmm_operand)o, pipelines[SCALING], reduce_groups);
        status = vkmm_recipe_add(log, recipe, &step);
    }
    vkmm_step_barrier after_scaling = choice->scaling ? VKMM_BARRIER_COMPUTE : VKMM_BARRIER_NONE;
    if (choice->edge.early && status == VKMM_OK) {
        const vkmm_recipe_step step = edge_step(choice, pipelines[EDGE]);
        status = vkmm_recipe_add(log, recipe, &step);
        *barrier = VKMM_BARRIER_COMPUTE;
    }
    for (int o = VKMM_B; o >= VKMM_A && status == VKMM_OK; o--) {
        if (choice->packs[o].bytes == 0) continue;
        vkmm_recipe_step step = pack_step(choice, (vkmm_operand)o, reduce_groups);
        step.pipeline = pipelines[PACKING];
        step.barrier = after_scaling;
        after_scaling = VKMM_BARRIER_NONE;
        if (*barrier == VKMM_BARRIER_NONE && step.when == VKMM_WHEN_EACH) *barrier = VKMM_BARRIER_COMPUTE;
        status = vkmm_recipe_add(log, recipe, &step);
    }
    return status;
}

static vkmm_status add_steps(const vkmm_log *log, const vkmm_device_info *limits, const vkmm_choice *choice,
                             const uint32_t pipelines[], vkmm_recipe *recipe)
{
    vkmm_recipe_step product = product_step(choice), reduce = {0};
    if (choice->reduce) reduce = reduce_step(limits, choice, pipelines[SECOND]);
    vkmm_status status = add_preparations(log, choice, pipelines, reduce.groups[0], recipe, &product.barrier);
    if (status == VKMM_OK) status = vkmm_recipe_add(log, recipe, &product);
    if (status == VKMM_OK && choice->edge.module && !choice->edge.early) {
        const vkmm_recipe_step edge = edge_step(choice, pipelines[EDGE]);
        status = vkmm_recipe_add(log, recipe, &edge);
    }
    return status == VKMM_OK && choice->reduce ? vkmm_recipe_add(log, recipe, &reduce) : status;
}

vkmm_status vkmm_recipe_make(const vkmm_log *log, const vkmm_device_info *limits, const vkmm_choice *choice,
                             vkmm_recipe *recipe)
{
    uint32_t pipelines[VKMM_RECIPE_PIPELINES];
    recipe->binding_count =
        choice->kernel->tunables ? VKMM_BINDING_WORKSPACE + 1 : VKMM_BINDING_COUNT + (uint32_t)choice->module->build;
    recipe->decisions = choice->decisions;
    for (int role = PRODUCT; role <= SCALING; role++)
        pipelines[role] = add_pipeline(limits, choice, (pipeline_role)role, recipe);
    if (choice->info.groups[0] == 0) return VKMM_OK; /* there is nothing to do */
    if (choice->modular.moduli > 0) return vkmm_modular_steps(log, limits, choice, recipe);
    return add_steps(log, limits, choice, pipelines, recipe);
}
