/* The meaning of vkmm_problem once more, for tests: written from its description in vkmatmul.h, sharing nothing with src/math/problem.c. */
#ifndef VKMM_TEST_GEMM_H
#define VKMM_TEST_GEMM_H

#include "unit.h"

#include <stdlib.h>

#include "math/type.h"

/* Where element (i, j) of op(A), op(B) or C of matrix x of the batch lies, in elements. */
static inline uint64_t gemm_index(const vkmm_problem *p, vkmm_operand operand, uint64_t x, uint64_t i, uint64_t j)
{
    const uint64_t rows[] = {p->m, p->k, p->m}, cols[] = {p->k, p->n, p->n};
    const uint64_t lds[] = {p->lda, p->ldb, p->ldc}, offsets[] = {p->offset_a, p->offset_b, p->offset_c};
    const uint64_t strides[] = {p->stride_a, p->stride_b, p->stride_c};
    const vkmm_op ops[] = {p->op_a, p->op_b, VKMM_OP_N};
    uint64_t stored_rows = rows[operand], stored_cols = cols[operand], ld = lds[operand];
    if (ops[operand] == VKMM_OP_T) {
        uint64_t swap = i;
        i = j;
        j = swap;
        stored_rows = cols[operand];
        stored_cols = rows[operand];
    }
    if (ld == 0) ld = p->layout == VKMM_ROW_MAJOR ? stored_cols : stored_rows;
    uint64_t first = offsets[operand] + (p->batch_count > 1 ? x * strides[operand] : 0);
    return first + (p->layout == VKMM_ROW_MAJOR ? i * ld + j : i + j * ld);
}

static inline uint64_t gemm_batches(const vkmm_problem *p)
{
    return p->batch_count == 0 ? 1 : p->batch_count;
}

/* Elements up to the last one of the last matrix, by looking at each. */
static inline uint64_t gemm_elements(const vkmm_problem *p, vkmm_operand operand)
{
    const uint64_t rows[] = {p->m, p->k, p->m}, cols[] = {p->k, p->n, p->n};
    uint64_t end = 0;
    for (uint64_t x = 0; x < gemm_batches(p); x++) {
        for (uint64_t i = 0; i < rows[operand]; i++) {
            for (uint64_t j = 0; j < cols[operand]; j++) {
                uint64_t at = gemm_index(p, operand, x, i, j);
                if (at + 1 > end) end = at + 1;
            }
        }
    }
    return end;
}

static inline double gemm_get(vkmm_type type, const void *data, uint64_t at)
{
    if (type == VKMM_F32) return (double)((const float *)data)[at];
    if (type == VKMM_F64) return ((const double *)data)[at];
    return type == VKMM_I32 ? (double)((const int32_t *)data)[at] : (double)((const uint32_t *)data)[at];
}

static inline void gemm_set(vkmm_type type, void *data, uint64_t at, double value)
{
    if (type == VKMM_F32) ((float *)data)[at] = (float)value;
    if (type == VKMM_F64) ((double *)data)[at] = value;
    if (type == VKMM_I32 || type == VKMM_U32) ((uint32_t *)data)[at] = (uint32_t)(int64_t)value;
}

/* One element of the result, in the type's own arithmetic, one term after the other. */
static inline double gemm_element(const vkmm_problem *p, const void *a, const void *b, const void *c, uint64_t x, uint64_t i, uint64_t j)
{
    const double alpha = p->scaled ? p->alpha : 1.0, beta = p->scaled ? p->beta : 0.0;
    float f = 0.0F;
    double d = 0.0;
    uint32_t u = 0;
    for (uint64_t k = 0; k < p->k && alpha != 0.0; k++) {
        double left = gemm_get(p->type, a, gemm_index(p, VKMM_A, x, i, k)), right = gemm_get(p->type, b, gemm_index(p, VKMM_B, x, k, j));
        f += (float)left * (float)right;
        d += left * right;
        if (p->type >= VKMM_I32) u += (uint32_t)(int64_t)left * (uint32_t)(int64_t)right;
    }
    double before = beta != 0.0 ? gemm_get(p->type, c, gemm_index(p, VKMM_C, x, i, j)) : 0.0;
    if (p->type == VKMM_F32) return (double)((float)alpha * f + (beta != 0.0 ? (float)beta * (float)before : 0.0F));
    if (p->type == VKMM_F64) return alpha * d + (beta != 0.0 ? beta * before : 0.0);
    u = (uint32_t)(int64_t)alpha * u + (uint32_t)(int64_t)beta * (uint32_t)(int64_t)before;
    return p->type == VKMM_I32 ? (double)(int32_t)u : (double)u;
}

/* C ← α·op(A)·op(B) + β·C for the whole batch. */
static inline void gemm(const vkmm_problem *p, const void *a, const void *b, void *c)
{
    for (uint64_t x = 0; x < gemm_batches(p); x++)
        for (uint64_t i = 0; i < p->m; i++)
            for (uint64_t j = 0; j < p->n; j++) gemm_set(p->type, c, gemm_index(p, VKMM_C, x, i, j), gemm_element(p, a, b, c, x, i, j));
}

/* How a problem may lie in memory, for loops over all ways: both layouts, all ops, packed or padded, one matrix or three with gaps, A repeated. */
enum { GEMM_WAYS = 32 };

static inline vkmm_problem gemm_way(unsigned way, uint64_t m, uint64_t n, uint64_t k, vkmm_type type)
{
    vkmm_problem p = {.m = m, .n = n, .k = k, .type = type};
    p.layout = way & 1 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
    p.op_a = way & 2 ? VKMM_OP_T : VKMM_OP_N;
    p.op_b = way & 4 ? VKMM_OP_T : VKMM_OP_N;
    if (way & 8) {
        p.lda = (m > k ? m : k) + 3;
        p.ldb = (n > k ? n : k) + 1;
        p.ldc = (m > n ? m : n) + 2;
        p.offset_a = 5;
        p.offset_b = 1;
        p.offset_c = 3;
    }
    if (way & 16) {
        p.batch_count = 3;
        p.stride_b = (k > n ? k : n) * (p.ldb > 0 ? p.ldb : n > k ? n : k) + 4;
        p.stride_c = (m > n ? m : n) * (p.ldc > 0 ? p.ldc : n > m ? n : m) + (way & 8 ? 7 : 0);
    }
    return p;
}

#endif
