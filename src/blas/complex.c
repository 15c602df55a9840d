/* complex.c: a complex product as a real one. The two parts of an element of a column-major matrix lie below each
 * other, so that a complex K×N matrix is a real 2K×N matrix as it lies. With every element x + iy of the left factor
 * expanded to [x −y; y x], a real 2M×2K matrix, their real product is the complex one. */
#include "vkblas.h"

#include <stdlib.h>
#include <string.h>

/* rows×cols elements of factor·op(from), packed in `to`, and expanded if that is asked for. */
typedef struct gathered {
    const void *from;
    int64_t ld, rows, cols;
    char op;
    int expand;
    double re, im;
} gathered;

enum { TILE = 32 }; /* of a transposition: rows and columns that stay in the first cache */

/* Where the factor is 1, nothing is multiplied: an infinite part would make the other a NaN. */
#define GATHER(name, real)                                                                                \
    static void name(const gathered *g, real *to)                                                         \
    {                                                                                                     \
        const real *from = g->from, re = (real)g->re, im = (real)g->im, sign = g->op == 'C' ? -1 : 1;     \
        const int64_t down = g->op == 'N' ? 2 : 2 * g->ld, right = g->op == 'N' ? 2 * g->ld : 2;          \
        const int64_t step = 2 * g->rows << g->expand, height = g->op == 'N' ? g->rows : TILE;            \
        const int is_one = re == 1 && im == 0;                                                            \
        for (int64_t top = 0; top < g->rows; top += height)                                               \
            for (int64_t j = 0; j < g->cols; j++)                                                         \
                for (int64_t i = top; i < g->rows && i < top + height; i++) {                             \
                    const real x = from[i * down + j * right], y = sign * from[i * down + j * right + 1]; \
                    real *out = to + j * step + 2 * i;                                                    \
                    out[0] = is_one ? x : x * re - y * im;                                                \
                    out[1] = is_one ? y : x * im + y * re;                                                \
                    if (g->expand) out[2 * g->rows] = -out[1], out[2 * g->rows + 1] = out[0];             \
                }                                                                                         \
    }
GATHER(gather_floats, float)
GATHER(gather_doubles, double)

/* Returns the end of what was written. */
static char *gather(vkblas_type type, const gathered *g, char *to)
{
    if (type == VKBLAS_Z)
        gather_doubles(g, (double *)(void *)to);
    else
        gather_floats(g, (float *)(void *)to);
    return to + (g->rows * g->cols << g->expand) * vkblas_bytes_of(type);
}

/* What the rows of a call have in common. */
typedef struct shared {
    int (*product)(const vkblas_call *real);
    double alpha[2], beta[2];
    const void *b; /* as a real matrix; copied if it is transposed */
    int64_t ldb;
    char *room; /* for A and for C */
} shared;

/* Some rows of the product; α = 0 has no A and no B. */
static int compute_rows(const vkblas_call *call, const shared *with)
{
    const vkblas_scalar one = vkblas_scalar_of(call->type, 1, 0);
    const int copies_c = with->beta[1] != 0;
    const int64_t m = call->m, k = call->k, bytes = vkblas_bytes_of(call->type);
    vkblas_call real = *call;
    real.routine = VKBLAS_GEMM;
    real.type = call->type == VKBLAS_Z ? VKBLAS_D : VKBLAS_S;
    real.trans_a = real.trans_b = 'N';
    real.m = 2 * m, real.k = 2 * k;
    real.a = with->room, real.lda = 2 * m;
    real.b = with->b, real.ldb = with->ldb;
    real.ldc = 2 * call->ldc;
    gathered g = {call->a, call->lda, m, k, call->trans_a, 1, 1, 0};
    if (with->alpha[1] != 0) g.re = with->alpha[0], g.im = with->alpha[1], real.alpha = &one;
    char *const end = gather(call->type, &g, with->room);
    if (copies_c) {
        real.c = end, real.ldc = 2 * m, real.beta = &one;
        gather(call->type, &(gathered){call->c, call->ldc, m, call->n, 'N', 0, with->beta[0], with->beta[1]}, end);
    }
    const int done = with->product(&real);
    for (int64_t j = 0; done && copies_c && j < call->n; j++)
        memcpy((char *)call->c + j * call->ldc * bytes, end + j * m * bytes, m * bytes);
    return done;
}

int vkblas_complex(const vkblas_call *call, int64_t most, int (*product)(const vkblas_call *real))
{
    const int copies_b = call->trans_b != 'N';
    shared with = {.product = product, .b = call->b, .ldb = 2 * call->ldb};
    for (int i = 0; i < 2; i++) {
        with.alpha[i] = vkblas_part_of(call->type, call->alpha, i);
        with.beta[i] = vkblas_part_of(call->type, call->beta, i);
    }
    vkblas_call part = *call;
    if (with.alpha[0] == 0 && with.alpha[1] == 0) part.k = 0;
    /* No overflow: A, B and C are in memory. */
    const int64_t bytes = vkblas_bytes_of(call->type), row = 2 * part.k + (with.beta[1] != 0 ? call->n : 0), k = part.k,
                  m = call->m;
    const int64_t rows = row * m * bytes <= most ? m : row * bytes < most ? most / (row * bytes) : 1;
    const int64_t elements = row * rows + copies_b * k * call->n;
    char *const room = with.room = malloc((size_t)(elements * bytes + 1));
    if (room == NULL) return 0;
    if (copies_b) {
        gather(call->type, &(gathered){call->b, call->ldb, k, call->n, call->trans_b, 0, 1, 0}, room);
        with.b = room, with.ldb = k > 0 ? 2 * k : 1;
        with.room = room + k * call->n * bytes;
    }
    int done = 1;
    for (int64_t first = 0; done && first < m; first += rows) {
        part.m = rows < m - first ? rows : m - first;
        part.a = (const char *)call->a + (call->trans_a == 'N' ? first : first * call->lda) * bytes;
        part.c = (char *)call->c + first * bytes;
        done = compute_rows(&part, &with);
        if (!done && first > 0) { /* C has changed: the rest is another call */
            part.m = m - first;
            vkblas_run_or_host(&part);
            first = m, done = 1;
        }
    }
    free(room);
    return done;
}
