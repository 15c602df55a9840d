#include "verify/check.h"

#include "math/half.h"

/* Columns that lie side by side in memory are read along their rows, others along their columns: a cache line is
 * used up while it is here. COPY(SOURCE, CONVERT) is a whole function body for one element type. */
#define COPY(SOURCE, CONVERT)                                                                                          \
    do {                                                                                                               \
        const SOURCE *source = (const SOURCE *)view->data + i0 * view->row_stride + j0 * view->col_stride;             \
        uint64_t down = view->row_stride, across = view->col_stride;                                                   \
        if (across == 1) {                                                                                             \
            for (size_t i = 0; i < rows; i++)                                                                          \
                for (size_t j = 0; j < cols; j++) tile[i * VKMM_TILE_COLS + j] = CONVERT(source[i * down + j]);        \
        } else {                                                                                                       \
            for (size_t j = 0; j < cols; j++)                                                                          \
                for (size_t i = 0; i < rows; i++)                                                                      \
                    tile[i * VKMM_TILE_COLS + j] = CONVERT(source[i * down + j * across]);                             \
        }                                                                                                              \
    } while (0)

#define AS_DOUBLE(value)   ((double)(value))
#define FROM_F16(value)    ((double)vkmm_f16_value(value))
#define FROM_BF16(value)   ((double)vkmm_bf16_value(value))
#define AS_BITS(value)     (value)
#define FROM_SIGNED(value) ((uint32_t)(int32_t)(value))

void vkmm_tile_double(const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0, size_t cols, double *restrict tile)
{
    if (view->type == VKMM_F64)
        COPY(double, AS_DOUBLE);
    else if (view->type == VKMM_F16)
        COPY(uint16_t, FROM_F16);
    else if (view->type == VKMM_BF16)
        COPY(uint16_t, FROM_BF16);
    else
        COPY(float, AS_DOUBLE);
}

void vkmm_tile_factor(const vkmm_claim *claim, const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0,
                      size_t cols, double *tile)
{
    vkmm_tile_double(view, i0, rows, j0, cols, tile);
    if (claim->compute != VKMM_F16 || view->type != VKMM_F32) return;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            tile[i * VKMM_TILE_COLS + j] = (double)vkmm_f16_rounded((float)tile[i * VKMM_TILE_COLS + j]);
}

void vkmm_tile_bits(const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0, size_t cols, uint32_t *restrict tile)
{
    if (view->type == VKMM_I8)
        COPY(int8_t, FROM_SIGNED);
    else if (view->type == VKMM_U8)
        COPY(uint8_t, AS_BITS);
    else
        COPY(uint32_t, AS_BITS); /* i32 too: the same bits, read through the unsigned type of the same width */
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
