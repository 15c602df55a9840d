/* A CBLAS that the tests know inside out: the plain loops of the standard's definition. With LONG, its extents have
 * 64 bits, as those of some builds of real libraries do under the same names. */
#include <stddef.h>
#include <stdint.h>

#if defined(LONG)
typedef int64_t extent;
#else
typedef int extent;
#endif

enum { ROW_MAJOR = 101, TRANS = 112 };

float cblas_sdot(extent n, const float *x, extent x_step, const float *y, extent y_step);
void cblas_sgemm(int order, int op_a, int op_b, extent m, extent n, extent k, float alpha, const float *a, extent lda,
                 const float *b, extent ldb, float beta, float *c, extent ldc);
void cblas_dgemm(int order, int op_a, int op_b, extent m, extent n, extent k, double alpha, const double *a, extent lda,
                 const double *b, extent ldb, double beta, double *c, extent ldc);

__attribute__((visibility("default"))) float cblas_sdot(extent n, const float *x, extent x_step, const float *y,
                                                        extent y_step)
{
    float sum = 0.0F;
    for (extent i = 0; i < n; i++) sum += x[i * x_step] * y[i * y_step];
    return sum;
}

static ptrdiff_t at(int order, int op, extent i, extent j, extent ld)
{
    return (order == ROW_MAJOR) != (op == TRANS) ? (ptrdiff_t)i * ld + j : i + (ptrdiff_t)j * ld;
}

#define GEMM(name, real)                                                                                               \
    __attribute__((visibility("default"))) void name(int order, int op_a, int op_b, extent m, extent n, extent k,      \
                                                     real alpha, const real *a, extent lda, const real *b, extent ldb, \
                                                     real beta, real *c, extent ldc)                                   \
    {                                                                                                                  \
        for (extent i = 0; i < m; i++) {                                                                               \
            for (extent j = 0; j < n; j++) {                                                                           \
                real sum = 0, *to = &c[at(order, 0, i, j, ldc)];                                                       \
                for (extent x = 0; x < k && alpha != 0; x++)                                                           \
                    sum += a[at(order, op_a, i, x, lda)] * b[at(order, op_b, x, j, ldb)];                              \
                *to = alpha * sum + (beta != 0 ? beta * *to : 0);                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)
