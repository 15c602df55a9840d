/* The general kernels: from a configuration to workgroups and specialization constants. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/parts.h"

/* Elements of a stored row of a row-major problem. */
static uint64_t row_length(const vkmm_problem *problem, vkmm_operand operand)
{
    vkmm_op op = operand == VKMM_A ? problem->op_a : operand == VKMM_B ? problem->op_b : VKMM_OP_N;
    return op == VKMM_OP_T ? vkmm_operand_rows(problem, operand) : vkmm_operand_cols(problem, operand);
}

uint32_t vkmm_problem_alignment(const vkmm_problem *problem)
{
    static const uint32_t bits[] = {VKMM_ALIGNED_A, VKMM_ALIGNED_B, VKMM_ALIGNED_C};
    const uint32_t vector = 16 / vkmm_type_of(problem->type)->bytes;
    uint32_t aligned = 0;
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        const vkmm_operand o = (vkmm_operand)operand;
        uint64_t uneven = vkmm_operand_ld(problem, o) % vector + vkmm_operand_offset(problem, o) % vector;
        uneven += vkmm_operand_stride(problem, o) % vector + row_length(problem, o) % vector;
        if (uneven == 0) aligned |= bits[operand];
    }
    return aligned;
}

uint64_t vkmm_config_tiles(const vkmm_problem *problem, const vkmm_config *config)
{
    if (problem->m == 0 || problem->n == 0) return 0;
    return vkmm_divide_up(problem->m, config->values[VKMM_TUNE_ROWS]) * vkmm_divide_up(problem->n, config->values[VKMM_TUNE_COLS]) *
           problem->batch_count;
}

uint32_t vkmm_config_splits(const vkmm_problem *problem, const vkmm_config *config, uint32_t *splits)
{
    const uint64_t depth = config->values[VKMM_TUNE_DEPTH], wanted = config->values[VKMM_TUNE_SPLITS];
    const uint64_t steps = vkmm_divide_up(problem->k, depth), part = wanted > 1 ? vkmm_divide_up(steps, wanted) : steps;
    *splits = part > 0 ? (uint32_t)vkmm_divide_up(steps, part) : 1;
    return (uint32_t)(part * depth < UINT32_MAX ? part * depth : UINT32_MAX);
}

static vkmm_status refuse(const vkmm_log *log, const vkmm_device_info *device, const vkmm_choice *choice, const vkmm_rule *rule)
{
    char text[VKMM_CONFIG_TEXT];
    const vkmm_shape shape = vkmm_shape_of_config(choice->kernel, choice->problem.type, &choice->config);
    vkmm_config_text(choice->kernel, &choice->config, text);
    return vkmm_fail(log, VKMM_UNSUPPORTED, "%s with %s needs %llu %s; \"%s\" allows %llu (%s): %s", choice->kernel->name, text,
                     (unsigned long long)rule->need(&shape, device), rule->unit, device->name, (unsigned long long)rule->limit(device),
                     rule->limit_name, rule->reason);
}

/* The planner's configuration, then what the user wishes of it. A tuned one counts as long as it is legal here. */
static vkmm_status configure(const vkmm_log *log, const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    const vkmm_kernel *kernel = choice->kernel;
    vkmm_config *config = &choice->config;
    int tile = wish->tile_rows && wish->tile_cols, own = wish->config || tile;
    *config = vkmm_planned_config(device, &choice->problem, kernel);
    if (wish->tuned && !own && strcmp(wish->tuned->kernel, kernel->name) == 0) {
        vkmm_config tuned = *config;
        choice->info.tuned = vkmm_config_parse(NULL, kernel, wish->tuned->config, &tuned) == VKMM_OK &&
                             !vkmm_config_forbidden_by(kernel, choice->problem.type, &tuned, device);
        if (choice->info.tuned) *config = tuned;
    }
    if (tile) {
        config->values[VKMM_TUNE_ROWS] = wish->tile_rows;
        config->values[VKMM_TUNE_COLS] = wish->tile_cols;
    }
    vkmm_status status = wish->config ? vkmm_config_parse(log, kernel, wish->config, config) : VKMM_OK;
    if (status != VKMM_OK) return status;
    vkmm_fit_short_side(&choice->problem, kernel, config);
    const vkmm_rule *rule = vkmm_config_forbidden_by(kernel, choice->problem.type, config, device);
    return rule ? refuse(log, device, choice, rule) : VKMM_OK;
}

