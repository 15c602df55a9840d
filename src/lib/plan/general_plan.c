/* The general kernels: from a configuration to workgroups and specialization constants. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/method.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/recipe.h"
#include "plan/parts.h"

uint64_t vkmm_config_tiles(const vkmm_problem *problem, const vkmm_config *config)
{
    if (problem->m == 0 || problem->n == 0) return 0;
    return vkmm_divide_up(problem->m, config->values[VKMM_TUNE_ROWS]) *
           vkmm_divide_up(problem->n, config->values[VKMM_TUNE_COLS]) * problem->batch_count;
}

uint64_t vkmm_whole_tiles(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_config *config)
{
    const uint64_t tiles = vkmm_config_tiles(problem, config), round = (uint64_t)vkmm_device_processors(device);
    if (config->values[VKMM_TUNE_TAIL] <= 1 || tiles % round == 0) return 0;
    const uint64_t across = vkmm_divide_up(problem->n, config->values[VKMM_TUNE_COLS]);
    return tiles / round * round / across * across;
}

uint32_t vkmm_config_splits(const vkmm_problem *problem, const vkmm_config *config, uint32_t *splits)
{
    const uint64_t depth = config->values[VKMM_TUNE_DEPTH], wanted = config->values[VKMM_TUNE_SPLITS];
    const uint64_t steps = vkmm_divide_up(problem->k, depth), part = wanted > 1 ? vkmm_divide_up(steps, wanted) : steps;
    *splits = part > 0 ? (uint32_t)vkmm_divide_up(steps, part) : 1;
    return (uint32_t)(part * depth < UINT32_MAX ? part * depth : UINT32_MAX);
}

static vkmm_status refuse(const vkmm_shape *shape, const vkmm_rule *rule)
{
    char text[VKMM_CONFIG_TEXT];
    if (rule->refuse) return rule->refuse(shape);
    const unsigned long long limit = vkmm_rule_limit(rule, shape->device);
    vkmm_config_text(shape->kernel, shape->config, text);
    if (limit == 0) return vkmm_fail(VKMM_UNSUPPORTED, "%s with %s: %s", shape->kernel->name, text, rule->reason);
    return vkmm_fail(VKMM_UNSUPPORTED, "%s with %s needs %llu %s; \"%s\" allows %llu (%s): %s", shape->kernel->name,
                     text, (unsigned long long)rule->need(shape), rule->unit, shape->device->name, limit,
                     rule->limit_name, rule->reason);
}

/* The planner's configuration, with the user's settings. A tuned one is used if it is legal here. */
static vkmm_status configure(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice,
                             vkmm_shape *shape)
{
    const vkmm_kernel *kernel = choice->kernel;
    vkmm_config *config = &choice->config;
    int tile = wish->tile_rows && wish->tile_cols, own = wish->config || tile;
    *config = vkmm_planned_config(device, &choice->problem, kernel);
    if (wish->tuned && !own && strcmp(wish->tuned->kernel, kernel->name) == 0) {
        vkmm_config tuned = *config;
        choice->info.tuned = vkmm_config_parse(kernel, wish->tuned->config, &tuned) == VKMM_OK &&
                             !vkmm_config_forbidden_by(kernel, &choice->problem, &tuned, device);
        if (choice->info.tuned) *config = tuned;
    }
    if (tile) {
        config->values[VKMM_TUNE_ROWS] = wish->tile_rows;
        config->values[VKMM_TUNE_COLS] = wish->tile_cols;
    }
    vkmm_status status = wish->config ? vkmm_config_parse(kernel, wish->config, config) : VKMM_OK;
    if (status != VKMM_OK) return status;
    if (kernel->fit) kernel->fit(&choice->problem, config);
    *shape = vkmm_shape_of_config(device, kernel, &choice->problem, config);
    const vkmm_rule *rule = vkmm_shape_forbidden_by(shape);
    return rule ? refuse(shape, rule) : VKMM_OK;
}

void vkmm_info_constant(vkmm_kernel_info *info, uint32_t id, uint32_t value)
{
    info->spec_ids[info->spec_count] = id;
    info->spec_values[info->spec_count++] = value;
}

uint32_t vkmm_usable_alignment(const vkmm_choice *choice)
{
    const vkmm_kernel *kernel = choice->kernel;
    uint32_t aligned = kernel->alignment ? kernel->alignment(&choice->problem, &choice->config)
                                         : vkmm_problem_alignment(&choice->problem);
    if (kernel->reads_padding && choice->packs[VKMM_A].bytes > 0) aligned |= VKMM_ALIGNED_A;
    if (kernel->reads_padding && choice->packs[VKMM_B].bytes > 0) aligned |= VKMM_ALIGNED_B;
    return aligned & ~choice->terms.unaligned;
}

