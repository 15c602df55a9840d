/* The meaning of vkmm_problem once more, for tests: written from its description in vkmatmul.h, sharing nothing with
 * src/lib/math/problem.c. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/half.h"
#include "math/type.h"
#include "vkmatmul_stream.h"

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

/* C's type, and whether sums are rounded to f16. */
static inline vkmm_type gemm_out(const vkmm_problem *p)
{
    static const vkmm_type of_bytes[VKMM_TYPE_COUNT] = {
        [VKMM_I8] = VKMM_I32, [VKMM_U8] = VKMM_U32, [VKMM_E4M3] = VKMM_F32, [VKMM_E5M2] = VKMM_F32};
    return p->out_type ? p->out_type : of_bytes[p->type] ? of_bytes[p->type] : p->type;
}

static inline int gemm_half(const vkmm_problem *p)
{
    return p->compute == VKMM_F16;
}

static inline double gemm_get(vkmm_type type, const void *data, uint64_t at)
{
    if (type == VKMM_F32) return (double)((const float *)data)[at];
    return vkmm_type_get(type, (const char *)data + at * vkmm_type_of(type)->bytes);
}

static inline void gemm_set(vkmm_type type, void *data, uint64_t at, double value)
{
    vkmm_type_put(type, (char *)data + at * vkmm_type_of(type)->bytes, value);
}

/* A small whole number for the element at a place. */
static inline double gemm_number(vkmm_type type, uint64_t at, unsigned spread)
{
    return (double)(at * 7 % spread) - (type == VKMM_U32 || type == VKMM_U8 ? 0 : spread / 2);
}

/* Fills a matrix with such numbers, and nothing around it. change: NULL, or what becomes of element (i, j). */
static inline void gemm_fill(const vkmm_problem *p, vkmm_operand operand, void *data,
                             double (*change)(vkmm_operand operand, uint64_t i, uint64_t j, double usual))
{
    const uint64_t rows[] = {p->m, p->k, p->m}, cols[] = {p->k, p->n, p->n};
    const vkmm_type type = operand == VKMM_C ? gemm_out(p) : p->type;
    for (uint64_t x = 0; x < gemm_batches(p); x++)
        for (uint64_t i = 0; i < rows[operand]; i++)
            for (uint64_t j = 0; j < cols[operand]; j++) {
                const uint64_t at = gemm_index(p, operand, x, i, j);
                const double usual = gemm_number(type, at + 3 * i, operand == VKMM_C ? 9 : 5 + 2 * (unsigned)operand);
                gemm_set(type, data, at, change ? change(operand, i, j, usual) : usual);
            }
}

/* What a stream's function does with a panel: takes it from an operand that lies in memory, or puts it there. */
static inline void gemm_move(const vkmm_problem *p, void *memory, const vkmm_panel *panel, int out)
{
    const uint64_t size = vkmm_type_of(panel->operand < VKMM_C ? p->type : gemm_out(p))->bytes;
    for (uint64_t i = 0; i < panel->rows; i++)
        for (uint64_t j = 0; j < panel->cols; j++) {
            const uint64_t at = panel->operand == VKMM_BIAS
                                    ? panel->col + j
                                    : gemm_index(p, panel->operand, panel->batch, panel->row + i, panel->col + j);
            char *here = (char *)panel->data + (i * panel->row_stride + j * panel->col_stride) * size,
                 *there = (char *)memory + at * size;
            memcpy(out ? there : here, out ? here : there, size);
        }
}

static inline double gemm_round(double value)
{
    return (double)vkmm_f16_value(vkmm_f16_bits(value));
}

/* gelu in f32, or f64. */
static inline double gemm_activate(const vkmm_problem *p, double value)
{
    if (p->activation == VKMM_RELU) return value < 0.0 ? 0.0 : value;
    if (p->activation != VKMM_GELU) return value;
    if (p->type == VKMM_F64)
        return 0.5 * value * (1.0 + tanh(0.7978845608028654 * (value + 0.044715 * value * value * value)));
    const float x = (float)value;
    return (double)(0.5F * x * (1.0F + tanhf(0.79788456F * (x + 0.044715F * x * x * x))));
}

