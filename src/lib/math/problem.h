/* Arithmetic about one problem: extents, bytes, FLOPs, and how its operands lie in memory. */
#pragma once

#include "math/matrix.h"
#include "math/type.h"

/* Checks a problem completely: extents (each below 2^32), type, layout, ops, leading dimensions (at least a stored row;
 * column-major: column), batches (below 2^32), scalars (finite or not, as the user likes; for integers whole numbers
 * from -2^31 to 2^32 - 1), and that the bytes of each operand and their sum fit in 63 bits. In a batch, stride_c is at
 * least the span of one matrix of C, from its first element to its last: matrices that interleave without sharing an
 * element (the columns of one between those of another) are rejected too. VKMM_INVALID, with limit and value. */
vkmm_status vkmm_problem_check(const vkmm_problem *problem);

/* Whether it can be α or β with A and B of this type. */
int vkmm_scalar_is_legal(vkmm_type type, double value);

/* What follows takes checked problems. */

/* The actual types. */
vkmm_types vkmm_problem_types(const vkmm_problem *problem);

/* The types of what the problem's method multiplies, and how many such products make its own, by the kernel that
 * was chosen; NULL: what is usual. */
vkmm_types vkmm_problem_inner(const vkmm_problem *problem, const vkmm_kernel_info *kernel, uint32_t *products);

/* Rows and columns of op(A), op(B) or C: M×K, K×N, M×N. */
uint64_t vkmm_operand_rows(const vkmm_problem *problem, vkmm_operand operand);
uint64_t vkmm_operand_cols(const vkmm_problem *problem, vkmm_operand operand);

/* "A", "B", "C", "the bias". Static storage. */
const char *vkmm_operand_name(vkmm_operand operand);

/* The actual leading dimension: the given one, or that of a packed matrix. At least 1. */
uint64_t vkmm_operand_ld(const vkmm_problem *problem, vkmm_operand operand);

/* A matrix lies in memory as `count` lines of `length` elements each, `ld` apart: rows of a row-major matrix, columns
 * of a column-major one. */
typedef struct vkmm_stored {
    uint64_t count, length, ld;
    int are_rows; /* of the operand as it appears in the product, op applied */
} vkmm_stored;
vkmm_stored vkmm_operand_stored(const vkmm_problem *problem, vkmm_operand operand);

uint64_t vkmm_problem_batches(const vkmm_problem *problem);                      /* batch_count, but at least 1 */
uint64_t vkmm_operand_stride(const vkmm_problem *problem, vkmm_operand operand); /* 0 where there is no batch */
uint64_t vkmm_operand_offset(const vkmm_problem *problem, vkmm_operand operand);

/* op(A), op(B) or C, plain, of one matrix of the batch as a view, with ops, layout and leading dimension in its
 * strides: element (i, j) of the view is at (i, j) in the product. data: the operand's memory, to which its offset is
 * added here. */
vkmm_view vkmm_operand_view(const vkmm_problem *problem, vkmm_operand operand, const void *data, uint64_t batch);

/* Elements of the operand's memory, in blocks or not. */
uint64_t vkmm_operand_elements(const vkmm_problem *problem, vkmm_operand operand);

/* How A or B is stored: VKMM_PLAIN for C and the bias; whether either has blocks, and their format, A's if both have
 * some; the bytes of so many elements, whole
 * blocks, and of those of an operand. */
vkmm_format vkmm_operand_format(const vkmm_problem *problem, vkmm_operand operand);
int vkmm_problem_has_blocks(const vkmm_problem *problem);
vkmm_format vkmm_problem_format(const vkmm_problem *problem);
uint64_t vkmm_span(vkmm_format format, vkmm_type type, uint64_t elements);
uint64_t vkmm_operand_span(const vkmm_problem *problem, vkmm_operand operand, uint64_t elements);

/* Bytes rounded up to words of 4: shaders access the memory of narrow types in words, and buffers are filled in them.
 */
static inline uint64_t vkmm_whole_words(uint64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/* Whether the memory of C holds elements that belong to no matrix: an offset, wide leading dimensions, wide strides. */
int vkmm_problem_c_has_gaps(const vkmm_problem *problem);

/* Whether it is the plain product of the tutorials: row-major, packed, ops N, one matrix, no offsets, α = 1, β = 0, one
 * type of 32 or 64 bits throughout, no blocks, no epilogue. */
int vkmm_problem_is_plain(const vkmm_problem *problem);

/* The actual α and β, rounded to vkmm_types_scale (integers: modulo 2^32), as doubles. */
double vkmm_problem_alpha(const vkmm_problem *problem);
double vkmm_problem_beta(const vkmm_problem *problem);

/* The same problem seen row-major: a column-major matrix is the row-major one of its transpose, and Cᵀ =
 * op(B)ᵀ·op(A)ᵀ. So A and B are swapped (with their ops, leading dimensions, offsets, strides), and so are M and N.
 * *swapped says whether they were: the memory of the result's A is then that of the problem's B. Leading dimensions are
 * filled in, batch_count is at least 1, strides are 0 without a batch, and alpha, beta and all types are the actual
 * ones. A bias belongs to the rows of a result whose operands were swapped. Where α is 0, K becomes 0, and where K is
 * 0, α does. */
vkmm_problem vkmm_problem_row_major(const vkmm_problem *problem, int *swapped);

/* 2·M·N·K for each matrix of the batch, the count that every BLAS benchmark uses: one multiplication and one addition
 * per term. */
double vkmm_problem_flops(const vkmm_problem *problem);
