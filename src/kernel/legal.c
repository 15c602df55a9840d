#include "kernel/legal.h"

#include <math.h>

#include "math/type.h"

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

uint32_t vkmm_tile_depth(vkmm_tile tile)
{
    return larger(tile.rows, tile.cols);
}

uint64_t vkmm_tile_shared_bytes(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile)
{
    if (!kernel->uses_shared) return 0;
    return ((uint64_t)tile.rows + tile.cols) * vkmm_tile_depth(tile) * vkmm_type_of(type)->bytes;
}

static uint64_t need_invocations(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile)
{
    (void)kernel, (void)type;
    return (uint64_t)tile.rows * tile.cols;
}

static uint64_t need_x(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile)
{
    return kernel->spread == VKMM_SPREAD_LINEAR ? need_invocations(kernel, type, tile) : tile.cols;
}

static uint64_t need_y(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile)
{
    (void)type;
    return kernel->spread == VKMM_SPREAD_LINEAR ? 1 : tile.rows;
}

static uint64_t limit_invocations(const vkmm_device_info *device)
{
    return device->max_invocations;
}

static uint64_t limit_x(const vkmm_device_info *device)
{
    return device->max_workgroup_size[0];
}

static uint64_t limit_y(const vkmm_device_info *device)
{
    return device->max_workgroup_size[1];
}

static uint64_t limit_shared(const vkmm_device_info *device)
{
    return device->max_shared_bytes;
}

static const vkmm_rule rules[] = {
    {"maxComputeWorkGroupInvocations", "invocations", need_invocations, limit_invocations,
     "every element of the tile has its own invocation, and they must all run on one processor to meet at a barrier"},
    {"maxComputeWorkGroupSize[0]", "invocations along x", need_x, limit_x, "a workgroup is as wide as its tile"},
    {"maxComputeWorkGroupSize[1]", "invocations along y", need_y, limit_y, "a workgroup is as high as its tile"},
    {"maxComputeSharedMemorySize", "bytes of shared memory", vkmm_tile_shared_bytes, limit_shared,
     "a tile of A and a tile of B lie in shared memory at once; some drivers accept more than they have and lose the device"},
};

const vkmm_rule *vkmm_rule_at(uint32_t index)
{
    return index < sizeof rules / sizeof rules[0] ? &rules[index] : NULL;
}

const vkmm_rule *vkmm_tile_forbidden_by(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile, const vkmm_device_info *device)
{
    if (kernel->spread == VKMM_SPREAD_HOST) return NULL;
    for (uint32_t i = 0; vkmm_rule_at(i); i++)
        if (rules[i].need(kernel, type, tile) > rules[i].limit(device)) return &rules[i];
    return NULL;
}

/* How far a tile is from the wanted one; squareness breaks ties in small steps. */
static double distance(vkmm_tile tile, vkmm_tile wanted)
{
    double rows = log2((double)tile.rows / wanted.rows), cols = log2((double)tile.cols / wanted.cols);
    double shape = log2((double)tile.rows / tile.cols) - log2((double)wanted.rows / wanted.cols);
    return fabs(rows) + fabs(cols) + 1e-3 * fabs(shape);
}

/* Every side worth offering: the wanted one, or a smaller power of two, or 3 · a power of two. */
static uint32_t next_side(uint32_t side, uint32_t wanted)
{
    uint32_t next = 1;
    for (uint32_t power = 1; power != 0 && power <= wanted; power *= 2) {
        if (power < side) next = larger(next, power);
        if (power % 2 == 0 && power / 2 * 3 < side) next = larger(next, power / 2 * 3);
    }
    return next;
}

vkmm_tile vkmm_tile_nearest(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile wanted, const vkmm_device_info *device)
{
    vkmm_tile best = {1, 1};
    for (uint32_t rows = wanted.rows;; rows = next_side(rows, wanted.rows)) {
        for (uint32_t cols = wanted.cols;; cols = next_side(cols, wanted.cols)) {
            vkmm_tile tile = {rows, cols};
            if (!vkmm_tile_forbidden_by(kernel, type, tile, device) && distance(tile, wanted) < distance(best, wanted)) best = tile;
            if (cols == 1) break;
        }
        if (rows == 1) break;
    }
    return best;
}

int vkmm_kernel_default_tile(const vkmm_device_info *device, const char *name, vkmm_type type, uint32_t tile[2])
{
    const vkmm_kernel *kernel = vkmm_kernel_find(name);
    if (!kernel || kernel->spread == VKMM_SPREAD_HOST) return 0;
    vkmm_tile nearest = vkmm_tile_nearest(kernel, type, (vkmm_tile){kernel->default_rows, kernel->default_cols}, device);
    tile[0] = nearest.rows;
    tile[1] = nearest.cols;
    return 1;
}

int vkmm_tile_check(const vkmm_device_info *device, const char *name, vkmm_type type, uint32_t rows, uint32_t cols, vkmm_tile_rule *broken)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(name);
    const vkmm_tile tile = {rows, cols};
    const vkmm_rule *rule = kernel ? vkmm_tile_forbidden_by(kernel, type, tile, device) : NULL;
    if (rule && broken)
        *broken = (vkmm_tile_rule){rule->need(kernel, type, tile), rule->limit(device), rule->unit, rule->limit_name, rule->reason};
    return !rule;
}
