#include "verify/check.h"

#include "base/alloc.h"
#include "math/half.h"
#include "math/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* gelu's steepest slope, a little above 1.1289; and how far gelu(x) may be off because of a device's tanh, in ε·|x|
 * (doc/verification.md). */
#define GELU_SLOPE 1.13
#define GELU_ERROR 32.0

/* A wrong element: the worst is kept for the report, the first among equals; or, beside sums that are not the
 * reference's, an element that is to be computed. */
static void note_wrong(vkmm_check *check, uint64_t i, uint64_t j, double got, double want, double error)
{
    cli_verdict *verdict = check->verdict;
    if (check->doubtful != NULL) {
        check->doubtful[check->doubtful_count++] = (cli_spot){i, j};
        return;
    }
    verdict->wrong_count++;
    if (verdict->has_element && !(error > verdict->error)) return;
    verdict->has_element = 1;
    verdict->error = error;
    verdict->row = check->transposed ? j : i;
    verdict->col = check->transposed ? i : j;
    verdict->got = got;
    verdict->want = want;
    verdict->unwritten = vkmm_view_unwritten(&check->claim.c, i, j);
}

/* What an element of C is made of, floats: A·B's element with its Σ|a||b| and the part of it that may be missing
 * (cli_block), c₀ and the bias, 0 where there are none. */
typedef struct terms {
    long double sum;
    double scale, loss, before, bias;
} terms;

/* The element that `got` should be. */
typedef struct wanted {
    long double value;
    double scale;  /* s_ij */
    double flush;  /* φ_ij */
    int overflows; /* a partial sum may, on whatever way to the value */
} wanted;

static wanted combine(const vkmm_check *check, const terms *t)
{
    const double alpha = check->claim.alpha, beta = check->claim.beta;
    wanted w = {.value = t->sum, .scale = t->scale, .flush = check->flush, .overflows = t->scale > check->max};
    double loss = t->loss;
    if (check->claim.method == VKMM_COMPUTE_REPRODUCIBLE && !isfinite(t->sum)) w.value = NAN; /* its rule */
    if (check->steps > 0.0) loss += fmin(check->steps, t->scale);
    if (!check->scaled) {
        w.flush += loss;
        return w;
    }
    const double product = fabs(alpha) * t->scale, others = fabs(beta * t->before) + fabs(t->bias);
    w.value = alpha * w.value + (long double)beta * t->before + t->bias;
    w.scale = product + check->rest * others;
    w.overflows |= product + others > check->most;
    if (loss > 0.0) w.flush += fabs(alpha) * loss;
    if (check->narrow && fabs(t->before) < check->min) w.flush += fabs(beta * t->before);
    if (check->narrow && fabs(t->bias) < check->min) w.flush += fabs(t->bias);
    return w;
}

static long double gelu(long double x, int wide)
{
    const long double root = 0.797884560802865355879892119868763737L; /* √(2/π) */
    const long double z = root * (x + 0.044715L * x * x * x);
    return x / 2 * (1 + (wide ? tanhl(z) : (long double)tanh((double)z)));
}

static void activate(const vkmm_check *check, wanted *w)
{
    if (check->claim.activation == VKMM_RELU && w->value < 0) { /* false for a NaN */
        if (isinf(w->value)) *w = (wanted){0};                  /* nothing was rounded */
        w->value = 0;
    }
    if (check->claim.activation != VKMM_GELU || !isfinite(w->value)) return;
    const double scale_epsilon = vkmm_type_of(vkmm_types_scale(check->types))->epsilon;
    w->scale =
        GELU_SLOPE * w->scale + GELU_ERROR * scale_epsilon / (check->epsilon * check->factor) * fabs((double)w->value);
    w->flush *= GELU_SLOPE;
    w->value = gelu(w->value, check->types.in == VKMM_F64);
}

/* Called when |got − want| ≤ limit does not hold, as with every NaN: is `got` the expected infinity or NaN? */
static int same_kind(vkmm_check *check, double got, const wanted *want, double limit)
{
    const vkmm_activation activation = check->claim.activation;
    const int cut = activation != VKMM_ACTIVATION_NONE && got == 0.0; /* the result of -∞ */
    if (activation != VKMM_ACTIVATION_NONE && isinf(got) && got < 0) return 0;
    if (isinf(check->claim.alpha)) return !isfinite(got) || cut;
    if (isnan(want->value)) return isnan(got);
    if (isinf(want->value) && want->value < 0 && activation == VKMM_GELU) return cut || isnan(got);
    if (isinf(want->value)) return isinf(got) && (got < 0) == (want->value < 0);
    /* The reference has more range than the type. If the scale exceeds the type's range, so may a partial sum, and
     * infinities and NaNs that result are right. A value at the end of the type's range may round to infinity. */
    if (want->overflows && (!isfinite(got) || cut)) return 1;
    if (isfinite(got) || check->narrow) return 0;
    return isinf(got) && (got < 0) == (want->value < 0) && fabsl(want->value) + limit >= check->most;
}

