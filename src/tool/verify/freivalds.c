#include "verify/check.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"
#include "math/type.h"

#include <math.h>
#include <string.h>

/* Vectors are interleaved in memory: element j of vector v is x[j·REALS + v]. Of integers 40, 8 at a time. */
enum { REALS = 4, BITS = 8, PASSES = 5 };

typedef enum extra { EXTRA_NONE, EXTRA_SQUARES, EXTRA_WEIGHTED } extra;

/* Products of rows with the vectors; and on the same pass over memory, per row, Σ_j m_ij² or Σ_j |m_ij|·weight_j. A
 * tile's share is summed by itself and then added: rounding grows with the tile and with the number of tiles, not with
 * their product. */
static void add_reals(const double *tile, size_t rows, size_t cols, const double *x, double *out, extra kind,
                      const double *weight, double *extras)
{
    for (size_t i = 0; i < rows; i++) {
        const double *row = tile + i * VKMM_TILE_COLS;
        double sum[REALS] = {0}, other = 0.0;
        for (size_t j = 0; j < cols; j++)
            for (size_t v = 0; v < REALS; v++) sum[v] += row[j] * x[j * REALS + v];
        for (size_t v = 0; v < REALS; v++) out[i * REALS + v] += sum[v];
        if (kind == EXTRA_NONE) continue;
        for (size_t j = 0; j < cols; j++) other += kind == EXTRA_SQUARES ? row[j] * row[j] : fabs(row[j]) * weight[j];
        extras[i] += other;
    }
}

static void add_bits(const uint32_t *tile, size_t rows, size_t cols, const uint32_t *x, uint32_t *out)
{
    for (size_t i = 0; i < rows; i++) {
        const uint32_t *row = tile + i * VKMM_TILE_COLS;
        uint32_t sum[BITS] = {0};
        for (size_t j = 0; j < cols; j++)
            for (size_t v = 0; v < BITS; v++) sum[v] += row[j] * x[j * BITS + v];
        for (size_t v = 0; v < BITS; v++) out[i * BITS + v] += sum[v];
    }
}

/* The position of a tile in its view. */
typedef struct tile_range {
    uint64_t i, j;
    size_t rows, cols;
} tile_range;

/* Steps through all tiles of a view, from a zeroed range: 0 after the last. In this order, a page of memory is used up
 * before the next one is read. */
static int step(const vkmm_view *view, tile_range *range)
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
    range->rows = vkmm_at_most(view->rows - range->i, VKMM_TILE_ROWS);
    range->cols = vkmm_at_most(view->cols - range->j, VKMM_TILE_COLS);
    return 1;
}

/* The next tile of the view, read into the block; 0 after the last. */
static int next_tile(const vkmm_check *check, const vkmm_view *view, tile_range *at)
{
    if (!step(view, at)) return 0;
    vkmm_tile_read(&check->claim, view, at->i, at->rows, at->j, at->cols, check->block->tile);
    vkmm_touch(check->block, &check->claim, view, at->rows, at->cols, (vkmm_view_has_rows(view) ? at->j : at->i) == 0);
    return 1;
}

void vkmm_count_odd(vkmm_check *check)
{
    tile_range at = {0};
    while (next_tile(check, &check->claim.c, &at))
        for (size_t i = 0; i < at.rows; i++)
            for (size_t j = 0; j < at.cols; j++) {
                const double value = check->block->tile[i * VKMM_TILE_COLS + j];
                check->verdict->nans += isnan(value) != 0;
                check->verdict->infinities += isinf(value) != 0;
            }
}

/* out = view · x for all vectors at once. out and extras hold zeros. */
static void project(const vkmm_check *check, const vkmm_view *view, const double *x, double *out, extra kind,
                    const double *weight, double *extras)
{
    for (tile_range at = {0}; next_tile(check, view, &at);)
        add_reals(check->block->tile, at.rows, at.cols, x + at.j * REALS, out + at.i * REALS, kind,
                  weight != NULL ? weight + at.j : NULL, kind == EXTRA_NONE ? NULL : extras + at.i);
}

