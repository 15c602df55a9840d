/* complex.c: a complex product as a real one. The two parts of an element of a column-major matrix lie below each
 * other, so that a complex K×N matrix is a real 2K×N matrix as it lies. With every element x + iy of the left factor
 * expanded to [x −y; y x], a real 2M×2K matrix, their real product is the complex one. */
#include "blas.h"

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
#define GATHER(name, real)                                                                                             \
    static void name(const gathered *g, real *to)                                                                      \
    {                                                                                                                  \
        const real *from = g->from, re = (real)g->re, im = (real)g->im, sign = g->op == 'C' ? -1 : 1;                  \
        const int64_t down = g->op == 'N' ? 2 : 2 * g->ld, right = g->op == 'N' ? 2 * g->ld : 2;                       \
        const int64_t step = 2 * g->rows << g->expand, height = g->op == 'N' ? g->rows : TILE;                         \
        const int is_one = re == 1 && im == 0;                                                                         \
        for (int64_t top = 0; top < g->rows; top += height)                                                            \
            for (int64_t j = 0; j < g->cols; j++)                                                                      \
                for (int64_t i = top; i < g->rows && i < top + height; i++) {                                          \
                    const real x = from[i * down + j * right], y = sign * from[i * down + j * right + 1];              \
                    real *out = to + j * step + 2 * i;                                                                 \
                    out[0] = is_one ? x : x * re - y * im;                                                             \
                    out[1] = is_one ? y : x * im + y * re;                                                             \
                    if (g->expand) out[2 * g->rows] = -out[1], out[2 * g->rows + 1] = out[0];                          \
                }                                                                                                      \
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
    return to + (g->rows * g->cols << g->expand) * (type == VKBLAS_Z ? 16 : 8);
}

int vkblas_complex(const vkblas_call *call, int (*product)(const vkblas_call *real))
{
    const int wide = call->type == VKBLAS_Z;
    const float *alpha_s = call->alpha, *beta_s = call->beta;
    const double *alpha_d = call->alpha, *beta_d = call->beta;
    const double alpha[2] = {wide ? alpha_d[0] : alpha_s[0], wide ? alpha_d[1] : alpha_s[1]};
    const double beta[2] = {wide ? beta_d[0] : beta_s[0], wide ? beta_d[1] : beta_s[1]};
    const float ones[] = {1};
    const double one[] = {1};
    const int64_t m = call->m, n = call->n, k = alpha[0] != 0 || alpha[1] != 0 ? call->k : 0, bytes = wide ? 16 : 8;
    const int copies_b = call->trans_b != 'N', copies_c = beta[1] != 0;
    /* No overflow: A, B and C are in memory. */
    const int64_t elements = 2 * m * k + copies_b * k * n + copies_c * m * n;
    char *const room = malloc((size_t)(elements * bytes + 1)), *end = room;
    if (room == NULL) return 0;

    vkblas_call real = *call;
    real.routine = VKBLAS_GEMM;
    real.type = wide ? VKBLAS_D : VKBLAS_S;
    real.trans_a = real.trans_b = 'N';
    real.m = 2 * m, real.k = 2 * k;
    real.a = end, real.lda = m > 0 ? 2 * m : 1;
    gathered g = {call->a, call->lda, m, k, call->trans_a, 1, 1, 0};
    if (alpha[1] != 0) g.re = alpha[0], g.im = alpha[1], real.alpha = wide ? (const void *)one : ones;
    end = gather(call->type, &g, end);
    real.b = call->b, real.ldb = 2 * call->ldb;
    if (copies_b) {
        real.b = end, real.ldb = k > 0 ? 2 * k : 1;
        end = gather(call->type, &(gathered){call->b, call->ldb, k, n, call->trans_b, 0, 1, 0}, end);
    }
    real.ldc = 2 * call->ldc;
    if (copies_c) {
        real.c = end, real.ldc = 2 * m, real.beta = wide ? (const void *)one : ones;
        gather(call->type, &(gathered){call->c, call->ldc, m, n, 'N', 0, beta[0], beta[1]}, end);
    }
    const int done = product(&real);
    for (int64_t j = 0; done && copies_c && j < n; j++)
        memcpy((char *)call->c + j * call->ldc * bytes, end + j * m * bytes, m * bytes);
    free(room);
    return done;
}
