/* Ways to multiply (vkmm_method): what is true of each on every device. */
#pragma once

#include "math/type.h"

enum { VKMM_METHOD_TYPES = 2 };

typedef struct vkmm_method_info {
    const char *name;                      /* "direct", … */
    vkmm_type types[VKMM_METHOD_TYPES];    /* of all operands and sums, one of them; VKMM_AUTO: any, no other */
    const char *titles[VKMM_METHOD_TYPES]; /* "f32 (split)", of each; NULL: the types say it */
    vkmm_types inner;     /* of what it multiplies, if the kernel's plan has no other; VKMM_AUTO: its own */
    uint32_t products;    /* products of those types for each of its own, likewise; 0: vkmm_modular_range.usual */
    uint32_t parts;       /* terms of the kernel's sums for each of its own, of which it multiplies all pairs but one;
                              0: one */
    const char *pieces;   /* what it multiplies: "parts", … */
    const char *looks;    /* the step before that looks at A and B; NULL: there is none */
    const char *packs;    /* the step that makes them */
    const char *of;       /* what is to be said of each product, or "" */
    const char *finishes; /* the step after the product that turns sums into C; NULL: the product does */
    int needs_depth;      /* K in parts would not be the same product */
    int binds_packed;     /* a recording may take an operand that vkmm_gemm_pack has prepared */
} vkmm_method_info;

/* NULL past the end. */
const vkmm_method_info *vkmm_method_at(uint32_t method);

/* How general kernels multiply a problem on a device: f64 by another method, if it has no 64-bit floats; in software,
 * if that cannot hold the product. */
vkmm_method vkmm_method_where(int has_f64, const vkmm_problem *problem);
