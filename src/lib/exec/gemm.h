/* What a gemm holds (include/vkmatmul_vulkan.h declares what it does). */
#ifndef VKMM_EXEC_GEMM_H
#define VKMM_EXEC_GEMM_H

#include "plan/plan.h"
#include "vkmatmul_vulkan.h"

struct vkmm_gemm {
    vkmm_device *device;
    vkmm_problem problem; /* with the largest extents, and leading dimensions filled in */
    vkmm_gemm_info info;
    vkmm_plan plan;
    vkmm_plan_sets sets;                /* one of each slot; zeroed with push descriptors */
    uint32_t slots, dynamic, expected;  /* products in a recording: at least 1 */
    uint64_t steps[VKMM_BINDING_COUNT]; /* of offsets in a product, by operand; elements */
};

#endif