/* Whether C goes through the workspace: parts of K, sums that a method finishes, or elements of 16 bits that the kernel
 * cannot store one by one (shaders/lib/store.glsl). */
static int needs_workspace(const vkmm_choice *choice)
{
    if (choice->info.splits > 1 || choice->terms.scalars_in_memory) return 1;
    if (choice->method && vkmm_method_at(choice->method->method)->finishes) return 1;
    if (vkmm_type_of(vkmm_operand_type(&choice->problem, VKMM_C))->bytes >= 4) return 0;
    if (choice->module->needs & VKMM_NEEDS_STORAGE16) return 0;
    return !choice->kernel->stores_words || !(vkmm_usable_alignment(choice) & VKMM_ALIGNED_C);
}

uint32_t vkmm_stored_as(vkmm_type type)
{
    return type == VKMM_F16 ? VKMM_OUT_F16 : type == VKMM_BF16 ? VKMM_OUT_BF16 : VKMM_OUT_SCALE;
}

static void add_epilogue(vkmm_choice *choice)
{
    const vkmm_problem *problem = &choice->problem;
    const vkmm_type out = vkmm_operand_type(problem, VKMM_C);
    if (vkmm_stored_as(out) != VKMM_OUT_SCALE) vkmm_info_constant(&choice->info, VKMM_SPEC_OUT, vkmm_stored_as(out));
    if (problem->has_bias)
        vkmm_info_constant(&choice->info, VKMM_SPEC_BIAS, choice->swapped ? VKMM_BIAS_ROWS : VKMM_BIAS_COLS);
    if (problem->activation != VKMM_ACTIVATION_NONE)
        vkmm_info_constant(&choice->info, VKMM_SPEC_ACTIVATION, problem->activation);
}

static void fill_constants(vkmm_choice *choice, const vkmm_shape *shape)
{
    vkmm_kernel_info *info = &choice->info;
    const vkmm_type_info *type = vkmm_type_of(choice->problem.type);
    vkmm_info_constant(info, VKMM_SPEC_WORKGROUP_X, (uint32_t)shape->x);
    vkmm_info_constant(info, VKMM_SPEC_WORKGROUP_Y, (uint32_t)shape->y);
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++) {
        const vkmm_tunable *tunable = &choice->kernel->tunables[i];
        if (tunable->name && tunable->spec_id) vkmm_info_constant(info, tunable->spec_id, choice->config.values[i]);
        if (tunable->name && tunable->also) vkmm_info_constant(info, tunable->also, choice->config.values[i]);
    }
    vkmm_info_constant(info, VKMM_SPEC_TRANSPOSE_A, choice->problem.op_a == VKMM_OP_T);
    vkmm_info_constant(info, VKMM_SPEC_TRANSPOSE_B, choice->problem.op_b == VKMM_OP_T);
    vkmm_info_constant(info, VKMM_SPEC_ALIGNED, vkmm_usable_alignment(choice));
    vkmm_info_constant(info, VKMM_SPEC_SPLIT, choice->reduce != NULL);
    if (type->is_float && type->bytes == 1)
        vkmm_info_constant(info, VKMM_SPEC_FRACTION, (uint32_t)type->narrow.fraction_bits);
    if (vkmm_problem_has_blocks(&choice->problem)) {
        const vkmm_problem *p = &choice->problem;
        vkmm_info_constant(info, VKMM_SPEC_FORMAT, vkmm_problem_format(p));
        vkmm_info_constant(info, VKMM_SPEC_PLAIN, vkmm_stored_as(p->type));
        vkmm_info_constant(info, VKMM_SPEC_WHICH, p->format_b != VKMM_PLAIN);
    }
    add_epilogue(choice);
}

