/* The tutorials' kernels: one tile, distributed over C in each kernel's way. */
#include <stdio.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "plan/parts.h"

static vkmm_status choose_tile(const vkmm_device_info *device, vkmm_type type, const vkmm_wish *wish,
                               const vkmm_kernel *kernel, vkmm_tile *tile)
{
    vkmm_tile preset = {kernel->default_rows, kernel->default_cols};
    int wished = wish->tile_rows && wish->tile_cols;
    *tile = wished ? (vkmm_tile){wish->tile_rows, wish->tile_cols} : vkmm_tile_nearest(kernel, type, preset, device);
    const vkmm_rule *rule = vkmm_tile_forbidden_by(kernel, type, *tile, device);
    if (!rule) return VKMM_OK;
    const vkmm_shape shape = vkmm_shape_of_tile(device, kernel, type, *tile);
    vkmm_tile near = vkmm_tile_nearest(kernel, type, *tile, device);
    return vkmm_fail(VKMM_UNSUPPORTED, "tile %ux%u needs %llu %s; \"%s\" allows %llu (%s); nearest legal: %ux%u",
                     tile->rows, tile->cols, (unsigned long long)rule->need(&shape), rule->unit, device->name,
                     (unsigned long long)vkmm_rule_limit(rule, device), rule->limit_name, near.rows, near.cols);
}

/* How many workgroups the problem has along x and y, without limits. */
static void count_groups(const vkmm_kernel *kernel, const vkmm_problem *problem, vkmm_tile tile, uint64_t groups[2])
{
    int empty = problem->m == 0 || problem->n == 0;
    groups[0] = groups[1] = empty ? 0 : 1;
    if (empty) return;
    switch (kernel->spread) {
    case VKMM_SPREAD_LINEAR:
        groups[0] = vkmm_divide_up(problem->m * problem->n, (uint64_t)tile.rows * tile.cols);
        break;
    case VKMM_SPREAD_GRID:
        groups[0] = vkmm_divide_up(problem->n, tile.cols);
        groups[1] = vkmm_divide_up(problem->m, tile.rows);
        break;
    case VKMM_SPREAD_BAND:
        groups[0] = vkmm_divide_up(problem->m, tile.rows);
        break;
    case VKMM_SPREAD_HOST:
    case VKMM_SPREAD_ITEMS:
        break;
    }
}

static void fill_info(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile, vkmm_kernel_info *info)
{
    int linear = kernel->spread == VKMM_SPREAD_LINEAR;
    const vkmm_tile blocks = vkmm_tile_blocks(kernel, tile);
    VKMM_PUT(info->name, "%s", kernel->name);
    info->tile[0] = linear ? 1 : tile.rows;
    info->tile[1] = linear ? tile.rows * tile.cols : tile.cols;
    info->workgroup[0] = linear ? tile.rows * tile.cols : blocks.cols;
    info->workgroup[1] = linear ? 1 : blocks.rows;
    info->workgroup[2] = 1;
    info->shared_bytes = (uint32_t)vkmm_tile_shared_bytes(kernel, type, tile);
    if (kernel->spread == VKMM_SPREAD_HOST) return;
    const uint32_t values[VKMM_SPEC_PLAIN_COUNT] = {
        [VKMM_SPEC_WORKGROUP_X] = info->workgroup[0],
        [VKMM_SPEC_WORKGROUP_Y] = info->workgroup[1],
        [VKMM_SPEC_ROWS] = info->tile[0],
        [VKMM_SPEC_COLS] = info->tile[1],
        [VKMM_SPEC_DEPTH] = vkmm_tile_depth(kernel, tile),
    };
    for (uint32_t id = 0; id < VKMM_SPEC_PLAIN_COUNT; id++) vkmm_info_constant(info, id, values[id]);
    const uint32_t own[][2] = {{VKMM_SPEC_BLOCK_ROWS, kernel->block[0]},
                               {VKMM_SPEC_BLOCK_COLS, kernel->block[1]},
                               {VKMM_SPEC_PAD, kernel->pad},
                               {VKMM_SPEC_SWIZZLE, kernel->swizzle > 0 ? kernel->swizzle : 1}};
    for (size_t i = 0; kernel->block[0] > 0 && i < VKMM_COUNT(own); i++) vkmm_info_constant(info, own[i][0], own[i][1]);
}

/* The built-in kernels loop over what a dispatch cannot reach; a user's shader need not. */
static vkmm_status fit_groups(const vkmm_device_info *device, const vkmm_wish *wish, const uint64_t groups[2],
                              vkmm_kernel_info *info)
{
    for (int axis = 0; axis < 2; axis++) {
        uint64_t limit = device->limits.max_workgroup_count[axis];
        if (wish->shader && groups[axis] > limit)
            return vkmm_fail(
                VKMM_UNSUPPORTED,
                "%llu workgroups along %c; \"%s\" allows %llu (maxComputeWorkGroupCount[%d]); use a larger tile",
                (unsigned long long)groups[axis], "xy"[axis], device -> name, (unsigned long long)limit, axis);
        info->groups[axis] = (uint32_t)(groups[axis] < limit ? groups[axis] : limit);
    }
    info->groups[2] = groups[0] ? 1 : 0;
    return VKMM_OK;
}

vkmm_status vkmm_choose_tutorial(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice)
{
    const vkmm_problem *problem = &choice->problem;
    vkmm_tile tile = {1, 1};
    uint64_t groups[2];
    if (choice->kernel->spread == VKMM_SPREAD_HOST) {
        fill_info(choice->kernel, problem->type, tile, &choice->info);
        return VKMM_OK;
    }
    vkmm_status status = choose_tile(device, problem->type, wish, choice->kernel, &tile);
    if (status != VKMM_OK) return status;
    count_groups(choice->kernel, problem, tile, groups);
    fill_info(choice->kernel, problem->type, tile, &choice->info);
    return fit_groups(device, wish, groups, &choice->info);
}
