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

/* The element of α·A·B + β·C₀ that `got` should be. */
typedef struct wanted {
    long double value;
    double scale; /* s_ij */
    double peak;  /* the largest that a partial sum can be, on whatever way to the value */
} wanted;

/* before: c₀, 0 where β is. */
static wanted combine(const vkmm_check *check, long double sum, double sum_scale, double before)
{
    if (!check->scaled) return (wanted){sum, sum_scale, sum_scale};
    const double alpha = check->claim.alpha, beta = check->claim.beta;
    wanted w = {.value = alpha * sum + (long double)beta * before};
    w.scale = fabs(alpha) * sum_scale + fabs(beta * before);
    w.peak = fmax(w.scale, sum_scale);
    return w;
}

/* Called when |got − want| ≤ limit does not hold, as with every NaN: is `got` the infinity or NaN that belongs here? */
static int same_kind(const vkmm_check *check, double got, const wanted *want, double limit)
{
    if (isinf(check->claim.alpha)) return !isfinite(got);
    if (isnan(want->value)) return isnan(got);
    if (isinf(want->value)) return isinf(got) && (got < 0) == (want->value < 0);
    if (isfinite(got)) return 0;
    /* The reference has more range than the type. A value at the edge of the type's may round to infinity; and where the scale is beyond it,
     * so may a partial sum be, and what follows from that is right in the type's arithmetic, whatever its order. */
    if (want->peak > check->max) return 1;
    return isinf(got) && (got < 0) == (want->value < 0) && fabsl(want->value) + limit >= check->max;
}

static void judge_real(vkmm_check *check, uint64_t i, uint64_t j, double got, const wanted *want)
{
    double unit = check->epsilon * fmin(want->scale, DBL_MAX); /* fmin: an infinite limit would let anything pass */
    double limit = check->factor * unit + check->flush;
    double delta = (double)fabsl(got - want->value);
    double error = delta > check->flush ? (delta - check->flush) / unit : 0.0;
    if (delta <= limit) { /* false for a NaN */
        error = fmin(error, check->factor);
        if (!check->verdict->has_element && error > check->verdict->error) check->verdict->error = error;
    } else if (!same_kind(check, got, want, limit)) {
        note_wrong(check->verdict, i, j, got, (double)want->value, isfinite(delta) && isfinite(error) ? error : INFINITY);
    }
}

/* Nothing is summed: C is β·c₀, exact or, if the type has no such value, one of the two around it. */
static void judge_scaled(vkmm_check *check, uint64_t i, uint64_t j, double got, double before)
{
    const double beta = check->claim.beta, product = beta * before;
    const int narrow = check->claim.c.type == VKMM_F32;
    const double want = beta == 0.0 ? 0.0 : narrow ? (double)(float)product : product;
    if (got == want || (isnan(want) && isnan(got))) return;
    if (beta != 0.0) {
        double rest = narrow ? product - want : fma(beta, before, -product); /* what rounding took away */
        double toward = rest > 0.0 ? INFINITY : -INFINITY;
        double other = narrow ? (double)nextafterf((float)want, (float)toward) : nextafter(want, toward);
        if (rest != 0.0 && !isnan(rest) && got == other) return;
        if (got == 0.0 && (fabs(want) <= check->min || fmin(fabs(beta), fabs(before)) < check->min)) return; /* flushed */
    }
    double delta = fabs(got - want);
    note_wrong(check->verdict, i, j, got, want, isfinite(delta) ? delta : INFINITY);
}

static void judge_bits(vkmm_check *check, uint64_t i, uint64_t j, uint32_t got, uint32_t want)
{
    if (got == want) return;
    int is_signed = check->claim.c.type == VKMM_I32;
    double g = is_signed ? (double)(int32_t)got : (double)got;
    double w = is_signed ? (double)(int32_t)want : (double)want;
    note_wrong(check->verdict, i, j, g, w, fabs(g - w));
}

static void check_bits(vkmm_check *check, uint64_t row, size_t r, uint64_t j0, size_t cols)
{
    vkmm_block *block = check->block;
    const uint32_t *sum = block->want.bits[r];
    vkmm_tile_bits(&check->claim.c, row, 1, j0, cols, block->tile.bits);
    if (check->beta != 0) vkmm_tile_bits(&check->claim.before, row, 1, j0, cols, block->before.bits);
    for (size_t j = 0; j < cols; j++)
        judge_bits(check, row, j0 + j, block->tile.bits[j],
                   check->alpha * sum[j] + (check->beta != 0 ? check->beta * block->before.bits[j] : 0));
}

static void check_reals(vkmm_check *check, uint64_t row, size_t r, uint64_t j0, size_t cols)
{
    vkmm_block *block = check->block;
    const int has_before = check->claim.beta != 0.0, wide = check->claim.c.type == VKMM_F64;
    vkmm_tile_double(&check->claim.c, row, 1, j0, cols, block->tile.reals);
    if (has_before) vkmm_tile_double(&check->claim.before, row, 1, j0, cols, block->before.reals);
    for (size_t j = 0; j < cols; j++) {
        double got = block->tile.reals[j], before = has_before ? block->before.reals[j] : 0.0;
        if (check->factor == 0.0) {
            judge_scaled(check, row, j0 + j, got, before);
            continue;
        }
        wanted want = combine(check, wide ? block->want.wide[r][j] : block->want.narrow[r][j], block->scale[r][j], before);
        judge_real(check, row, j0 + j, got, &want);
    }
}

static void check_block(vkmm_check *check, const uint64_t *rows, size_t count, uint64_t j0, size_t cols)
{
    vkmm_reference(&check->claim.a, &check->claim.b, rows, count, j0, cols, check->block);
    for (size_t r = 0; r < count; r++) {
        if (check->epsilon == 0.0)
            check_bits(check, rows[r], r, j0, cols);
        else
            check_reals(check, rows[r], r, j0, cols);
    }
}

static size_t at_most(uint64_t left, size_t limit)
{
    return left < limit ? (size_t)left : limit;
}

void vkmm_check_rows(vkmm_check *check, const uint64_t *rows, uint64_t count)
{
    for (uint64_t r = 0; r < count; r += VKMM_PANEL)
        for (uint64_t j = 0; j < check->claim.c.cols; j += VKMM_TILE_COLS)
            check_block(check, rows + r, at_most(count - r, VKMM_PANEL), j, at_most(check->claim.c.cols - j, VKMM_TILE_COLS));
}

void vkmm_check_element(vkmm_check *check, uint64_t i, uint64_t j)
{
    check_block(check, &i, 1, j, 1);
}

void vkmm_check_all(vkmm_check *check)
{
    for (uint64_t i = 0; i < check->claim.c.rows; i += VKMM_PANEL) {
        uint64_t rows[VKMM_PANEL];
        size_t count = at_most(check->claim.c.rows - i, VKMM_PANEL);
        for (size_t r = 0; r < count; r++) rows[r] = i + r;
        vkmm_check_rows(check, rows, count);
    }
}
