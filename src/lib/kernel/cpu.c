/* The tunables of shaders/cpu.comp, and what it asks. */
#include "kernel/general.h"

#include "kernel/contract.h"

enum { LANES = VKMM_TUNE_OWN, WRITTEN_OUT, THREAD_COLS = 4 };

const vkmm_tunable vkmm_cpu_tunables[VKMM_MAX_TUNABLES] = {
    [VKMM_TUNE_ROWS] =
        {"rows", VKMM_SPEC_ROWS, 9, "rows of C of a tile, all of them an invocation's", 4, {4, 8, 16, 32}},
    [VKMM_TUNE_COLS] = {"cols", VKMM_SPEC_COLS, 0, "columns of C of a tile, four an invocation", 4, {16, 32, 64, 128}},
    [VKMM_TUNE_DEPTH] = {"depth", VKMM_SPEC_DEPTH, 0, "elements along K of a step", 2, {4, 8}},
    [VKMM_TUNE_SPLITS] = {"splits", 0, 0, "parts that K is summed in", 4, {1, 2, 4, 8}},
    [LANES] = {"lanes", 10, 0, "lanes of a subgroup that read op(A)", 2, {4, 8}},
    [WRITTEN_OUT] = {"written-out", 11, 0, "the form for drivers that do not unroll loops", 2, {0, 1}},
};

static int is_cpu(const vkmm_shape *shape)
{
    return shape->config && shape->kernel->tunables == vkmm_cpu_tunables;
}

void vkmm_cpu_ask(vkmm_shape *shape)
{
    shape->x = vkmm_value(shape, VKMM_TUNE_COLS) / THREAD_COLS;
    shape->y = 1;
}

uint64_t vkmm_cpu_blocks(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_cpu(shape)) return 0;
    return vkmm_left_over(vkmm_value(shape, VKMM_TUNE_ROWS), vkmm_value(shape, LANES)) +
           vkmm_left_over(vkmm_value(shape, VKMM_TUNE_COLS), THREAD_COLS);
}

uint64_t vkmm_cpu_steps(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    return is_cpu(shape) ? vkmm_left_over(vkmm_value(shape, VKMM_TUNE_DEPTH), 4) : 0;
}

uint64_t vkmm_cpu_subgroups(const vkmm_shape *shape, const vkmm_device_info *device)
{
    return is_cpu(shape) ? vkmm_left_over(shape->x, device->subgroup_size) : 0;
}

uint64_t vkmm_cpu_lanes(const vkmm_shape *shape, const vkmm_device_info *device)
{
    if (!is_cpu(shape)) return 0;
    const uint64_t lanes = vkmm_value(shape, LANES);
    if (lanes != 4 && lanes != 8) return lanes + 1;
    return lanes > device->subgroup_size ? lanes - device->subgroup_size : 0;
}

uint64_t vkmm_cpu_written(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    if (!is_cpu(shape) || vkmm_value(shape, WRITTEN_OUT) == 0) return 0;
    return (vkmm_value(shape, WRITTEN_OUT) != 1) + (vkmm_value(shape, VKMM_TUNE_DEPTH) != 4) +
           (vkmm_value(shape, LANES) != 4) + (vkmm_value(shape, VKMM_TUNE_ROWS) != 8);
}

uint64_t vkmm_cpu_broadcast(const vkmm_shape *shape, const vkmm_device_info *device)
{
    (void)device;
    return is_cpu(shape) ? 1 : 0;
}
