/* The general kernels: from a configuration to workgroups and specialization constants. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/general.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/matrices.h"
#include "plan/parts.h"

/* Elements of a stored row of a row-major problem. */
static uint64_t row_length(const vkmm_problem *problem, vkmm_operand operand)
{
    vkmm_op op = operand == VKMM_A ? problem->op_a : operand == VKMM_B ? problem->op_b : VKMM_OP_N;
    return op == VKMM_OP_T ? vkmm_operand_rows(problem, operand) : vkmm_operand_cols(problem, operand);
}

uint32_t vkmm_problem_alignment(const vkmm_problem *problem)
{
    uint32_t vectors[3];
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        vectors[operand] = 16 / vkmm_type_of(vkmm_operand_type(problem, (vkmm_operand)operand))->bytes;
    return vkmm_problem_alignment_to(problem, vectors);
}

uint32_t vkmm_problem_alignment_to(const vkmm_problem *problem, const uint32_t elements[3])
{
    static const uint32_t bits[] = {VKMM_ALIGNED_A, VKMM_ALIGNED_B, VKMM_ALIGNED_C};
    uint32_t aligned = 0;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        const vkmm_operand o = (vkmm_operand)operand;
        const uint32_t vector = elements[operand];
        uint64_t uneven = vkmm_operand_ld(problem, o) % vector + vkmm_operand_offset(problem, o) % vector;
        uneven += vkmm_operand_stride(problem, o) % vector + row_length(problem, o) % vector;
        if (uneven == 0) aligned |= bits[operand];
    }
    return aligned;
}

uint64_t vkmm_config_tiles(const vkmm_problem *problem, const vkmm_config *config)
{
    if (problem->m == 0 || problem->n == 0) return 0;
    return vkmm_divide_up(problem->m, config->values[VKMM_TUNE_ROWS]) *
           vkmm_divide_up(problem->n, config->values[VKMM_TUNE_COLS]) * problem->batch_count;
}

uint32_t vkmm_config_splits(const vkmm_problem *problem, const vkmm_config *config, uint32_t *splits)
{
    const uint64_t depth = config->values[VKMM_TUNE_DEPTH], wanted = config->values[VKMM_TUNE_SPLITS];
    const uint64_t steps = vkmm_divide_up(problem->k, depth), part = wanted > 1 ? vkmm_divide_up(steps, wanted) : steps;
    *splits = part > 0 ? (uint32_t)vkmm_divide_up(steps, part) : 1;
    return (uint32_t)(part * depth < UINT32_MAX ? part * depth : UINT32_MAX);
}

static vkmm_status refuse(const vkmm_log *log, const vkmm_device_info *device, const vkmm_choice *choice,
                          const vkmm_rule *rule)
{
    char text[VKMM_CONFIG_TEXT];
    const vkmm_shape shape = vkmm_shape_of_config(choice->kernel, &choice->problem, &choice->config);
    vkmm_config_text(choice->kernel, &choice->config, text);
    return vkmm_fail(log, VKMM_UNSUPPORTED, "%s with %s needs %llu %s; \"%s\" allows %llu (%s): %s",
                     choice->kernel->name, text, (unsigned long long)rule->need(&shape, device), rule->unit,
                     device->name, (unsigned long long)rule->limit(device), rule->limit_name, rule->reason);
}

