#include "verify/check.h"

#include "base/alloc.h"
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

static size_t within(uint64_t wanted, size_t least, size_t most)
{
    return wanted < least ? least : cli_at_most(wanted, most);
}

/* Bytes of a sum. */
static size_t sum_bytes(const cli_claim *claim)
{
    return claim->a.type == VKMM_F64 ? sizeof(long double) : cli_tile_word(claim);
}

cli_block *cli_block_make(const cli_claim *claim)
{
    const uint64_t m = claim->c.rows, n = claim->c.cols, k = cli_at_most(claim->a.cols, CLI_DEPTH);
    const size_t span = within(m > n ? m : n, CLI_SPOTS, CLI_SPAN),
                 depth = within(k + STEP - 1, STEP, CLI_DEPTH) / STEP * STEP;
    const size_t sums = CLI_PANEL * span,
                 head = (sizeof(cli_block) + sizeof(long double) - 1) / sizeof(long double) * sizeof(long double);
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

/* The tile holds `depth` rows of B; the factors of A begin at `from` in the block's, and the sums at column `at`. */
static void add_tile(const cli_claim *claim, const double *tile, size_t count, size_t from, size_t depth, size_t cols,
                     size_t at, const cli_block *block)
{
    const vkmm_type type = claim->compute == VKMM_F16 ? VKMM_F16 : claim->a.type;
    /* Devices may take subnormal f16 and bf16 as 0, and with them what is smaller than a normal f16. */
    const double own = vkmm_type_of(type)->min_normal;
    const double least = vkmm_type_is_narrow(type) && own <= 0x1p-14 ? own : 0.0;
    const int is_float = vkmm_type_of(type)->is_float;
    int small = 0;
    for (size_t k = 0; k < depth && least > 0.0; k++) small |= any_small(tile + k * CLI_TILE_COLS, cols, least);
    for (size_t r = 0; r < count; r++) {
        const size_t line = r * block->span + at, factors = r * block->depth + from;
        const double *left = (const double *)block->left + factors;
        if (!is_float)
            add_bits((const uint32_t *)block->left + factors, depth, (const uint32_t *)(const void *)tile, cols,
                     (uint32_t *)block->want + line);
        else if (type == VKMM_F64)
            add_f64(left, depth, tile, cols, (long double *)block->want + line, block->scale + line);
        else
            add_f32(left, depth, tile, cols, (double *)block->want + line, block->scale + line);
        if (least > 0.0 && (small || any_small(left, depth, least)))
            add_loss(left, depth, tile, cols, least, block->loss + line);
    }
}

/* No more than will be used: the matrices of a batch may be far smaller than a block. */
static void clear(const cli_claim *claim, size_t count, size_t cols, cli_block *block)
{
    const size_t bytes = sum_bytes(claim);
    for (size_t r = 0; r < count; r++) {
        const size_t line = r * block->span;
        memset((char *)block->want + line * bytes, 0, cols * bytes);
        double *const floats[] = {block->scale, block->loss};
        for (size_t i = 0; i < VKMM_COUNT(floats); i++) memset(floats[i] + line, 0, cols * sizeof **floats);
    }
}

static size_t up_to_step(size_t depth)
{
    return (depth + STEP - 1) / STEP * STEP;
}

/* Factors k0 … k0 + depth of a row of A, and zeros up to a whole STEP, which meet zeros of the tile. */
static void take_left(const cli_claim *claim, uint64_t row, uint64_t k0, size_t depth, size_t r, uint64_t visits,
                      cli_block *block)
{
    const vkmm_view *a = &claim->a;
    const size_t word = cli_tile_word(claim);
    char *left = (char *)block->left + r * block->depth * word;
    for (size_t k = 0; k < depth; k += CLI_TILE_COLS) {
        const size_t some = cli_at_most(depth - k, CLI_TILE_COLS);
        cli_tile_read(claim, a, row, 1, k0 + k, some, left + k * word);
        cli_touch(block, claim, a, 1, some, k > 0 && cli_view_has_rows(a) ? 0 : visits);
    }
    memset(left + depth * word, 0, (up_to_step(depth) - depth) * word);
}

/* Adds the products of rows k0 … k0 + depth of B, columns [j0, j0 + cols), and the factors of A that the block
 * holds. Several threads may do so for different columns. */
static void add_depth(const cli_claim *claim, size_t count, uint64_t k0, size_t depth, uint64_t j0, size_t cols,
                      size_t at, const cli_block *block)
{
    const size_t row_bytes = CLI_TILE_COLS * cli_tile_word(claim);
    double tile[CLI_TILE_ROWS * CLI_TILE_COLS];
    for (size_t k = 0; k < depth; k += CLI_TILE_ROWS) {
        const size_t some = cli_at_most(depth - k, CLI_TILE_ROWS);
        memset((char *)tile + some * row_bytes, 0, (up_to_step(some) - some) * row_bytes);
        cli_tile_read(claim, &claim->b, k0 + k, some, j0, cols, tile);
        add_tile(claim, tile, count, k, some, cols, at, block);
    }
}

typedef struct strip {
    const cli_claim *claim;
    const cli_block *block;
    uint64_t k0, j0;
    size_t count, depth, at, cols;
} strip;

/* A tile's columns. */
static vkmm_status add_columns(void *context, uint64_t i)
{
    const strip *s = context;
    const size_t j = (size_t)i * CLI_TILE_COLS;
    add_depth(s->claim, s->count, s->k0, s->depth, s->j0 + s->at + j, cli_at_most(s->cols - j, CLI_TILE_COLS),
              s->at + j, s->block);
    return VKMM_OK;
}

/* If lines are long, few of them are read at a time, so that memory that was loaded with an element is still loaded for
 * its neighbours. */
enum { FEW = 256 };
_Static_assert(CLI_DEPTH % CLI_TILE_ROWS == 0 && FEW % CLI_TILE_ROWS == 0 && (int)FEW <= (int)CLI_DEPTH,
               "a sum is cut between tiles");

/* Tiles of columns of B that threads read before their pages may be released: about 8 MiB. */
static size_t tiles_at_once(const cli_claim *claim, size_t depth)
{
    const uint64_t tile = depth * CLI_TILE_COLS * vkmm_type_of(claim->b.type)->bytes;
    return tile < 8 << 20 ? (size_t)((8 << 20) / tile) : 1;
}

void cli_reference(const cli_claim *claim, const uint64_t *rows, size_t count, uint64_t j0, size_t cols,
                   cli_block *block)
{
    const vkmm_view *a = &claim->a, *b = &claim->b;
    const int by_rows = cli_view_has_rows(b);
    const size_t most = by_rows ? FEW : CLI_DEPTH;
    clear(claim, count, cols, block);
    for (uint64_t k0 = 0; k0 < a->cols; k0 += most) {
        const size_t depth = cli_at_most(a->cols - k0, most);
        for (size_t r = 0; r < count; r++) take_left(claim, rows[r], k0, depth, r, 1, block);
        for (strip s = {claim, block, k0, j0, count, depth, 0, 0}; s.at < cols; s.at += s.cols) {
            s.cols = cli_at_most(cols - s.at, tiles_at_once(claim, depth) * CLI_TILE_COLS);
            vkmm_workers_run(block->workers, (s.cols + CLI_TILE_COLS - 1) / CLI_TILE_COLS, add_columns, &s);
            cli_touch(block, claim, b, depth, s.cols, by_rows && s.at > 0 ? 0 : 1);
        }
    }
}

void cli_reference_spots(const cli_claim *claim, const cli_spot *spots, size_t count, cli_block *block)
{
    const vkmm_view *a = &claim->a, *b = &claim->b;
    const size_t most = cli_view_has_rows(b) || !cli_view_has_rows(a) ? FEW : CLI_DEPTH;
    clear(claim, 1, count, block);
    for (uint64_t k0 = 0; k0 < a->cols; k0 += most) {
        const size_t depth = cli_at_most(a->cols - k0, most);
        for (size_t e = 0; e < count; e++) {
            take_left(claim, spots[e].row, k0, depth, 0, cli_view_has_rows(a) ? 1 : count, block);
            add_depth(claim, 1, k0, depth, spots[e].col, 1, e, block);
            cli_touch(block, claim, b, depth, 1, cli_view_has_rows(b) ? count : 1);
        }
    }
}