/* The same modulo 2^32. */
static void project_bits(const vkmm_check *check, const vkmm_view *view, const uint32_t *x, uint32_t *out)
{
    memset(out, 0, (size_t)view->rows * BITS * sizeof *out);
    for (tile_range at = {0}; next_tile(check, view, &at);)
        add_bits((const void *)check->block->tile, at.rows, at.cols, x + at.j * BITS, out + at.i * BITS);
}

/* All rows of the bias are the same. */
static vkmm_view bias_row(const vkmm_check *check)
{
    vkmm_view bias = check->claim.bias;
    bias.rows = 1;
    return bias;
}

typedef struct work {
    double *x;     /* N × REALS, Gaussian */
    double *bx;    /* K × REALS: B·x */
    double *abx;   /* M × REALS: A·(B·x) */
    double *cx;    /* M × REALS: C·x */
    double *norms; /* K: ‖row k of B‖₂; split and modular: plus the mean of all */
    double *scale; /* M: Σ_k |a_ik|·norms_k */
    double *held;  /* M: ‖row i of C‖₂; where C is narrow */
    /* Where β is not 0: */
    double *before; /* M × REALS: C₀·x */
    double *rows;   /* M: ‖row i of C₀‖₂ */
    double bias[REALS], bias_norm;
} work;

/* A·(B·x) becomes α·A·(B·x) + β·C₀·x + bias·x, and the scale becomes its scale. */
static void scale(const vkmm_check *check, work *w)
{
    const vkmm_claim *claim = &check->claim;
    if (claim->beta != 0.0) project(check, &claim->before, w->x, w->before, EXTRA_SQUARES, NULL, w->rows);
    if (claim->bias.data != NULL) {
        const vkmm_view bias = bias_row(check);
        project(check, &bias, w->x, w->bias, EXTRA_SQUARES, NULL, &w->bias_norm);
        w->bias_norm = sqrt(w->bias_norm);
    }
    for (uint64_t i = 0; i < claim->c.rows; i++) {
        for (size_t v = 0; v < REALS; v++) {
            double *want = &w->abx[i * REALS + v];
            *want = claim->alpha * *want + claim->beta * w->before[i * REALS + v] + w->bias[v];
        }
        w->scale[i] =
            fabs(claim->alpha) * w->scale[i] + check->rest * (fabs(claim->beta) * sqrt(w->rows[i]) + w->bias_norm);
    }
}

static void compute(const vkmm_check *check, work *w)
{
    const vkmm_claim *claim = &check->claim;
    for (uint64_t i = 0; i < claim->b.cols * REALS; i++) w->x[i] = vkmm_random_normal(check->seed, i);
    project(check, &claim->b, w->x, w->bx, EXTRA_SQUARES, NULL, w->norms);
    double mean = 0.0;
    for (uint64_t k = 0; k < claim->b.rows; k++) mean += check->apart * (w->norms[k] = sqrt(w->norms[k]));
    for (uint64_t k = 0; k < claim->b.rows; k++) w->norms[k] += mean;
    project(check, &claim->a, w->bx, w->abx, EXTRA_WEIGHTED, w->norms, w->scale);
    project(check, &claim->c, w->x, w->cx, check->narrow ? EXTRA_SQUARES : EXTRA_NONE, NULL, w->held);
    for (uint64_t i = 0; i < claim->c.rows; i++) w->held[i] = sqrt(w->held[i]);
    if (check->scaled) scale(check, w);
}

/* 1 when row i is to be recomputed. A NaN or an infinity anywhere makes a comparison false, and the row suspect. */
static int suspect(const vkmm_check *check, const work *w, uint64_t i)
{
    const double root = sqrt((double)check->claim.c.cols);
    double unit = check->epsilon * w->scale[i];
    double beside = check->flush * root + fmin(check->steps * root, w->scale[i]);
    if (check->narrow) beside += vkmm_type_of(check->claim.c.type)->epsilon * w->held[i];
    double limit = check->factor * unit + beside;
    for (size_t v = 0; v < REALS; v++) {
        double residual = fabs(w->cx[i * REALS + v] - w->abx[i * REALS + v]);
        if (!(residual <= limit) || !isfinite(limit)) return 1;
        if (check->narrow) residual = fmax(residual - beside, 0.0);
        double error = residual > 0.0 ? fmin(residual / unit, check->factor) : 0.0;
        if (error > check->verdict->error) check->verdict->error = error;
    }
    return 0;
}