/* Value of a bit pattern without a sign; infinity counts as the next number after the largest. */
static double magnitude(vkmm_type type, uint16_t bits)
{
    if (type == VKMM_F16) return bits == 0x7c00 ? 0x1p16 : (double)vkmm_f16_value(bits);
    return bits == 0x7f80 ? 0x1p128 : (double)vkmm_bf16_value(bits);
}

/* The number nearest to `want` that rounds to `got`, an f16 or bf16 that is not NaN; want is finite. 65520 counts as
 * infinite, and numbers up to min_normal as 0, because they may be flushed. */
static double nearest_origin(vkmm_type type, double got, double want)
{
    const int negative = got != 0.0 ? got < 0.0 : want < 0.0;
    const double least = vkmm_type_of(type)->min_normal, target = negative ? -want : want, held = fabs(got);
    double edge = target;
    if (held == 0.0) {
        edge = fmin(target, least);
    } else if (target != held) {
        const uint16_t bits = type == VKMM_F16 ? vkmm_f16_bits(held) : vkmm_bf16_bits(held);
        if (target > held && !isinf(held))
            edge = fmin(target, (magnitude(type, bits) + magnitude(type, (uint16_t)(bits + 1))) / 2);
        if (target < held || isinf(held))
            edge = fmax(target, (magnitude(type, bits) + magnitude(type, (uint16_t)(bits - 1))) / 2);
    }
    return negative ? -edge : edge;
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
        if (got == 0.0 && (fabs(want) <= check->min || fmin(fabs(beta), fabs(before)) < check->min))
            return; /* flushed */
    }
    double delta = fabs(got - want);
    note_wrong(check, i, j, got, want, isfinite(delta) ? delta : INFINITY);
}

/* Judges one element and records it in the verdict; row and column are those of the current claim. */
static void judge_real(vkmm_check *check, uint64_t i, uint64_t j, double got, const terms *made_of)
{
    const cli_claim *claim = &check->claim;
    if (check->factor == 0.0) {
        judge_scaled(check, i, j, got, made_of->before);
        return;
    }
    wanted want = combine(check, made_of);
    if (claim->tops[VKMM_A] != NULL && claim->method == VKMM_COMPUTE_REPRODUCIBLE)
        want.flush += fabs(claim->alpha) * claim->tops[VKMM_A][i] * claim->tops[VKMM_B][j];
    if (claim->activation != VKMM_ACTIVATION_NONE) activate(check, &want);
    const int rounds = check->narrow && !isnan(got) && isfinite(want.value);
    double unit = check->epsilon * fmin(want.scale, DBL_MAX); /* fmin: an infinite limit would let anything pass */
    double limit = check->factor * unit + want.flush;
    double origin = rounds ? nearest_origin(claim->c.type, got, (double)want.value) : got;
    double delta = (double)fabsl(origin - want.value);
    double error = delta > want.flush ? (delta - want.flush) / unit : 0.0;
    if (delta <= limit) { /* false for a NaN */
        error = fmin(error, check->factor);
        if (!check->verdict->has_element && check->doubtful == NULL && error > check->verdict->error)
            check->verdict->error = error;
    } else if (!same_kind(check, got, &want, limit)) {
        note_wrong(check, i, j, got, (double)want.value,
                   isfinite(got) && isfinite(delta) && isfinite(error) ? error : INFINITY);
        return;
    }
    if (check->doubtful == NULL && (check->narrow || check->types.compute == VKMM_F16) && !isfinite(got) &&
        isfinite(want.value))
        check->effort.overflowed++;
}

static void judge_bits(vkmm_check *check, uint64_t i, uint64_t j, uint32_t got, uint32_t want)
{
    if (got == want) return;
    int is_signed = check->claim.c.type == VKMM_I32;
    double g = is_signed ? (double)(int32_t)got : (double)got;
    double w = is_signed ? (double)(int32_t)want : (double)want;
    note_wrong(check, i, j, g, w, fabs(g - w));
}

