#include "verify/check.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/random.h"
#include "math/type.h"

#include <math.h>
#include <string.h>

/* Vectors are interleaved in memory: element j of vector v is x[j·REALS + v]. Integers need 40 vectors, 8 at a time. */
enum { REALS = 4, SHARE = 16, BITS = 8, PASSES = 5 };

/* The position of a tile in its view. */
typedef struct tile_range {
    uint64_t i, j;
    size_t rows, cols;
} tile_range;

/* Called with each tile of a view. */
typedef void (*tile_visit)(void *context, const tile_range *at, const double *tile);

/* What may be visited at the same time: rows of tiles, or columns. */
typedef enum walk_order { ORDER_ROWS, ORDER_COLS } walk_order;

/* A part of a view, of which iterations are visited by several threads. */
typedef struct band {
    const vkmm_check *check;
    const vkmm_view *view;
    uint64_t i, j, rows, cols;
    walk_order order;
    tile_visit visit;
    void *context;
} band;

/* A row or a column of tiles, in order. */
static vkmm_status visit_line(void *context, uint64_t line)
{
    const band *b = context;
    const int across = b->order == ORDER_COLS;
    const uint64_t first_i = across ? 0 : line * CLI_TILE_ROWS, first_j = across ? line * CLI_TILE_COLS : 0,
                   end_i = across ? b->rows : first_i + 1, end_j = across ? first_j + 1 : b->cols;
    double tile[CLI_TILE_ROWS * CLI_TILE_COLS];
    for (uint64_t i = first_i; i < end_i; i += CLI_TILE_ROWS)
        for (uint64_t j = first_j; j < end_j; j += CLI_TILE_COLS) {
            const tile_range at = {b->i + i, b->j + j, cli_at_most(b->rows - i, CLI_TILE_ROWS),
                                   cli_at_most(b->cols - j, CLI_TILE_COLS)};
            cli_tile_read(&b->check->claim, b->view, at.i, at.rows, at.j, at.cols, tile);
            b->visit(b->context, &at, tile);
        }
    return VKMM_OK;
}

/* Visits all tiles of a view: band by band of about 8 MiB, so that mapped memory is used up before the next is read. */
static void walk(const vkmm_check *check, const vkmm_view *view, walk_order order, tile_visit visit, void *context)
{
    const int by_rows = cli_view_has_rows(view);
    const uint64_t unit = by_rows ? CLI_TILE_ROWS : CLI_TILE_COLS, length = by_rows ? view->cols : view->rows,
                   some = vkmm_round_up((8 << 20) / (length * vkmm_type_of(view->type)->bytes + 1) + 1, unit);
    for (uint64_t at = 0; at < (by_rows ? view->rows : view->cols); at += some) {
        band b = {check, view, by_rows ? at : 0, by_rows ? 0 : at, view->rows, view->cols, order, visit, context};
        b.rows = by_rows ? vkmm_least(view->rows - at, some) : view->rows;
        b.cols = by_rows ? view->cols : vkmm_least(view->cols - at, some);
        const uint64_t lines =
            order == ORDER_COLS ? vkmm_divide_up(b.cols, CLI_TILE_COLS) : vkmm_divide_up(b.rows, CLI_TILE_ROWS);
        vkmm_workers_run(check->workers, lines, visit_line, &b);
    }
}

static void count_odd(void *context, const tile_range *at, const double *tile)
{
    cli_verdict *verdict = context;
    for (size_t i = 0; i < at->rows; i++)
        for (size_t j = 0; j < at->cols; j++) {
            const double value = tile[i * CLI_TILE_COLS + j];
            verdict->nans += isnan(value) != 0;
            verdict->infinities += isinf(value) != 0;
        }
}

void cli_count_odd(const vkmm_check *check, const vkmm_view *view, cli_verdict *verdict)
{
    vkmm_check alone = *check;
    alone.workers = NULL;
    walk(&alone, view, ORDER_ROWS, count_odd, verdict);
}