/* The second pass, and the workspace between it and the first. */
static vkmm_status add_reduce(const vkmm_device_info *device, vkmm_choice *choice)
{
    const vkmm_problem *problem = &choice->problem;
    const vkmm_type scale = vkmm_types_scale(vkmm_problem_types(problem));
    vkmm_kernel_info *info = &choice->info;
    if (!needs_workspace(choice)) return VKMM_OK;
    info->workspace_bytes =
        (problem->m - info->whole_rows) * problem->n * problem->batch_count * info->splits * vkmm_type_of(scale)->bytes;
    const unsigned long long bytes = info->workspace_bytes, most = device->limits.max_storage_range;
    if (bytes > most && info->splits == 1)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "C in %s needs a workspace of %llu bytes, because \"%s\" cannot store 16 bits; it binds at "
                         "most %llu (maxStorageBufferRange)",
                         vkmm_type_of(vkmm_operand_type(problem, VKMM_C))->name, bytes, device->name, most);
    if (bytes > most)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "%u parts of K need a workspace of %llu bytes; \"%s\" binds at most %llu "
                         "(maxStorageBufferRange)",
                         info->splits, bytes, device->name, most);
    const vkmm_problem sums = VKMM_PROBLEM(.type = scale);
    choice->reduce = vkmm_module_for("reduce", &sums, device, NULL);
    if (!choice->reduce)
        return vkmm_fail(VKMM_UNSUPPORTED, "this build has no reduce shader for %s", vkmm_type_of(scale)->name);
    return VKMM_OK;
}

static vkmm_status count_work(const vkmm_device_info *device, vkmm_choice *choice)
{
    vkmm_kernel_info *info = &choice->info;
    const vkmm_problem *problem = &choice->problem;
    vkmm_config parts = choice->config;
    const uint64_t tiles = vkmm_config_tiles(problem, &parts), whole = vkmm_whole_tiles(device, problem, &parts);
    if (parts.values[VKMM_TUNE_TAIL] > 1 && whole < tiles)
        parts.values[VKMM_TUNE_SPLITS] = parts.values[VKMM_TUNE_TAIL];
    choice->split_depth = vkmm_config_splits(problem, &parts, &info->splits);
    info->items = whole + (tiles - whole) * info->splits;
    info->whole_rows = whole == 0 || info->splits == 1
                           ? 0
                           : (uint32_t)(whole * parts.values[VKMM_TUNE_ROWS] /
                                        vkmm_divide_up(problem->n, parts.values[VKMM_TUNE_COLS]));
    if (info->items > INT32_MAX)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "the product makes %llu work items; the limit is %d: use larger tiles or fewer parts of K",
                         (unsigned long long)info->items, INT32_MAX);
    info->groups[0] =
        (uint32_t)(info->items < device->limits.max_workgroup_count[0] ? info->items
                                                                       : device->limits.max_workgroup_count[0]);
    info->groups[1] = info->groups[2] = info->items > 0 ? 1 : 0;
    return VKMM_OK;
}

/* All but packed operands and the edge. */
static vkmm_status choose(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_kernel_info *info = &choice->info;
    vkmm_shape shape;
    VKMM_PUT(info->name, "%s", choice->kernel->name);
    vkmm_status status = configure(device, wish, choice, &shape);
    if (status == VKMM_OK) status = count_work(device, choice);
    if (status != VKMM_OK) return status;
    vkmm_config_text(choice->kernel, &choice->config, info->config);
    info->tile[0] = choice->config.values[VKMM_TUNE_ROWS];
    info->tile[1] = choice->config.values[VKMM_TUNE_COLS];
    info->workgroup[0] = (uint32_t)shape.x;
    info->workgroup[1] = (uint32_t)shape.y;
    info->workgroup[2] = 1;
    info->shared_bytes = (uint32_t)shape.shared_bytes;
    info->subgroup_size = shape.subgroup_size;
    memcpy(info->matrix, shape.matrix, sizeof info->matrix);
    if (info->matrix[0] > 0) /* each shape has its own module */
        choice->module = vkmm_module_for(choice->kernel->name, &choice->problem, device, info->matrix);
    if (!choice->module) return vkmm_refuse_module(device, choice->kernel->name, &choice->problem);
    info->uses_dot8 = (choice->module->needs & VKMM_NEEDS_DOT8) != 0;
    info->uses_matrices = (choice->module->needs & VKMM_NEEDS_MATRIX) != 0;
    status = add_reduce(device, choice);
    if (status == VKMM_OK) fill_constants(choice, &shape);
    return status;
}

/* The problem of the last rows or columns, of which one is not 0. */
static vkmm_problem edge_of(const vkmm_problem *whole, uint64_t rows, uint64_t cols)
{
    vkmm_problem p = *whole;
    if (rows > 0) p.m = rows;
    if (cols > 0) p.n = cols;
    p.offset_a += (whole->m - p.m) * (p.op_a == VKMM_OP_N ? p.lda : 1);
    p.offset_b += (whole->n - p.n) * (p.op_b == VKMM_OP_N ? 1 : p.ldb);
    p.offset_c += (whole->m - p.m) * p.ldc + whole->n - p.n;
    return p;
}

