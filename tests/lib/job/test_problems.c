/* Jobs on every kind of problem: β and gaps, batches, both layouts, K in parts, work in slices; on memory that the
 * host sees, and through staging buffers. Small whole numbers, so that every sum is exact; the reference is
 * tests/harness/gemm.h. */
#include "gemm.h"
#include "clock.h"
#include "job/job.h"
#include "look/kernel.h"
#include "math/problem.h"
#include "suite.h"

enum { M = 37, N = 29, K = 41 };

static suite_device suite;
SUITE_MAIN(suite)

/* All ones where no matrix lies: a NaN for floats. Of C that too, unless it is read. */
static void fill(const vkmm_problem *p, vkmm_operand operand, void *data, int whole)
{
    memset(data, 0xff, vkmm_operand_bytes(p, operand));
    if (!whole) gemm_fill(p, operand, data, NULL);
}

static vkmm_job *make(const vkmm_job_params *params)
{
    const vkmm_problem *p = &params->problem;
    vkmm_job *job = keep_job(suite.device, NULL, params);
    fill(p, VKMM_A, vkmm_job_matrix(job, VKMM_A), 0);
    fill(p, VKMM_B, vkmm_job_matrix(job, VKMM_B), 0);
    fill(p, VKMM_C, vkmm_job_matrix(job, VKMM_C), p->beta == 0);
    for (uint64_t j = 0; j < p->n && p->has_bias; j++)
        gemm_set(gemm_out(p), vkmm_job_matrix(job, VKMM_BIAS), j, gemm_number(gemm_out(p), j, 11));
    return job;
}

static void check(const vkmm_job_params *params, uint64_t slice)
{
    const vkmm_problem *p = &params->problem;
    vkmm_job *job = make(params);
    size_t bytes = vkmm_operand_bytes(p, VKMM_C);
    void *want = keep_object(malloc(bytes), free);
    assert_non_null(want);
    memcpy(want, vkmm_job_matrix(job, VKMM_C), bytes);
    gemm_biased(p, vkmm_job_matrix(job, VKMM_A), vkmm_job_matrix(job, VKMM_B),
                p->has_bias ? vkmm_job_matrix(job, VKMM_BIAS) : NULL, want);
    job->slices.fixed = slice;
    assert_int_equal(vkmm_job_is_whole(job), slice == 0);
    assert_ok(vkmm_job_run(job));
    suite_compare(gemm_out(p), vkmm_job_matrix(job, VKMM_C), want, vkmm_operand_elements(p, VKMM_C), 0);
    int64_t damage = 0;
    if (!vkmm_store_guards_whole(&job->stores[VKMM_C], &damage))
        fail_msg("wrote %lld bytes from C's start", (long long)damage);
}

static int through_staging(void **state)
{
    suite.info->memory.is_unified = 0;
    return 0;
}

static int mapped(void **state)
{
    suite.info->memory.is_unified = 1;
    return 0;
}

/* A test on memory that the host sees, and one through staging. */
#define BOTH_WAYS(name)                             \
    static void name(void **state);                 \
    TEST_WITH(name##_mapped, mapped, NULL)          \
    {                                               \
        name(state);                                \
    }                                               \
    TEST_WITH(name##_copied, through_staging, NULL) \
    {                                               \
        name(state);                                \
    }                                               \
    static void name(void **state)

/* Layouts, ops, gaps and batches: not every combination, which is the kernels' test, but each. */
BOTH_WAYS(computes_every_problem)
{
    static const unsigned ways[] = {13, 19, 31};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        vkmm_job_params params = {.problem = gemm_way(ways[i], M, N, K, i % 2 ? VKMM_I32 : VKMM_F32)};
        params.problem = gemm_scaled(params.problem, 2, -3);
        check(&params, 0);
        params.problem.beta = 0;
        if (ways[i] & 8) check(&params, 0); /* C is not read, but its gaps stay */
    }
}

TEST_WITH(computes_without_terms, through_staging, NULL)
{
    vkmm_job_params params = {.problem = gemm_scaled(gemm_way(8, M, N, 0, VKMM_F32), 2, 3)};
    check(&params, 0);
    params.problem = gemm_scaled(gemm_way(0, M, N, K, VKMM_U32), 0, 3);
    check(&params, 0);
    params.problem.beta = 0;
    check(&params, 0);
}

TEST_WITH(knows_what_it_reads, through_staging, NULL)
{
    const vkmm_problem plain = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4),
                       wide = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4, .ldc = 5);
    const vkmm_problem problems[] = {plain, wide, gemm_scaled(plain, 2, 0), gemm_scaled(plain, 1, 0.5)};
    const int want[] = {0, 1, 0, 1};
    for (int i = 0; i < 4; i++) {
        const vkmm_job_params params = {.problem = problems[i]};
        assert_int_equal(vkmm_job_reads_c(make(&params)), want[i]);
    }
}