/* Magnitudes of the vectors' elements are LEAST to 2·LEAST: their mean square is 7/3·LEAST². A residual that is OUTLIER
 * deviations from 0 stands out, one in 25 million if normal. MOST such rows are recomputed. */
#define LEAST   0.65465367
#define OUTLIER 5.5
enum { MOST = 16 };

typedef struct work {
    double *weight; /* N: of the columns of C; 0: left out */
    double *x;      /* N × REALS: random, times the weights */
    double *bx;     /* K × REALS: B·x */
    double *abx;    /* M × REALS: A·(B·x) */
    double *cx;     /* M × REALS: C·x */
    double *norms;  /* K: ‖row k of B, weighted‖₂ */
    double *scale;  /* M: Σ_k |a_ik|·norms_k */
    double *held;   /* M: ‖row i of C, weighted‖₂; where C is narrow */
    double *ratio;  /* M: set_ratios */
    /* Where β is not 0: */
    double *before; /* M × REALS: C₀·x */
    double *rows;   /* M: ‖row i of C₀, weighted‖₂ */
    double bias[REALS], bias_norm;
    double root;                 /* ‖weights‖₂ */
    uint64_t odd_rows, odd_cols; /* lines of A and B, or the bias, that are not finite */
} work;

typedef enum extra { EXTRA_NONE, EXTRA_SQUARES, EXTRA_WEIGHTED } extra;

typedef struct projection {
    const work *w;
    int leaves_out; /* columns of C with the weight 0 count as 0, because they may hold NaN */
    const double *x, *weight;
    double *out, *extras;
    extra kind;
} projection;

/* Products of rows with the vectors, and in the same pass over memory, per row, Σ_j (m_ij·weight_j)² or Σ_j
 * |m_ij|·weight_j. Sums are hierarchical, over SHARE columns, a tile and all tiles: rounding grows with the square root
 * of each count, not of their product, and must stay below that of products in f64. */
static void add_reals(const projection *p, const tile_range *at, const double *tile)
{
    const double *x = p->x + at->j * REALS;
    for (size_t i = 0; i < at->rows; i++) {
        const double *row = tile + i * CLI_TILE_COLS;
        double sum[REALS] = {0}, other = 0.0;
        for (size_t j0 = 0; j0 < at->cols; j0 += SHARE) {
            double share[REALS] = {0};
            const size_t end = j0 + cli_at_most(at->cols - j0, SHARE);
            for (size_t j = j0; j < end; j++)
                for (size_t v = 0; v < REALS; v++) share[v] += row[j] * x[j * REALS + v];
            for (size_t v = 0; v < REALS; v++) sum[v] += share[v];
        }
        for (size_t v = 0; v < REALS; v++) p->out[(at->i + i) * REALS + v] += sum[v];
        if (p->kind == EXTRA_NONE) continue;
        for (size_t j = 0; j < at->cols; j++) {
            const double term = fabs(row[j]) * p->weight[at->j + j];
            other += p->kind == EXTRA_SQUARES ? term * term : term;
        }
        p->extras[at->i + i] += other;
    }
}

static void add_tile(void *context, const tile_range *at, const double *tile)
{
    const projection *p = context;
    double kept[CLI_TILE_ROWS * CLI_TILE_COLS];
    if (p->leaves_out) {
        memcpy(kept, tile, sizeof kept);
        for (size_t j = 0; j < at->cols; j++)
            for (size_t i = 0; p->w->weight[at->j + j] == 0.0 && i < at->rows; i++) kept[i * CLI_TILE_COLS + j] = 0.0;
    }
    add_reals(p, at, p->leaves_out ? kept : tile);
}

/* out = view · x for all vectors at once. out and extras hold zeros. */
static void project(const vkmm_check *check, const vkmm_view *view, const work *w, const double *x, double *out,
                    extra kind, const double *weight, double *extras)
{
    projection p = {w, w->odd_cols > 0 && view != &check->claim.a, x, weight, out, extras, kind};
    walk(check, view, ORDER_ROWS, add_tile, &p);
}

typedef struct bit_projection {
    const uint32_t *x;
    uint32_t *out;
} bit_projection;

