/* The method that VKBLAS_COMPUTE asks for. Products of residues are one job, because a stream has no such panels, or
 * parts of C, each of which is one. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "vkmatmul_vulkan.h"

enum { LEAST = 256 }; /* rows or columns that are not halved */

static unsigned asked; /* bits of methods */

static void read_methods(void)
{
    static const char *const names[] = {[VKMM_COMPUTE_SPLIT] = "split", [VKMM_COMPUTE_MODULAR] = "modular"};
    const char *text = secure_getenv("VKBLAS_COMPUTE"), *at = text != NULL ? text : "";
    for (size_t length = 0; *at; at += length + (at[length] == ',')) {
        int method = VKMM_METHOD_COUNT - 1;
        length = strcspn(at, ",");
        while (method > 0 && (strlen(names[method]) != length || memcmp(names[method], at, length) != 0)) method--;
        asked |= 1u << method;
    }
    if (!(asked & 1) && (text == NULL || *text)) return;
    asked = 0;
    vkblas_warn("invalid VKBLAS_COMPUTE='%.100s': use split (for f32), modular (for f64) or split,modular; "
                "products are computed as without it",
                text);
}

vkmm_method vkblas_method(vkblas_type type)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const vkmm_method method = type == VKBLAS_S   ? VKMM_COMPUTE_SPLIT
                               : type == VKBLAS_D ? VKMM_COMPUTE_MODULAR
                                                  : VKMM_COMPUTE_DIRECT;
    pthread_once(&once, read_methods);
    return asked >> method & 1 ? method : VKMM_COMPUTE_DIRECT;
}

static vkmm_status multiply(vkmm_device *device, const vkmm_problem *p, const vkblas_call *call)
{
    sigset_t before;
    vkblas_block_signals(&before);
    const vkmm_status status = vkmm_multiply(device, p, call->a, call->b, NULL, call->c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

vkmm_status vkblas_multiply_by(vkmm_device *device, const vkmm_problem *p, const vkblas_call *call)
{
    const vkmm_status status = multiply(device, p, call);
    const int by_cols = p->n >= p->m;
    const uint64_t extent = by_cols ? p->n : p->m, half = extent / 2;
    if ((status != VKMM_UNSUPPORTED && status != VKMM_OUT_OF_MEMORY) || half < LEAST) return status;
    const uint64_t size = sizeof(double), in = by_cols                ? (p->op_b == VKMM_OP_N ? p->ldb : 1)
                                               : p->op_a == VKMM_OP_N ? 1
                                                                      : p->lda;
    const char *const from = by_cols ? call->b : call->a;
    vkmm_problem one = *p, other = *p;
    vkblas_call rest = *call;
    *(by_cols ? &one.n : &one.m) = half;
    *(by_cols ? &other.n : &other.m) = extent - half;
    rest.m = (int64_t)other.m, rest.n = (int64_t)other.n;
    *(by_cols ? &rest.b : &rest.a) = from + half * in * size;
    rest.c = (char *)call->c + half * (by_cols ? p->ldc : 1) * size;
    const vkmm_status first = vkblas_multiply_by(device, &one, call);
    if (first != VKMM_OK) return first;
    if (vkblas_multiply_by(device, &other, &rest) != VKMM_OK) vkblas_run_or_host(&rest);
    return VKMM_OK;
}