/* The planner's configuration, then what the user wishes of it. A tuned one counts as long as it is legal here. */
static vkmm_status configure(const vkmm_log *log, const vkmm_device_info *device, const vkmm_wish *wish,
                             vkmm_choice *choice)
{
    const vkmm_kernel *kernel = choice->kernel;
    vkmm_config *config = &choice->config;
    int tile = wish->tile_rows && wish->tile_cols, own = wish->config || tile;
    *config = vkmm_planned_config(device, &choice->problem, kernel);
    if (wish->tuned && !own && strcmp(wish->tuned->kernel, kernel->name) == 0) {
        vkmm_config tuned = *config;
        choice->info.tuned = vkmm_config_parse(NULL, kernel, wish->tuned->config, &tuned) == VKMM_OK &&
                             !vkmm_config_forbidden_by(kernel, &choice->problem, &tuned, device);
        if (choice->info.tuned) *config = tuned;
    }
    if (tile) {
        config->values[VKMM_TUNE_ROWS] = wish->tile_rows;
        config->values[VKMM_TUNE_COLS] = wish->tile_cols;
    }
    vkmm_status status = wish->config ? vkmm_config_parse(log, kernel, wish->config, config) : VKMM_OK;
    if (status != VKMM_OK) return status;
    vkmm_fit_short_side(&choice->problem, kernel, config);
    const vkmm_rule *rule = vkmm_config_forbidden_by(kernel, &choice->problem, config, device);
    uint32_t shape[3], lanes;
    if (rule && rule->need == vkmm_coopmat_listed && vkmm_coopmat_matrix(kernel, config, shape, &lanes))
        return vkmm_refuse_matrix(log, device, kernel->name, &choice->problem, shape);
    if (rule && rule->need == vkmm_coopmat_lanes && vkmm_coopmat_matrix(kernel, config, shape, &lanes))
        return vkmm_refuse_lanes(log, device, lanes);
    return rule ? refuse(log, device, choice, rule) : VKMM_OK;
}

static void add_constant(vkmm_kernel_info *info, uint32_t id, uint32_t value)
{
    info->spec_ids[info->spec_count] = id;
    info->spec_values[info->spec_count++] = value;
}

/* blocked, skinny and cpu read A and B of any type on any device; what else there is has its own ways. */
static int reads_any_type(const vkmm_kernel *kernel)
{
    return strcmp(kernel->name, "blocked") == 0 || strcmp(kernel->name, "skinny") == 0 ||
           strcmp(kernel->name, "cpu") == 0;
}

static uint32_t alignment_of(const vkmm_choice *choice)
{
    const vkmm_problem *problem = &choice->problem;
    const uint32_t *value = choice->config.values, vector = vkmm_problem_compute(problem) == VKMM_F64 ? 2 : 4;
    uint32_t vectors[3] = {vector, vector, vector};
    if (!reads_any_type(choice->kernel)) return vkmm_problem_alignment(problem);
    if (strcmp(choice->kernel->name, "skinny") != 0) return vkmm_problem_alignment_to(problem, vectors);
    const int tall = value[VKMM_TUNE_ROWS] >= value[VKMM_TUNE_COLS],
              along_k = tall ? problem->op_a == VKMM_OP_N : problem->op_b == VKMM_OP_T;
    const uint32_t side = tall ? value[VKMM_TUNE_ROWS] : value[VKMM_TUNE_COLS],
                   thread_long = value[VKMM_TUNE_THREAD_ROWS];
    const uint32_t thread_depth = value[VKMM_TUNE_DEPTH] / (choice->info.workgroup[0] / (side / thread_long));
    uint32_t *longer = &vectors[tall ? VKMM_A : VKMM_B];
    if (along_k) *longer = 16 / vkmm_type_of(problem->type)->bytes;
    const int whole = (along_k ? thread_depth : thread_long) % *longer == 0;
    const uint32_t aligned = vkmm_problem_alignment_to(problem, vectors);
    return whole ? aligned : aligned & ~(uint32_t)(tall ? VKMM_ALIGNED_A : VKMM_ALIGNED_B);
}

uint32_t vkmm_usable_alignment(const vkmm_choice *choice)
{
    return alignment_of(choice) & ~choice->unaligned;
}

const vkmm_module *vkmm_general_module(const vkmm_device_info *device, const vkmm_problem *problem,
                                       const vkmm_kernel *kernel)
{
    static const uint32_t words[3] = {4, 4, 1};
    const uint32_t both = VKMM_ALIGNED_A | VKMM_ALIGNED_B;
    uint32_t offers = vkmm_device_offers(device);
    const vkmm_module *module;
    /* Dot products are made of whole words of four elements. */
    if ((vkmm_problem_alignment_to(problem, words) & both) != both) offers &= ~(uint32_t)VKMM_NEEDS_DOT8;
    for (uint32_t i = 0;
         (module = vkmm_module_next(kernel->name, problem->type, vkmm_problem_compute(problem), &i)) != NULL;)
        if (!(module->needs & ~offers)) return module;
    return NULL;
}