static void check_bits(vkmm_check *check, uint64_t row, uint64_t j0, size_t cols, size_t line)
{
    const cli_block *block = check->block;
    const uint32_t *sum = (const uint32_t *)block->want + line, *got = (const void *)block->tile,
                   *before = (const void *)block->before, *bias = (const void *)block->bias;
    const int cuts = check->claim.activation == VKMM_RELU && check->claim.c.type == VKMM_I32;
    for (size_t j = 0; j < cols; j++) {
        uint32_t want = check->alpha * sum[j] + check->beta * before[j] + bias[j];
        if (cuts && (int32_t)want < 0) want = 0;
        judge_bits(check, row, j0 + j, got[j], want);
    }
}

static void check_reals(vkmm_check *check, uint64_t row, uint64_t j0, size_t cols, size_t line)
{
    const cli_block *block = check->block;
    const int wide = check->claim.a.type == VKMM_F64;
    for (size_t j = 0; j < cols; j++) {
        const terms made_of = {.sum = wide ? ((const long double *)block->want)[line + j]
                                           : ((const double *)block->want)[line + j],
                               .scale = block->scale[line + j],
                               .loss = block->loss[line + j],
                               .before = block->before[j],
                               .bias = block->bias[j]};
        judge_real(check, row, j0 + j, block->tile[j], &made_of);
    }
}

/* Columns [j0, j0 + cols) of the matrix, whose reference stands in row r of the block from column `at` on. */
static void check_tile(vkmm_check *check, uint64_t row, size_t r, uint64_t j0, size_t cols, size_t at)
{
    const cli_claim *claim = &check->claim;
    cli_block *block = check->block;
    cli_tile_read(claim, &claim->c, row, 1, j0, cols, block->tile);
    if (claim->beta != 0.0) cli_tile_read(claim, &claim->before, row, 1, j0, cols, block->before);
    if (claim->bias.data != NULL) cli_tile_read(claim, &claim->bias, row, 1, j0, cols, block->bias);
    if (check->epsilon == 0.0)
        check_bits(check, row, j0, cols, r * block->span + at);
    else
        check_reals(check, row, j0, cols, r * block->span + at);
}

static void check_block(vkmm_check *check, const uint64_t *rows, size_t count, uint64_t j0, size_t cols)
{
    cli_reference(&check->claim, rows, count, j0, cols, check->block);
    for (size_t j = 0; j < cols; j += CLI_TILE_COLS)
        for (size_t r = 0; r < count; r++)
            check_tile(check, rows[r], r, j0 + j, cli_at_most(cols - j, CLI_TILE_COLS), j);
}

void cli_check_rows(vkmm_check *check, const uint64_t *rows, uint64_t count)
{
    for (uint64_t r = 0; r < count; r += CLI_PANEL)
        for (uint64_t j = 0; j < check->claim.c.cols; j += check->block->span)
            check_block(check, rows + r, cli_at_most(count - r, CLI_PANEL), j,
                        cli_at_most(check->claim.c.cols - j, check->block->span));
}

void cli_check_spots(vkmm_check *check, const cli_spot *spots, size_t count)
{
    cli_reference_spots(&check->claim, spots, count, check->block);
    for (size_t e = 0; e < count && !check->verdict->has_element; e++)
        check_tile(check, spots[e].row, 0, spots[e].col, 1, e);
}

void cli_check_sums(vkmm_check *check, uint64_t row, uint64_t j0, size_t cols, const double *sums,
                    const double *left_out)
{
    const cli_claim *claim = &check->claim;
    for (size_t j = 0; j < cols; j++) {
        if (left_out != NULL && left_out[j] != 0.0) continue;
        const terms made_of = {
            .sum = (long double)sums[j],
            .scale = INFINITY,
            .before = claim->beta != 0.0 ? vkmm_view_get(&claim->before, row, j0 + j) : 0.0,
            .bias = claim->bias.data != NULL ? vkmm_view_get(&claim->bias, row, j0 + j) : 0.0,
        };
        judge_real(check, row, j0 + j, vkmm_view_get(&claim->c, row, j0 + j), &made_of);
    }
}

/* The sums of one row of C from elsewhere become the block's. */
static void take_sums(const vkmm_check *check, const vkmm_view *sums, uint64_t row, uint64_t j0, size_t cols)
{
    cli_block *block = check->block;
    const double own = vkmm_type_of(sums->type)->epsilon, rounding = own > check->epsilon ? own / 2.0 : 0.0;
    cli_tile_read(&check->claim, sums, row, 1, j0, cols, block->tile);
    if (check->epsilon == 0.0) {
        memcpy(block->want, block->tile, cols * sizeof(uint32_t));
        return;
    }
    for (size_t j = 0; j < cols; j++) {
        if (check->claim.a.type == VKMM_F64)
            ((long double *)block->want)[j] = block->tile[j];
        else
            ((double *)block->want)[j] = block->tile[j];
        block->scale[j] = fabs(block->tile[j]);
        block->loss[j] = rounding * block->scale[j];
    }
}