static void add_bits(void *context, const tile_range *at, const double *tile)
{
    const bit_projection *p = context;
    const uint32_t *x = p->x + at->j * BITS;
    for (size_t i = 0; i < at->rows; i++) {
        const uint32_t *row = (const uint32_t *)(const void *)tile + i * CLI_TILE_COLS;
        uint32_t sum[BITS] = {0};
        for (size_t j = 0; j < at->cols; j++)
            for (size_t v = 0; v < BITS; v++) sum[v] += row[j] * x[j * BITS + v];
        for (size_t v = 0; v < BITS; v++) p->out[(at->i + i) * BITS + v] += sum[v];
    }
}

/* The same modulo 2^32. */
static void project_bits(const vkmm_check *check, const vkmm_view *view, const uint32_t *x, uint32_t *out)
{
    bit_projection p = {x, out};
    memset(out, 0, (size_t)view->rows * BITS * sizeof *out);
    walk(check, view, ORDER_ROWS, add_bits, &p);
}

/* All rows of the bias are the same. */
static vkmm_view bias_row(const vkmm_check *check)
{
    vkmm_view bias = check->claim.bias;
    bias.rows = 1;
    return bias;
}

typedef struct column_sums {
    double factor, *out;
} column_sums;

static void add_magnitudes(void *context, const tile_range *at, const double *tile)
{
    const column_sums *c = context;
    for (size_t i = 0; i < at->rows; i++)
        for (size_t j = 0; j < at->cols; j++) c->out[at->j + j] += c->factor * fabs(tile[i * CLI_TILE_COLS + j]);
}

/* Adds factor·Σ_i |m_ij| to out[j], for each column. */
static void add_columns(const vkmm_check *check, const vkmm_view *view, double factor, double *out)
{
    column_sums c = {factor, out};
    walk(check, view, ORDER_COLS, add_magnitudes, &c);
}

/* About the mean magnitude of A's finite elements: from some of them, since it only weighs A·B against C₀ and bias. */
static double mean_of_a(const vkmm_check *check)
{
    enum { SOME = 256 };
    const vkmm_view *a = &check->claim.a;
    double sum = 0.0;
    for (uint64_t e = 0; e < SOME; e++) {
        const uint64_t i = vkmm_random_bits(check->seed, 2 * e) % a->rows,
                       k = vkmm_random_bits(check->seed, 2 * e + 1) % a->cols;
        const double value = fabs(vkmm_view_get(a, i, k)) / SOME;
        if (isfinite(value)) sum += value;
    }
    return sum > 0.0 ? sum : 1.0;
}

/* Weights of the columns of C: 1 over the usual magnitude of a column, so that errors count alike in all of them, and
 * 0 where B or the bias is infinite or NaN. */
static void weigh(const vkmm_check *check, work *w)
{
    const cli_claim *claim = &check->claim;
    const double unit = fmin(fmax(fabs(claim->alpha) * mean_of_a(check), 0x1p-500), 0x1p500);
    double least = INFINITY;
    add_columns(check, &claim->b, 1.0, w->weight);
    if (claim->beta != 0.0)
        add_columns(check, &claim->before, fabs(claim->beta) / unit / (double)claim->c.rows, w->weight);
    if (claim->bias.data != NULL) {
        const vkmm_view bias = bias_row(check);
        add_columns(check, &bias, 1.0 / unit, w->weight);
    }
    for (uint64_t j = 0; j < claim->c.cols; j++)
        if (w->weight[j] > 0.0) least = fmin(least, w->weight[j]);
    if (isinf(least)) least = 1.0;
    for (uint64_t j = 0; j < claim->c.cols; j++) {
        const double size = w->weight[j] > 0.0 ? w->weight[j] : least;
        const int odd = !isfinite(w->weight[j]);
        w->odd_cols += odd;
        w->weight[j] = odd ? 0.0 : 1.0 / fmin(fmax(size, 0x1p-900), 0x1p900);
        w->root += w->weight[j] * w->weight[j];
    }
    w->root = sqrt(w->root);
}