/* Whether C goes through the workspace: parts of K, or elements of 16 bits that the kernel cannot store one by one
 * (shaders/lib/epilogue.glsl). */
static int needs_workspace(const vkmm_choice *choice)
{
    if (choice->info.splits > 1) return 1;
    const int narrow = vkmm_type_of(vkmm_operand_type(&choice->problem, VKMM_C))->bytes < 4;
    if (strcmp(choice->kernel->name, "coopmat") == 0)
        return narrow && !(vkmm_usable_alignment(choice) & VKMM_ALIGNED_C);
    if (!reads_any_type(choice->kernel) || !narrow) return 0;
    if (choice->module->needs & VKMM_NEEDS_STORAGE16) return 0;
    return strcmp(choice->kernel->name, "blocked") != 0 || !(vkmm_usable_alignment(choice) & VKMM_ALIGNED_C);
}

static void add_epilogue(vkmm_choice *choice)
{
    const vkmm_problem *problem = &choice->problem;
    const vkmm_type out = vkmm_operand_type(problem, VKMM_C);
    if (out == VKMM_F16) add_constant(&choice->info, VKMM_SPEC_OUT, VKMM_OUT_F16);
    if (out == VKMM_BF16) add_constant(&choice->info, VKMM_SPEC_OUT, VKMM_OUT_BF16);
    if (problem->has_bias)
        add_constant(&choice->info, VKMM_SPEC_BIAS, choice->swapped ? VKMM_BIAS_ROWS : VKMM_BIAS_COLS);
    if (problem->activation != VKMM_ACTIVATION_NONE)
        add_constant(&choice->info, VKMM_SPEC_ACTIVATION, problem->activation);
}

static void fill_constants(vkmm_choice *choice, const vkmm_shape *shape)
{
    vkmm_kernel_info *info = &choice->info;
    add_constant(info, VKMM_SPEC_WORKGROUP_X, (uint32_t)shape->x);
    add_constant(info, VKMM_SPEC_WORKGROUP_Y, (uint32_t)shape->y);
    for (int i = 0; i < VKMM_MAX_TUNABLES; i++) {
        const vkmm_tunable *tunable = &choice->kernel->tunables[i];
        if (tunable->name && tunable->spec_id) add_constant(info, tunable->spec_id, choice->config.values[i]);
        if (tunable->name && tunable->also) add_constant(info, tunable->also, choice->config.values[i]);
    }
    add_constant(info, VKMM_SPEC_TRANSPOSE_A, choice->problem.op_a == VKMM_OP_T);
    add_constant(info, VKMM_SPEC_TRANSPOSE_B, choice->problem.op_b == VKMM_OP_T);
    add_constant(info, VKMM_SPEC_ALIGNED, vkmm_usable_alignment(choice));
    add_constant(info, VKMM_SPEC_SPLIT, choice->reduce != NULL);
    add_epilogue(choice);
}