static void check_reals(vkmm_check *check, double *memory)
{
    const uint64_t m = check->claim.c.rows, n = check->claim.c.cols, k = check->claim.a.cols;
    work w = {.x = memory};
    uint64_t rows[VKMM_PANEL];
    size_t count = 0;
    w.bx = w.x + n * REALS;
    w.abx = w.bx + k * REALS;
    w.cx = w.abx + m * REALS;
    w.before = w.cx + m * REALS;
    w.norms = w.before + m * REALS;
    w.scale = w.norms + k;
    w.held = w.scale + m;
    w.rows = w.held + m;
    check->effort.vectors = REALS;
    compute(check, &w);
    for (uint64_t i = 0; i < m && !check->verdict->has_element; i++) {
        if (suspect(check, &w, i)) rows[count++] = i;
        if (count < VKMM_PANEL && i + 1 < m) continue;
        vkmm_check_rows(check, rows, count);
        count = 0;
    }
}

/* abx = α·abx + β·C₀·x + bias·x; before is scratch. */
static void combine(const vkmm_check *check, const uint32_t *x, uint32_t *abx, uint32_t *before)
{
    const uint64_t count = check->claim.c.rows * BITS;
    uint32_t dot[BITS] = {0};
    if (check->claim.bias.data != NULL) {
        const vkmm_view bias = bias_row(check);
        project_bits(check, &bias, x, dot);
    }
    for (uint64_t i = 0; i < count; i++) abx[i] = check->alpha * abx[i] + dot[i % BITS];
    if (check->beta == 0) return;
    project_bits(check, &check->claim.before, x, before);
    for (uint64_t i = 0; i < count; i++) abx[i] += check->beta * before[i];
}

/* Recomputes up to VKMM_PANEL rows whose two products differ. Arithmetic here is exact: each of them has a wrong
 * element. */
static void locate(vkmm_check *check, const uint32_t *abx, const uint32_t *cx)
{
    uint64_t rows[VKMM_PANEL];
    size_t count = 0;
    for (uint64_t i = 0; i < check->claim.c.rows && count < VKMM_PANEL; i++)
        if (memcmp(abx + i * BITS, cx + i * BITS, BITS * sizeof *cx) != 0) rows[count++] = i;
    vkmm_check_rows(check, rows, count);
}

static void check_bits(vkmm_check *check, uint32_t *x)
{
    const vkmm_claim *claim = &check->claim;
    const uint64_t values = claim->c.cols * BITS;
    uint32_t *bx = x + values, *abx = bx + claim->a.cols * BITS, *cx = abx + claim->c.rows * BITS;
    check->effort.vectors = PASSES * BITS;
    for (uint64_t pass = 0; pass < PASSES && !check->verdict->has_element; pass++) {
        for (uint64_t i = 0; i < values; i++) x[i] = (uint32_t)(vkmm_random_bits(check->seed, pass * values + i) >> 32);
        project_bits(check, &claim->b, x, bx);
        project_bits(check, &claim->a, bx, abx);
        if (check->scaled) combine(check, x, abx, cx);
        project_bits(check, &claim->c, x, cx);
        locate(check, abx, cx);
    }
}

vkmm_status vkmm_freivalds(vkmm_check *check)
{
    const uint64_t m = check->claim.c.rows, n = check->claim.c.cols, k = check->claim.a.cols;
    const int is_float = check->epsilon != 0.0;
    void *memory = is_float ? vkmm_alloc(REALS * (n + k + 3 * m) + k + 3 * m, sizeof(double))
                            : vkmm_alloc(BITS * (n + k + 2 * m), sizeof(uint32_t));
    if (memory == NULL) return VKMM_NO_MEMORY(check->log, "for the vectors of Freivalds' check");
    if (is_float)
        check_reals(check, memory);
    else
        check_bits(check, memory);
    vkmm_free(memory);
    return VKMM_OK;
}
