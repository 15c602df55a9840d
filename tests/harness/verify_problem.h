/* Verifies a product whose operands lie in memory as its problem says. before: a copy of C's memory from before the
 * product; NULL: β is 0, and C's memory has no gaps. Else as cli_verify_stacks. */
#pragma once

#include "base/log.h"
#include "verify/verify.h"

/* All of them, for tests that try each. */
static const cli_verify_method verify_methods[] = {CLI_VERIFY_FULL, CLI_VERIFY_FREIVALDS};

static inline vkmm_status vkmm_verify_problem(const vkmm_log *log, const vkmm_problem *problem, const void *a,
                                              const void *b, const void *bias, const void *before, const void *c,
                                              cli_numbers numbers, cli_verify_method method, uint64_t seed,
                                              cli_verdict *verdict)
{
    const void *const memory[CLI_STACKS] = {a, b, c, bias, before};
    cli_stack stacks[CLI_EVIDENCE] = {0};
    for (int i = 0; i < CLI_STACKS; i++) stacks[i] = cli_stack_of(problem, i, memory[i]);
    return cli_verify_stacks(log, problem, stacks, vkmm_problem_c_has_gaps(problem) ? before : NULL, c, numbers, method,
                             seed, verdict);
}
