#include "verify/check.h"

#include <math.h>

#include "math/half.h"
#include "math/type.h"

/* Columns that are adjacent in memory are read along their rows, others along their columns: a cache line is used up
 * while it is loaded. COPY(SOURCE, TARGET, CONVERT) copies elements of one type. */
#define COPY(SOURCE, TARGET, CONVERT)                                                                            \
    do {                                                                                                         \
        const SOURCE *source = (const SOURCE *)view->data + i0 * view->row_stride + j0 * view->col_stride;       \
        const uint64_t down = view->row_stride, across = view->col_stride;                                       \
        TARGET *restrict target = tile;                                                                          \
        if (across == 1) {                                                                                       \
            for (size_t i = 0; i < rows; i++)                                                                    \
                for (size_t j = 0; j < cols; j++) target[i * CLI_TILE_COLS + j] = CONVERT(source[i * down + j]); \
        } else {                                                                                                 \
            for (size_t j = 0; j < cols; j++)                                                                    \
                for (size_t i = 0; i < rows; i++)                                                                \
                    target[i * CLI_TILE_COLS + j] = CONVERT(source[i * down + j * across]);                      \
        }                                                                                                        \
    } while (0)

/* As a w8a8 product takes factors: multiples of a 127th of the largest magnitude of their line. */
static void quantize(const cli_claim *claim, const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0, size_t cols,
                     double *tile)
{
    const int is_b = view == &claim->b;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            const double most = claim->tops[is_b][is_b ? j0 + j : i0 + i];
            double *x = &tile[i * CLI_TILE_COLS + j];
            *x = !isfinite(most) ? (double)NAN : most < 0x1p-119 ? 0 : nearbyint(127 * *x / most) * most / 127;
        }
}

void cli_tile_read(const cli_claim *claim, const vkmm_view *view, uint64_t i0, size_t rows, uint64_t j0, size_t cols,
                   void *tile)
{
    const int is_factor = view == &claim->a || view == &claim->b;
    if (view->type == VKMM_F64)
        COPY(double, double, (double));
    else if (view->type == VKMM_F16)
        COPY(uint16_t, double, (double)vkmm_f16_value);
    else if (view->type == VKMM_BF16)
        COPY(uint16_t, double, (double)vkmm_bf16_value);
    else if (view->type == VKMM_E4M3)
        COPY(uint8_t, double, (double)vkmm_e4m3_value);
    else if (view->type == VKMM_E5M2)
        COPY(uint8_t, double, (double)vkmm_e5m2_value);
    else if (view->type == VKMM_F32 && is_factor && claim->compute == VKMM_F16)
        COPY(float, double, (double)vkmm_f16_rounded);
    else if (view->type == VKMM_F32)
        COPY(float, double, (double));
    else if (view->type == VKMM_I8)
        COPY(int8_t, uint32_t, (uint32_t)(int32_t));
    else if (view->type == VKMM_U8)
        COPY(uint8_t, uint32_t, (uint32_t));
    else
        COPY(uint32_t, uint32_t, (uint32_t)); /* i32 too: the same bits, read through the unsigned type of the width */
    if (is_factor && claim->method == VKMM_COMPUTE_W8A8 && claim->tops[VKMM_A] != NULL)
        quantize(claim, view, i0, rows, j0, cols, tile);
}

int cli_view_has_rows(const vkmm_view *view)
{
    return view->row_stride >= view->col_stride;
}