/* The second pass needs all parts: with slices it comes after the last. */
BOTH_WAYS(sums_k_in_parts)
{
    vkmm_job_params params = {.problem = gemm_scaled(gemm_way(24, M, N, 200, VKMM_F32), 2, -3), .config = "splits=3"};
    vkmm_job *job = make(&params);
    assert_int_equal(vkmm_job_kernel(job)->splits, 3);
    assert_true(vkmm_job_kernel(job)->workspace_bytes >= 3 * 3 * M * N * sizeof(float));
    check(&params, 0);
    check(&params, 2);
}

TEST_WITH(works_in_slices, through_staging, NULL)
{
    vkmm_job_params params = {.problem = gemm_scaled(gemm_way(24, 5 * M, 9 * N, K, VKMM_I32), 2, -3)};
    vkmm_job *job = make(&params);
    const uint64_t items = vkmm_job_kernel(job)->items;
    assert_true(items >= 6);
    check(&params, 1);
    check(&params, items - 1);
    params.problem.beta = 0;
    check(&params, items / 2);
}

/* What the first run finds out about the device's speed: large work begins in slices, and its product is right all
 * the same. */
TEST_WITH(large_work_begins_in_slices, mapped, NULL)
{
    enum { SIDE = 600 };
    const vkmm_job_params params = {.problem = gemm_scaled(VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE), 1, -2)};
    const vkmm_problem *p = &params.problem;
    vkmm_job *job = make(&params);
    if (vkmm_job_kernel(job)->items < 2) skip();
    assert_false(vkmm_job_is_whole(job));
    const float *a = vkmm_job_matrix(job, VKMM_A), *b = vkmm_job_matrix(job, VKMM_B), *c = vkmm_job_matrix(job, VKMM_C);
    float before[SIDE];
    for (uint64_t i = 0; i < SIDE; i++) before[i] = c[i * SIDE + i];
    assert_ok(vkmm_job_run(job));
    assert_true(job->slices.largest > 0 && job->slices.items_per_ms > 0);
    for (uint64_t i = 0; i < SIDE; i++) {
        float sum = -2 * before[i];
        for (uint64_t k = 0; k < p->k; k++) sum += a[i * SIDE + k] * b[k * SIDE + i];
        assert_true(c[i * SIDE + i] == sum);
    }
}

/* α·A·B some times over, since every run adds it to C. */
BOTH_WAYS(measures_what_adds_up)
{
    const vkmm_measure_params measure = {.iters = 3, .cold_iters = 1, .cold_iters_given = 1};
    const vkmm_job_params params = {.problem =
                                        gemm_scaled(VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_I32), 1, 1)};
    for (uint64_t slice = 0; slice < 2; slice++) {
        vkmm_measurement time;
        vkmm_job *job = make(&params);
        int32_t *c = vkmm_job_matrix(job, VKMM_C), once[M * N];
        job->slices.fixed = slice;
        memset(c, 0, sizeof once);
        assert_ok(vkmm_job_run(job));
        memcpy(once, c, sizeof once);
        assert_ok(vkmm_job_measure(job, &measure, &time));
        assert_int_equal(time.kernel.count, 3);
        assert_true(time.kernel.min > 0 && time.submit.min > 0 && time.transfer.min > 0);
        int times = 0;
        for (int i = 0; i < M * N && !times; i++)
            if (once[i] != 0) times = c[i] / once[i];
        assert_true(times >= 2);
        for (int i = 0; i < M * N; i++) assert_int_equal(c[i], times * once[i]);
    }
}

/* An odd number of elements of 16 bits shares words with what lies between and behind the matrices. Column-major, A
 * and B change places, and the bias belongs to rows. */
