/* recursion.c: blocked recursion. The square matrix of a call (A, or C of the updates) is cut into 2×2 blocks. The two
 * diagonal blocks are calls of the same routine, and the stored block beside them takes part in one or two products. */
#include "vkblas.h"

#include <stdalign.h>
#include <string.h>

typedef void compute_part(const vkblas_call *part);

/* The two halves of the square matrix, and which of them are the rows and the columns of the stored off-diagonal
 * block: second and first where the lower triangle is stored. */
typedef struct cut {
    const vkblas_call *call;
    int64_t at[2], size[2];
    int row, col;
    int64_t block;
    compute_part *compute;
} cut;

enum { TILE = 32 }; /* the largest diagonal block of gemmtr, which most hosts lack */

static int has(const vkblas_call *call, unsigned routines)
{
    return (int)(routines >> call->routine & 1);
}

enum {
    UPDATES_TWICE = 1 << VKBLAS_SYR2K | 1 << VKBLAS_HER2K,
    UPDATES = 1 << VKBLAS_GEMMTR | 1 << VKBLAS_SYRK | 1 << VKBLAS_HERK | UPDATES_TWICE,
    HERMITIAN = 1 << VKBLAS_HEMM | 1 << VKBLAS_HERK | 1 << VKBLAS_HER2K
};

static void *element(const vkblas_call *call, const void *matrix, int64_t ld, int64_t i, int64_t j)
{
    return (char *)(uintptr_t)matrix + (i + j * ld) * vkblas_bytes_of(call->type);
}

static void *along(const vkblas_call *call, const void *matrix, int64_t ld, int rows, int64_t at)
{
    return element(call, matrix, ld, rows ? at : 0, rows ? 0 : at);
}

static void *half(const cut *x, const void *matrix, int64_t ld, int i)
{
    return along(x->call, matrix, ld, x->call->side == 'L', x->at[i]);
}

/* The call on one diagonal block of A. */
static void recurse(const cut *x, int i, const void *alpha)
{
    vkblas_call part = *x->call;
    part.alpha = alpha;
    part.a = element(&part, part.a, part.lda, x->at[i], x->at[i]);
    if (part.b) part.b = half(x, part.b, part.ldb, i);
    part.c = half(x, part.c, part.ldc, i);
    *(part.side == 'L' ? &part.m : &part.n) = x->size[i];
    vkblas_split(&part, x->block, x->compute);
}

/* C_t ← α·op(O)·B_s + β·C_t, or α·B_s·op(O) + β·C_t: O is the stored off-diagonal block, t a half of C, s the other
 * half of B, which is C itself for trmm and trsm. */
static void multiply(const cut *x, int t, char op, const void *alpha, const void *beta)
{
    const vkblas_call *call = x->call;
    const void *o = element(call, call->a, call->lda, x->at[x->row], x->at[x->col]);
    const void *b = call->b ? half(x, call->b, call->ldb, !t) : half(x, call->c, call->ldc, !t);
    const int64_t ldb = call->b ? call->ldb : call->ldc;
    vkblas_call part = {.type = call->type, .trans_a = op, .trans_b = 'N'};
    part.m = x->size[t], part.n = call->n, part.k = x->size[!t];
    part.alpha = alpha, part.beta = beta;
    part.a = o, part.lda = call->lda, part.b = b, part.ldb = ldb;
    part.c = half(x, call->c, call->ldc, t), part.ldc = call->ldc;
    if (call->side == 'R') {
        part.trans_a = 'N', part.trans_b = op;
        part.m = call->m, part.n = x->size[t];
        part.a = b, part.lda = ldb, part.b = o, part.ldb = call->lda;
    }
    x->compute(&part);
}

static void split_symmetric(const cut *x)
{
    const vkblas_call *call = x->call;
    const vkblas_scalar one = vkblas_scalar_of(call->type, 1, 0);
    const char op = has(call, HERMITIAN) ? 'C' : 'T';
    for (int i = 0; i < 2; i++) recurse(x, i, call->alpha);
    for (int t = 0; t < 2; t++) multiply(x, t, (t == x->row) == (call->side == 'L') ? 'N' : op, call->alpha, &one);
}

/* In place, so the half of B that the product reads is not yet overwritten by trmm, and already solved by trsm. */
static void split_triangular(const cut *x)
{
    const vkblas_call *call = x->call;
    const vkblas_scalar one = vkblas_scalar_of(call->type, 1, 0), minus = vkblas_scalar_of(call->type, -1, 0);
    const int lower = (call->trans_a == 'N') == x->row; /* of op(A) */
    const int t = lower == (call->side == 'L');
    if (call->routine == VKBLAS_TRMM) {
        recurse(x, t, call->alpha);
        multiply(x, t, call->trans_a, call->alpha, &one);
        recurse(x, !t, call->alpha);
    } else {
        recurse(x, !t, call->alpha);
        multiply(x, t, call->trans_a, &minus, call->alpha);
        recurse(x, t, &one);
    }
}

