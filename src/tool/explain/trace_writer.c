#include "explain/trace.h"
#include "math/type.h"

static vkmm_view tile(const vkmm_trace *trace, uint32_t load, uint64_t skipped, uint64_t rows, uint64_t cols)
{
    const uint64_t both = ((uint64_t)trace->kernel.tile[0] + trace->kernel.tile[1]) * trace->depth;
    const uint64_t bytes = vkmm_type_of(trace->problem.type)->bytes;

    return vkmm_view_rows((const char *)trace->tiles + (load * both + skipped) * bytes, rows, cols,
                          trace->problem.type);
}

vkmm_view vkmm_trace_tile_a(const vkmm_trace *trace, uint32_t load)
{
    return tile(trace, load, 0, trace->kernel.tile[0], trace->depth);
}

vkmm_view vkmm_trace_tile_b(const vkmm_trace *trace, uint32_t load)
{
    return tile(trace, load, (uint64_t)trace->kernel.tile[0] * trace->depth, trace->depth, trace->kernel.tile[1]);
}

vkmm_view vkmm_trace_sums(const vkmm_trace *trace)
{
    return vkmm_view_rows(trace->sums, trace->sum_count, trace->invocation_count, trace->problem.type);
}

int vkmm_trace_takes_part(const vkmm_trace *trace, uint32_t invocation)
{
    return trace->depth > 0 || trace->invocations[invocation].inside;
}

void vkmm_trace_term(const vkmm_trace *trace, uint32_t k, uint32_t invocation, double term[2])
{
    const vkmm_invocation *one = &trace->invocations[invocation];
    const vkmm_problem *problem = &trace->problem;
    vkmm_view a = vkmm_view_rows(trace->a, problem->m, problem->k, problem->type);
    vkmm_view b = vkmm_view_rows(trace->b, problem->k, problem->n, problem->type);
    uint64_t row = one->row, col = one->col;

    if (trace->depth > 0) {
        a = vkmm_trace_tile_a(trace, k / trace->depth);
        b = vkmm_trace_tile_b(trace, k / trace->depth);
        row = one->local[1];
        col = one->local[0];
        k %= trace->depth;
    }
    term[0] = vkmm_view_get(&a, row, k);
    term[1] = vkmm_view_get(&b, k, col);
}
