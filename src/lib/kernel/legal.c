/* What is legal, each rule with its reason: the limits that all kernels share, after each kernel's own rules. The
 * planner, the tuner and `vkmatmul explain --limits` use them. */
#include "kernel/legal.h"

#include <math.h>

#include "math/type.h"

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

uint32_t vkmm_tile_depth(const vkmm_kernel *kernel, vkmm_tile tile)
{
    const uint32_t longer = larger(tile.rows, tile.cols);
    return kernel->depth > 0 && kernel->depth < longer ? kernel->depth : longer;
}

vkmm_tile vkmm_tile_blocks(const vkmm_kernel *kernel, vkmm_tile tile)
{
    const uint32_t rows = larger(kernel->block[0], 1), cols = larger(kernel->block[1], 1);
    return (vkmm_tile){tile.rows / rows + (tile.rows % rows > 0), tile.cols / cols + (tile.cols % cols > 0)};
}

uint64_t vkmm_tile_shared_bytes(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile)
{
    if (!kernel->uses_shared) return 0;
    const vkmm_tile blocks = vkmm_tile_blocks(kernel, tile);
    return ((uint64_t)blocks.rows * larger(kernel->block[0], 1) + (uint64_t)blocks.cols * larger(kernel->block[1], 1)) *
               vkmm_tile_depth(kernel, tile) * vkmm_type_of(type)->bytes +
           2 * 16 * (uint64_t)kernel->pad * vkmm_tile_depth(kernel, tile);
}

vkmm_shape vkmm_shape_of_tile(const vkmm_device_info *device, const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile)
{
    int linear = kernel->spread == VKMM_SPREAD_LINEAR;
    const vkmm_tile blocks = vkmm_tile_blocks(kernel, tile);
    return (vkmm_shape){
        .kernel = kernel,
        .device = device,
        .type = type,
        .x = linear ? (uint64_t)tile.rows * tile.cols : blocks.cols,
        .y = linear ? 1 : blocks.rows,
        .shared_bytes = vkmm_tile_shared_bytes(kernel, type, tile),
    };
}

vkmm_shape vkmm_shape_of_config(const vkmm_device_info *device, const vkmm_kernel *kernel, const vkmm_problem *problem,
                                const vkmm_config *config)
{
    vkmm_shape shape = {.kernel = kernel,
                        .device = device,
                        .type = vkmm_problem_compute(problem),
                        .problem = problem,
                        .config = config,
                        .y = 1};
    kernel->ask(&shape);
    /* A workgroup with too many of the narrowest subgroups gets wider ones, and an invocation half of the registers. */
    if (device->subgroup.max_count > 0 && shape.x > (uint64_t)device->subgroup.min_size * device->subgroup.max_count)
        shape.held *= 2;
    return shape;
}

#define NEED(name, value)                                \
    static uint64_t need_##name(const vkmm_shape *shape) \
    {                                                    \
        return value;                                    \
    }
#define LIMIT(name, value)                                       \
    static uint64_t limit_##name(const vkmm_device_info *device) \
    {                                                            \
        (void)device;                                            \
        return value;                                            \
    }
NEED(registers, shape->registers)
/* Two thirds of the 255 registers that an invocation can have on most GPUs: the rest is for operands and addresses. */
LIMIT(registers, 160)
NEED(subgroups, shape->subgroups)
LIMIT(subgroups, device->subgroup.max_count > 0 ? device->subgroup.max_count : UINT32_MAX)
NEED(invocations, shape->x * shape->y)
LIMIT(invocations, device->limits.max_invocations)
NEED(x, shape->x)
LIMIT(x, device->limits.max_workgroup_size[0])
NEED(y, shape->y)
LIMIT(y, device->limits.max_workgroup_size[1])
NEED(shared, shape->shared_bytes)
LIMIT(shared, device->limits.max_shared_bytes)

static const vkmm_rule limits[] = {
    {"registers", "32-bit registers for sums", need_registers, limit_registers,
     "sums that do not fit into registers go to memory, at every step"},
    {"maxComputeWorkgroupSubgroups", "subgroups of a workgroup", need_subgroups, limit_subgroups,
     "if the subgroup size is requested, a workgroup has at most this many subgroups"},
    {"maxComputeWorkGroupInvocations", "invocations", need_invocations, limit_invocations,
     "the invocations of a workgroup must all run on one processor to meet at a barrier"},
    {"maxComputeWorkGroupSize[0]", "invocations along x", need_x, limit_x, "a workgroup is as wide as its tile"},
    {"maxComputeWorkGroupSize[1]", "invocations along y", need_y, limit_y, "a workgroup is as high as its tile"},
    {"maxComputeSharedMemorySize", "bytes of shared memory", need_shared, limit_shared,
     "a tile of A and a tile of B are in shared memory at the same time; some drivers accept more than they have and "
     "lose the device"},
    {0},
};

uint64_t vkmm_rule_limit(const vkmm_rule *rule, const vkmm_device_info *device)
{
    return rule->limit ? rule->limit(device) : 0;
}

static const vkmm_rule *broken_rule(const vkmm_rule *rules, const vkmm_shape *shape)
{
    for (const vkmm_rule *rule = rules; rule->need; rule++)
        if (rule->need(shape) > vkmm_rule_limit(rule, shape->device)) return rule;
    return NULL;
}

const vkmm_rule *vkmm_shape_forbidden_by(const vkmm_shape *shape)
{
    const vkmm_rule *rule = shape->config && shape->kernel->rules ? broken_rule(shape->kernel->rules, shape) : NULL;
    return rule ? rule : broken_rule(limits, shape);
}

const vkmm_rule *vkmm_config_forbidden_by(const vkmm_kernel *kernel, const vkmm_problem *problem,
                                          const vkmm_config *config, const vkmm_device_info *device)
{
    const vkmm_shape shape = vkmm_shape_of_config(device, kernel, problem, config);
    return vkmm_shape_forbidden_by(&shape);
}

const vkmm_rule *vkmm_tile_forbidden_by(const vkmm_kernel *kernel, vkmm_type type, vkmm_tile tile,
                                        const vkmm_device_info *device)
{
    const vkmm_shape shape = vkmm_shape_of_tile(device, kernel, type, tile);
    return kernel->spread == VKMM_SPREAD_HOST ? NULL : vkmm_shape_forbidden_by(&shape);
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
