/* Strided views of matrices, and fills. */
#pragma once

#include "vkmatmul.h"

/* A view: element (i, j) lies at data + (i·row_stride + j·col_stride) elements. Row-major: row_stride = columns,
 * col_stride = 1; column-major (Fortran order): row_stride = 1, col_stride = rows. Owns nothing. */
typedef struct vkmm_view {
    const void *data;
    uint64_t rows, cols;
    uint64_t row_stride, col_stride; /* elements */
    vkmm_type type;
} vkmm_view;

/* A packed row-major view. */
vkmm_view vkmm_view_rows(const void *data, uint64_t rows, uint64_t cols, vkmm_type type);

/* One element as a double: exact for every type. i < rows, j < cols. */
double vkmm_view_get(const vkmm_view *view, uint64_t i, uint64_t j);

/* Fills C before a product: a quiet NaN as f32, as either half of an f64, and an unlikely integer. canary_at: its
 * byte at an offset from a multiple of four. view_unwritten: whether an element of memory that was filled with it still
 * has these bits. */
#define VKMM_CANARY 0xffffdeadu
static inline char vkmm_canary_at(uint64_t byte)
{
    const uint32_t canary = VKMM_CANARY;
    return ((const char *)&canary)[byte % 4];
}
int vkmm_view_unwritten(const vkmm_view *view, uint64_t i, uint64_t j);

/* Copies any view into memory that does not overlap it, with any strides, of which one is 1: element (i, j) goes to
 * data + (i·row_stride + j·col_stride) elements. Blocked, so that the transposing copy of a Fortran-order file runs at
 * memory speed. */
void vkmm_view_copy(const vkmm_view *view, void *data, uint64_t row_stride, uint64_t col_stride);

/* The transpose, over the same memory. */
vkmm_view vkmm_view_transposed(const vkmm_view *view);

/* rows × cols elements from (row, col) on; they must be there. */
vkmm_view vkmm_view_part(const vkmm_view *view, uint64_t row, uint64_t col, uint64_t rows, uint64_t cols);

/* How generated inputs look; names as --init takes them. */
typedef enum vkmm_init {
    VKMM_INIT_UNIFORM, /* "uniform": floats in [-1, 1), every bit of the significand random; integers over all of
                          [-2^15, 2^15), u32 [0, 2^16), i8 and u8 all their values */
    /* "int": small integers -8 … 8 (u32 and u8: 0 … 16), whose sums are exact in f32, f64 and integers, whatever
     * their order, for K < 2^17. f16 and bf16: -2 … 2, whose sums are at most 4·K: exact in f32 for K < 2^22, and in
     * f16, which counts to 2^11, for K ≤ 512; their signs mostly cancel, so that up to K = 20,000 a sum seldom reaches
     * 2^11 (its deviation is 2·√K). f32 summed in f16 is exact for K ≤ 32, mostly for K < 150. An exact sum still
     * rounds where it is stored as f16 (beyond 2^11) or bf16 (beyond 2^8), once. */
    VKMM_INIT_INT,
    VKMM_INIT_ONES,  /* "ones" */
    VKMM_INIT_INDEX, /* "index": 1, 2, 3, … in row-major order, as the tutorials' worked examples; floats above 2^24
                        (f16 2^11, bf16 2^8) round, f16 beyond 65504 to infinity; integers wrap */
    VKMM_INIT_ZEROS, /* "zeros": never time these */
    VKMM_INIT_COUNT
} vkmm_init;

const char *vkmm_init_name(vkmm_init init);

/* Fills rows·cols packed elements. The same (seed, init, type, extents) gives the same matrix on every machine. */
void vkmm_fill(void *data, uint64_t rows, uint64_t cols, vkmm_type type, vkmm_init init, uint64_t seed);

/* Gives element (i, j) of a view what vkmm_fill gives to element i·cols + j: the values do not depend on how the
 * matrix is stored. Memory between the view's elements is not changed. data: the writable address of the memory that
 * the view looks into (view->data, or an address before it in the same block). */
void vkmm_fill_view(void *data, const vkmm_view *view, vkmm_init init, uint64_t seed);