/* The second pass, and the workspace between it and the first. */
static vkmm_status add_reduce(const vkmm_log *log, const vkmm_device_info *device, vkmm_choice *choice)
{
    const vkmm_problem *problem = &choice->problem;
    const vkmm_type scale = vkmm_types_scale(vkmm_problem_types(problem));
    vkmm_kernel_info *info = &choice->info;
    if (!needs_workspace(choice)) return VKMM_OK;
    info->workspace_bytes = problem->m * problem->n * problem->batch_count * info->splits * vkmm_type_of(scale)->bytes;
    if (info->workspace_bytes > device->max_storage_range && info->splits == 1)
        return vkmm_fail(
            log, VKMM_UNSUPPORTED,
            "C of %s is made from a workspace of %llu bytes, since \"%s\" cannot store 16 bits; it binds at most %llu "
            "(maxStorageBufferRange)",
            vkmm_type_of(vkmm_operand_type(problem, VKMM_C))->name, (unsigned long long)info->workspace_bytes,
            device->name, (unsigned long long)device->max_storage_range);
    if (info->workspace_bytes > device->max_storage_range)
        return vkmm_fail(
            log, VKMM_UNSUPPORTED,
            "%u parts of K need a workspace of %llu bytes; \"%s\" binds at most %llu (maxStorageBufferRange)",
            info->splits, (unsigned long long)info->workspace_bytes, device->name,
            (unsigned long long)device->max_storage_range);
    choice->reduce = vkmm_module_find("reduce", scale, VKMM_BUILD_PLAIN);
    if (!choice->reduce)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "this build has no reduce shader for %s", vkmm_type_of(scale)->name);
    return VKMM_OK;
}

static vkmm_status count_work(const vkmm_log *log, const vkmm_device_info *device, vkmm_choice *choice)
{
    vkmm_kernel_info *info = &choice->info;
    const vkmm_problem *problem = &choice->problem;
    choice->split_depth = vkmm_config_splits(problem, &choice->config, &info->splits);
    info->items = vkmm_config_tiles(problem, &choice->config) * info->splits;
    if (info->items > INT32_MAX)
        return vkmm_fail(log, VKMM_UNSUPPORTED,
                         "the product makes %llu work items; %d are the most: take larger tiles or fewer parts of K",
                         (unsigned long long)info->items, INT32_MAX);
    info->groups[0] =
        (uint32_t)(info->items < device->max_workgroup_count[0] ? info->items : device->max_workgroup_count[0]);
    info->groups[1] = info->groups[2] = info->items > 0 ? 1 : 0;
    return VKMM_OK;
}

/* The shader of a matrix shape is a module of its own. */
static void choose_matrix(const vkmm_device_info *device, vkmm_choice *choice)
{
    uint32_t lanes;
    const int asks =
        device->subgroup_size >= device->min_subgroup_size && device->subgroup_size <= device->max_subgroup_size;
    if (vkmm_coopmat2_by_subgroup(choice->kernel, &choice->config) && asks)
        choice->info.subgroup_size = device->subgroup_size;
    if (!vkmm_coopmat_matrix(choice->kernel, &choice->config, choice->info.matrix, &lanes)) return;
    choice->info.subgroup_size = device->max_subgroup_size > 0 ? lanes : 0;
    choice->module = vkmm_module_for(choice->kernel->name, &choice->problem, device, choice->info.matrix);
}

vkmm_status vkmm_choose_general(const vkmm_log *log, const vkmm_device_info *device, const vkmm_wish *wish,
                                vkmm_choice *choice)
{
    vkmm_kernel_info *info = &choice->info;
    snprintf(info->name, sizeof info->name, "%s", choice->kernel->name);
    vkmm_status status = configure(log, device, wish, choice);
    if (status == VKMM_OK) status = count_work(log, device, choice);
    if (status != VKMM_OK) return status;
    const vkmm_shape shape = vkmm_shape_of_config(choice->kernel, &choice->problem, &choice->config);
    vkmm_config_text(choice->kernel, &choice->config, info->config);
    info->tile[0] = choice->config.values[VKMM_TUNE_ROWS];
    info->tile[1] = choice->config.values[VKMM_TUNE_COLS];
    info->workgroup[0] = (uint32_t)shape.x;
    info->workgroup[1] = (uint32_t)shape.y;
    info->workgroup[2] = 1;
    info->shared_bytes = (uint32_t)shape.shared_bytes;
    choose_matrix(device, choice);
    info->uses_dot8 = choice->module && (choice->module->needs & VKMM_NEEDS_DOT8);
    status = add_reduce(log, device, choice);
    if (status == VKMM_OK) fill_constants(choice, &shape);
    return status;
}
