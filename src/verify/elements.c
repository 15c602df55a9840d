#include "verify/check.h"

#include <float.h>
#include <math.h>

/* A wrong element: the worst is kept for the report, the first among equals. */
static void note_wrong(vkmm_verdict *verdict, uint64_t i, uint64_t j, double got, double want, double error)
{
    verdict->wrong_count++;
    if (verdict->has_element && !(error > verdict->error)) return;
    verdict->has_element = 1;
    verdict->error = error;
    verdict->row = i;
    verdict->col = j;
    verdict->got = got;
    verdict->want = want;
}

/* Called when |got − want| ≤ limit does not hold, as with every NaN: is `got` the infinity or NaN that belongs here? */
static int same_kind(const vkmm_check *check, double got, long double want, double scale, double limit)
{
    if (isnan(want)) return isnan(got);
    if (isinf(want)) return isinf(got) && (got < 0) == (want < 0);
    if (isfinite(got)) return 0;
    /* The reference has more range than the type. A value at the edge of the type's may round to infinity; and where Σ|a||b| is beyond it,
     * so may a partial sum be, and what follows from that is right in the type's arithmetic, whatever its order. */
    if (scale > check->max) return 1;
    return isinf(got) && (got < 0) == (want < 0) && fabsl(want) + limit >= check->max;
}

static void judge_real(vkmm_check *check, uint64_t i, uint64_t j, double got, long double want, double scale)
{
    double unit = check->epsilon * fmin(scale, DBL_MAX); /* fmin: an infinite limit would let anything pass */
    double limit = check->factor * unit + check->flush;
    double delta = (double)fabsl(got - want);
    double error = delta > check->flush ? (delta - check->flush) / unit : 0.0;
    if (delta <= limit) { /* false for a NaN */
        error = fmin(error, check->factor);
        if (!check->verdict->has_element && error > check->verdict->error) check->verdict->error = error;
    } else if (!same_kind(check, got, want, scale, limit)) {
        note_wrong(check->verdict, i, j, got, (double)want, isfinite(delta) && isfinite(error) ? error : INFINITY);
    }
}

static void judge_bits(vkmm_check *check, uint64_t i, uint64_t j, uint32_t got, uint32_t want)
{
    if (got == want) return;
    double g = check->c->type == VKMM_I32 ? (double)(int32_t)got : (double)got;
    double w = check->c->type == VKMM_I32 ? (double)(int32_t)want : (double)want;
    note_wrong(check->verdict, i, j, g, w, fabs(g - w));
}

static void check_block(vkmm_check *check, const uint64_t *rows, size_t count, uint64_t j0, size_t cols)
{
    vkmm_block *block = check->block;
    vkmm_reference(check->a, check->b, rows, count, j0, cols, block);
    for (size_t r = 0; r < count; r++) {
        if (check->epsilon == 0.0) {
            vkmm_tile_bits(check->c, rows[r], 1, j0, cols, block->tile.bits);
            for (size_t j = 0; j < cols; j++) judge_bits(check, rows[r], j0 + j, block->tile.bits[j], block->want.bits[r][j]);
            continue;
        }
        vkmm_tile_double(check->c, rows[r], 1, j0, cols, block->tile.reals);
        for (size_t j = 0; j < cols; j++) {
            long double want = check->c->type == VKMM_F64 ? block->want.wide[r][j] : block->want.narrow[r][j];
            judge_real(check, rows[r], j0 + j, block->tile.reals[j], want, block->scale[r][j]);
        }
    }
}

static size_t at_most(uint64_t left, size_t limit)
{
    return left < limit ? (size_t)left : limit;
}

void vkmm_check_rows(vkmm_check *check, const uint64_t *rows, uint64_t count)
{
    for (uint64_t r = 0; r < count; r += VKMM_PANEL)
        for (uint64_t j = 0; j < check->c->cols; j += VKMM_TILE_COLS)
            check_block(check, rows + r, at_most(count - r, VKMM_PANEL), j, at_most(check->c->cols - j, VKMM_TILE_COLS));
}

void vkmm_check_element(vkmm_check *check, uint64_t i, uint64_t j)
{
    check_block(check, &i, 1, j, 1);
}

void vkmm_check_all(vkmm_check *check)
{
    for (uint64_t i = 0; i < check->c->rows; i += VKMM_PANEL) {
        uint64_t rows[VKMM_PANEL];
        size_t count = at_most(check->c->rows - i, VKMM_PANEL);
        for (size_t r = 0; r < count; r++) rows[r] = i + r;
        vkmm_check_rows(check, rows, count);
    }
}
