/* Configurations measured on other people's devices: the tunes of the records in data/devices, which the build makes
 * into tables (data/recorded.py). The planner takes them for products as large as those that were tuned, on the same
 * device or a similar one, where it would choose what they were faster than. */
#pragma once

#include "vkmatmul.h"

typedef struct vkmm_recorded_device {
    const char *name; /* of the device; NULL: none */
    VkPhysicalDeviceType type;
    uint32_t vendor_id, driver_id, processors, subgroup_size, max_shared_bytes, matrix_shapes;
} vkmm_recorded_device;

/* A direct product of one matrix, row-major, without padding. */
typedef struct vkmm_recorded_tune {
    uint32_t device; /* its index */
    vkmm_type type, out_type, compute;
    vkmm_op op_a, op_b;
    uint32_t m, n, k;
    vkmm_candidate best;
    const char *slower; /* the configuration that it was faster than, the planner's choice */
} vkmm_recorded_tune;

typedef struct vkmm_recorded {
    const vkmm_recorded_device *devices;
    const vkmm_recorded_tune *tunes;
    uint32_t tune_count;
} vkmm_recorded;

extern const vkmm_recorded vkmm_recorded_all;

/* The tune for a checked problem: that of the same device (name and driver), else that of the device most alike in the
 * number of processors, among GPUs that the same driver describes alike (vendor, kind, subgroup, shared memory, number
 * of matrix shapes) and that have between 2/3 and 3/2 of its processors. Each extent may differ from the tuned one by
 * an eighth; types, operations and alignment may not. NULL: there is none. Its configuration may be illegal here. */
const vkmm_recorded_tune *vkmm_recorded_find(const vkmm_recorded *recorded, const vkmm_device_info *device,
                                             const vkmm_problem *problem);
