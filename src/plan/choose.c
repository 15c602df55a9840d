#include "plan/choose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/user.h"
#include "math/problem.h"
#include "math/type.h"

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

/* Every matrix is one binding, and a binding sees maxStorageBufferRange bytes at most. */
static vkmm_status check_ranges(const vkmm_log *log, const vkmm_device_info *device, const vkmm_problem *problem)
{
    static const char names[] = "ABC";
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        uint64_t bytes = vkmm_operand_bytes(problem, (vkmm_operand)operand);
        if (bytes <= device->max_storage_range) continue;
        const vkmm_type_info *type = vkmm_type_of(problem->type);
        uint64_t side = (uint64_t)sqrt((double)(device->max_storage_range / type->bytes));
        return vkmm_fail(log, VKMM_UNSUPPORTED,
                         "%c needs %llu bytes; \"%s\" binds at most %llu (maxStorageBufferRange); the largest %s square is %llu",
                         names[operand], (unsigned long long)bytes, device->name, (unsigned long long)device->max_storage_range, type->name,
                         (unsigned long long)side);
    }
    return VKMM_OK;
}

static vkmm_status check_type(const vkmm_log *log, const vkmm_device_info *device, const vkmm_problem *problem)
{
    if (problem->type == VKMM_F64 && !device->has_f64)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "\"%s\" has no 64-bit floats (shaderFloat64); types i32, u32 and f32 work there",
                         device->name);
    return VKMM_OK;
}

/* Without measurements of the device at hand: shared memory pays on GPUs. Where a driver runs shaders on the processor, all memory is
 * cached anyway and every barrier costs a switch between all invocations: 1024³ in f32 took 1.7 s grouped and 4.8 s tiled on Mesa
 * 22.3's lavapipe with two cores. But that driver leaves a shader's loops after 65,535 rounds, and so finishes a longer K only in tiles. */
static const char *auto_kernel(const vkmm_device_info *device, const vkmm_problem *problem)
{
    int processor = device && device->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    int endless = processor && device->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE && problem->k >= VKMM_LLVMPIPE_ROUNDS;
    return processor && !endless ? "grouped" : "tiled";
}

static vkmm_status find_kernel(const vkmm_log *log, const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                               vkmm_choice *choice)
{
    if (wish->shader) {
        choice->kernel = &wish->shader->kernel;
        choice->module = &wish->shader->module;
        if (choice->module->type != problem->type)
            return vkmm_fail(log, VKMM_INVALID, "%s was compiled for %s, the problem is %s", wish->shader->name,
                             vkmm_type_of(choice->module->type)->name, vkmm_type_of(problem->type)->name);
        return VKMM_OK;
    }
    int automatic = !wish->kernel || strcmp(wish->kernel, "auto") == 0;
    const char *name = automatic ? auto_kernel(device, problem) : wish->kernel;
    choice->kernel = vkmm_kernel_find(name);
    if (!choice->kernel) return vkmm_fail(log, VKMM_INVALID, "there is no kernel \"%s\"", name);
    if (choice->kernel->spread == VKMM_SPREAD_HOST) return VKMM_OK;
    choice->module = vkmm_module_find(name, problem->type, VKMM_BUILD_PLAIN);
    if (!choice->module)
        return vkmm_fail(log, VKMM_UNSUPPORTED, "this build has no %s shader for %s", name, vkmm_type_of(problem->type)->name);
    return VKMM_OK;
}

static vkmm_status choose_tile(const vkmm_log *log, const vkmm_device_info *device, vkmm_type type, const vkmm_wish *wish,
                               const vkmm_kernel *kernel, vkmm_tile *tile)
{
    vkmm_tile preset = {kernel->default_rows, kernel->default_cols};
    int wished = wish->tile_rows && wish->tile_cols;
    *tile = wished ? (vkmm_tile){wish->tile_rows, wish->tile_cols} : vkmm_tile_nearest(kernel, type, preset, device);
    const vkmm_rule *rule = vkmm_tile_forbidden_by(kernel, type, *tile, device);
    if (!rule) return VKMM_OK;
    vkmm_tile near = vkmm_tile_nearest(kernel, type, *tile, device);
    return vkmm_fail(log, VKMM_UNSUPPORTED, "tile %ux%u needs %llu %s; \"%s\" allows %llu (%s); nearest legal: %ux%u", tile->rows,
                     tile->cols, (unsigned long long)rule->need(kernel, type, *tile), rule->unit, device->name,
                     (unsigned long long)rule->limit(device), rule->limit_name, near.rows, near.cols);
}

/* How many workgroups the problem has along x and y, were there no limit. */
static void count_groups(const vkmm_kernel *kernel, const vkmm_problem *problem, vkmm_tile tile, uint64_t groups[2])
{
    int empty = problem->m == 0 || problem->n == 0;
    groups[0] = groups[1] = empty ? 0 : 1;
    if (empty) return;
    switch (kernel->spread) {
    case VKMM_SPREAD_LINEAR:
        groups[0] = divide_up(problem->m * problem->n, (uint64_t)tile.rows * tile.cols);
        break;
    case VKMM_SPREAD_GRID:
        groups[0] = divide_up(problem->n, tile.cols);
        groups[1] = divide_up(problem->m, tile.rows);
        break;
    case VKMM_SPREAD_BAND:
        groups[0] = divide_up(problem->m, tile.rows);
        break;
    case VKMM_SPREAD_HOST:
        break;
    }
}