/* One element of the result, in the type's own arithmetic, one term after the other. a, b: as gemm_numbers has them;
 * bias: NULL, or an element for each column. */
static inline double gemm_element(const vkmm_problem *p, const double *a, const double *b, const void *bias,
                                  const void *c, uint64_t x, uint64_t i, uint64_t j)
{
    const double alpha = p->alpha, beta = p->beta;
    const vkmm_type out = gemm_out(p);
    const int half = gemm_half(p);
    float f = 0.0F;
    double d = 0.0, h = 0.0;
    uint32_t u = 0;
    const uint64_t first_a = gemm_index(p, VKMM_A, x, i, 0), step_a = gemm_index(p, VKMM_A, x, i, 1) - first_a;
    const uint64_t first_b = gemm_index(p, VKMM_B, x, 0, j), step_b = gemm_index(p, VKMM_B, x, 1, j) - first_b;
    for (uint64_t k = 0; k < p->k && alpha != 0.0; k++) {
        double left = a[first_a + k * step_a], right = b[first_b + k * step_b];
        f += (float)left * (float)right;
        d += left * right;
        if (half) h = gemm_round(h + left * right);
        if (out == VKMM_I32 || out == VKMM_U32) u += (uint32_t)(int64_t)left * (uint32_t)(int64_t)right;
    }
    if (half) f = (float)h;
    const double before = beta != 0.0 ? gemm_get(out, c, gemm_index(p, VKMM_C, x, i, j)) : 0.0;
    const double more = bias != NULL ? gemm_get(out, bias, j) : 0.0;
    if (p->type == VKMM_F64) return gemm_activate(p, alpha * d + (beta != 0.0 ? beta * before : 0.0) + more);
    u = (uint32_t)(int64_t)alpha * u + (uint32_t)(int64_t)beta * (uint32_t)(int64_t)before + (uint32_t)(int64_t)more;
    if (out == VKMM_I32) return gemm_activate(p, (double)(int32_t)u);
    if (out == VKMM_U32) return (double)u;
    f = (float)alpha * f + (beta != 0.0 ? (float)beta * (float)before : 0.0F);
    return gemm_activate(p, (double)(f + (float)more));
}

/* A's or B's memory as doubles, as they are multiplied; to be freed. */
static inline double *gemm_numbers(const vkmm_problem *p, vkmm_operand operand, const void *data)
{
    const uint64_t count = gemm_elements(p, operand);
    double *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
    for (uint64_t at = 0; at < count; at++) {
        numbers[at] = gemm_get(p->type, data, at);
        if (gemm_half(p)) numbers[at] = gemm_round(numbers[at]);
    }
    return numbers;
}

/* C ← activation(α·op(A)·op(B) + β·C + bias) for the whole batch. */
static inline void gemm_biased(const vkmm_problem *p, const void *a, const void *b, const void *bias, void *c)
{
    double *left = gemm_numbers(p, VKMM_A, a), *right = gemm_numbers(p, VKMM_B, b);
    for (uint64_t x = 0; x < gemm_batches(p); x++)
        for (uint64_t i = 0; i < p->m; i++)
            for (uint64_t j = 0; j < p->n; j++)
                gemm_set(gemm_out(p), c, gemm_index(p, VKMM_C, x, i, j),
                         gemm_element(p, left, right, bias, c, x, i, j));
    free(left);
    free(right);
}

static inline void gemm(const vkmm_problem *p, const void *a, const void *b, void *c)
{
    gemm_biased(p, a, b, NULL, c);
}

static inline vkmm_problem gemm_scaled(vkmm_problem problem, double alpha, double beta)
{
    problem.alpha = alpha;
    problem.beta = beta;
    return problem;
}

/* How a problem may lie in memory, for loops over all ways: both layouts, all ops, packed or padded, one matrix or
 * three with gaps, A repeated. */
enum { GEMM_WAYS = 32 };

static inline vkmm_problem gemm_way(unsigned way, uint64_t m, uint64_t n, uint64_t k, vkmm_type type)
{
    vkmm_problem p = VKMM_PROBLEM(.m = m, .n = n, .k = k, .type = type);
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
