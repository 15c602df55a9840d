#include "verify/check.h"

#include "math/type.h"

#include <string.h>

/* C's memory, before and after: lines (rows, or columns where those are stored) with gaps between. */
typedef struct before_and_after {
    const char *before, *after;
    size_t size; /* of an element */
    vkmm_type type;
} before_and_after;

static void tell_change(cli_verdict *v, const before_and_after *memory, const vkmm_problem *problem, uint64_t line)
{
    int digits = vkmm_type_of(memory->type)->digits;
    cli_tell(v, "element %llu of C's memory, ", (unsigned long long)v->at);
    if (v->at < problem->offset_c)
        cli_tell(v, "which lies before the offset of %llu", (unsigned long long)problem->offset_c);
    else
        cli_tell(v, "which follows %s %llu", problem->layout == VKMM_ROW_MAJOR ? "row" : "column",
                 (unsigned long long)line);
    if (v->at >= problem->offset_c && vkmm_problem_batches(problem) > 1)
        cli_tell(v, " of matrix %llu of the batch", (unsigned long long)v->batch);
    cli_tell(v, " and belongs to no matrix, changed from %.*g to %.*g", digits, v->want, digits, v->got);
}

/* Elements [begin, end), which follow a line. Their bits are compared, because a NaN may stay NaN. */
static void check_gap(cli_verdict *v, const before_and_after *memory, const vkmm_problem *problem, uint64_t begin,
                      uint64_t end, uint64_t batch, uint64_t line)
{
    const size_t size = memory->size;
    if (begin >= end || memcmp(memory->before + begin * size, memory->after + begin * size, (end - begin) * size) == 0)
        return;
    for (uint64_t at = begin; at < end; at++) {
        const char *before = memory->before + at * size, *after = memory->after + at * size;
        if (memcmp(before, after, size) == 0) continue;
        v->wrong_count++;
        if (v->outside) continue;
        v->outside = 1;
        v->batch = batch;
        v->at = at;
        v->got = vkmm_type_get(memory->type, after);
        v->want = vkmm_type_get(memory->type, before);
        tell_change(v, memory, problem, line);
    }
}

/* A difference goes into the verdict, its sentence included. */
static void check_gaps(vkmm_check *check, const vkmm_problem *problem, const void *before, const void *c)
{
    const int rows = problem->layout == VKMM_ROW_MAJOR;
    const uint64_t lines = rows ? problem->m : problem->n, length = rows ? problem->n : problem->m;
    const uint64_t ld = vkmm_operand_ld(problem, VKMM_C), stride = vkmm_operand_stride(problem, VKMM_C);
    const uint64_t batches = vkmm_problem_batches(problem);
    const vkmm_type type = vkmm_operand_type(problem, VKMM_C);
    const before_and_after memory = {before, c, vkmm_type_of(type)->bytes, type};
    cli_verdict *v = check->verdict;
    check->effort.gaps = 1;
    check_gap(v, &memory, problem, 0, problem->offset_c, 0, 0);
    for (uint64_t x = 0; x < batches; x++) {
        const uint64_t first = problem->offset_c + x * stride, last = first + (lines - 1) * ld;
        for (uint64_t i = 0; ld > length && i + 1 < lines; i++)
            check_gap(v, &memory, problem, first + i * ld + length, first + (i + 1) * ld, x, i);
        if (x + 1 < batches) check_gap(v, &memory, problem, last + length, first + stride, x, lines - 1);
    }
    if (v->outside)
        cli_tell(v, "; %llu such element%s", (unsigned long long)v->wrong_count, v->wrong_count == 1 ? "" : "s");
}

cli_stack cli_stack_of(const vkmm_problem *problem, int which, const void *data)
{
    const vkmm_operand operand = which == CLI_BEFORE ? VKMM_C : (vkmm_operand)which;
    if (operand == VKMM_BIAS)
        return (cli_stack){vkmm_view_rows(data, 1, problem->n, vkmm_operand_type(problem, operand)), 0};
    return (cli_stack){vkmm_operand_view(problem, operand, data, 0), vkmm_operand_stride(problem, operand)};
}

vkmm_view cli_stack_at(const cli_stack *stack, uint64_t batch)
{
    vkmm_view view = stack->first;
    if (view.rows > 0 && view.cols > 0)
        view.data = (const char *)view.data + batch * stack->stride * vkmm_type_of(view.type)->bytes;
    return view;
}

static cli_claim claim_of(const vkmm_problem *problem, const cli_stack stacks[CLI_EVIDENCE], cli_numbers numbers,
                          uint64_t batch)
{
    cli_claim claim = {.a = cli_stack_at(&stacks[VKMM_A], batch),
                       .b = cli_stack_at(&stacks[VKMM_B], batch),
                       .c = cli_stack_at(&stacks[VKMM_C], batch),
                       .alpha = vkmm_problem_alpha(problem),
                       .beta = vkmm_problem_beta(problem),
                       .numbers = numbers,
                       .compute = vkmm_problem_compute(problem),
                       .activation = problem->activation,
                       .method = problem->method,
                       .in_blocks = (problem->format_a != VKMM_PLAIN) + (problem->format_b != VKMM_PLAIN)};
    if (claim.beta != 0.0) claim.before = cli_stack_at(&stacks[CLI_BEFORE], batch);
    if (stacks[CLI_SUMS].first.data != NULL) claim.sums = cli_stack_at(&stacks[CLI_SUMS], batch);
    if (problem->has_bias)
        claim.bias = (vkmm_view){stacks[VKMM_BIAS].first.data, problem->m, problem->n, 0, 1, claim.c.type};
    return claim;
}

int cli_verify_wants_sums(const vkmm_problem *problem, const cli_stack stacks[CLI_EVIDENCE], cli_verify_method method)
{
    const int empty = problem->m == 0 || problem->n == 0;
    const uint64_t batches = empty ? 0 : vkmm_problem_batches(problem);
    int wants = 0;
    for (uint64_t x = 0; x < batches && !wants; x++) {
        const cli_claim claim = claim_of(problem, stacks, CLI_NUMBERS_ANY, x);
        wants = cli_check_wants_sums(&claim, batches, method);
    }
    return wants;
}

vkmm_status cli_verify_stacks(const vkmm_log *log, const vkmm_problem *problem, const cli_stack stacks[CLI_EVIDENCE],
                              const void *gaps, const void *c, cli_numbers numbers, cli_verify_method method,
                              uint64_t seed, cli_verdict *verdict)
{
    const int empty = problem->m == 0 || problem->n == 0;
    const uint64_t batches = empty ? 1 : vkmm_problem_batches(problem);
    cli_claim claim = claim_of(problem, stacks, numbers, 0);
    cli_verdict found = {0};
    vkmm_check check;
    if (problem->has_bias && claim.bias.data == NULL && !empty)
        return VKMM_FAIL(log, VKMM_INVALID, "the bias is needed to verify the product");
    vkmm_status status = cli_check_begin(&check, &claim, batches, method, seed, &found);
    const int verifies = found.method != CLI_VERIFY_NONE;
    for (uint64_t x = 0; x < batches && status == VKMM_OK && !found.has_element && verifies; x++) {
        claim = claim_of(problem, stacks, numbers, x);
        status = cli_check_matrix(&check, &claim, x);
    }
    if (status == VKMM_OK && gaps != NULL && !found.has_element && verifies) check_gaps(&check, problem, gaps, c);
    return vkmm_tell(log, cli_check_end(&check, status, verdict));
}