static void fill_info(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile, vkmm_kernel_info *info)
{
    int linear = kernel->spread == VKMM_SPREAD_LINEAR;
    snprintf(info->name, sizeof info->name, "%s", kernel->name);
    info->tile[0] = linear ? 1 : tile.rows;
    info->tile[1] = linear ? tile.rows * tile.cols : tile.cols;
    info->workgroup[0] = linear ? tile.rows * tile.cols : tile.cols;
    info->workgroup[1] = linear ? 1 : tile.rows;
    info->workgroup[2] = 1;
    info->shared_bytes = (uint32_t)vkmm_tile_shared_bytes(kernel, type, tile);
    if (kernel->spread == VKMM_SPREAD_HOST) return;
    const uint32_t values[VKMM_SPEC_PLAIN_COUNT] = {
        [VKMM_SPEC_WORKGROUP_X] = info->workgroup[0],
        [VKMM_SPEC_WORKGROUP_Y] = info->workgroup[1],
        [VKMM_SPEC_ROWS] = info->tile[0],
        [VKMM_SPEC_COLS] = info->tile[1],
        [VKMM_SPEC_DEPTH] = vkmm_tile_depth(tile),
    };
    info->spec_count = VKMM_SPEC_PLAIN_COUNT;
    for (uint32_t id = 0; id < VKMM_SPEC_PLAIN_COUNT; id++) {
        info->spec_ids[id] = id;
        info->spec_values[id] = values[id];
    }
}

/* The built-in kernels loop over what a dispatch cannot reach; a user's shader need not. */
static vkmm_status fit_groups(const vkmm_log *log, const vkmm_device_info *device, const vkmm_wish *wish, const uint64_t groups[2],
                              vkmm_kernel_info *info)
{
    for (int axis = 0; axis < 2; axis++) {
        uint64_t limit = device->max_workgroup_count[axis];
        if (wish->shader && groups[axis] > limit)
            return vkmm_fail(log, VKMM_UNSUPPORTED,
                             "%llu workgroups along %c; \"%s\" allows %llu (maxComputeWorkGroupCount[%d]); take a larger tile",
                             (unsigned long long)groups[axis], "xy"[axis], device -> name, (unsigned long long)limit, axis);
        info->groups[axis] = (uint32_t)(groups[axis] < limit ? groups[axis] : limit);
    }
    info->groups[2] = groups[0] ? 1 : 0;
    return VKMM_OK;
}

vkmm_status vkmm_choose(const vkmm_log *log, const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                        vkmm_choice *choice)
{
    memset(choice, 0, sizeof *choice);
    vkmm_status status = find_kernel(log, device, problem, wish, choice);
    if (status != VKMM_OK) return status;
    vkmm_tile tile = {1, 1};
    if (choice->kernel->spread == VKMM_SPREAD_HOST) {
        fill_info(choice->kernel, problem->type, tile, &choice->info);
        return VKMM_OK;
    }
    if (!device) return vkmm_fail(log, VKMM_NO_DEVICE, "the kernel %s needs a Vulkan device", choice->kernel->name);
    status = check_type(log, device, problem);
    if (status == VKMM_OK) status = check_ranges(log, device, problem);
    if (status == VKMM_OK) status = choose_tile(log, device, problem->type, wish, choice->kernel, &tile);
    if (status != VKMM_OK) return status;

    uint64_t groups[2];
    count_groups(choice->kernel, problem, tile, groups);
    fill_info(choice->kernel, problem->type, tile, &choice->info);
    return fit_groups(log, device, wish, groups, &choice->info);
}

vkmm_status vkmm_choice_observe(const vkmm_log *log, vkmm_choice *choice, vkmm_build build, uint32_t count, const uint32_t *ids,
                                const uint32_t *values)
{
    const vkmm_module *module = choice->module ? vkmm_module_find(choice->kernel->name, choice->module->type, build) : NULL;
    if (!module)
        return vkmm_fail(log, VKMM_UNSUPPORTED,
                         "the kernel %s has no build that can be observed; naive, grouped, tiled, band and band-tiled have one",
                         choice->kernel->name);
    choice->module = module;
    for (uint32_t i = 0; i < count && choice->info.spec_count < VKMM_MAX_SPEC_CONSTANTS; i++) {
        choice->info.spec_ids[choice->info.spec_count] = ids[i];
        choice->info.spec_values[choice->info.spec_count++] = values[i];
    }
    return VKMM_OK;
}

vkmm_status vkmm_kernel_choose(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params, vkmm_kernel_info *info)
{
    const vkmm_wish wish = {params->kernel, params->tile_rows, params->tile_cols, params->shader};
    vkmm_choice choice;
    vkmm_status status = vkmm_problem_check(log, &params->problem, NULL);
    if (status == VKMM_OK) status = vkmm_choose(log, device, &params->problem, &wish, &choice);
    if (status == VKMM_OK) *info = choice.info;
    return status;
}
