/* Which invocation computes an element: the formulas of the kernels' loops (the main of each shader), inverted. */
#include "look/place.h"

#include "base/log.h"
#include "plan/choose.h"
#include "plan/parts.h"

/* Device limits make workgroups take several tiles in turn: tile t belongs to workgroup t modulo their number. */
static uint32_t turn(uint64_t tile, uint32_t groups)
{
    return (uint32_t)(tile % groups);
}

/* A workgroup's own tile, then the one that it computes instead (shaders/lib/walk.glsl, inverted). */
static void place_block(const vkmm_kernel *kernel, const vkmm_kernel_info *info, const vkmm_problem *problem,
                        uint64_t row, uint64_t col, vkmm_invocation *invocation)
{
    const uint64_t rows = info->tile[0], cols = info->tile[1], swizzle = kernel->swizzle > 0 ? kernel->swizzle : 1,
                   down = vkmm_divide_up(problem->m, rows), across = vkmm_divide_up(problem->n, cols);
    const uint64_t first = row / rows / swizzle * swizzle, height = down - first < swizzle ? down - first : swizzle;
    const uint64_t tile = first * across + col / cols * height + row / rows - first;
    invocation->local[0] = (uint32_t)(col % cols / kernel->block[1]);
    invocation->local[1] = (uint32_t)(row % rows / kernel->block[0]);
    invocation->workgroup[0] = turn(tile % across, info->groups[0]);
    invocation->workgroup[1] = turn(tile / across, info->groups[1]);
}

vkmm_status vkmm_kernel_place(const vkmm_kernel_info *info, const vkmm_problem *problem, uint64_t row, uint64_t col,
                              vkmm_invocation *invocation)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(info->name);
    const uint32_t rows = info->tile[0], cols = info->tile[1];
    if (!kernel || kernel->spread == VKMM_SPREAD_HOST || kernel->spread == VKMM_SPREAD_ITEMS)
        return vkmm_fail(VKMM_UNSUPPORTED, "the positions of the invocations of the kernel %s are not known",
                         info->name);
    if (row >= problem->m || col >= problem->n)
        return vkmm_fail(VKMM_INVALID, "there is no C[%llu][%llu]: C has %llu rows and %llu columns",
                         (unsigned long long)row, (unsigned long long)col, (unsigned long long)problem->m,
                         (unsigned long long)problem->n);
    *invocation = (vkmm_invocation){.row = (uint32_t)row, .col = (uint32_t)col, .inside = 1};
    if (kernel->spread == VKMM_SPREAD_LINEAR) {
        const uint64_t size = info->workgroup[0];
        const uint64_t element = kernel->downward ? col * problem->m + row : row * problem->n + col;
        invocation->local[0] = (uint32_t)(element % size);
        invocation->workgroup[0] = turn(element / size, info->groups[0]);
    } else if (kernel->block[0] > 0) {
        place_block(kernel, info, problem, row, col, invocation);
    } else {
        const int band = kernel->spread == VKMM_SPREAD_BAND;
        const uint64_t i = row % rows, j = col % cols, lane = kernel->downward ? j * rows + i : i * cols + j;
        invocation->local[0] = (uint32_t)(lane % info->workgroup[0]);
        invocation->local[1] = (uint32_t)(lane / info->workgroup[0]);
        invocation->workgroup[0] = band ? turn(row / rows, info->groups[0]) : turn(col / cols, info->groups[0]);
        invocation->workgroup[1] = band ? 0 : turn(row / rows, info->groups[1]);
    }
    for (int axis = 0; axis < 2; axis++) {
        invocation->tile_origin[axis] = invocation->workgroup[axis] * info->workgroup[axis];
        invocation->global[axis] = invocation->tile_origin[axis] + invocation->local[axis];
    }
    return VKMM_OK;
}
