/* What a gemm holds (include/vkmatmul_vulkan.h declares what it does). */
#pragma once

#include "record/plan.h"
#include "vkmatmul_vulkan.h"

/* Extents of a product. */
enum { VKMM_REACH_M, VKMM_REACH_N, VKMM_REACH_K, VKMM_REACH_ONE };

/* How far an operand's memory reaches: to element first + (count - 1)·ld + length, count and length being extents. */
typedef struct vkmm_gemm_reach {
    uint64_t first, ld;
    uint64_t size, block; /* bytes of an element, and 1; or of a block, and its elements */
    int count, length;    /* VKMM_REACH_* */
    uint64_t step;        /* of offsets in a product; elements */
} vkmm_gemm_reach;

struct vkmm_gemm {
    vkmm_device *device;
    vkmm_problem problem; /* with the largest extents, and leading dimensions filled in */
    vkmm_gemm_info info;
    vkmm_plan plan;
    vkmm_plan_sets sets;                         /* one of each slot; zeroed with push descriptors */
    vkmm_experts experts;                        /* count 0: none */
    vkmm_repack packs[2];                        /* of the kernel's A and B */
    int swapped;                                 /* the kernel's A is the problem's B */
    uint32_t slots, dynamic, packed, expected;   /* products in a recording: at least 1 */
    vkmm_gemm_reach reaches[VKMM_BINDING_COUNT]; /* by operand */
};

/* How an operand of the problem is packed, A or B; its bytes are 0 if it is not, or is empty. */
static inline const vkmm_repack *vkmm_gemm_repack(const vkmm_gemm *gemm, vkmm_operand operand)
{
    return &gemm->packs[gemm->swapped ? operand == VKMM_A : operand == VKMM_B];
}
