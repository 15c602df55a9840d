#include "verify/check.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "math/type.h"

#include <math.h>
#include <string.h>

/* The three kernels below add STEP terms a·b to every column of a row before they store it: one load and one store
 * of the accumulator for STEP products. The loops along j are contiguous and independent, so that a compiler
 * vectorises them. */
enum { STEP = 4 };
_Static_assert(CLI_TILE_ROWS % STEP == 0, "a tile's rows are taken STEP at a time");

/* f32 and narrower: the product of two floats is exact in double, hence |a|·|b| = |a·b|. */
static void add_f32(const double *a, size_t depth, const double *tile, size_t cols, double *restrict want,
                    double *restrict scale)
{
    for (size_t k = 0; k < depth; k += STEP) {
        const double *b = tile + k * CLI_TILE_COLS;
        double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        for (size_t j = 0; j < cols; j++) {
            double p0 = a0 * b[j], p1 = a1 * b[j + CLI_TILE_COLS];
            double p2 = a2 * b[j + 2 * CLI_TILE_COLS], p3 = a3 * b[j + 3 * CLI_TILE_COLS];
            want[j] += (p0 + p1) + (p2 + p3);
            scale[j] += (fabs(p0) + fabs(p1)) + (fabs(p2) + fabs(p3));
        }
    }
}

/* f64: sums in long double; the scale needs no such precision. */
static void add_f64(const double *a, size_t depth, const double *tile, size_t cols, long double *restrict want,
                    double *restrict scale)
{
    for (size_t k = 0; k < depth; k += STEP) {
        const double *b = tile + k * CLI_TILE_COLS;
        double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        long double w0 = a0, w1 = a1, w2 = a2, w3 = a3;
        for (size_t j = 0; j < cols; j++) {
            const double *at = b + j;
            want[j] +=
                (w0 * at[0] + w1 * at[CLI_TILE_COLS]) + (w2 * at[2 * CLI_TILE_COLS] + w3 * at[3 * CLI_TILE_COLS]);
        }
        for (size_t j = 0; j < cols; j++) {
            const double *at = b + j;
            scale[j] += (fabs(a0 * at[0]) + fabs(a1 * at[CLI_TILE_COLS])) +
                        (fabs(a2 * at[2 * CLI_TILE_COLS]) + fabs(a3 * at[3 * CLI_TILE_COLS]));
        }
    }
}

