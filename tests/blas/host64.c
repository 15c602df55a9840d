/* What a test needs of a BLAS with integers of 64 bits, column-major and not transposed. */
#include <stdint.h>

#pragma GCC visibility push(default)

typedef const int64_t *I;
typedef const double *D;

int64_t isamax_64_(I n, const float *x, I step);
void dgemm_64_(const char *ta, const char *tb, I m, I n, I k, D alpha, D a, I lda, D b, I ldb, D beta, double *c,
               I ldc);

int64_t isamax_64_(I n, const float *x, I step)
{
    int64_t most = 0;
    for (int64_t i = 1; i < *n; i++) most = x[i * *step] > x[most * *step] ? i : most;
    return *n < 1 ? 0 : most + 1;
}

void dgemm_64_(const char *ta, const char *tb, I m, I n, I k, D alpha, D a, I lda, D b, I ldb, D beta, double *c, I ldc)
{
    (void)ta, (void)tb;
    for (int64_t i = 0; i < *m; i++)
        for (int64_t j = 0; j < *n; j++) {
            double sum = 0;
            for (int64_t p = 0; p < *k; p++) sum += a[i + p * *lda] * b[p + j * *ldb];
            c[i + j * *ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);
        }
}