/* A·(B·x) becomes α·A·(B·x) + β·C₀·x + bias·x, and the scale becomes its scale. */
static void scale(const vkmm_check *check, work *w)
{
    const cli_claim *claim = &check->claim;
    if (claim->beta != 0.0) project(check, &claim->before, w, w->x, w->before, EXTRA_SQUARES, w->weight, w->rows);
    if (claim->bias.data != NULL) {
        const vkmm_view bias = bias_row(check);
        project(check, &bias, w, w->x, w->bias, EXTRA_SQUARES, w->weight, &w->bias_norm);
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

/* A random sign and a magnitude between LEAST and twice that, whose mean square is 1. */
static double random_factor(uint64_t seed, uint64_t at)
{
    const uint64_t bits = vkmm_random_bits(seed, at);
    return (bits & 1 ? LEAST : -LEAST) * (1.0 + (double)(bits >> 11) * 0x1p-53);
}

static void compute(const vkmm_check *check, work *w)
{
    const cli_claim *claim = &check->claim;
    weigh(check, w);
    for (uint64_t i = 0; i < claim->b.cols * REALS; i++) w->x[i] = w->weight[i / REALS] * random_factor(check->seed, i);
    project(check, &claim->b, w, w->x, w->bx, EXTRA_SQUARES, w->weight, w->norms);
    for (uint64_t k = 0; k < claim->b.rows; k++) w->norms[k] = sqrt(w->norms[k]);
    project(check, &claim->a, w, w->bx, w->abx, EXTRA_WEIGHTED, w->norms, w->scale);
    project(check, &claim->c, w, w->x, w->cx, check->narrow ? EXTRA_SQUARES : EXTRA_NONE, w->weight, w->held);
    for (uint64_t i = 0; i < claim->c.rows; i++) w->held[i] = sqrt(w->held[i]);
    if (check->scaled) scale(check, w);
}

/* The largest deviation of the residuals of a row without a wrong element. */
static double limit_of(const vkmm_check *check, const work *w, uint64_t i)
{
    double limit = check->factor * check->epsilon * w->scale[i] + check->flush * w->root +
                   fmin(check->steps * w->root, w->scale[i]);
    if (check->narrow) limit += vkmm_type_of(check->claim.c.type)->epsilon * w->held[i];
    return limit;
}

/* Sets the ratio of each row: the largest residual over the limit. INFINITY: C holds a NaN or an infinity; -1: A holds
 * one, so that the row says nothing. Returns what the residuals of right rows deviate by, in such ratios, from their
 * lower quartile (0.3186 deviations of a normal number), so that even if most rows are wrong they cannot raise it
 * much. */
static double set_ratios(const vkmm_check *check, work *w)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < check->claim.c.rows; i++) {
        const double limit = limit_of(check, w, i);
        const int odd = !isfinite(w->scale[i]) || !isfinite(limit);
        w->ratio[i] = odd ? -1.0 : 0.0;
        w->odd_rows += odd;
        for (size_t v = 0; v < REALS && !odd; v++) {
            const double residual = fabs(w->cx[i * REALS + v] - w->abx[i * REALS + v]);
            const double ratio = residual == 0.0 ? 0.0 : residual / limit;
            w->ratio[i] = isfinite(residual) ? fmax(w->ratio[i], ratio) : INFINITY;
            if (w->scale[i] > 0.0 && isfinite(ratio) && count < UINT32_MAX)
                w->cx[count++] = ratio; /* cx is used up to here */
        }
    }
    if (count == 0) return 0.0;
    vkmm_sort(w->cx, count);
    return vkmm_percentile(w->cx, count, 0.25) / 0.3186;
}

/* Rows that stand out are recomputed: all that exceed their limit, and MOST of the others, the furthest. What others
 * there are limits what would have been found. */