/* Rows are looked at by several threads before any is judged. */
typedef struct glance {
    const vkmm_check *check;
    const vkmm_view *sums;
    double factor;
    char *rows; /* 1: an element is not clearly right */
} glance;

/* In f64, and within half of what is allowed. */
static int is_clear(const glance *g, double sum, double before, double bias, double got)
{
    const vkmm_check *check = g->check;
    const double alpha = check->claim.alpha, beta = check->claim.beta, epsilon = check->epsilon;
    const double all = fabs(alpha * sum) + fabs(beta * before) + fabs(bias);
    double want = alpha * sum + beta * before + bias, limit = g->factor / 2.0 * epsilon * all;
    if (check->claim.activation == VKMM_RELU) want = want < 0.0 ? 0.0 : want;
    if (check->claim.activation == VKMM_GELU) {
        want = want / 2.0 * (1.0 + tanh(0.7978845608028654 * (want + 0.044715 * want * want * want)));
        limit += 4.0 * epsilon * fabs(want);
    }
    if (check->narrow) limit += 0.499 * vkmm_type_of(check->claim.c.type)->epsilon * fabs(want);
    return got == want || (isfinite(limit) && fabs(got - want) <= limit);
}

static vkmm_status glance_at(void *context, uint64_t row)
{
    const glance *g = context;
    const cli_claim *claim = &g->check->claim;
    double sums[CLI_TILE_COLS], got[CLI_TILE_COLS], before[CLI_TILE_COLS] = {0}, bias[CLI_TILE_COLS] = {0};
    for (uint64_t j = 0; j < claim->c.cols && !g->rows[row]; j += CLI_TILE_COLS) {
        const size_t cols = cli_at_most(claim->c.cols - j, CLI_TILE_COLS);
        cli_tile_read(claim, g->sums, row, 1, j, cols, sums);
        cli_tile_read(claim, &claim->c, row, 1, j, cols, got);
        if (claim->beta != 0.0) cli_tile_read(claim, &claim->before, row, 1, j, cols, before);
        if (claim->bias.data != NULL) cli_tile_read(claim, &claim->bias, row, 1, j, cols, bias);
        for (size_t c = 0; c < cols && !g->rows[row]; c++)
            g->rows[row] = !is_clear(g, sums[c], before[c], bias[c], got[c]);
    }
    return VKMM_OK;
}

vkmm_status cli_check_against(vkmm_check *check, const vkmm_view *sums, double factor)
{
    const uint64_t m = check->claim.c.rows;
    glance g = {check, sums, factor, vkmm_alloc(m, 1)};
    cli_spot doubtful[CLI_TILE_COLS];
    const double own = check->factor;
    if (g.rows == NULL) return VKMM_NO_MEMORY("to verify the product");
    if (check->epsilon == 0.0)
        memset(g.rows, 1, m);
    else
        vkmm_workers_run(check->workers, m, glance_at, &g);
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < check->claim.c.cols && g.rows[i] && !check->verdict->has_element; j += CLI_TILE_COLS) {
            const size_t cols = cli_at_most(check->claim.c.cols - j, CLI_TILE_COLS);
            check->factor = factor;
            check->doubtful = doubtful;
            check->doubtful_count = 0;
            take_sums(check, sums, i, j, cols);
            check_tile(check, i, 0, j, cols, 0);
            check->doubtful = NULL;
            check->factor = own;
            if (check->doubtful_count > 0) cli_check_spots(check, doubtful, check->doubtful_count);
        }
    vkmm_free(g.rows);
    return VKMM_OK;
}

static void turn(vkmm_view *view)
{
    const vkmm_view was = *view;
    view->rows = was.cols;
    view->cols = was.rows;
    view->row_stride = was.col_stride;
    view->col_stride = was.row_stride;
}

void cli_check_turn(vkmm_check *check)
{
    const cli_claim was = check->claim;
    check->claim.a = was.b;
    check->claim.b = was.a;
    check->claim.tops[VKMM_A] = was.tops[VKMM_B];
    check->claim.tops[VKMM_B] = was.tops[VKMM_A];
    vkmm_view *const views[] = {&check->claim.a, &check->claim.b, &check->claim.c, &check->claim.before,
                                &check->claim.bias};
    for (size_t i = 0; i < VKMM_COUNT(views); i++) turn(views[i]);
    check->transposed = !check->transposed;
}
