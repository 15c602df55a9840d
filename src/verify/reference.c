#include "verify/check.h"

#include "math/type.h"

#include <math.h>
#include <string.h>

/* The three kernels below add STEP terms a·b to every column of a row before they store it: one load and one store of the accumulator for
 * STEP products. The loops along j are contiguous and independent, so that a compiler vectorises them. */
enum { STEP = 4 };
_Static_assert(VKMM_TILE_ROWS % STEP == 0, "a tile's rows are taken STEP at a time");

/* f32 and narrower: the product of two floats is exact in double, hence |a|·|b| = |a·b|. */
static void add_f32(const double *a, size_t depth, const double *tile, size_t cols, double *restrict want, double *restrict scale)
{
    for (size_t k = 0; k < depth; k += STEP) {
        const double *b = tile + k * VKMM_TILE_COLS;
        double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        for (size_t j = 0; j < cols; j++) {
            double p0 = a0 * b[j], p1 = a1 * b[j + VKMM_TILE_COLS];
            double p2 = a2 * b[j + 2 * VKMM_TILE_COLS], p3 = a3 * b[j + 3 * VKMM_TILE_COLS];
            want[j] += (p0 + p1) + (p2 + p3);
            scale[j] += (fabs(p0) + fabs(p1)) + (fabs(p2) + fabs(p3));
        }
    }
}

/* f64: sums in long double; the scale needs no such precision. */
static void add_f64(const double *a, size_t depth, const double *tile, size_t cols, long double *restrict want, double *restrict scale)
{
    for (size_t k = 0; k < depth; k += STEP) {
        const double *b = tile + k * VKMM_TILE_COLS;
        double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        long double w0 = a0, w1 = a1, w2 = a2, w3 = a3;
        for (size_t j = 0; j < cols; j++) {
            const double *at = b + j;
            want[j] += (w0 * at[0] + w1 * at[VKMM_TILE_COLS]) + (w2 * at[2 * VKMM_TILE_COLS] + w3 * at[3 * VKMM_TILE_COLS]);
        }
        for (size_t j = 0; j < cols; j++) {
            const double *at = b + j;
            scale[j] += (fabs(a0 * at[0]) + fabs(a1 * at[VKMM_TILE_COLS])) +
                        (fabs(a2 * at[2 * VKMM_TILE_COLS]) + fabs(a3 * at[3 * VKMM_TILE_COLS]));
        }
    }
}

static void add_bits(const uint32_t *a, size_t depth, const uint32_t *tile, size_t cols, uint32_t *restrict want)
{
    for (size_t k = 0; k < depth; k += STEP) {
        const uint32_t *b = tile + k * VKMM_TILE_COLS;
        uint32_t a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        for (size_t j = 0; j < cols; j++)
            want[j] += a0 * b[j] + a1 * b[j + VKMM_TILE_COLS] + a2 * b[j + 2 * VKMM_TILE_COLS] + a3 * b[j + 3 * VKMM_TILE_COLS];
    }
}

static int is_small(double value, double least)
{
    return value != 0.0 && fabs(value) < least;
}

static int any_small(const double *row, size_t count, double least)
{
    int any = 0;
    for (size_t j = 0; j < count; j++) any |= (row[j] != 0.0) & (fabs(row[j]) < least);
    return any;
}

/* Products with a factor below `least`. There seldom are any. */
static void add_loss(const double *a, size_t depth, const double *tile, size_t cols, double least, double *loss)
{
    const int all = any_small(a, depth, least);
    for (size_t k = 0; k < depth; k++) {
        const double *b = tile + k * VKMM_TILE_COLS;
        if (!all && !any_small(b, cols, least)) continue;
        for (size_t j = 0; j < cols; j++)
            if (is_small(a[k], least) || is_small(b[j], least)) loss[j] += fabs(a[k] * b[j]);
    }
}

vkmm_type vkmm_factor_type(const vkmm_claim *claim)
{
    return claim->compute == VKMM_F16 ? VKMM_F16 : claim->a.type;
}

static void add_reals(const vkmm_claim *claim, const uint64_t *rows, size_t count, uint64_t k0, size_t depth, size_t cols,
                      vkmm_block *block)
{
    const vkmm_type type = vkmm_factor_type(claim);
    const double least = type == VKMM_F16 || type == VKMM_BF16 ? vkmm_type_of(type)->min_normal : 0.0;
    int small = 0;
    for (size_t k = 0; k < depth && least > 0.0; k++) small |= any_small(block->tile.reals + k * VKMM_TILE_COLS, cols, least);
    for (size_t r = 0; r < count; r++) {
        double left[VKMM_TILE_ROWS] = {0}; /* zeros beyond `depth` meet zeros of the padded tile */
        vkmm_tile_factor(claim, &claim->a, rows[r], 1, k0, depth, left);
        if (claim->a.type == VKMM_F64)
            add_f64(left, depth, block->tile.reals, cols, block->want.wide[r], block->scale[r]);
        else
            add_f32(left, depth, block->tile.reals, cols, block->want.narrow[r], block->scale[r]);
        if (small || any_small(left, depth, least)) add_loss(left, depth, block->tile.reals, cols, least, block->loss[r]);
    }
}

/* No more than will be used: the matrices of a batch may be far smaller than a block. */
static void clear(vkmm_type type, size_t count, size_t cols, vkmm_block *block)
{
    for (size_t r = 0; r < count; r++) {
        if (type == VKMM_F64)
            memset(block->want.wide[r], 0, cols * sizeof block->want.wide[r][0]);
        else if (vkmm_type_of(type)->is_float)
            memset(block->want.narrow[r], 0, cols * sizeof block->want.narrow[r][0]);
        else
            memset(block->want.bits[r], 0, cols * sizeof block->want.bits[r][0]);
        memset(block->scale[r], 0, cols * sizeof block->scale[r][0]);
        memset(block->loss[r], 0, cols * sizeof block->loss[r][0]);
    }
}

void vkmm_reference(const vkmm_claim *claim, const uint64_t *rows, size_t count, uint64_t j0, size_t cols, vkmm_block *block)
{
    const vkmm_view *a = &claim->a, *b = &claim->b;
    int is_float = vkmm_type_of(a->type)->is_float;
    clear(a->type, count, cols, block);
    for (uint64_t k0 = 0; k0 < a->cols; k0 += VKMM_TILE_ROWS) {
        size_t depth = VKMM_TILE_ROWS;
        if (a->cols - k0 < VKMM_TILE_ROWS) { /* the last tile is padded with zeros to whole STEPs */
            depth = (size_t)(a->cols - k0);
            memset(&block->tile, 0, sizeof block->tile);
        }
        if (is_float) {
            vkmm_tile_factor(claim, b, k0, depth, j0, cols, block->tile.reals);
            add_reals(claim, rows, count, k0, depth, cols, block);
            continue;
        }
        vkmm_tile_bits(b, k0, depth, j0, cols, block->tile.bits);
        for (size_t r = 0; r < count; r++) {
            uint32_t left[VKMM_TILE_ROWS] = {0};
            vkmm_tile_bits(a, rows[r], 1, k0, depth, left);
            add_bits(left, depth, block->tile.bits, cols, block->want.bits[r]);
        }
    }
}
