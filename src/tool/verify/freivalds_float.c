#include "verify/check.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"
#include "math/type.h"

#include <math.h>

enum { VECTORS = 4 }; /* side by side in memory: element j of vector v is x[j·VECTORS + v] */

typedef enum extra { EXTRA_NONE, EXTRA_SQUARES, EXTRA_WEIGHTED } extra;

/* out = view · x for all vectors at once; and on the same pass over memory, per row, Σ_j m_ij² or Σ_j
 * |m_ij|·weight_j. A tile's share is summed by itself and then added: rounding grows with the tile and with the
 * number of tiles, not with their product. */
static void add_tile(const double *tile, size_t rows, size_t cols, const double *x, double *out, extra kind,
                     const double *weight, double *extras)
{
    for (size_t i = 0; i < rows; i++) {
        const double *row = tile + i * VKMM_TILE_COLS;
        double sum[VECTORS] = {0}, other = 0.0;
        for (size_t j = 0; j < cols; j++)
            for (size_t v = 0; v < VECTORS; v++) sum[v] += row[j] * x[j * VECTORS + v];
        for (size_t v = 0; v < VECTORS; v++) out[i * VECTORS + v] += sum[v];
        if (kind == EXTRA_NONE) continue;
        for (size_t j = 0; j < cols; j++) other += kind == EXTRA_SQUARES ? row[j] * row[j] : fabs(row[j]) * weight[j];
        extras[i] += other;
    }
}

/* out and extras hold zeros. */
static void project(const vkmm_claim *claim, const vkmm_view *view, const double *x, double *out, extra kind,
                    const double *weight, double *extras, vkmm_block *block)
{
    const int is_factor = view == &claim->a || view == &claim->b;
    double *tile = block->tile.reals;
    for (vkmm_tile_range at = {0}; vkmm_tile_next(view, &at);) {
        if (is_factor)
            vkmm_tile_factor(claim, view, at.i, at.rows, at.j, at.cols, tile);
        else
            vkmm_tile_double(view, at.i, at.rows, at.j, at.cols, tile);
        add_tile(tile, at.rows, at.cols, x + at.j * VECTORS, out + at.i * VECTORS, kind,
                 weight != NULL ? weight + at.j : NULL, kind == EXTRA_NONE ? NULL : extras + at.i);
        vkmm_touch(block, claim, view, at.rows, at.cols, (vkmm_view_has_rows(view) ? at.j : at.i) == 0);
    }
}

typedef struct work {
    double *x;     /* N × VECTORS, Gaussian */
    double *bx;    /* K × VECTORS: B·x */
    double *norms; /* K: ‖row k of B‖₂ */
    double *abx;   /* M × VECTORS: A·(B·x) */
    double *cx;    /* M × VECTORS: C·x */
    double *scale; /* M: Σ_k |a_ik|·‖row k of B‖₂ */
    double *held;  /* M: ‖row i of C‖₂; where C is narrow */
    /* Where β is not 0: */
    double *before; /* M × VECTORS: C₀·x */
    double *rows;   /* M: ‖row i of C₀‖₂ */
    double bias[VECTORS], bias_norm;
} work;

static void work_end(work *w)
{
    vkmm_free(w->x);
    vkmm_free(w->bx);
    vkmm_free(w->norms);
    vkmm_free(w->abx);
    vkmm_free(w->cx);
    vkmm_free(w->scale);
    vkmm_free(w->held);
    vkmm_free(w->before);
    vkmm_free(w->rows);
}

