/* The names of level 3, each with the integers and the conventions of its callers. An entry point turns its arguments
 * into a vkblas_call; what the device does not compute goes to the host's function of the same name, with the caller's
 * own arguments. */
#include <stddef.h>

#include "vkblas.h"

typedef const void *P;
/* Any Fortran routine: what follows the arguments are the lengths of the letters. */
typedef void (*vkblas_fortran)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P);

#define PUBLIC __attribute__((visibility("default")))
#define ONE    ((P)1)

/* `HOST` uses `found`; the rest are the fields of the call, of which only a large one is made whole. */
#define COMPUTE(NAMES, HOST, ...)                                                                                    \
    static vkblas_slot slot = {.names = NAMES};                                                                      \
    vkblas_turn turn = {.why = NULL};                                                                                \
    if (!vkblas_is_small(&(const vkblas_call){__VA_ARGS__})) vkblas_begin(&(const vkblas_call){__VA_ARGS__}, &turn); \
    if (turn.done) return;                                                                                           \
    vkblas_function found = vkblas_find(&slot);                                                                      \
    if (found == NULL)                                                                                               \
        vkblas_host(&(const vkblas_call){__VA_ARGS__});                                                              \
    else                                                                                                             \
        HOST;                                                                                                        \
    if (turn.why != NULL) vkblas_end(&(const vkblas_call){__VA_ARGS__}, &turn);

/* ---- Fortran: everything is a pointer ---- */

#define UP(letter) ((char)(*(const char *)(letter) & ~0x20))

