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

vkmm_shape vkmm_shape_of_tile(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile)
{
    int linear = kernel->spread == VKMM_SPREAD_LINEAR;
    return (vkmm_shape){
        .kernel = kernel,
        .type = type,
        .x = linear ? (uint64_t)tile.rows * tile.cols : tile.cols,
        .y = linear ? 1 : tile.rows,
        .shared_bytes = vkmm_tile_shared_bytes(kernel, type, tile),
    };
}

const vkmm_rule *vkmm_shape_forbidden_by(const vkmm_shape *shape, const vkmm_device_info *device)
{
    const vkmm_rule *rule;
    for (uint32_t i = 0; (rule = vkmm_rule_at(i)) != NULL; i++)
        if (rule->need(shape, device) > rule->limit(device)) return rule;
    return NULL;
}

const vkmm_rule *vkmm_config_forbidden_by(const vkmm_kernel *kernel, const vkmm_problem *problem,
                                          const vkmm_config *config, const vkmm_device_info *device)
{
    const vkmm_shape shape = vkmm_shape_of_config(kernel, problem, config);
    return vkmm_shape_forbidden_by(&shape, device);
}

const vkmm_rule *vkmm_tile_forbidden_by(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile,
                                        const vkmm_device_info *device)
{
    const vkmm_shape shape = vkmm_shape_of_tile(kernel, type, tile);
    return kernel->spread == VKMM_SPREAD_HOST ? NULL : vkmm_shape_forbidden_by(&shape, device);
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
            if (!vkmm_tile_forbidden_by(kernel, type, tile, device) && distance(tile, wanted) < distance(best, wanted))
                best = tile;
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
    vkmm_tile nearest =
        vkmm_tile_nearest(kernel, type, (vkmm_tile){kernel->default_rows, kernel->default_cols}, device);
    tile[0] = nearest.rows;
    tile[1] = nearest.cols;
    return 1;
}

int vkmm_tile_check(const vkmm_device_info *device, const char *name, vkmm_type type, uint32_t rows, uint32_t cols,
                    vkmm_tile_rule *broken)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(name);
    const vkmm_tile tile = {rows, cols};
    const vkmm_shape shape = kernel ? vkmm_shape_of_tile(kernel, type, tile) : (vkmm_shape){0};
    const vkmm_rule *rule = kernel ? vkmm_tile_forbidden_by(kernel, type, tile, device) : NULL;
    if (rule && broken)
        *broken = (vkmm_tile_rule){rule->need(&shape, device), rule->limit(device), rule->unit, rule->limit_name,
                                   rule->reason};
    return !rule;
}
