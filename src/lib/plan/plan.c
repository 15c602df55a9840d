#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"
#include "vk/command.h"

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

/* With K in one part. */
static void fill_push(const vkmm_choice *choice, const vkmm_problem *p, uint64_t items, vkmm_push *push)
{
    *push = (vkmm_push){.m = (uint32_t)p->m, .n = (uint32_t)p->n, .k = (uint32_t)p->k};
    if (!choice->kernel->tunables) return;
    push->lda = (uint32_t)p->lda, push->ldb = (uint32_t)p->ldb, push->ldc = (uint32_t)p->ldc;
    push->offset_a = (uint32_t)p->offset_a, push->offset_b = (uint32_t)p->offset_b,
    push->offset_c = (uint32_t)p->offset_c;
    push->stride_a = (uint32_t)p->stride_a, push->stride_b = (uint32_t)p->stride_b,
    push->stride_c = (uint32_t)p->stride_c;
    push->splits = 1;
    push->split_depth = UINT32_MAX;
    push->end = (uint32_t)items;
    vkmm_scalar_bits(vkmm_types_scale(vkmm_problem_types(p)), choice->problem.alpha, push->alpha);
    vkmm_scalar_bits(vkmm_types_scale(vkmm_problem_types(p)), choice->problem.beta, push->beta);
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

static uint32_t constant_of(const vkmm_kernel_info *info, uint32_t id)
{
    for (uint32_t i = 0; i < info->spec_count; i++)
        if (info->spec_ids[i] == id) return info->spec_values[i];
    return 0;
}

static const uint32_t reduce_ids[] = {VKMM_SPEC_WORKGROUP_X, VKMM_SPEC_WORKGROUP_Y, VKMM_SPEC_HALF_SUMS, VKMM_SPEC_OUT,
                                      VKMM_SPEC_BIAS,        VKMM_SPEC_ACTIVATION,  VKMM_SPEC_SCALARS};
_Static_assert(VKMM_COUNT(reduce_ids) == VKMM_SECOND_CONSTANTS, "vkmm_plan.second");

static void fill_reduce(const vkmm_device_info *limits, const vkmm_choice *choice,
                        uint32_t values[VKMM_SECOND_CONSTANTS])
{
    values[0] = vkmm_reduce_size(limits);
    values[1] = 1;
    values[2] = vkmm_problem_compute(&choice->problem) == VKMM_F16;
    for (int i = 3; i < 6; i++) values[i] = constant_of(&choice->info, reduce_ids[i]);
    if (choice->modular.problem.has_bias) values[4] = choice->swapped ? VKMM_BIAS_ROWS : VKMM_BIAS_COLS;
    if (choice->modular.moduli > 0) values[5] = choice->modular.problem.activation;
    values[6] = choice->terms.scalars_in_memory != 0;
}

/* How to build the pipeline of a pass. */
typedef struct recipe {
    const vkmm_module *module;
    vkmm_pipeline_info info; /* its constants, attempt and subgroup size */
    uint32_t values[VKMM_SECOND_CONSTANTS];
    char attempt[64];
} recipe;

/* 0: the choice has no such pass. */
static int describe(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_plan_pass pass, recipe *r)
{
    static const uint32_t pack_ids[] = {VKMM_SPEC_WORKGROUP_X, VKMM_SPEC_BYTES};
    const vkmm_module *const modules[VKMM_PASSES] = {choice->module, choice->reduce, choice->packing,
                                                     choice->edge.module, choice->scaling};
    const vkmm_kernel_info *kernel = pass == VKMM_PLAN_EDGE ? &choice->edge.info : &choice->info;
    *r = (recipe){.module = modules[pass], .info = {.spec_values = r->values, .attempt = r->attempt}};
    if (!r->module) return 0;
    if (pass == VKMM_PLAN_SECOND) {
        fill_reduce(limits, choice, r->values);
        r->info.spec_ids = reduce_ids;
        r->info.spec_count = VKMM_SECOND_CONSTANTS;
        VKMM_PUT(r->attempt, "compiling the second pass");
    } else if (pass == VKMM_PLAN_PACKING || pass == VKMM_PLAN_SCALING) { /* elements of so many bytes in memory */
        r->values[0] = vkmm_reduce_size(limits);
        r->values[1] =
            vkmm_type_of(pass == VKMM_PLAN_PACKING ? choice->problem.type : vkmm_method_type(choice->problem.method))
                ->bytes;
        r->info.spec_ids = pack_ids;
        r->info.spec_count = VKMM_COUNT(pack_ids);
        VKMM_PUT(r->attempt, "compiling the packing of operands");
    } else {
        r->info.spec_ids = kernel->spec_ids;
        r->info.spec_values = kernel->spec_values;
        r->info.spec_count = kernel->spec_count;
        r->info.subgroup_size = kernel->subgroup_size;
        VKMM_PUT(r->attempt, "compiling %s for %s", kernel->name, vkmm_type_of(choice->problem.type)->name);
    }
    return 1;
}

uint64_t vkmm_plan_hash(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_plan_pass pass)
{
    recipe r;
    if (!describe(limits, choice, pass, &r)) return 0;
    const size_t bytes = r.info.spec_count * sizeof *r.info.spec_ids;
    uint64_t hash = vkmm_hash(VKMM_HASH_START, r.module->words, r.module->bytes);
    hash = vkmm_hash(vkmm_hash(hash, r.info.spec_ids, bytes), r.info.spec_values, bytes);
    return vkmm_hash(hash, &r.info.subgroup_size, sizeof r.info.subgroup_size);
}

/* Unless the choice does without it, or captures another. */
static vkmm_status create(vkmm_device *device, const vkmm_choice *choice, vkmm_plan_pass pass, vkmm_plan *plan)
{
    recipe r;
    if (choice->capture > 0 && choice->capture != pass + 1u) return VKMM_OK;
    if (!describe(&device->physical->info, choice, pass, &r)) return VKMM_OK;
    r.info.words = r.module->words;
    r.info.bytes = r.module->bytes;
    r.info.binding_count = plan->binding_count;
    r.info.push_bytes = sizeof(vkmm_push); /* the layout is the same in all passes */
    r.info.pushes_sets = choice->terms.pushes_sets;
    r.info.cache = choice->terms.cache;
    r.info.capture_statistics = choice->capture > 0;
    return vkmm_pipeline_create(device, &r.info, &plan->pipelines[pass]);
}

/* What differs between products with the same pipelines. */
static void aim(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan)
{
    plan->info = choice->info;
    plan->swapped = choice->swapped;
    plan->edge = choice->edge;
    plan->modular = choice->modular;
    memcpy(plan->packs, choice->packs, sizeof plan->packs);
    fill_push(choice, &choice->problem, choice->info.items, &plan->push);
    plan->push.splits = choice->info.splits;
    plan->push.split_depth = choice->split_depth;
    plan->push.whole_rows = choice->info.whole_rows;
    plan->push.run = choice->run;
    if (choice->edge.module) fill_push(choice, &choice->edge.problem, choice->edge.info.items, &plan->edge_push);
    if (!choice->reduce) return;
    const uint32_t most = device->physical->info.max_workgroup_count[0];
    vkmm_problem in_parts = choice->problem;
    in_parts.m -= choice->info.whole_rows;
    plan->reduce_items = vkmm_reduce_items(&device->physical->info, &in_parts);
    plan->reduce_groups = plan->reduce_items < most ? plan->reduce_items : most;
}

/* All of it begins as 0, and what scale.comp counts is 0 again after split.comp. */
static vkmm_status create_dispatches(vkmm_device *device, vkmm_plan *plan)
{
    VkCommandBuffer command = NULL;
    vkmm_status status =
        vkmm_buffer_create(device, "the dispatches", VKMM_DISPATCH_BYTES, VKMM_PLACE_DEVICE, &plan->dispatches);
    if (status == VKMM_OK) status = vkmm_command_begin(device, &command);
    if (status == VKMM_OK) {
        device->table.vkCmdFillBuffer(command, plan->dispatches.handle, 0, VKMM_DISPATCH_BYTES, 0);
        vkmm_command_barrier_all(device, command);
    }
    return vkmm_command_finish(device, status, &command);
}

vkmm_status vkmm_plan_create(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan)
{
    *plan = (vkmm_plan){
        .module = choice->module,
        .binding_count = choice->kernel->tunables ? VKMM_BINDING_WORKSPACE + 1
                                                  : VKMM_BINDING_COUNT + (uint32_t)choice->module->build,
        .has_bias = choice->problem.has_bias || choice->modular.problem.has_bias,
        .reads_scalars = choice->terms.scalars_in_memory,
        .pack_bytes = vkmm_type_of(choice->problem.type)->bytes,
    };
    aim(device, choice, plan);
    fill_reduce(&device->physical->info, choice, plan->second);
    vkmm_status status = VKMM_OK;
    for (int pass = 0; pass < VKMM_PASSES && status == VKMM_OK; pass++)
        status = create(device, choice, (vkmm_plan_pass)pass, plan);
    if (status == VKMM_OK && plan->pipelines[VKMM_PLAN_SCALING].handle && !choice->capture &&
        choice->modular.moduli == 0) /* for a split product */
        status = create_dispatches(device, plan);
    if (status != VKMM_OK) vkmm_plan_destroy(device, plan);
    return status;
}

static int same_constants(const vkmm_kernel_info *one, const vkmm_kernel_info *other)
{
    const size_t bytes = one->spec_count * sizeof one->spec_ids[0];
    return one->spec_count == other->spec_count && memcmp(one->spec_ids, other->spec_ids, bytes) == 0 &&
           memcmp(one->spec_values, other->spec_values, bytes) == 0;
}

int vkmm_plan_fit(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan)
{
    uint32_t second[VKMM_SECOND_CONSTANTS];
    fill_reduce(&device->physical->info, choice, second);
    const int same = choice->module == plan->module && same_constants(&choice->info, &plan->info) &&
                     choice->edge.module == plan->edge.module && same_constants(&choice->edge.info, &plan->edge.info) &&
                     memcmp(second, plan->second, sizeof second) == 0 &&
                     (choice->reduce != NULL) == (plan->pipelines[VKMM_PLAN_SECOND].handle != NULL) &&
                     (choice->packing != NULL) == (plan->pipelines[VKMM_PLAN_PACKING].handle != NULL) &&
                     (choice->scaling != NULL) == (plan->pipelines[VKMM_PLAN_SCALING].handle != NULL);
    if (same) aim(device, choice, plan);
    return same;
}

void vkmm_plan_destroy(vkmm_device *device, vkmm_plan *plan)
{
    for (int pass = 0; pass < VKMM_PASSES; pass++) vkmm_pipeline_destroy(device, &plan->pipelines[pass]);
    vkmm_buffer_destroy(device, &plan->dispatches);
}

/* Every binding that a shader declares must be set. */
static vkmm_part part_of(const vkmm_plan *plan, const vkmm_part *parts, uint32_t binding, vkmm_plan_pass pass)
{
    const vkmm_part *workspace = &parts[VKMM_BINDING_WORKSPACE];
    if (plan->modular.moduli > 0) return vkmm_modular_part(plan, parts, binding, pass);
    const int prepares = pass == VKMM_PLAN_PACKING || pass == VKMM_PLAN_SCALING;
    if (binding == VKMM_C && prepares && plan->dispatches.handle)
        return (vkmm_part){plan->dispatches.handle, 0, plan->dispatches.bytes};
    if (binding == VKMM_B && pass == VKMM_PLAN_SECOND && plan->reads_scalars) return parts[VKMM_SCALARS_PART];
    if (binding <= VKMM_B && pass == VKMM_PLAN_SECOND && plan->has_bias) return parts[VKMM_BIAS_PART];
    if (binding <= VKMM_B && pass == VKMM_PLAN_FIRST && plan->packs[binding].bytes > 0 && !plan->packs[binding].bound)
        return (vkmm_part){workspace->buffer, workspace->offset + plan->packs[binding].at, plan->packs[binding].bytes};
    if (binding <= VKMM_B && plan->swapped) return parts[binding == VKMM_A ? VKMM_B : VKMM_A];
    if (binding != VKMM_BINDING_WORKSPACE || plan->info.splits == 0 || prepares) return parts[binding];
    if (pass != VKMM_PLAN_EDGE && plan->pipelines[VKMM_PLAN_SECOND].handle && plan->info.workspace_bytes > 0)
        return parts[binding];
    return parts[plan->has_bias ? VKMM_BIAS_PART : VKMM_C];
}

void vkmm_plan_bound(const vkmm_plan *plan, const vkmm_part *parts, vkmm_plan_pass pass, VkDescriptorBufferInfo *bound)
{
    if (pass == VKMM_PLAN_EDGE && !plan->edge.instead && !plan->edge.early) pass = VKMM_PLAN_FIRST;
    for (uint32_t i = 0; i < plan->binding_count; i++) {
        const vkmm_part part = part_of(plan, parts, i, pass);
        bound[i] = (VkDescriptorBufferInfo){part.buffer, part.offset, part.bytes};
    }
}

void vkmm_plan_bind(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *parts)
{
    VkDescriptorBufferInfo bound[VKMM_MAX_BINDINGS];
    for (int pass = 0; pass < VKMM_PASSES; pass++) {
        vkmm_plan_bound(plan, parts, (vkmm_plan_pass)pass, bound);
        vkmm_pipeline_bind(device, &plan->pipelines[pass], plan->binding_count, bound);
    }
}

static uint32_t passes_of(const vkmm_plan *plan)
{
    uint32_t count = 0;
    for (int pass = 0; pass < VKMM_PASSES; pass++) count += plan->pipelines[pass].handle != VK_NULL_HANDLE;
    return count;
}

vkmm_status vkmm_plan_sets_create(vkmm_device *device, const vkmm_plan *plan, uint32_t count, vkmm_plan_sets *sets)
{
    count *= passes_of(plan); /* all have the same layout */
    sets->sets = vkmm_alloc(count, sizeof *sets->sets);
    if (!sets->sets) return VKMM_NO_MEMORY(vkmm_device_log(device), "for %u descriptor sets", count);
    return vkmm_pipeline_more_sets(device, &plan->pipelines[VKMM_PLAN_FIRST], plan->binding_count, count, &sets->pool,
                                   sets->sets);
}

void vkmm_plan_sets_destroy(vkmm_device *device, vkmm_plan_sets *sets)
{
    if (sets->pool) device->table.vkDestroyDescriptorPool(device->handle, sets->pool, NULL); /* frees the sets */
    vkmm_free(sets->sets);
    *sets = (vkmm_plan_sets){0};
}

vkmm_plan vkmm_plan_with(const vkmm_plan *plan, const vkmm_plan_sets *sets, uint32_t index)
{
    const VkDescriptorSet *of = &sets->sets[index * passes_of(plan)];
    vkmm_plan other = *plan;
    for (int pass = 0; pass < VKMM_PASSES; pass++)
        if (other.pipelines[pass].handle) other.pipelines[pass].set = *of++;
    return other;
}

uint64_t vkmm_plan_tiles(const vkmm_plan *plan, const vkmm_problem *problem)
{
    const vkmm_config tile = {{plan->info.tile[0], plan->info.tile[1]}};
    return vkmm_config_tiles(problem, &tile);
}

void vkmm_plan_stamp(vkmm_device *device, const vkmm_plan *plan, vkmm_plan_pass pass, VkCommandBuffer command)
{
    vkmm_pass_stamps *stamps = plan->stamps;
    if (!stamps) return;
    if (stamps->count < VKMM_COUNT(stamps->passes)) {
        stamps->passes[stamps->count] = pass;
        vkmm_timer_mark(device, command, &stamps->timer, stamps->count + 1);
    }
    stamps->count++;
}

uint64_t vkmm_plan_items(const vkmm_plan *plan)
{
    if (plan->info.groups[0] == 0) return 0;
    return plan->info.items > 0 ? plan->info.items : 1;
}

vkmm_pack_push vkmm_plan_pack(const vkmm_plan *plan, vkmm_operand operand, uint32_t groups[3])
{
    const vkmm_repack *r = &plan->packs[operand];
    const uint64_t ld = r->ld * plan->pack_bytes / 4;
    uint64_t squares[3];
    vkmm_repack_groups(r, plan->pack_bytes, squares);
    for (int axis = 0; axis < 3; axis++) groups[axis] = (uint32_t)squares[axis];
    return (vkmm_pack_push){
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
        .groups = {[VKMM_DISPATCH_FIRST] = plan->info.groups[0],
                   [VKMM_DISPATCH_SECOND] = plan->reduce_groups,
                   [VKMM_DISPATCH_INSTEAD] = plan->edge.info.groups[0]},
        .fewest = r->fewest,
    };
}

static void record_pack(vkmm_device *device, const vkmm_plan *plan, vkmm_operand operand, VkCommandBuffer command)
{
    uint32_t groups[3];
    const vkmm_pack_push push = vkmm_plan_pack(plan, operand, groups);
    vkmm_pipeline_record(device, &plan->pipelines[VKMM_PLAN_PACKING], &push, sizeof push, groups, command);
}

static int packs_when(const vkmm_plan *plan, vkmm_operand operand, int once)
{
    return plan->packs[operand].bytes > 0 && plan->packs[operand].once == once;
}

/* What follows may read indirect dispatches. */
static void record_barrier(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    if (!plan->dispatches.handle) {
        vkmm_plan_record_barrier(device, command);
        return;
    }
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                         VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

/* With so many groups, or as many as the device decides on. */
static void dispatch(vkmm_device *device, const vkmm_plan *plan, const vkmm_pipeline *pipeline, const vkmm_push *push,
                     uint32_t which, const uint32_t groups[3], VkCommandBuffer command)
{
    if (plan->dispatches.handle)
        vkmm_pipeline_record_indirect(device, pipeline, push, sizeof *push, plan->dispatches.handle,
                                      which * sizeof(VkDispatchIndirectCommand), command);
    else
        vkmm_pipeline_record(device, pipeline, push, sizeof *push, groups, command);
}

/* Residues need what is known of each line. */
static void record_modular(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    vkmm_modular_record_lines(device, plan, 0, command);
    vkmm_plan_stamp(device, plan, VKMM_PLAN_SCALING, command);
    vkmm_plan_record_barrier(device, command);
    vkmm_modular_record_residues(device, plan, command);
    vkmm_plan_stamp(device, plan, VKMM_PLAN_PACKING, command);
    vkmm_plan_record_barrier(device, command);
}

static void record_scales(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const vkmm_stored *from = &plan->packs[o].from;
        const uint64_t lines = plan->packs[o].across ? from->length : from->count;
        uint32_t groups[3];
        const vkmm_pack_push push = vkmm_plan_pack(plan, (vkmm_operand)o, groups);
        groups[0] = (uint32_t)vkmm_divide_up(lines, VKMM_SCALED_LINES);
        groups[1] = 1;
        vkmm_pipeline_record(device, &plan->pipelines[VKMM_PLAN_SCALING], &push, sizeof push, groups, command);
    }
    vkmm_plan_stamp(device, plan, VKMM_PLAN_SCALING, command);
    vkmm_plan_record_barrier(device, command);
}

void vkmm_plan_record_packs(vkmm_device *device, const vkmm_plan *plan, int once, VkCommandBuffer command)
{
    if (plan->modular.moduli > 0) {
        if (!once) record_modular(device, plan, command);
        return;
    }
    const int early = plan->edge.early && !once;
    if (plan->pipelines[VKMM_PLAN_SCALING].handle && !once) record_scales(device, plan, command);
    if (early)
        dispatch(device, plan, &plan->pipelines[VKMM_PLAN_EDGE], &plan->edge_push, 0, plan->edge.info.groups, command);
    for (int o = VKMM_B; o >= VKMM_A; o--) /* scaled last, B is more likely to be in a cache */
        if (packs_when(plan, (vkmm_operand)o, once)) record_pack(device, plan, (vkmm_operand)o, command);
    if (!early && !packs_when(plan, VKMM_A, once) && !packs_when(plan, VKMM_B, once)) return;
    vkmm_plan_stamp(device, plan, VKMM_PLAN_PACKING, command);
    record_barrier(device, plan, command);
}

/* The other dispatch: after all items; or, instead of them, the same share of its own. */
static void record_edge(vkmm_device *device, const vkmm_plan *plan, uint64_t first, uint64_t end,
                        VkCommandBuffer command)
{
    const uint64_t items = plan->info.items, all = plan->edge.info.items;
    vkmm_push push = plan->edge_push;
    if (!plan->pipelines[VKMM_PLAN_EDGE].handle || plan->edge.early || (!plan->edge.instead && end < items)) return;
    if (plan->edge.instead) {
        push.first = (uint32_t)(first * all / items);
        push.end = (uint32_t)(end * all / items);
    }
    vkmm_plan_record_barrier(device, command); /* validation cannot know that it stores elsewhere */
    dispatch(device, plan, &plan->pipelines[VKMM_PLAN_EDGE], &push, VKMM_DISPATCH_INSTEAD, plan->edge.info.groups,
             command);
    vkmm_plan_stamp(device, plan, VKMM_PLAN_EDGE, command);
}

void vkmm_plan_record_items(vkmm_device *device, const vkmm_plan *plan, uint64_t first, uint64_t end,
                            VkCommandBuffer command)
{
    vkmm_push push = plan->push;
    uint32_t groups[3] = {plan->info.groups[0], plan->info.groups[1], plan->info.groups[2]};
    if (groups[0] == 0 || first >= end) return;
    if (first == 0)
        vkmm_plan_record_packs(device, plan, 0, command);
    else if (plan->pipelines[VKMM_PLAN_PACKING].handle)
        record_barrier(device, plan, command); /* packed by an earlier command buffer */
    if (plan->modular.moduli > 0) {
        vkmm_modular_record_items(device, plan, first, end, command);
        return;
    }
    if (plan->info.items > 0) {
        push.first = (uint32_t)first;
        push.end = (uint32_t)end;
        if (end - first < groups[0]) groups[0] = (uint32_t)(end - first);
    }
    dispatch(device, plan, &plan->pipelines[VKMM_PLAN_FIRST], &push, VKMM_DISPATCH_FIRST, groups, command);
    vkmm_plan_stamp(device, plan, VKMM_PLAN_FIRST, command);
    record_edge(device, plan, first, end, command);
}

void vkmm_plan_record_nothing(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    static const uint32_t groups[3] = {1, 1, 1};
    vkmm_push push = plan->push;
    push.first = push.end = 0;
    if (plan->info.items > 0)
        vkmm_pipeline_record(device, &plan->pipelines[VKMM_PLAN_FIRST], &push, sizeof push, groups, command);
    if (plan->pipelines[VKMM_PLAN_EDGE].handle)
        vkmm_pipeline_record(device, &plan->pipelines[VKMM_PLAN_EDGE], &push, sizeof push, groups, command);
}

void vkmm_plan_record_barrier(vkmm_device *device, VkCommandBuffer command)
{
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void vkmm_plan_record_reduce(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    const uint32_t groups[3] = {plan->reduce_groups, 1, 1};
    vkmm_push push = plan->push;
    if (!plan->pipelines[VKMM_PLAN_SECOND].handle || plan->info.groups[0] == 0 || plan->modular.moduli > 0) return;
    record_barrier(device, plan, command);
    push.first = 0;
    push.end = plan->reduce_items;
    dispatch(device, plan, &plan->pipelines[VKMM_PLAN_SECOND], &push, VKMM_DISPATCH_SECOND, groups, command);
    vkmm_plan_stamp(device, plan, VKMM_PLAN_SECOND, command);
}

void vkmm_plan_record(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command)
{
    vkmm_plan_record_items(device, plan, 0, vkmm_plan_items(plan), command);
    vkmm_plan_record_reduce(device, plan, command);
}