/* The kernel and configuration of the edge of a problem: 1; or 0 if nothing suits. */
static int choose_edge(const vkmm_device_info *device, const vkmm_choice *of, const vkmm_problem *problem,
                       vkmm_choice *edge)
{
    static const vkmm_wish alone = {.config = "splits=1"};
    *edge = *of;
    edge->info = (vkmm_kernel_info){0};
    edge->problem = *problem;
    edge->kernel = vkmm_planned_kernel(device, problem, vkmm_refused_kernels(device, problem->type));
    edge->module = edge->kernel ? vkmm_module_for(edge->kernel->name, problem, device, NULL) : NULL;
    return edge->module && choose(device, &alone, edge) == VKMM_OK && !edge->reduce;
}

/* Whether blocks are unpacked before the product. */
static int unpacks(const vkmm_choice *choice)
{
    return choice->packs[VKMM_A].format != VKMM_PLAIN || choice->packs[VKMM_B].format != VKMM_PLAIN;
}

/* Leaves the last rows or columns to another dispatch if that saves time and needs no workspace. The bias is bound in
 * the workspace's place, and begins with the first column. If its kernel reads operands as they lie as fast, with
 * several workgroups for each processor, it does so while they are packed. */
static void leave_edge(const vkmm_device_info *device, const vkmm_problem *as_it_lies, vkmm_choice *choice)
{
    uint64_t rows, cols;
    if (choice->terms.in_one || choice->reduce || choice->problem.has_bias || choice->problem.k == 0 ||
        !vkmm_planned_edge(device, &choice->problem, choice->kernel, &choice->config, &rows, &cols))
        return;
    vkmm_choice edge, rest = *choice, bare = *choice;
    memset(bare.packs, 0, sizeof bare.packs);
    const vkmm_problem lying = edge_of(as_it_lies, rows, cols), packed = edge_of(&choice->problem, rows, cols);
    const int packs = choice->packs[VKMM_A].bytes > 0 || choice->packs[VKMM_B].bytes > 0;
    const int early = packs && !unpacks(choice) && choose_edge(device, &bare, &lying, &edge) &&
                      edge.kernel->slow.unaligned[VKMM_A] == 0 && edge.info.items >= 3 * (uint64_t)device->processors;
    if (!early && !choose_edge(device, choice, &packed, &edge)) return;
    rest.problem.m -= rows;
    rest.problem.n -= cols;
    if (count_work(device, &rest) != VKMM_OK) return;
    rest.edge = (vkmm_edge){edge.module, edge.info, edge.problem, 0, early};
    *choice = rest;
}

static vkmm_status choose_all(const vkmm_device_info *device, const vkmm_wish *wish, const vkmm_problem *as_it_lies,
                              vkmm_choice *choice)
{
    const vkmm_status status = choose(device, wish, choice);
    if (status == VKMM_OK) leave_edge(device, as_it_lies, choice);
    return status;
}

vkmm_status vkmm_choose_general(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    const vkmm_choice as_it_lies = *choice;
    const int packed = choice->packs[VKMM_A].bytes > 0, /* by a method */
        asked = packed || unpacks(choice) || (wish->pack & (VKMM_PACK_A | VKMM_PACK_B)) != 0;
    if (!packed && !vkmm_choose_packs(device, wish, choice))
        return choose_all(device, wish, &as_it_lies.problem, choice);
    choice->module = vkmm_module_for(choice->kernel->name, &choice->problem, device, NULL);
    const vkmm_status status = choose_all(device, wish, &as_it_lies.problem, choice);
    if (status == VKMM_OK && vkmm_place_packs(device, choice)) return status;
    if (asked && status != VKMM_OK) return status;
    if (asked)
        return vkmm_fail(
            VKMM_UNSUPPORTED,
            "packed operands do not fit on \"%s\": it binds at most %llu bytes (maxStorageBufferRange) and "
            "dispatches at most %u×%u workgroups (maxComputeWorkGroupCount)",
            device->name, (unsigned long long)device->limits.max_storage_range, device->limits.max_workgroup_count[1],
            device->limits.max_workgroup_count[2]);
    *choice = as_it_lies;
    return choose_all(device, wish, &as_it_lies.problem, choice);
}
