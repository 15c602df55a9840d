#include "plan/recorded.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "kernel/general.h"
#include "math/problem.h"
#include "recorded.inc"

const vkmm_recorded vkmm_recorded_all = {devices, tunes, VKMM_COUNT(tunes)};

/* How far a device is from that of a record: 0 if it is the same; below 0: too far. */
static double distance(const vkmm_recorded_device *from, const vkmm_device_info *device)
{
    if (from->name == NULL || from->driver_id != device->driver.id) return -1;
    if (strcmp(from->name, device->name) == 0) return 0;
    if (from->type != device->type || from->type == VK_PHYSICAL_DEVICE_TYPE_CPU || from->processors == 0 ||
        device->processors == 0 || from->vendor_id != device->vendor_id ||
        from->subgroup_size != device->subgroup.size || from->max_shared_bytes != device->limits.max_shared_bytes ||
        from->matrix_shapes != device->matrices.shape_count)
        return -1;
    const double ratio = (double)from->processors / device->processors;
    return ratio < 2.0 / 3 || ratio > 1.5 ? -1 : 1 + fabs(log(ratio));
}

static int is_near(uint64_t extent, uint32_t tuned)
{
    const uint64_t apart = extent > tuned ? extent - tuned : tuned - extent;
    return 8 * apart <= tuned;
}

/* seen: the problem seen row-major. */
static int is_like(const vkmm_recorded_tune *tune, const vkmm_problem *seen)
{
    const vkmm_types types = vkmm_problem_types(seen);
    if (types.in != tune->type || types.out != tune->out_type || types.compute != tune->compute ||
        seen->op_a != tune->op_a || seen->op_b != tune->op_b || !is_near(seen->m, tune->m) ||
        !is_near(seen->n, tune->n) || !is_near(seen->k, tune->k))
        return 0;
    const vkmm_problem tuned = VKMM_PROBLEM(.m = tune->m, .n = tune->n, .k = tune->k, .type = tune->type,
                                            .out_type = tune->out_type, .op_a = tune->op_a, .op_b = tune->op_b);
    return vkmm_problem_alignment(seen) == vkmm_problem_alignment(&tuned);
}

const vkmm_recorded_tune *vkmm_recorded_find(const vkmm_recorded *recorded, const vkmm_device_info *device,
                                             const vkmm_problem *problem)
{
    const vkmm_recorded_tune *best = NULL;
    double least = INFINITY;
    int swapped;
    if (problem->method != VKMM_COMPUTE_DIRECT || vkmm_problem_has_blocks(problem) || vkmm_problem_batches(problem) > 1)
        return NULL;
    const vkmm_problem seen = vkmm_problem_row_major(problem, &swapped);
    for (uint32_t i = 0; i < recorded->tune_count; i++) {
        const vkmm_recorded_tune *tune = &recorded->tunes[i];
        const double far = distance(&recorded->devices[tune->device], device);
        if (far < 0 || far >= least || !is_like(tune, &seen)) continue;
        best = tune;
        least = far;
    }
    return best;
}
