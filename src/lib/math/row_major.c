/* α and β in force, and a problem as row-major kernels see it. */
#include "math/problem.h"

/* type: vkmm_types_scale. */
static double in_force(vkmm_type type, double value)
{
    if (type == VKMM_F32) return (double)(float)value;
    if (type == VKMM_F64) return value;
    uint32_t bits = (uint32_t)(int64_t)value; /* whole, and small enough: checked */
    return type == VKMM_I32 ? (double)(int32_t)bits : (double)bits;
}

double vkmm_problem_alpha(const vkmm_problem *problem)
{
    return in_force(vkmm_types_scale(vkmm_problem_types(problem)), problem->alpha);
}

double vkmm_problem_beta(const vkmm_problem *problem)
{
    return in_force(vkmm_types_scale(vkmm_problem_types(problem)), problem->beta);
}

vkmm_problem vkmm_problem_row_major(const vkmm_problem *problem, int *swapped)
{
    const int swap = problem->layout == VKMM_COL_MAJOR;
    const vkmm_operand a = swap ? VKMM_B : VKMM_A, b = swap ? VKMM_A : VKMM_B;
    const vkmm_types types = vkmm_problem_types(problem);
    vkmm_problem p = *problem;
    p.layout = VKMM_ROW_MAJOR;
    p.out_type = types.out;
    p.compute = types.compute;
    p.alpha = vkmm_problem_alpha(problem);
    p.beta = vkmm_problem_beta(problem);
    p.m = swap ? problem->n : problem->m;
    p.n = swap ? problem->m : problem->n;
    p.k = p.alpha == 0.0 ? 0 : problem->k;
    if (p.k == 0) p.alpha = 0.0; /* an infinite one would make a NaN of the empty sum */
    p.op_a = swap ? problem->op_b : problem->op_a;
    p.op_b = swap ? problem->op_a : problem->op_b;
    p.format_a = vkmm_operand_format(problem, a);
    p.format_b = vkmm_operand_format(problem, b);
    p.lda = vkmm_operand_ld(problem, a);
    p.ldb = vkmm_operand_ld(problem, b);
    p.ldc = vkmm_operand_ld(problem, VKMM_C);
    p.offset_a = vkmm_operand_offset(problem, a);
    p.offset_b = vkmm_operand_offset(problem, b);
    p.batch_count = vkmm_problem_batches(problem);
    p.stride_a = vkmm_operand_stride(problem, a);
    p.stride_b = vkmm_operand_stride(problem, b);
    p.stride_c = vkmm_operand_stride(problem, VKMM_C);
    *swapped = swap;
    return p;
}