static void judge_rows(vkmm_check *check, work *w)
{
    const uint64_t m = check->claim.c.rows;
    const double usual = set_ratios(check, w), root = sqrt((double)check->claim.c.cols);
    double passed = OUTLIER * usual;
    uint64_t rows[CLI_PANEL];
    size_t count = 0;
    memcpy(w->abx, w->ratio, m * sizeof *w->abx); /* no longer needed as what it was */
    vkmm_sort(w->abx, (uint32_t)m);
    if (m > MOST) passed = fmax(passed, w->abx[m - MOST - 1]);
    passed = fmin(passed, 1.0);
    for (uint64_t i = 0; i < m && !check->verdict->has_element; i++) {
        if (w->ratio[i] > passed) rows[count++] = i;
        if (count < CLI_PANEL && i + 1 < m) continue;
        cli_check_rows(check, rows, count);
        check->effort.recomputed += count;
        count = 0;
    }
    for (uint64_t i = 0; i < m; i++) {
        const double unit = check->epsilon * w->scale[i] / root;
        if (w->ratio[i] < 0.0 || unit == 0.0) continue;
        const double reach = (passed + 2.0 * fmin(usual, 1.0)) / LEAST * limit_of(check, w, i) / unit;
        check->effort.reach = fmax(check->effort.reach, reach);
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

/* Recomputes up to CLI_PANEL rows whose two products differ. Arithmetic here is exact: each of them has a wrong
 * element. */
static void locate(vkmm_check *check, const uint32_t *abx, const uint32_t *cx)
{
    uint64_t rows[CLI_PANEL];
    size_t count = 0;
    for (uint64_t i = 0; i < check->claim.c.rows && count < CLI_PANEL; i++)
        if (memcmp(abx + i * BITS, cx + i * BITS, BITS * sizeof *cx) != 0) rows[count++] = i;
    cli_check_rows(check, rows, count);
}

static void check_bits(vkmm_check *check, uint32_t *x)
{
    const cli_claim *claim = &check->claim;
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

static vkmm_status check_reals(vkmm_check *check, work *w)
{
    compute(check, w);
    judge_rows(check, w);
    check->is_finite = w->odd_rows + w->odd_cols == 0 && check->claim.sums.data == NULL;
    for (uint64_t i = 0; i < check->claim.c.rows; i++) {
        check->is_finite &= isfinite(w->ratio[i]) != 0;
        w->held[i] = w->ratio[i] < 0.0;
    }
    if (w->odd_rows + w->odd_cols == 0) return VKMM_OK;
    for (uint64_t j = 0; j < check->claim.c.cols; j++) w->weight[j] = w->weight[j] == 0.0; /* now: it is odd */
    return cli_check_odd(check, w->held, w->weight);
}

static vkmm_status check_floats(vkmm_check *check)
{
    const uint64_t m = check->claim.c.rows, n = check->claim.c.cols, k = check->claim.a.cols;
    double *memory = vkmm_alloc((REALS + 1) * (n + k) + (3 * REALS + 4) * m, sizeof *memory);
    work w = {.weight = memory};
    if (memory == NULL) return VKMM_NO_MEMORY("for the vectors of Freivalds' check");
    w.x = w.weight + n;
    w.bx = w.x + n * REALS;
    w.norms = w.bx + k * REALS;
    w.abx = w.norms + k;
    w.cx = w.abx + m * REALS;
    w.before = w.cx + m * REALS;
    w.scale = w.before + m * REALS;
    w.held = w.scale + m;
    w.ratio = w.held + m;
    w.rows = w.ratio + m;
    check->effort.vectors = REALS;
    const vkmm_status status = check_reals(check, &w);
    vkmm_free(memory);
    return status;
}

vkmm_status cli_freivalds(vkmm_check *check)
{
    const uint64_t m = check->claim.c.rows, n = check->claim.c.cols, k = check->claim.a.cols;
    if (check->epsilon != 0.0) return check_floats(check);
    void *memory = vkmm_alloc(BITS * (n + k + 2 * m), sizeof(uint32_t));
    if (memory == NULL) return VKMM_NO_MEMORY("for the vectors of Freivalds' check");
    check_bits(check, memory);
    vkmm_free(memory);
    return VKMM_OK;
}
