#include "math/matrix.h"

#include "math/type.h"

#include <string.h>

vkmm_view vkmm_view_rows(const void *data, uint64_t rows, uint64_t cols, vkmm_type type)
{
    return (vkmm_view){.data = data, .rows = rows, .cols = cols, .row_stride = cols, .col_stride = 1, .type = type};
}

double vkmm_view_get(const vkmm_view *view, uint64_t i, uint64_t j)
{
    uint64_t at = i * view->row_stride + j * view->col_stride;
    if (view->type == VKMM_F32) return (double)((const float *)view->data)[at];
    return vkmm_type_get(view->type, (const char *)view->data + at * vkmm_type_of(view->type)->bytes);
}

int vkmm_view_unwritten(const vkmm_view *view, uint64_t i, uint64_t j)
{
    const size_t size = vkmm_type_of(view->type)->bytes;
    const char *at = (const char *)view->data + (i * view->row_stride + j * view->col_stride) * size;
    for (size_t k = 0; k < size; k++, at++)
        if (*at != vkmm_canary_at((uintptr_t)at)) return 0;
    return 1;
}

enum { BLOCK = 32 };

/* One block of at most BLOCK×BLOCK elements goes through a buffer: every cache line of the source is read once,
 * whole, down its column; every line of the target is written once, whole. Straight from matrix to matrix, columns a
 * power of two apart would evict each other before their lines are used up. size is a constant at each call, so that
 * memcpy becomes one load and one store. */
static inline void pack_block(const vkmm_view *view, char *packed, uint64_t ld, uint64_t i0, uint64_t j0, size_t size)
{
    char buffer[BLOCK * BLOCK * sizeof(double)];
    const char *source = view->data;
    size_t rows = view->rows - i0 < BLOCK ? (size_t)(view->rows - i0) : BLOCK;
    size_t cols = view->cols - j0 < BLOCK ? (size_t)(view->cols - j0) : BLOCK;
    for (size_t j = 0; j < cols; j++) {
        const char *column = source + (i0 * view->row_stride + (j0 + j) * view->col_stride) * size;
        for (size_t i = 0; i < rows; i++)
            memcpy(buffer + (i * BLOCK + j) * size, column + i * view->row_stride * size, size);
    }
    for (size_t i = 0; i < rows; i++)
        memcpy(packed + ((i0 + i) * ld + j0) * size, buffer + i * BLOCK * size, cols * size);
}

/* Into rows that are ld elements apart. */
static void pack_rows(const vkmm_view *view, char *packed, uint64_t ld)
{
    size_t size = vkmm_type_of(view->type)->bytes;
    if (view->rows == 0 || view->cols == 0) return;
    if (view->col_stride == 1 && ((view->row_stride == view->cols && ld == view->cols) || view->rows == 1)) {
        memcpy(packed, view->data, (size_t)(view->rows * view->cols) * size);
        return;
    }
    if (view->col_stride == 1) {
        for (uint64_t i = 0; i < view->rows; i++)
            memcpy(packed + i * ld * size, (const char *)view->data + i * view->row_stride * size,
                   (size_t)view->cols * size);
        return;
    }
    for (uint64_t i = 0; i < view->rows; i += BLOCK) {
        for (uint64_t j = 0; j < view->cols; j += BLOCK) {
            if (size == 1) pack_block(view, packed, ld, i, j, 1);
            if (size == 2) pack_block(view, packed, ld, i, j, 2);
            if (size == 4) pack_block(view, packed, ld, i, j, 4);
            if (size == 8) pack_block(view, packed, ld, i, j, 8);
        }
    }
}

void vkmm_view_copy(const vkmm_view *view, void *data, uint64_t row_stride, uint64_t col_stride)
{
    const vkmm_view transposed = vkmm_view_transposed(view);
    if (col_stride == 1)
        pack_rows(view, data, row_stride);
    else
        pack_rows(&transposed, data, col_stride);
}

vkmm_view vkmm_view_transposed(const vkmm_view *view)
{
    return (vkmm_view){view->data, view->cols, view->rows, view->col_stride, view->row_stride, view->type};
}

vkmm_view vkmm_view_part(const vkmm_view *view, uint64_t row, uint64_t col, uint64_t rows, uint64_t cols)
{
    vkmm_view part = *view;
    part.data =
        (const char *)view->data + (row * view->row_stride + col * view->col_stride) * vkmm_type_of(view->type)->bytes;
    part.rows = rows;
    part.cols = cols;
    return part;
}
