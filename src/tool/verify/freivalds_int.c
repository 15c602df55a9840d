#include "verify/check.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"

#include <string.h>

/* 40 vectors, 8 at a time: element j of vector v is x[j·VECTORS + v]. */
enum { VECTORS = 8, PASSES = 5 };

static void add_tile(const uint32_t *tile, size_t rows, size_t cols, const uint32_t *x, uint32_t *out)
{
    for (size_t i = 0; i < rows; i++) {
        const uint32_t *row = tile + i * VKMM_TILE_COLS;
        uint32_t sum[VECTORS] = {0};
        for (size_t j = 0; j < cols; j++)
            for (size_t v = 0; v < VECTORS; v++) sum[v] += row[j] * x[j * VECTORS + v];
        for (size_t v = 0; v < VECTORS; v++) out[i * VECTORS + v] += sum[v];
    }
}

/* out = view · x modulo 2^32. */
static void project(const vkmm_claim *claim, const vkmm_view *view, const uint32_t *x, uint32_t *out, vkmm_block *block)
{
    uint32_t *tile = block->tile.bits;
    memset(out, 0, (size_t)view->rows * VECTORS * sizeof *out);
    for (vkmm_tile_range at = {0}; vkmm_tile_next(view, &at);) {
        vkmm_tile_bits(view, at.i, at.rows, at.j, at.cols, tile);
        add_tile(tile, at.rows, at.cols, x + at.j * VECTORS, out + at.i * VECTORS);
        vkmm_touch(block, claim, view, at.rows, at.cols, (vkmm_view_has_rows(view) ? at.j : at.i) == 0);
    }
}

/* Recomputes up to VKMM_PANEL rows whose two products differ. Arithmetic here is exact: each of them has a wrong
 * element. */
static void locate(vkmm_check *check, const uint32_t *abx, const uint32_t *cx)
{
    uint64_t rows[VKMM_PANEL];
    size_t count = 0;
    for (uint64_t i = 0; i < check->claim.c.rows && count < VKMM_PANEL; i++)
        if (memcmp(abx + i * VECTORS, cx + i * VECTORS, VECTORS * sizeof *cx) != 0) rows[count++] = i;
    vkmm_check_rows(check, rows, count);
}

/* abx = α·abx + β·C₀·x + bias·x; before is scratch. */
static void combine(const vkmm_check *check, const uint32_t *x, uint32_t *abx, uint32_t *before)
{
    const uint64_t count = check->claim.c.rows * VECTORS;
    vkmm_view bias = check->claim.bias;
    uint32_t dot[VECTORS];
    for (uint64_t i = 0; i < count; i++) abx[i] *= check->alpha;
    if (bias.data != NULL) {
        bias.rows = 1;
        project(&check->claim, &bias, x, dot, check->block);
        for (uint64_t i = 0; i < count; i++) abx[i] += dot[i % VECTORS];
    }
    if (check->beta == 0) return;
    project(&check->claim, &check->claim.before, x, before, check->block);
    for (uint64_t i = 0; i < count; i++) abx[i] += check->beta * before[i];
}

vkmm_status vkmm_freivalds_int(vkmm_check *check)
{
    const vkmm_claim *claim = &check->claim;
    uint64_t m = claim->c.rows, n = claim->c.cols, k = claim->a.cols;
    vkmm_status status = VKMM_OK;
    uint32_t *x = vkmm_alloc(n, VECTORS * sizeof *x);
    uint32_t *bx = vkmm_alloc(k, VECTORS * sizeof *bx);
    uint32_t *abx = vkmm_alloc(m, VECTORS * sizeof *abx);
    uint32_t *cx = vkmm_alloc(m, VECTORS * sizeof *cx);
    if (!x || !bx || !abx || !cx) {
        status = vkmm_fail(check->log, VKMM_OUT_OF_MEMORY, "no memory for the vectors of Freivalds' check");
        goto end;
    }
    check->effort.vectors = PASSES * VECTORS;
    for (uint64_t pass = 0; pass < PASSES && !check->verdict->has_element; pass++) {
        for (uint64_t i = 0; i < n * VECTORS; i++)
            x[i] = (uint32_t)(vkmm_random_bits(check->seed, pass * n * VECTORS + i) >> 32);
        project(claim, &claim->b, x, bx, check->block);
        project(claim, &claim->a, bx, abx, check->block);
        if (check->scaled) combine(check, x, abx, cx);
        project(claim, &claim->c, x, cx, check->block);
        locate(check, abx, cx);
    }
end:
    vkmm_free(x);
    vkmm_free(bx);
    vkmm_free(abx);
    vkmm_free(cx);
    return status;
}
