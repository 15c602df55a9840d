#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"

enum { EXPANDED = 1 << 30 }; /* bytes of A as a complex product copies it */

/* Copies the elements of C, without the gaps between its columns. */
static void copy_columns(char *to, size_t to_ld, const char *from, size_t from_ld, size_t bytes, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++) memcpy(to + (size_t)j * to_ld, from + (size_t)j * from_ld, bytes);
}

static atomic_uint lacking; /* bits of the types that the device cannot multiply */

/* A product in panels, to which vkmm_multiply may resort, can fail half-way: C is then restored, if it is needed. */
static int multiply(vkmm_device *device, const vkmm_problem *p, const vkblas_call *call)
{
    const size_t size = p->type == VKMM_F64 ? sizeof(double) : sizeof(float), bytes = (size_t)p->m * size;
    const size_t ld = (size_t)p->ldc * size;
    char *before = p->beta != 0 ? malloc(bytes * (size_t)p->n) : NULL;
    if (p->beta != 0 && before == NULL) return 0;
    if (before != NULL) copy_columns(before, bytes, call->c, ld, bytes, call->n);
    vkmm_status status = vkmm_multiply(device, p, call->a, call->b, NULL, call->c);
    if (status != VKMM_OK && before != NULL) copy_columns(call->c, ld, before, bytes, bytes, call->n);
    free(before);
    if (status == VKMM_UNSUPPORTED) atomic_fetch_or(&lacking, 1u << call->type);
    if (status != VKMM_OK) vkblas_device_failed(status);
    return status == VKMM_OK;
}

static int product(const vkblas_call *call)
{
    static const vkmm_type types[VKBLAS_TYPES] = {
        [VKBLAS_S] = VKMM_F32, [VKBLAS_D] = VKMM_F64, [VKBLAS_SH] = VKMM_F16, [VKBLAS_SB] = VKMM_BF16};
    const int is_f64 = call->type == VKBLAS_D;
    vkmm_device *device = vkblas_device();
    const vkblas_type part = call->type == VKBLAS_Z ? VKBLAS_D : call->type == VKBLAS_C ? VKBLAS_S : call->type;
    if (device == NULL || (atomic_load(&lacking) >> part & 1)) return 0;
    if (call->type == VKBLAS_C || call->type == VKBLAS_Z) return vkblas_complex(call, EXPANDED, product);
    if (call->m > UINT32_MAX || call->n > UINT32_MAX || call->k > UINT32_MAX) return 0;
    if (call->m == 0 || call->n == 0) return 1;
    const vkmm_problem p = {.m = (uint64_t)call->m,
                            .n = (uint64_t)call->n,
                            .k = (uint64_t)call->k,
                            .type = types[call->type],
                            .layout = VKMM_COL_MAJOR,
                            .op_a = call->trans_a == 'N' ? VKMM_OP_N : VKMM_OP_T,
                            .op_b = call->trans_b == 'N' ? VKMM_OP_N : VKMM_OP_T,
                            .lda = (uint64_t)call->lda,
                            .ldb = (uint64_t)call->ldb,
                            .ldc = (uint64_t)call->ldc,
                            .alpha = vkblas_part_of(call->type, call->alpha, 0),
                            .beta = vkblas_part_of(call->type, call->beta, 0),
                            .out_type = is_f64 ? VKMM_F64 : VKMM_F32};
    return multiply(device, &p, call);
}

/* What drivers and planning do with numbers is no event of the program's arithmetic, and must not trap there. */
int vkblas_product(const vkblas_call *call)
{
    fenv_t before;
    feholdexcept(&before);
    const int done = product(call);
    fesetenv(&before);
    return done;
}
