/* What a gemm holds (include/vkmatmul_vulkan.h declares what it does). */
#ifndef VKMM_EXEC_GEMM_H
#define VKMM_EXEC_GEMM_H

#include "plan/plan.h"
#include "vkmatmul_vulkan.h"

/* How far an operand's memory reaches: to element first + (count - 1)·ld + length, count and length being extents. */
typedef struct vkmm_gemm_reach {
    uint64_t first, ld, size; /* size: bytes of an element */
    int count, length;        /* 0: M, 1: N, 2: K */
    uint64_t step;            /* of offsets in a product; elements */
} vkmm_gemm_reach;

struct vkmm_gemm {
    vkmm_device *device;
    vkmm_problem problem; /* with the largest extents, and leading dimensions filled in */
    vkmm_gemm_info info;
    vkmm_plan plan;
    vkmm_plan_sets sets;                         /* one of each slot; zeroed with push descriptors */
    uint32_t slots, dynamic, expected;           /* products in a recording: at least 1 */
    vkmm_gemm_reach reaches[VKMM_BINDING_COUNT]; /* by operand */
};

#endif