/* Updates of a triangle of C, as α·op(A)·op(B). */
static void split_update(const cut *x)
{
    const vkblas_call *call = x->call;
    const vkblas_type type = call->type;
    const char op = has(call, HERMITIAN) ? 'C' : 'T';
    vkblas_call product = *call;
    product.routine = VKBLAS_GEMM;
    product.uplo = 0;
    if (call->routine != VKBLAS_GEMMTR) {
        product.trans_a = call->trans_a == 'N' ? 'N' : op;
        product.trans_b = call->trans_a == 'N' ? op : 'N';
    }
    if (!call->b) product.b = call->a, product.ldb = call->lda;
    const int rows_a = product.trans_a == 'N', rows_b = product.trans_b != 'N';
    for (int i = 0; i < 2; i++) {
        vkblas_call part = *call;
        part.m = part.n = x->size[i];
        part.a = along(call, part.a, part.lda, rows_a, x->at[i]);
        if (part.b) part.b = along(call, part.b, part.ldb, rows_b, x->at[i]);
        part.c = element(call, part.c, part.ldc, x->at[i], x->at[i]);
        vkblas_split(&part, x->block, x->compute);
    }
    vkblas_scalar alpha, beta;
    if (call->routine == VKBLAS_HERK)
        alpha = vkblas_scalar_of(type, vkblas_part_of(type, call->alpha, 0), 0), product.alpha = &alpha;
    if (has(call, HERMITIAN))
        beta = vkblas_scalar_of(type, vkblas_part_of(type, call->beta, 0), 0), product.beta = &beta;
    product.m = x->size[x->row], product.n = x->size[x->col];
    product.c = element(call, call->c, call->ldc, x->at[x->row], x->at[x->col]);
    const vkblas_call whole = product;
    product.a = along(call, whole.a, whole.lda, rows_a, x->at[x->row]);
    product.b = along(call, whole.b, whole.ldb, rows_b, x->at[x->col]);
    x->compute(&product);
    if (!has(call, UPDATES_TWICE)) return;
    if (call->routine == VKBLAS_HER2K)
        alpha = vkblas_scalar_of(type, vkblas_part_of(type, call->alpha, 0), -vkblas_part_of(type, call->alpha, 1)),
        product.alpha = &alpha;
    beta = vkblas_scalar_of(type, 1, 0), product.beta = &beta;
    product.a = along(call, whole.b, whole.ldb, rows_a, x->at[x->row]), product.lda = whole.ldb;
    product.b = along(call, whole.a, whole.lda, rows_b, x->at[x->col]), product.ldb = whole.lda;
    x->compute(&product);
}

static void copy_triangle(const vkblas_call *call, void *to, int64_t ld_to, const void *from, int64_t ld_from)
{
    for (int64_t j = 0; j < call->n; j++) {
        const int64_t i = call->uplo == 'L' ? j : 0, count = call->uplo == 'L' ? call->n - j : j + 1;
        memcpy(element(call, to, ld_to, i, j), element(call, from, ld_from, i, j), count * vkblas_bytes_of(call->type));
    }
}

static void compute_tile(const vkblas_call *call, compute_part *compute)
{
    alignas(16) char tile[TILE * TILE * 16] = {0};
    vkblas_call product = *call;
    product.routine = VKBLAS_GEMM;
    product.uplo = 0;
    product.m = call->n, product.c = tile, product.ldc = TILE;
    copy_triangle(call, tile, TILE, call->c, call->ldc);
    compute(&product);
    copy_triangle(call, call->c, call->ldc, tile, TILE);
}

void vkblas_split(const vkblas_call *call, int64_t block, void (*compute)(const vkblas_call *part))
{
    const int is_update = has(call, UPDATES), is_tile = call->routine == VKBLAS_GEMMTR;
    const int64_t order = is_update || call->side == 'R' ? call->n : call->m;
    const int is_zero = vkblas_part_of(call->type, call->alpha, 0) == 0 &&
                        (!vkblas_is_complex(call->type) || call->routine == VKBLAS_HERK ||
                         vkblas_part_of(call->type, call->alpha, 1) == 0);
    if (is_tile && order <= TILE) {
        compute_tile(call, compute);
    } else if (!is_tile && (call->routine <= VKBLAS_GEMM3M || is_zero || order <= block || order < 2)) {
        compute(call);
    } else {
        const int64_t first = order < 256 ? order / 2 : (order + 127) / 128 * 64; /* aligned well */
        const int lower = call->uplo == 'L';
        const cut x = {call, {0, first}, {first, order - first}, lower, !lower, block, compute};
        (is_update                                        ? split_update
         : has(call, 1 << VKBLAS_SYMM | 1 << VKBLAS_HEMM) ? split_symmetric
                                                          : split_triangular)(&x);
    }
}
