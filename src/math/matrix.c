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

enum { BLOCK = 32 };

/* One block of at most BLOCK×BLOCK elements goes through a buffer: every cache line of the source is read once, whole, down its column;
 * every line of the target is written once, whole. Straight from matrix to matrix, columns a power of two apart would evict each other
 * before their lines are used up. size is a constant at each call, so that memcpy becomes one load and one store. */
static inline void pack_block(const vkmm_view *view, char *packed, uint64_t i0, uint64_t j0, size_t size)
{
    char buffer[BLOCK * BLOCK * sizeof(double)];
    const char *source = view->data;
    size_t rows = view->rows - i0 < BLOCK ? (size_t)(view->rows - i0) : BLOCK;
    size_t cols = view->cols - j0 < BLOCK ? (size_t)(view->cols - j0) : BLOCK;
    for (size_t j = 0; j < cols; j++) {
        const char *column = source + (i0 * view->row_stride + (j0 + j) * view->col_stride) * size;
        for (size_t i = 0; i < rows; i++) memcpy(buffer + (i * BLOCK + j) * size, column + i * view->row_stride * size, size);
    }
    for (size_t i = 0; i < rows; i++) memcpy(packed + ((i0 + i) * view->cols + j0) * size, buffer + i * BLOCK * size, cols * size);
}

void vkmm_view_pack(const vkmm_view *view, void *packed)
{
    size_t size = vkmm_type_of(view->type)->bytes;
    if (view->rows == 0 || view->cols == 0) return;
    if (view->col_stride == 1 && view->row_stride == view->cols) {
        memcpy(packed, view->data, (size_t)(view->rows * view->cols) * size);
        return;
    }
    for (uint64_t i = 0; i < view->rows; i += BLOCK) {
        for (uint64_t j = 0; j < view->cols; j += BLOCK) {
            if (size == 1) pack_block(view, packed, i, j, 1);
            if (size == 2) pack_block(view, packed, i, j, 2);
            if (size == 4) pack_block(view, packed, i, j, 4);
            if (size == 8) pack_block(view, packed, i, j, 8);
        }
    }
}
