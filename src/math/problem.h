/* Arithmetic about one product: extents, bytes, FLOPs. */
#ifndef VKMM_MATH_PROBLEM_H
#define VKMM_MATH_PROBLEM_H

#include "vkmatmul.h"

/* Bytes of the three matrices. */
typedef struct vkmm_problem_bytes {
    uint64_t a, b, c, total;
} vkmm_problem_bytes;

/* Checks the extents (each below 2^32), the type, and that the bytes of each matrix and their sum fit in 63 bits.
 * VKMM_INVALID says which matrix overflows. `bytes` may be NULL. */
vkmm_status vkmm_problem_check(const vkmm_log *log, const vkmm_problem *problem, vkmm_problem_bytes *bytes);

/* Rows, columns and bytes of one operand; the problem must have been checked. */
uint64_t vkmm_operand_rows(const vkmm_problem *problem, vkmm_operand operand);
uint64_t vkmm_operand_cols(const vkmm_problem *problem, vkmm_operand operand);
uint64_t vkmm_operand_bytes(const vkmm_problem *problem, vkmm_operand operand);

/* 2·M·N·K, the count that every BLAS benchmark uses: one multiplication and one addition a term. */
double vkmm_problem_flops(const vkmm_problem *problem);

#endif
