#include "explain/explain.h"

#include "math/problem.h"

vkmm_bound vkmm_bound_of(const vkmm_explanation *explanation, const vkmm_explained *kernel)
{
    const vkmm_peaks *peaks = &explanation->peaks;
    const vkmm_access *counted = &kernel->counted;
    vkmm_bound bound = {.flops = vkmm_problem_flops(&explanation->problem),
                        .bytes = (double)counted->bytes_read + (double)counted->bytes_written};

    if (bound.bytes > 0) bound.intensity = bound.flops / bound.bytes;
    if (peaks->copy_bytes_per_s > 0) bound.balance = 2 * peaks->multiply_adds_per_s / peaks->copy_bytes_per_s;
    if (peaks->copy_bytes_per_s > 0) bound.memory_ms = bound.bytes / peaks->copy_bytes_per_s * 1e3;
    if (peaks->multiply_adds_per_s > 0)
        bound.arithmetic_ms = (double)counted->multiply_adds / peaks->multiply_adds_per_s * 1e3;
    if (bound.bytes > 0) bound.name = bound.memory_ms >= bound.arithmetic_ms ? "memory" : "arithmetic";
    return bound;
}

double vkmm_idle_share(const vkmm_access *access)
{
    return access->invocations > 0 ? 1 - (double)access->useful / (double)access->invocations : 0;
}

double vkmm_padding_share(const vkmm_problem *problem, const vkmm_access *access)
{
    double useful = vkmm_problem_flops(problem) / 2;

    return access->multiply_adds > 0 ? 1 - useful / (double)access->multiply_adds : 0;
}
