/* What the host and every product shader agree on; shaders/lib/product.glsl is the other half. */
#ifndef VKMM_KERNEL_CONTRACT_H
#define VKMM_KERNEL_CONTRACT_H

#include <stdint.h>

/* Specialization constant ids. */
enum {
    VKMM_SPEC_WORKGROUP_X = 0,
    VKMM_SPEC_WORKGROUP_Y = 1,
    VKMM_SPEC_ROWS = 2,
    VKMM_SPEC_COLS = 3,
    VKMM_SPEC_DEPTH = 4,
    VKMM_SPEC_PLAIN_COUNT = 5,
    /* Of observing builds alone: */
    VKMM_SPEC_STRIDE = 5,
    VKMM_SPEC_TRACE_ROW = 6,
    VKMM_SPEC_TRACE_COL = 7
};

/* Bindings 0, 1, 2 of set 0 are A, B, C: the values of vkmm_operand. Observing builds have one or two more. */
enum { VKMM_BINDING_COUNT = 3, VKMM_MAX_BINDING_COUNT = 5 };

/* The push constants, in elements. */
typedef struct vkmm_push {
    uint32_t m, n, k;
} vkmm_push;

#endif
