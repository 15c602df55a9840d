#include "verify/check.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"

#include <math.h>

enum { VECTORS = 4 }; /* side by side in memory: element j of vector v is x[j·VECTORS + v] */

typedef enum extra { EXTRA_NONE, EXTRA_SQUARES, EXTRA_WEIGHTED } extra;

/* out = view · x for all vectors at once; and on the same pass over memory, per row, Σ_j m_ij² or Σ_j |m_ij|·weight_j.
 * A tile's share is summed by itself and then added: rounding grows with the tile and with the number of tiles, not with their product. */
static void add_tile(const double *tile, size_t rows, size_t cols, const double *x, double *out, extra kind, const double *weight,
                     double *extras)
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
static void project(const vkmm_view *view, const double *x, double *out, extra kind, const double *weight, double *extras, double *tile)
{
    for (vkmm_tile_range at = {0}; vkmm_tile_next(view, &at);) {
        vkmm_tile_double(view, at.i, at.rows, at.j, at.cols, tile);
        add_tile(tile, at.rows, at.cols, x + at.j * VECTORS, out + at.i * VECTORS, kind, kind == EXTRA_WEIGHTED ? weight + at.j : NULL,
                 kind == EXTRA_NONE ? NULL : extras + at.i);
    }
}

typedef struct work {
    double *x;     /* N × VECTORS, Gaussian */
    double *bx;    /* K × VECTORS: B·x */
    double *norms; /* K: ‖row k of B‖₂ */
    double *abx;   /* M × VECTORS: A·(B·x) */
    double *cx;    /* M × VECTORS: C·x */
    double *scale; /* M: Σ_k |a_ik|·‖row k of B‖₂ */
    /* Where β is not 0: */
    double *before; /* M × VECTORS: C₀·x */
    double *rows;   /* M: ‖row i of C₀‖₂ */
} work;

static void work_end(work *w)
{
    vkmm_free(w->x);
    vkmm_free(w->bx);
    vkmm_free(w->norms);
    vkmm_free(w->abx);
    vkmm_free(w->cx);
    vkmm_free(w->scale);
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
    if (!w->x || !w->bx || !w->norms || !w->abx || !w->cx || !w->scale) return 0;
    if (claim->beta == 0.0) return 1;
    w->before = vkmm_alloc(m, VECTORS * sizeof(double));
    w->rows = vkmm_alloc(m, sizeof(double));
    return w->before && w->rows;
}

static void compute(const vkmm_check *check, work *w)
{
    const vkmm_claim *claim = &check->claim;
    double *tile = check->block->tile.reals;
    for (uint64_t i = 0; i < claim->b.cols * VECTORS; i++) w->x[i] = vkmm_random_normal(check->seed, i);
    project(&claim->b, w->x, w->bx, EXTRA_SQUARES, NULL, w->norms, tile);
    for (uint64_t k = 0; k < claim->b.rows; k++) w->norms[k] = sqrt(w->norms[k]);
    project(&claim->a, w->bx, w->abx, EXTRA_WEIGHTED, w->norms, w->scale, tile);
    project(&claim->c, w->x, w->cx, EXTRA_NONE, NULL, NULL, tile);
    if (!check->scaled) return;
    if (claim->beta != 0.0) project(&claim->before, w->x, w->before, EXTRA_SQUARES, NULL, w->rows, tile);
    for (uint64_t i = 0; i < claim->c.rows; i++) {
        for (size_t v = 0; v < VECTORS; v++) {
            double *want = &w->abx[i * VECTORS + v];
            *want = claim->alpha * *want + (claim->beta != 0.0 ? claim->beta * w->before[i * VECTORS + v] : 0.0);
        }
        w->scale[i] = fabs(claim->alpha) * w->scale[i] + (claim->beta != 0.0 ? fabs(claim->beta) * sqrt(w->rows[i]) : 0.0);
    }
}

/* 1 when row i is to be recomputed. A NaN or an infinity anywhere makes a comparison false, and the row suspect. */
static int suspect(const vkmm_check *check, const work *w, uint64_t i)
{
    double unit = check->epsilon * w->scale[i];
    double limit = check->factor * unit + check->flush * sqrt((double)check->claim.c.cols);
    for (size_t v = 0; v < VECTORS; v++) {
        double residual = fabs(w->cx[i * VECTORS + v] - w->abx[i * VECTORS + v]);
        if (!(residual <= limit) || !isfinite(limit)) return 1;
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
