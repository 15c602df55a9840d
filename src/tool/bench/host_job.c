/* The host's BLAS as one more device. */
#include "base/alloc.h"
#include "base/clock.h"
#include "bench/jobs.h"
#include "product/fingerprint.h"
#include "math/problem.h"

#include <stdio.h>
#include <string.h>

static uint64_t fingerprint(const cli_bench_job *job)
{
    return cli_fingerprint(job->operands[VKMM_C], vkmm_operand_bytes(&job->problem, VKMM_C));
}

static vkmm_status make_operands(cli_bench_place *place, cli_bench_job *job)
{
    const vkmm_log *log = &place->session->console.log;
    const vkmm_problem *problem = &job->problem;
    uint64_t c_bytes = vkmm_operand_bytes(problem, VKMM_C);
    int reads_c = vkmm_problem_beta(problem) != 0 || vkmm_problem_c_has_gaps(problem);

    for (int operand = VKMM_A; operand <= VKMM_C; operand++) {
        uint64_t bytes = vkmm_operand_bytes(problem, (vkmm_operand)operand);
        job->operands[operand] = vkmm_alloc(1, bytes);
        if (job->operands[operand] == NULL)
            return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for %c: %llu bytes", "ABC"[operand],
                             (unsigned long long)bytes);
    }
    cli_inputs_fill(&job->inputs, problem, job->operands[VKMM_A], job->operands[VKMM_B]);
    if (!reads_c) return VKMM_OK;
    cli_inputs_fill_c(&job->inputs, problem, job->operands[VKMM_C]);
    job->before = vkmm_alloc(1, c_bytes);
    if (job->before == NULL)
        return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for a copy of C: %llu bytes", (unsigned long long)c_bytes);
    memcpy(job->before, job->operands[VKMM_C], c_bytes);
    return VKMM_OK;
}

vkmm_status cli_bench_host_multiply(cli_bench_place *place, cli_bench_job *job, double *ms)
{
    double start = vkmm_now_ms();
    vkmm_status status = vkmm_blas_multiply(place->blas, &place->session->console.log, &job->problem,
                                            job->operands[VKMM_A], job->operands[VKMM_B], job->operands[VKMM_C]);

    *ms = vkmm_now_ms() - start;
    return status;
}

vkmm_status cli_bench_host_begin(cli_bench_place *place, cli_bench_job *job)
{
    const vkmm_log *log = &place->session->console.log;
    vkmm_status status = vkmm_problem_check(log, &job->problem, NULL);

    if (status == VKMM_OK) status = make_operands(place, job);
    if (status == VKMM_OK) status = cli_bench_host_multiply(place, job, &job->product.run_ms);
    if (status == VKMM_OK)
        status = vkmm_verify_problem(log, &job->problem, job->operands[VKMM_A], job->operands[VKMM_B], NULL,
                                     job->before, job->operands[VKMM_C], VKMM_NUMBERS_RANDOM, VKMM_VERIFY_AUTO,
                                     cli_seed_of(job->inputs.seed, CLI_SEED_VERIFY), &job->product.verdict);
    if (status != VKMM_OK) return status;
    job->product.judged = fingerprint(job);
    if (job->product.verdict.passed) return VKMM_OK;
    return vkmm_fail(log, VKMM_WRONG_RESULT, "%s", job->product.verdict.sentence);
}

/* A library with threads may sum in another order the next time: that is no fault, so the last product is judged
 * anew where it differs. With a β each run changes the C that the next one reads: one more starts from the same
 * beginning. */
vkmm_status cli_bench_host_check(cli_bench_place *place, cli_bench_job *job)
{
    const vkmm_log *log = &place->session->console.log;
    vkmm_verdict verdict;
    double ms;
    vkmm_status status = VKMM_OK;

    if (job->before != NULL && vkmm_problem_beta(&job->problem) != 0) {
        memcpy(job->operands[VKMM_C], job->before, vkmm_operand_bytes(&job->problem, VKMM_C));
        status = cli_bench_host_multiply(place, job, &ms);
    }
    if (status != VKMM_OK || fingerprint(job) == job->product.judged) return status;
    status = vkmm_verify_problem(log, &job->problem, job->operands[VKMM_A], job->operands[VKMM_B], NULL, job->before,
                                 job->operands[VKMM_C], VKMM_NUMBERS_RANDOM, VKMM_VERIFY_AUTO,
                                 cli_seed_of(job->inputs.seed, CLI_SEED_VERIFY), &verdict);
    if (status == VKMM_OK && !verdict.passed) status = vkmm_fail(log, VKMM_WRONG_RESULT, "%s", verdict.sentence);
    return status;
}