static void add_constant(vkmm_kernel_info *info, uint32_t id, uint32_t value)
{
    info->spec_ids[info->spec_count] = id;
    info->spec_values[info->spec_count++] = value;
}

/* skinny.comp reads its long operand in vectors only where an invocation takes whole ones. */
static uint32_t usable_alignment(const vkmm_choice *choice)
{
    const uint32_t *value = choice->config.values, vector = 16 / vkmm_type_of(choice->problem.type)->bytes;
    const uint32_t aligned = vkmm_problem_alignment(&choice->problem);
    if (strcmp(choice->kernel->name, "skinny") != 0) return aligned;
    int tall = value[VKMM_TUNE_ROWS] >= value[VKMM_TUNE_COLS];
    const uint32_t side = tall ? value[VKMM_TUNE_ROWS] : value[VKMM_TUNE_COLS], thread_long = value[VKMM_TUNE_THREAD_ROWS];
    const uint32_t thread_depth = value[VKMM_TUNE_DEPTH] / (choice->info.workgroup[0] / (side / thread_long));
    int along_k = tall ? choice->problem.op_a == VKMM_OP_N : choice->problem.op_b == VKMM_OP_T;
    int whole = (along_k ? thread_depth : thread_long) % vector == 0;
    return whole ? aligned : aligned & ~(uint32_t)(tall ? VKMM_ALIGNED_A : VKMM_ALIGNED_B);
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
    add_constant(info, VKMM_SPEC_ALIGNED, usable_alignment(choice));
    add_constant(info, VKMM_SPEC_SPLIT, info->splits > 1);
}

static vkmm_status count_work(const vkmm_log *log, const vkmm_device_info *device, vkmm_choice *choice)
{
    vkmm_kernel_info *info = &choice->info;
    const vkmm_problem *problem = &choice->problem;
    const uint64_t matrices = problem->m * problem->n * problem->batch_count, bytes = vkmm_type_of(problem->type)->bytes;
    choice->split_depth = vkmm_config_splits(problem, &choice->config, &info->splits);
    info->items = vkmm_config_tiles(problem, &choice->config) * info->splits;
    info->workspace_bytes = info->splits > 1 ? matrices * info->splits * bytes : 0;
    if (info->workspace_bytes > device->max_storage_range)
        return vkmm_fail(log, VKMM_UNSUPPORTED,
                         "%u parts of K need a workspace of %llu bytes; \"%s\" binds at most %llu (maxStorageBufferRange)", info->splits,
                         (unsigned long long)info->workspace_bytes, device->name, (unsigned long long)device->max_storage_range);
    if (info->items > INT32_MAX)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "the product makes %llu work items; %d are the most: take larger tiles or fewer parts of K",
                         (unsigned long long)info->items, INT32_MAX);
    info->groups[0] = (uint32_t)(info->items < device->max_workgroup_count[0] ? info->items : device->max_workgroup_count[0]);
    info->groups[1] = info->groups[2] = info->items > 0 ? 1 : 0;
    return VKMM_OK;
}

vkmm_status vkmm_choose_general(const vkmm_log *log, const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    vkmm_kernel_info *info = &choice->info;
    snprintf(info->name, sizeof info->name, "%s", choice->kernel->name);
    vkmm_status status = configure(log, device, wish, choice);
    if (status == VKMM_OK) status = count_work(log, device, choice);
    if (status != VKMM_OK) return status;
    const vkmm_shape shape = vkmm_shape_of_config(choice->kernel, choice->problem.type, &choice->config);
    vkmm_config_text(choice->kernel, &choice->config, info->config);
    info->tile[0] = choice->config.values[VKMM_TUNE_ROWS];
    info->tile[1] = choice->config.values[VKMM_TUNE_COLS];
    info->workgroup[0] = (uint32_t)shape.x;
    info->workgroup[1] = (uint32_t)shape.y;
    info->workgroup[2] = 1;
    info->shared_bytes = (uint32_t)shape.shared_bytes;
    fill_constants(choice, &shape);
    if (info->splits > 1) choice->reduce = vkmm_module_find("reduce", choice->problem.type, VKMM_BUILD_PLAIN);
    if (info->splits > 1 && !choice->reduce)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "this build has no reduce shader for %s", vkmm_type_of(choice->problem.type)->name);
    return VKMM_OK;
}
