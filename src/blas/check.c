#include <string.h>

#include "vkblas.h"

static int one_of(char letter, const char *letters)
{
    return letter != 0 && strchr(letters, letter) != NULL;
}

static int leads(int64_t ld, int64_t rows)
{
    return ld >= (rows > 1 ? rows : 1);
}

/* The transpositions that the routine allows: those of complex matrices that are symmetric have no conjugate, those of
 * Hermitian ones have nothing else. */
static const char *transpositions(const vkblas_call *c)
{
    if (c->routine == VKBLAS_HERK || c->routine == VKBLAS_HER2K) return "NC";
    return vkblas_is_complex(c->type) && (c->routine == VKBLAS_SYRK || c->routine == VKBLAS_SYR2K) ? "NT" : "NTC";
}

int vkblas_legal(const vkblas_call *c)
{
    const int left = c->side == 'L', plain = c->trans_a == 'N';
    if (c->m < 0 || c->n < 0 || c->k < 0) return 0;
    switch (c->routine) {
    case VKBLAS_GEMM:
    case VKBLAS_GEMM3M:
    case VKBLAS_GEMMTR: {
        const int64_t m = c->routine == VKBLAS_GEMMTR ? c->n : c->m;
        return (c->routine != VKBLAS_GEMMTR || one_of(c->uplo, "UL")) && one_of(c->trans_a, "NTC") &&
               one_of(c->trans_b, "NTC") && leads(c->lda, plain ? m : c->k) &&
               leads(c->ldb, c->trans_b == 'N' ? c->k : c->n) && leads(c->ldc, m);
    }
    case VKBLAS_SYMM:
    case VKBLAS_HEMM:
        return one_of(c->side, "LR") && one_of(c->uplo, "UL") && leads(c->lda, left ? c->m : c->n) &&
               leads(c->ldb, c->m) && leads(c->ldc, c->m);
    case VKBLAS_SYR2K:
    case VKBLAS_HER2K:
        if (!leads(c->ldb, plain ? c->n : c->k)) return 0;
        /* fall through */
    case VKBLAS_SYRK:
    case VKBLAS_HERK:
        return one_of(c->uplo, "UL") && one_of(c->trans_a, transpositions(c)) && leads(c->lda, plain ? c->n : c->k) &&
               leads(c->ldc, c->n);
    default:
        return one_of(c->side, "LR") && one_of(c->uplo, "UL") && one_of(c->trans_a, "NTC") && one_of(c->diag, "NU") &&
               leads(c->lda, left ? c->m : c->n) && leads(c->ldc, c->m);
    }
}
