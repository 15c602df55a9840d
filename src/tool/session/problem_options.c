#include "session/problem_options.h"

#include "base/alloc.h"
#include "math/problem.h"

size_t cli_size_count(const cli_options *options)
{
    return options->sizes.count > 0 ? options->sizes.count : 1;
}

int cli_size_is_given(const cli_options *options)
{
    return options->sizes.count > 0 || options->m.given || options->n.given || options->k.given;
}

cli_size cli_size_at(const cli_options *options, size_t index, uint64_t square)
{
    cli_size size = {square, square, square};

    if (options->sizes.count > 0) size = options->sizes.item[index];
    if (options->m.given) size.m = options->m.value;
    if (options->n.given) size.n = options->n.value;
    if (options->k.given) size.k = options->k.value;
    return size;
}

/* If the product overflows, returns a value that the check of the problem refuses. */
static uint64_t stride_of(const vkmm_problem *problem, const cli_number *given, vkmm_operand operand)
{
    vkmm_op op = operand == VKMM_A ? problem->op_a : operand == VKMM_B ? problem->op_b : VKMM_OP_N;
    int by_rows = (op == VKMM_OP_N) == (problem->layout == VKMM_ROW_MAJOR);
    uint64_t lines = by_rows ? vkmm_operand_rows(problem, operand) : vkmm_operand_cols(problem, operand), stride = 0;

    if (given->given) return given->value;
    if (!vkmm_mul_u64(vkmm_operand_ld(problem, operand), lines, &stride)) stride = UINT64_MAX;
    return stride;
}

vkmm_problem cli_problem_make(const cli_options *options, const cli_size *size, vkmm_type type)
{
    vkmm_problem problem = options->problem;

    problem.m = size->m;
    problem.n = size->n;
    problem.k = size->k;
    problem.type = type;
    if (problem.batch_count > 1) {
        problem.stride_a = stride_of(&problem, &options->stride[VKMM_A], VKMM_A);
        problem.stride_b = stride_of(&problem, &options->stride[VKMM_B], VKMM_B);
        problem.stride_c = stride_of(&problem, &options->stride[VKMM_C], VKMM_C);
    }
    problem.has_bias |= options->bias != NULL;
    return problem;
}