TEST_WITH(keeps_what_shares_a_word, mapped, NULL)
{
    vkmm_job_params params = {.problem = gemm_scaled(gemm_way(25, M, N, K, VKMM_F16), 2, -3)};
    params.problem.has_bias = 1;
    params.problem.out_type = VKMM_F16;
    params.problem.compute = VKMM_F32;
    params.problem.activation = VKMM_RELU;
    suite.info->features.storage16 = 0;
    check(&params, 0);
}

/* Three matrices of an odd number of elements, one behind the other without a gap, and an odd one in all. */
TEST_WITH(adds_a_bias_to_parts_of_k, through_staging, NULL)
{
    vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_BF16), .config = "splits=3"};
    vkmm_problem *p = &params.problem;
    p->out_type = VKMM_BF16;
    p->compute = VKMM_F32;
    p->batch_count = 3;
    p->stride_b = K * N + 1;
    p->stride_c = M * N;
    p->has_bias = 1;
    check(&params, 0);
}

TEST_WITH(adds_a_bias_of_integers, through_staging, NULL)
{
    vkmm_job_params params = {.problem = gemm_scaled(gemm_way(2, M, N, K, VKMM_I8), 2, 1)};
    params.problem.has_bias = 1;
    check(&params, 0);
}

/* f64 as residues: as a whole, and in panels of C because a binding does not hold the sums of all rows. */
TEST_WITH(multiplies_residues, mapped, NULL)
{
    uint64_t *range = &((vkmm_physical *)(uintptr_t)suite.device->physical)->info.limits.max_storage_range;
    const uint64_t own = *range;
    for (unsigned way = 0; way < GEMM_WAYS; way += 31) {
        vkmm_job_params params = {.problem = gemm_scaled(gemm_way(way, M, N, K, VKMM_F64), 2, 3)};
        params.problem.method = VKMM_COMPUTE_MODULAR;
        check(&params, 0);
        *range = 60000 * vkmm_problem_batches(&params.problem); /* sums of 31 rows */
        vkmm_kernel_info kernel;
        assert_ok(vkmm_kernel_choose(NULL, &suite.device->physical->info, &params, &kernel));
        assert_int_equal(kernel.residues, VKMM_I8); /* no room for words */
        check(&params, 0);
        check(&params, kernel.items * 2 / 5);
        params.problem = gemm_scaled(gemm_way(way, M, N, 10, VKMM_F64), 2, 3); /* few enough for residues in words */
        params.problem.method = VKMM_COMPUTE_MODULAR;
        *range = 45000 * vkmm_problem_batches(&params.problem);
        assert_ok(vkmm_kernel_choose(NULL, &suite.device->physical->info, &params, &kernel));
        if (suite.device->physical->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU)
            assert_int_equal(kernel.residues, VKMM_I32);
        check(&params, 0);
        check(&params, kernel.items * 2 / 5);
        *range = own;
    }
}

/* Dispatches back to back in one command buffer, for as long as it should be; but where a product has slices, each
 * is submitted by itself. Of 1/8 ms each, batches of 5 ms (job/measure.c) have 40. */
TEST_WITH(warms_up_in_slices, mapped, NULL)
{
    for (int whole = 0; whole < 2; whole++) {
        const vkmm_measure_params measure = {.iters = 2, .warm_time_ms = 200, .skip_transfers = 1};
        const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 4, .n = 9 * N, .k = 4)};
        vkmm_measurement time;
        clock_start(&suite, 0.25, 0.125 - CLOCK_COPY_MS);
        vkmm_job *job = make(&params);
        job->slices.fixed = vkmm_job_kernel(job)->items - !whole;
        assert_int_equal(vkmm_job_is_whole(job), whole);
        assert_ok(vkmm_job_run(job));
        assert_ok(vkmm_job_measure(job, &measure, &time));
        assert_int_equal(time.kernel.count, 2);
        assert_int_equal(clock_most_dispatches(), whole ? 40 : 1);
        clock_stop();
    }
}

TEST_WITH(an_empty_product_of_any_kind_runs, mapped, NULL)
{
    for (unsigned way = 0; way < GEMM_WAYS; way += 31) {
        vkmm_job_params params = {.problem = gemm_scaled(gemm_way(way, 0, N, K, VKMM_F32), 2, 3)};
        check(&params, 0);
        params.problem = gemm_scaled(gemm_way(way, M, 0, K, VKMM_F32), 2, 3);
        check(&params, 0);
    }
}
