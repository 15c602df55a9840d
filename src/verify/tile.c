#include "verify/check.h"

/* Columns that lie side by side in memory are read along their rows, others along their columns: a cache line is used up while it is here.
 * COPY(SOURCE) is a whole function body for one element type; the conversion is the assignment's. */
#define COPY(SOURCE)                                                                                                                       \
    do {                                                                                                                                   \
        const SOURCE *source = (const SOURCE *)view->data + i0 * view->row_stride + j0 * view->col_stride;                                 \
        uint64_t down = view->row_stride, across = view->col_stride;                                                                       \
        if (across == 1) {                                                                                                                 \
            for (size_t i = 0; i < rows; i++)                                                                                              \
                for (size_t j = 0; j < cols; j++) tile[i * VKMM_TILE_COLS + j] = source[i * down + j];                                     \
        } else {                                                                                                                           \
            for (size_t j = 0; j < cols; j++)                                                                                              \
                for (size_t i = 0; i < rows; i++) tile[i * VKMM_TILE_COLS + j] = source[i * down + j * across];                            \
        }                                                                                                                                  \
    } while (0)

void vkmm_tile_double(const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0, size_t cols, double *restrict tile)
{
    if (view->type == VKMM_F64)
        COPY(double);
    else
        COPY(float);
}

void vkmm_tile_bits(const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0, size_t cols, uint32_t *restrict tile)
{
    COPY(uint32_t); /* i32 too: the same bits, read through the unsigned type of the same width */
}

static size_t at_most(uint64_t left, size_t limit)
{
    return left < limit ? (size_t)left : limit;
}

int vkmm_tile_next(const vkmm_view *view, vkmm_tile_range *range)
{
    if (view->rows == 0 || view->cols == 0) return 0;
    if (range->rows != 0) { /* not the first */
        if (view->row_stride >= view->col_stride) {
            range->j += VKMM_TILE_COLS;
            if (range->j >= view->cols) {
                range->j = 0;
                range->i += VKMM_TILE_ROWS;
            }
        } else {
            range->i += VKMM_TILE_ROWS;
            if (range->i >= view->rows) {
                range->i = 0;
                range->j += VKMM_TILE_COLS;
            }
        }
        if (range->i >= view->rows || range->j >= view->cols) return 0;
    }
    range->rows = at_most(view->rows - range->i, VKMM_TILE_ROWS);
    range->cols = at_most(view->cols - range->j, VKMM_TILE_COLS);
    return 1;
}
