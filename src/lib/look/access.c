#include "look/access.h"

#include <string.h>

#include "base/log.h"
#include "kernel/contract.h"
#include "kernel/legal.h"
#include "math/type.h"
#include "plan/parts.h"

uint64_t vkmm_access_multiply_adds(const vkmm_kernel_info *info, const vkmm_problem *problem, uint64_t invocations,
                                   uint64_t useful)
{
    uint64_t depth = info->spec_values[VKMM_SPEC_DEPTH];
    if (info->shared_bytes == 0) return useful * problem->k;
    return invocations * vkmm_round_up(problem->k, depth);
}

/* How often one element of an input is read: `extent` elements of C depend on it, `side` of them in a tile, `block` of
 * them in an invocation. */
static vkmm_reads reads_of(int uses_shared, uint64_t extent, uint64_t side, uint32_t block)
{
    uint64_t tiles = vkmm_divide_up(extent, side), global = uses_shared ? tiles : extent,
             shared = uses_shared ? tiles * vkmm_divide_up(side, block > 0 ? block : 1) : 0;
    return (vkmm_reads){global, global, shared, shared};
}

vkmm_status vkmm_access_formula(const vkmm_kernel_info *info, const vkmm_problem *problem, vkmm_access *access)
{
    const vkmm_kernel *kernel = vkmm_kernel_find(info->name);
    uint64_t m = problem->m, n = problem->n, k = problem->k, rows = info->tile[0], cols = info->tile[1];
    if (!kernel || kernel->spread == VKMM_SPREAD_HOST || kernel->spread == VKMM_SPREAD_ITEMS)
        return vkmm_fail(
            VKMM_UNSUPPORTED,
            "there are no formulas for the reads of the kernel %s, only for the tutorial kernels, such as tiled",
            info->name);
    memset(access, 0, sizeof *access);
    if (m > 0 && k > 0) access->a = reads_of(kernel->uses_shared, n, cols, kernel->block[1]);
    if (n > 0 && k > 0) access->b = reads_of(kernel->uses_shared, m, rows, kernel->block[0]);
    int linear = kernel->spread == VKMM_SPREAD_LINEAR;
    access->useful = m * n;
    access->invocations = linear ? vkmm_round_up(m * n, rows * cols) : vkmm_round_up(m, rows) * vkmm_round_up(n, cols);
    access->multiply_adds = vkmm_access_multiply_adds(info, problem, access->invocations, access->useful);
    uint64_t bytes = vkmm_type_of(problem->type)->bytes;
    access->bytes_read = bytes * (m * k * access->a.global_min + k * n * access->b.global_min);
    access->bytes_written = bytes * access->useful;
    return VKMM_OK;
}

int vkmm_access_equal(const vkmm_access *left, const vkmm_access *right)
{
    return memcmp(left, right, offsetof(vkmm_access, stride)) == 0; /* words without padding */
}