#define FORTRAN(shape, symbol, names, which, of, I)                                                                 \
    PUBLIC void symbol(PARAMETERS_##shape);                                                                         \
    PUBLIC void symbol(PARAMETERS_##shape)                                                                          \
    {                                                                                                               \
        COMPUTE(names, ((vkblas_fortran)found)(ARGUMENTS_##shape), .routine = which, .type = of, FIELDS_##shape(I)) \
    }

#define PARAMETERS_GEMM P ta, P tb, P m, P n, P k, P alpha, P a, P lda, P b, P ldb, P beta, void *c, P ldc
#define ARGUMENTS_GEMM  ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, ONE, ONE, ONE
#define FIELDS_GEMM(I)                                                                                                \
    .trans_a = UP(ta), .trans_b = UP(tb), .m = *(const I *)m, .n = *(const I *)n, .k = *(const I *)k, .alpha = alpha, \
    .beta = beta, .a = a, .b = b, .c = c, .lda = *(const I *)lda, .ldb = *(const I *)ldb, .ldc = *(const I *)ldc

#define PARAMETERS_GEMMTR P uplo, P ta, P tb, P n, P k, P alpha, P a, P lda, P b, P ldb, P beta, void *c, P ldc
#define ARGUMENTS_GEMMTR  uplo, ta, tb, n, k, alpha, a, lda, b, ldb, beta, c, ldc, ONE, ONE, ONE
#define FIELDS_GEMMTR(I)                                                                                            \
    .uplo = UP(uplo), .trans_a = UP(ta), .trans_b = UP(tb), .n = *(const I *)n, .k = *(const I *)k, .alpha = alpha, \
    .beta = beta, .a = a, .b = b, .c = c, .lda = *(const I *)lda, .ldb = *(const I *)ldb, .ldc = *(const I *)ldc

#define PARAMETERS_SYMM P side, P uplo, P m, P n, P alpha, P a, P lda, P b, P ldb, P beta, void *c, P ldc
#define ARGUMENTS_SYMM  side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, ONE, ONE, ONE, ONE
#define FIELDS_SYMM(I)                                                                                                \
    .side = UP(side), .uplo = UP(uplo), .m = *(const I *)m, .n = *(const I *)n, .alpha = alpha, .beta = beta, .a = a, \
    .b = b, .c = c, .lda = *(const I *)lda, .ldb = *(const I *)ldb, .ldc = *(const I *)ldc

#define PARAMETERS_SYRK P uplo, P trans, P n, P k, P alpha, P a, P lda, P beta, void *c, P ldc
#define ARGUMENTS_SYRK  uplo, trans, n, k, alpha, a, lda, beta, c, ldc, ONE, ONE, ONE, ONE, ONE, ONE
#define FIELDS_SYRK(I)                                                                                            \
    .uplo = UP(uplo), .trans_a = UP(trans), .n = *(const I *)n, .k = *(const I *)k, .alpha = alpha, .beta = beta, \
    .a = a, .c = c, .lda = *(const I *)lda, .ldc = *(const I *)ldc

#define PARAMETERS_SYR2K P uplo, P trans, P n, P k, P alpha, P a, P lda, P b, P ldb, P beta, void *c, P ldc
#define ARGUMENTS_SYR2K  uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, ONE, ONE, ONE, ONE
#define FIELDS_SYR2K(I)  FIELDS_SYRK(I), .b = b, .ldb = *(const I *)ldb

#define PARAMETERS_TRMM P side, P uplo, P trans, P diag, P m, P n, P alpha, P a, P lda, void *c, P ldc
#define ARGUMENTS_TRMM  side, uplo, trans, diag, m, n, alpha, a, lda, c, ldc, ONE, ONE, ONE, ONE, ONE
#define FIELDS_TRMM(I)                                                                              \
    .side = UP(side), .uplo = UP(uplo), .trans_a = UP(trans), .diag = UP(diag), .m = *(const I *)m, \
    .n = *(const I *)n, .alpha = alpha, .a = a, .c = c, .lda = *(const I *)lda, .ldc = *(const I *)ldc

/* ---- CBLAS: a row-major matrix is the transpose of a column-major one ---- */

enum { ROW_MAJOR = 101, COL_MAJOR, NO_TRANS = 111, UPPER = 121, NON_UNIT = 131, LEFT = 141 };

/* The letter of an enumerator; 0 or '?', which no routine allows, past the last. */
static char letter(int value, int first, const char *letters)
{
    const int at = value - first;
    return at >= 0 && at < 3 ? letters[at] : '?';
}

/* α of a row-major her2k, which is the transpose of the column-major one. */
static P conjugate(P value, vkblas_type type, vkblas_scalar *room)
{
    *room = vkblas_scalar_of(type, vkblas_part_of(type, value, 0), -vkblas_part_of(type, value, 1));
    return room;
}

/* How a scalar of CBLAS is passed, and its address: reals by value, complex ones by pointer. */
#define TYPE_s            float
#define TYPE_d            double
#define TYPE_p            P
#define TYPE_hc           P
#define TYPE_hz           P
#define ADDRESS_s(value)  (&value)
#define ADDRESS_d(value)  (&value)
#define ADDRESS_p(value)  (value)
#define ADDRESS_hc(value) (row ? conjugate(value, VKBLAS_C, &room) : value)
#define ADDRESS_hz(value) (row ? conjugate(value, VKBLAS_Z, &room) : value)

#define CBLAS(shape, symbol, names, which, of, A, B, flipped, I)                                       \
    PUBLIC void symbol(CPARAMETERS_##shape(I, TYPE_##A, TYPE_##B));                                    \
    PUBLIC void symbol(CPARAMETERS_##shape(I, TYPE_##A, TYPE_##B))                                     \
    {                                                                                                  \
        const int row = order == ROW_MAJOR;                                                            \
        vkblas_scalar room;                                                                            \
        (void)room;                                                                                    \
        COMPUTE(names, ((__typeof__(&symbol))found)(CARGUMENTS_##shape), .routine = which, .type = of, \
                .alpha = ADDRESS_##A(alpha), CFIELDS_##shape(B, flipped))                              \
    }
#define ORDERED(extent)     (row || order == COL_MAJOR ? (extent) : -1)
#define TRANS(value)        letter(value, NO_TRANS, "NTC")
#define SIDE(value)         letter(value, LEFT, row ? "RL" : "LR")
#define UPLO(value)         letter(value, UPPER, row ? "LU" : "UL")
#define UPDATE(value, flip) letter(value, NO_TRANS, row ? flip : "NTC")

#define CPARAMETERS_GEMM(I, TA, TB) \
    int order, int ta, int tb, I m, I n, I k, TA alpha, P a, I lda, P b, I ldb, TB beta, void *c, I ldc
#define CARGUMENTS_GEMM order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define CFIELDS_GEMM(B, flip)                                                                                      \
    .trans_a = TRANS(row ? tb : ta), .trans_b = TRANS(row ? ta : tb), .m = row ? n : m, .n = ORDERED(row ? m : n), \
    .k = k, .beta = ADDRESS_##B(beta), .a = row ? b : a, .b = row ? a : b, .c = c, .lda = row ? ldb : lda,         \
    .ldb = row ? lda : ldb, .ldc = ldc

#define CPARAMETERS_GEMMTR(I, TA, TB) \
    int order, int uplo, int ta, int tb, I n, I k, TA alpha, P a, I lda, P b, I ldb, TB beta, void *c, I ldc
#define CARGUMENTS_GEMMTR order, uplo, ta, tb, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define CFIELDS_GEMMTR(B, flip)                                                                                    \
    .uplo = UPLO(uplo), .trans_a = TRANS(row ? tb : ta), .trans_b = TRANS(row ? ta : tb), .n = ORDERED(n), .k = k, \
    .beta = ADDRESS_##B(beta), .a = row ? b : a, .b = row ? a : b, .c = c, .lda = row ? ldb : lda,                 \
    .ldb = row ? lda : ldb, .ldc = ldc

#define CPARAMETERS_SYMM(I, TA, TB) \
    int order, int side, int uplo, I m, I n, TA alpha, P a, I lda, P b, I ldb, TB beta, void *c, I ldc
#define CARGUMENTS_SYMM order, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc
#define CFIELDS_SYMM(B, flip)                                                                                       \
    .side = SIDE(side), .uplo = UPLO(uplo), .m = row ? n : m, .n = ORDERED(row ? m : n), .beta = ADDRESS_##B(beta), \
    .a = a, .b = b, .c = c, .lda = lda, .ldb = ldb, .ldc = ldc

#define CPARAMETERS_SYRK(I, TA, TB) \
    int order, int uplo, int trans, I n, I k, TA alpha, P a, I lda, TB beta, void *c, I ldc
#define CARGUMENTS_SYRK order, uplo, trans, n, k, alpha, a, lda, beta, c, ldc
#define CFIELDS_SYRK(B, flip)                                                                                       \
    .uplo = UPLO(uplo), .trans_a = UPDATE(trans, flip), .n = ORDERED(n), .k = k, .beta = ADDRESS_##B(beta), .a = a, \
    .c = c, .lda = lda, .ldc = ldc

#define CPARAMETERS_SYR2K(I, TA, TB) \
    int order, int uplo, int trans, I n, I k, TA alpha, P a, I lda, P b, I ldb, TB beta, void *c, I ldc
#define CARGUMENTS_SYR2K       order, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define CFIELDS_SYR2K(B, flip) CFIELDS_SYRK(B, flip), .b = b, .ldb = ldb

#define CPARAMETERS_TRMM(I, TA, TB) \
    int order, int side, int uplo, int trans, int diag, I m, I n, TA alpha, P a, I lda, void *c, I ldc
#define CARGUMENTS_TRMM order, side, uplo, trans, diag, m, n, alpha, a, lda, c, ldc
#define CFIELDS_TRMM(B, flip)                                                                              \
    .side = SIDE(side), .uplo = UPLO(uplo), .trans_a = TRANS(trans), .diag = letter(diag, NON_UNIT, "NU"), \
    .m = row ? n : m, .n = ORDERED(row ? m : n), .a = a, .c = c, .lda = lda, .ldc = ldc

/* ---- Every name ----
 * LP64: sgemm_, cblas_sgemm. ILP64: sgemm_64_, cblas_sgemm_64 (netlib, MKL), cblas_sgemm64_ (OpenBLAS). With scipy_ in
 * front of them: those of the OpenBLAS in the wheels of NumPy and SciPy. `other` is another name of the routine. */

#define ALIAS(symbol, of) extern __typeof__(of) symbol __attribute__((alias(#of), visibility("default")));

#define NAMES(shape, name, other, which, of, A, B, flipped)                                                            \
    FORTRAN(shape, name##_, #name "_\0" #other "_\0scipy_" #name "_\0", which, of, int32_t)                            \
    FORTRAN(shape, name##_64_, #name "_64_\0" #other "_64_\0scipy_" #name "_64_\0", which, of, int64_t)                \
    CBLAS(shape, cblas_##name, "cblas_" #name "\0cblas_" #other "\0scipy_cblas_" #name "\0", which, of, A, B, flipped, \
          int32_t)                                                                                                     \
    CBLAS(shape, cblas_##name##64_,                                                                                    \
          "cblas_" #name "64_\0cblas_" #name "_64\0cblas_" #other "64_\0cblas_" #other "_64\0scipy_cblas_" #name       \
          "64_\0",                                                                                                     \
          which, of, A, B, flipped, int64_t)                                                                           \
    ALIAS(cblas_##name##_64, cblas_##name##64_)                                                                        \
    ALIAS(scipy_##name##_, name##_)                                                                                    \
    ALIAS(scipy_##name##_64_, name##_64_)                                                                              \
    ALIAS(scipy_cblas_##name, cblas_##name)                                                                            \
    ALIAS(scipy_cblas_##name##64_, cblas_##name##64_)

#define REAL_AND_COMPLEX(shape, name, other, which)               \
    NAMES(shape, s##name, s##other, which, VKBLAS_S, s, s, "TNN") \
    NAMES(shape, d##name, d##other, which, VKBLAS_D, d, d, "TNN") \
    NAMES(shape, c##name, c##other, which, VKBLAS_C, p, p, "TN?") \
    NAMES(shape, z##name, z##other, which, VKBLAS_Z, p, p, "TN?")

REAL_AND_COMPLEX(GEMM, gemm, gemm, VKBLAS_GEMM)
REAL_AND_COMPLEX(GEMMTR, gemmtr, gemmt, VKBLAS_GEMMTR)
REAL_AND_COMPLEX(GEMMTR, gemmt, gemmtr, VKBLAS_GEMMTR)
REAL_AND_COMPLEX(SYMM, symm, symm, VKBLAS_SYMM)
REAL_AND_COMPLEX(SYRK, syrk, syrk, VKBLAS_SYRK)
REAL_AND_COMPLEX(SYR2K, syr2k, syr2k, VKBLAS_SYR2K)
REAL_AND_COMPLEX(TRMM, trmm, trmm, VKBLAS_TRMM)
REAL_AND_COMPLEX(TRMM, trsm, trsm, VKBLAS_TRSM)
NAMES(GEMM, cgemm3m, cgemm3m, VKBLAS_GEMM3M, VKBLAS_C, p, p, "")
NAMES(GEMM, zgemm3m, zgemm3m, VKBLAS_GEMM3M, VKBLAS_Z, p, p, "")
NAMES(SYMM, chemm, chemm, VKBLAS_HEMM, VKBLAS_C, p, p, "")
NAMES(SYMM, zhemm, zhemm, VKBLAS_HEMM, VKBLAS_Z, p, p, "")
NAMES(SYRK, cherk, cherk, VKBLAS_HERK, VKBLAS_C, s, s, "C?N")
NAMES(SYRK, zherk, zherk, VKBLAS_HERK, VKBLAS_Z, d, d, "C?N")
NAMES(SYR2K, cher2k, cher2k, VKBLAS_HER2K, VKBLAS_C, hc, s, "C?N")
NAMES(SYR2K, zher2k, zher2k, VKBLAS_HER2K, VKBLAS_Z, hz, d, "C?N")
NAMES(GEMM, shgemm, shgemm, VKBLAS_GEMM, VKBLAS_SH, s, s, "")
NAMES(GEMM, sbgemm, sbgemm, VKBLAS_GEMM, VKBLAS_SB, s, s, "")
