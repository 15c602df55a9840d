/* Which invocation computes an element of C. */
#ifndef VKMM_LOOK_PLACE_H
#define VKMM_LOOK_PLACE_H

#include "vkmatmul.h"

/* One invocation, as its shader knows it; pairs are x, y. */
typedef struct vkmm_invocation {
    uint32_t global[2];    /* gl_GlobalInvocationID */
    uint32_t local[2];     /* gl_LocalInvocationID */
    uint32_t workgroup[2]; /* gl_WorkGroupID */
    uint32_t
        tile_origin[2]; /* gl_WorkGroupID * gl_WorkGroupSize: the global index of the workgroup's first invocation */
    uint32_t row, col;  /* the element of C that it computes */
    int inside;         /* 0: that element lies beyond C's edges */
} vkmm_invocation;

/* The invocation that computes C[row][col], by formula. info is a built-in kernel's (not serial), as planned for the
 * problem. */
vkmm_status vkmm_kernel_place(const vkmm_kernel_info *info, const vkmm_problem *problem, uint64_t row, uint64_t col,
                              vkmm_invocation *invocation);

#endif
