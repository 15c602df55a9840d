#include "math/blas.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/log.h"
#include "math/problem.h"
#include "math/type.h"

/* CBLAS as the BLAS Technical Forum's standard has it (2001, appendix B), with int for its extents. */
enum { ROW_MAJOR = 101, COL_MAJOR = 102, NO_TRANS = 111, TRANS = 112 };
typedef void sgemm_function(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float *a, int lda,
                            const float *b, int ldb, float beta, float *c, int ldc);
typedef void dgemm_function(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double *a, int lda,
                            const double *b, int ldb, double beta, double *c, int ldc);

struct vkmm_blas {
    void *library;
    sgemm_function *sgemm;
    dgemm_function *dgemm;
    char name[64], version[128];
};

/* Fedora calls OpenBLAS with threads libopenblasp or libopenblaso, and one without libopenblas; others have one
 * alone. */
static const char *const files[] = {
    "libopenblasp.so.0", "libopenblaso.so.0", "libopenblas.so.0",
    "libopenblas.so",    "libcblas.so.3",     "libblas.so.3",
    "libmkl_rt.so.2",    "libmkl_rt.so",      "/System/Library/Frameworks/Accelerate.framework/Accelerate",
};

/* Whether the library takes extents of 64 bits under the same names: a call with int extents would then be wrong.
 * One that does not reads the low half of n, 1, and returns a product; one that does sees a negative n, for which a
 * dot product is 0. Where callees may rely on the upper half of a register, this cannot be asked. */
static int has_long_extents(void *library)
{
#if defined(__x86_64__) || defined(__aarch64__)
    typedef float sdot_function(int64_t n, const float *x, int64_t x_step, const float *y, int64_t y_step);
    const float two = 2.0F, three = 3.0F;
    sdot_function *sdot = (sdot_function *)vkmm_dynlib_symbol(library, "cblas_sdot");
    return sdot != NULL && sdot(INT64_MIN + 1, &two, 1, &three, 1) != two * three;
#else
    (void)library;
    return 0;
#endif
}

/* Adds a text up to its first space. */
static void add_word(vkmm_blas *blas, const char *text)
{
    const int length = (int)strcspn(text, " ");
    if (length > 0) VKMM_JOIN(blas->version, ", ", "%.*s", length, text);
}

static void add_threads(vkmm_blas *blas, const char *symbol)
{
    typedef int count_function(void);
    count_function *get_threads = (count_function *)vkmm_dynlib_symbol(blas->library, symbol);
    const int threads = get_threads != NULL ? get_threads() : 0;
    if (threads > 0) VKMM_JOIN(blas->version, ", ", "%d thread%s", threads, threads == 1 ? "" : "s");
}

/* What a function of the library's own says; "": it has none. */
static const char *text_of(const vkmm_blas *blas, const char *symbol)
{
    typedef const char *text_function(void);
    text_function *get_text = (text_function *)vkmm_dynlib_symbol(blas->library, symbol);
    const char *text = get_text != NULL ? get_text() : NULL;
    return text != NULL ? text : "";
}

/* By what it has of its own: OpenBLAS tells "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH Zen MAX_THREADS=64", MKL
 * "Intel(R) oneAPI Math Kernel Library Version 2023.1-Product Build …", BLIS its version alone. */
static void describe(vkmm_blas *blas, const char *file)
{
    typedef void fill_function(char *text, int room);
    fill_function *fill_mkl = (fill_function *)vkmm_dynlib_symbol(blas->library, "mkl_get_version_string");
    const char *openblas = text_of(blas, "openblas_get_config"), *blis = text_of(blas, "bli_info_get_version_str"),
               *slash = strrchr(file, '/');
    VKMM_PUT(blas->name, "%s", *openblas ? "OpenBLAS" : fill_mkl ? "MKL" : *blis ? "BLIS" : slash ? slash + 1 : file);
    if (*openblas) {
        if (strncmp(openblas, "OpenBLAS ", 9) == 0) add_word(blas, openblas + 9);
        add_word(blas, text_of(blas, "openblas_get_corename"));
        add_threads(blas, "openblas_get_num_threads");
    } else if (fill_mkl != NULL) {
        char mkl[256] = "";
        fill_mkl(mkl, (int)sizeof mkl - 1);
        const char *version = strstr(mkl, "Version ");
        if (version != NULL) add_word(blas, version + 8);
        add_threads(blas, "mkl_get_max_threads");
    } else {
        add_word(blas, blis);
    }
}

