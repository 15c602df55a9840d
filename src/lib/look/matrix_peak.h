/* vkmm_device_matrix_peak: shaders/matrix_peak.comp, the best of several runs.
 *  Operands are small whole numbers, D = -B for signed types and D = B for unsigned ones. A subgroup that has added
 * A·B once and A·D + A·B `steps` times has, summed over its 4×4 fragments, (ΣA)·(ΣB) times 1, or times 1 + 2·steps
 * modulo 2^32. All results of every run are compared with that on the host, exactly: no peak is reported for a device
 * that computes something else. */
#pragma once

#include "look/peaks.h"

enum {
    VKMM_MATRIX_FRAGMENTS = 4, /* of A, and of B, and of D */
    VKMM_MATRIX_HEADER = 16    /* words before the results */
};

/* What a fragment's element is: types whose sums stay exact. */
typedef struct vkmm_matrix_types {
    vkmm_type operand, sum;
} vkmm_matrix_types;

/* The types of a shape that has a shader; NULL for other shapes: other types, other scopes than the subgroup's,
 * saturating sums, fragments whose rows end within a word. */
const vkmm_matrix_types *vkmm_matrix_types_of(const vkmm_matrix_shape *shape);

/* Fills the fragments: four of A, four of B, four of D, row-major, and one m×n fragment of what every subgroup must
 * store after `steps` steps. */
void vkmm_matrix_fill(const vkmm_matrix_shape *shape, const vkmm_matrix_types *types, void *operands);
void vkmm_matrix_expect(const vkmm_matrix_shape *shape, const vkmm_matrix_types *types, uint32_t steps, void *result);