static void add_bits(const uint32_t *a, size_t depth, const uint32_t *tile, size_t cols, uint32_t *restrict want)
{
    for (size_t k = 0; k < depth; k += STEP) {
        const uint32_t *b = tile + k * CLI_TILE_COLS;
        uint32_t a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        for (size_t j = 0; j < cols; j++)
            want[j] +=
                a0 * b[j] + a1 * b[j + CLI_TILE_COLS] + a2 * b[j + 2 * CLI_TILE_COLS] + a3 * b[j + 3 * CLI_TILE_COLS];
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

/* Products with a factor below `least`, which are rare. */
static void add_loss(const double *a, size_t depth, const double *tile, size_t cols, double least, double *loss)
{
    const int all = any_small(a, depth, least);
    for (size_t k = 0; k < depth; k++) {
        const double *b = tile + k * CLI_TILE_COLS;
        if (!all && !any_small(b, cols, least)) continue;
        for (size_t j = 0; j < cols; j++)
            if (is_small(a[k], least) || is_small(b[j], least)) loss[j] += fabs(a[k] * b[j]);
    }
}

/* Bytes of an element of a tile. */
static size_t word_bytes(const cli_claim *claim)
{
    return vkmm_type_of(claim->a.type)->is_float ? sizeof(double) : sizeof(uint32_t);
}

cli_block *cli_block_make(const cli_claim *claim)
{
    const uint64_t widest = claim->c.rows > claim->c.cols ? claim->c.rows : claim->c.cols;
    const size_t span = widest > CLI_SPOTS ? cli_at_most(widest, CLI_SPAN) : CLI_SPOTS, sums = CLI_PANEL * span,
                 depth = vkmm_round_up(cli_at_most(claim->a.cols, CLI_DEPTH), STEP),
                 head = vkmm_round_up(sizeof(cli_block), sizeof(long double));
    cli_block *block =
        vkmm_alloc(1, head + sums * (sizeof(long double) + 2 * sizeof(double)) + CLI_PANEL * depth * sizeof(double));
    if (block == NULL) return NULL;
    block->span = span;
    block->depth = depth;
    block->want = (char *)block + head;
    block->scale = (double *)(void *)((char *)block->want + sums * sizeof(long double));
    block->loss = block->scale + sums;
    block->left = block->loss + sums;
    return block;
}

/* Products to be added to a block: of factors k0 … k0 + depth of its rows of A, and columns [j0, j0 + cols) of B. Their
 * sums begin at column `at`. */
typedef struct strip {
    const cli_claim *claim;
    const cli_block *block;
    size_t count; /* rows */
    uint64_t k0, j0;
    size_t depth, cols, at;
} strip;

/* The tile holds `depth` rows of B, the first of which is row k of the strip. */
static void add_tile(const strip *s, const double *tile, size_t k, size_t depth)
{
    const cli_block *block = s->block;
    const vkmm_type type = s->claim->compute == VKMM_F16 ? VKMM_F16 : s->claim->a.type;
    /* Devices may take subnormal f16 and bf16 as 0, and with them what is smaller than a normal f16. */
    const double own = vkmm_type_of(type)->min_normal;
    const double least = vkmm_type_is_narrow(type) && own <= 0x1p-14 ? own : 0.0;
    const int is_float = vkmm_type_of(type)->is_float;
    int small = 0;
    for (size_t i = 0; i < depth && least > 0.0; i++) small |= any_small(tile + i * CLI_TILE_COLS, s->cols, least);
    for (size_t r = 0; r < s->count; r++) {
        const size_t line = r * block->span + s->at, factors = r * block->depth + k;
        const double *left = (const double *)block->left + factors;
        if (!is_float)
            add_bits((const uint32_t *)block->left + factors, depth, (const uint32_t *)(const void *)tile, s->cols,
                     (uint32_t *)block->want + line);
        else if (type == VKMM_F64)
            add_f64(left, depth, tile, s->cols, (long double *)block->want + line, block->scale + line);
        else
            add_f32(left, depth, tile, s->cols, (double *)block->want + line, block->scale + line);
        if (least > 0.0 && (small || any_small(left, depth, least)))
            add_loss(left, depth, tile, s->cols, least, block->loss + line);
    }
}

/* At most a tile's columns. Several threads may do so for different columns. */
static void add_strip(const strip *s)
{
    const size_t row_bytes = CLI_TILE_COLS * word_bytes(s->claim);
    double tile[CLI_TILE_ROWS * CLI_TILE_COLS];
    for (size_t k = 0; k < s->depth; k += CLI_TILE_ROWS) {
        const size_t some = cli_at_most(s->depth - k, CLI_TILE_ROWS);
        memset((char *)tile + some * row_bytes, 0, (vkmm_round_up(some, STEP) - some) * row_bytes);
        cli_tile_read(s->claim, &s->claim->b, s->k0 + k, some, s->j0, s->cols, tile);
        add_tile(s, tile, k, some);
    }
}

static vkmm_status add_columns(void *context, uint64_t i)
{
    strip part = *(const strip *)context;
    part.at = (size_t)i * CLI_TILE_COLS;
    part.j0 += part.at;
    part.cols = cli_at_most(part.cols - part.at, CLI_TILE_COLS);
    add_strip(&part);
    return VKMM_OK;
}

/* No more than will be used: the matrices of a batch may be far smaller than a block. */
static void clear(const cli_claim *claim, size_t count, size_t cols, cli_block *block)
{
    const size_t bytes = claim->a.type == VKMM_F64 ? sizeof(long double) : word_bytes(claim);
    for (size_t r = 0; r < count; r++) {
        const size_t line = r * block->span;
        memset((char *)block->want + line * bytes, 0, cols * bytes);
        memset(block->scale + line, 0, cols * sizeof *block->scale);
        memset(block->loss + line, 0, cols * sizeof *block->loss);
    }
}

/* Factors k0 … k0 + depth of a row of A, and zeros up to a whole STEP, which meet zeros of the tile. */
static void take_left(const cli_claim *claim, uint64_t row, uint64_t k0, size_t depth, size_t r, cli_block *block)
{
    const size_t word = word_bytes(claim);
    char *left = (char *)block->left + r * block->depth * word;
    for (size_t k = 0; k < depth; k += CLI_TILE_COLS)
        cli_tile_read(claim, &claim->a, row, 1, k0 + k, cli_at_most(depth - k, CLI_TILE_COLS), left + k * word);
    memset(left + depth * word, 0, (vkmm_round_up(depth, STEP) - depth) * word);
}

/* If lines are long, few of them are read at a time, so that memory that was loaded with an element is still loaded for
 * its neighbours. */
enum { FEW = 256 };
_Static_assert(CLI_DEPTH % CLI_TILE_ROWS == 0 && FEW % CLI_TILE_ROWS == 0 && (int)FEW <= (int)CLI_DEPTH,
               "a sum is cut between tiles");

void cli_reference(const cli_claim *claim, const uint64_t *rows, size_t count, uint64_t j0, size_t cols,
                   cli_block *block)
{
    const size_t most = cli_view_has_rows(&claim->b) ? FEW : CLI_DEPTH;
    clear(claim, count, cols, block);
    for (uint64_t k0 = 0; k0 < claim->a.cols; k0 += most) {
        strip s = {claim, block, count, k0, j0, cli_at_most(claim->a.cols - k0, most), cols, 0};
        for (size_t r = 0; r < count; r++) take_left(claim, rows[r], k0, s.depth, r, block);
        vkmm_workers_run(block->workers, vkmm_divide_up(cols, CLI_TILE_COLS), add_columns, &s);
    }
}

void cli_reference_spots(const cli_claim *claim, const cli_spot *spots, size_t count, cli_block *block)
{
    const size_t most = cli_view_has_rows(&claim->b) || !cli_view_has_rows(&claim->a) ? FEW : CLI_DEPTH;
    clear(claim, 1, count, block);
    for (uint64_t k0 = 0; k0 < claim->a.cols; k0 += most)
        for (size_t e = 0; e < count; e++) {
            const strip s = {claim, block, 1, k0, spots[e].col, cli_at_most(claim->a.cols - k0, most), 1, e};
            take_left(claim, spots[e].row, k0, s.depth, 0, block);
            add_strip(&s);
        }
}