static vkmm_blas *open_file(const char *file)
{
    vkmm_blas *blas = vkmm_alloc(1, sizeof *blas);
    if (blas == NULL) return NULL;
    blas->library = vkmm_dynlib_open(file);
    if (blas->library != NULL) {
        blas->sgemm = (sgemm_function *)vkmm_dynlib_symbol(blas->library, "cblas_sgemm");
        blas->dgemm = (dgemm_function *)vkmm_dynlib_symbol(blas->library, "cblas_dgemm");
    }
    if (blas->sgemm == NULL || blas->dgemm == NULL || has_long_extents(blas->library)) {
        vkmm_blas_close(&blas);
        return NULL;
    }
    describe(blas, file);
    return blas;
}

vkmm_blas *vkmm_blas_open(const char *file)
{
    vkmm_blas *blas = NULL;
    if (file != NULL) return open_file(file);
    for (size_t i = 0; i < VKMM_COUNT(files) && blas == NULL; i++) blas = open_file(files[i]);
    return blas;
}

void vkmm_blas_close(vkmm_blas **blas)
{
    if (*blas == NULL) return;
    vkmm_dynlib_close((*blas)->library);
    vkmm_free(*blas);
    *blas = NULL;
}

const char *vkmm_blas_name(const vkmm_blas *blas)
{
    return blas->name;
}

const char *vkmm_blas_version(const vkmm_blas *blas)
{
    return blas->version;
}

vkmm_status vkmm_blas_multiply(vkmm_blas *blas, const vkmm_problem *problem, const void *a, const void *b, void *c)
{
    const uint64_t extents[] = {problem->m,
                                problem->n,
                                problem->k,
                                vkmm_operand_ld(problem, VKMM_A),
                                vkmm_operand_ld(problem, VKMM_B),
                                vkmm_operand_ld(problem, VKMM_C)};
    static const char *const names[] = {"M", "N", "K", "lda", "ldb", "ldc"};
    int e[6], order = problem->layout == VKMM_ROW_MAJOR ? ROW_MAJOR : COL_MAJOR;
    int op_a = problem->op_a == VKMM_OP_N ? NO_TRANS : TRANS, op_b = problem->op_b == VKMM_OP_N ? NO_TRANS : TRANS;
    double alpha = vkmm_problem_alpha(problem), beta = vkmm_problem_beta(problem);
    if (problem->type != VKMM_F32 && problem->type != VKMM_F64)
        return vkmm_fail(VKMM_UNSUPPORTED, "%s cannot multiply %s, only f32 and f64", blas->name,
                         vkmm_type_of(problem->type)->name);
    for (int i = 0; i < 6; i++) {
        if (extents[i] > INT_MAX)
            return vkmm_fail(VKMM_UNSUPPORTED, "%s is %llu; %s takes at most %d", names[i],
                             (unsigned long long)extents[i], blas->name, INT_MAX);
        e[i] = (int)extents[i];
    }
    if (problem->m == 0 || problem->n == 0) return VKMM_OK;
    for (uint64_t x = 0; x < vkmm_problem_batches(problem); x++) {
        const void *of_a = vkmm_operand_view(problem, VKMM_A, a, x).data,
                   *of_b = vkmm_operand_view(problem, VKMM_B, b, x).data;
        void *of_c = (void *)(uintptr_t)vkmm_operand_view(problem, VKMM_C, c, x).data;
        if (problem->type == VKMM_F32)
            blas->sgemm(order, op_a, op_b, e[0], e[1], e[2], (float)alpha, of_a, e[3], of_b, e[4], (float)beta, of_c,
                        e[5]);
        else
            blas->dgemm(order, op_a, op_b, e[0], e[1], e[2], alpha, of_a, e[3], of_b, e[4], beta, of_c, e[5]);
    }
    return VKMM_OK;
}