static int work_begin(work *w, const vkmm_claim *claim)
{
    const uint64_t m = claim->c.rows, n = claim->c.cols, k = claim->a.cols;
    w->x = vkmm_alloc(n, VECTORS * sizeof(double));
    w->bx = vkmm_alloc(k, VECTORS * sizeof(double));
    w->norms = vkmm_alloc(k, sizeof(double));
    w->abx = vkmm_alloc(m, VECTORS * sizeof(double));
    w->cx = vkmm_alloc(m, VECTORS * sizeof(double));
    w->scale = vkmm_alloc(m, sizeof(double));
    w->held = vkmm_alloc(m, sizeof(double));
    if (!w->x || !w->bx || !w->norms || !w->abx || !w->cx || !w->scale || !w->held) return 0;
    if (claim->beta == 0.0) return 1;
    w->before = vkmm_alloc(m, VECTORS * sizeof(double));
    w->rows = vkmm_alloc(m, sizeof(double));
    return w->before && w->rows;
}

/* A·(B·x) becomes α·A·(B·x) + β·C₀·x + bias·x, and the scale that of it. */
static void scale(const vkmm_check *check, work *w)
{
    const vkmm_claim *claim = &check->claim;
    const int has_before = claim->beta != 0.0;
    vkmm_view bias = claim->bias;
    if (has_before) project(claim, &claim->before, w->x, w->before, EXTRA_SQUARES, NULL, w->rows, check->block);
    if (bias.data != NULL) {
        bias.rows = 1;
        project(claim, &bias, w->x, w->bias, EXTRA_SQUARES, NULL, &w->bias_norm, check->block);
        w->bias_norm = sqrt(w->bias_norm);
    }
    for (uint64_t i = 0; i < claim->c.rows; i++) {
        for (size_t v = 0; v < VECTORS; v++) {
            double *want = &w->abx[i * VECTORS + v];
            *want = claim->alpha * *want + (has_before ? claim->beta * w->before[i * VECTORS + v] : 0.0) + w->bias[v];
        }
        w->scale[i] = fabs(claim->alpha) * w->scale[i] +
                      check->rest * ((has_before ? fabs(claim->beta) * sqrt(w->rows[i]) : 0.0) + w->bias_norm);
    }
}

static void compute(const vkmm_check *check, work *w)
{
    const vkmm_claim *claim = &check->claim;
    for (uint64_t i = 0; i < claim->b.cols * VECTORS; i++) w->x[i] = vkmm_random_normal(check->seed, i);
    project(claim, &claim->b, w->x, w->bx, EXTRA_SQUARES, NULL, w->norms, check->block);
    for (uint64_t k = 0; k < claim->b.rows; k++) w->norms[k] = sqrt(w->norms[k]);
    project(claim, &claim->a, w->bx, w->abx, EXTRA_WEIGHTED, w->norms, w->scale, check->block);
    project(claim, &claim->c, w->x, w->cx, check->narrow ? EXTRA_SQUARES : EXTRA_NONE, NULL, w->held, check->block);
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
    for (size_t v = 0; v < VECTORS; v++) {
        double residual = fabs(w->cx[i * VECTORS + v] - w->abx[i * VECTORS + v]);
        if (!(residual <= limit) || !isfinite(limit)) return 1;
        if (check->narrow) residual = fmax(residual - beside, 0.0);
        double error = residual > 0.0 ? fmin(residual / unit, check->factor) : 0.0;
        if (error > check->verdict->error) check->verdict->error = error;
    }
    return 0;
}

vkmm_status vkmm_freivalds_float(vkmm_check *check)
{
    work w = {0};
    uint64_t rows[VKMM_PANEL];
    size_t count = 0;
    uint64_t m = check->claim.c.rows;
    vkmm_status status = VKMM_OK;
    if (!work_begin(&w, &check->claim)) {
        status = vkmm_fail(check->log, VKMM_OUT_OF_MEMORY, "no memory for the vectors of Freivalds' check");
        goto end;
    }
    check->effort.vectors = VECTORS;
    compute(check, &w);
    for (uint64_t i = 0; i < m && !check->verdict->has_element; i++) {
        if (suspect(check, &w, i)) rows[count++] = i;
        if (count < VKMM_PANEL && i + 1 < m) continue;
        vkmm_check_rows(check, rows, count);
        count = 0;
    }
end:
    work_end(&w);
    return status;
}
