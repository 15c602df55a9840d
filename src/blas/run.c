#include <stdlib.h>

#include "blas.h"

/* Calls of fewer multiplications are the host's, without another thought. -1: the environment has not been read. */
static _Atomic int64_t least = -1;

static int64_t read_least(void)
{
    const char *told = getenv("VKBLAS_MIN");
    const double edge = told != NULL ? atof(told) : 0, volume = edge * edge * edge;
    const int64_t value = told == NULL || !(volume < 9e18) ? INT64_MAX : (int64_t)volume;
    atomic_store(&least, value);
    return value;
}

/* Products of at least this many multiplications may go to the device. */
static int64_t read_once(void)
{
    const int64_t from = atomic_load_explicit(&least, memory_order_relaxed);
    return from < 0 ? read_least() : from;
}

static int is_product(const vkblas_call *call)
{
    return call->routine == VKBLAS_GEMM || call->routine == VKBLAS_GEMM3M;
}

static double volume(const vkblas_call *call)
{
    const vkblas_extents e = vkblas_extents_of(call);
    return (double)e.m * (double)e.n * (double)e.k;
}

void vkblas_run_or_host(const vkblas_call *call)
{
    if (!is_product(call) || volume(call) < (double)read_once() || !vkblas_product(call)) vkblas_host(call);
}

int vkblas_run(const vkblas_call *call)
{
    enum {
        BLOCK = 256,
        SMALLEST = 2
    }; /* rows of the diagonal blocks: everything is split where all products go to the device */
    const int64_t from = read_once();
    if (volume(call) < (double)from || !vkblas_legal(call)) return 0;
    if (is_product(call)) return vkblas_product(call);
    if (vkblas_device() == NULL) return 0;
    vkblas_split(call, from > 0 ? BLOCK : SMALLEST, vkblas_run_or_host);
    return 1;
}

double vkblas_begin(const vkblas_call *call)
{
    return vkblas_run(call) ? -1 : 0;
}

void vkblas_end(const vkblas_call *call, double begun)
{
    (void)call;
    (void)begun;
}
