/* The public functions on the driver at hand, validation on. */
#include <sys/mman.h>
#include <unistd.h>

#include "suite.h"

static suite_device suite;

/* The bias has an element for each column of C, whichever way the matrices lie. */
TEST(adds_a_bias)
{
    const int8_t a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, -1}, turned_a[] = {1, 4, 2, 5, 3, 6},
                 turned_b[] = {1, 0, 1, 0, 1, -1};
    const int32_t bias[] = {100, -1000}, want[] = {104, -1001, 110, -1001}, turned_want[] = {104, 110, -1001, -1001};
    int32_t c[4] = {0};
    vkmm_problem problem = VKMM_PROBLEM(.m = 2, .n = 2, .k = 3, .type = VKMM_I8, .has_bias = 1);
    assert_ok(vkmm_multiply(suite.device, &problem, a, b, bias, c));
    assert_memory_equal(c, want, sizeof want);
    problem.layout = VKMM_COL_MAJOR;
    assert_ok(vkmm_multiply(suite.device, &problem, turned_a, turned_b, bias, c));
    assert_memory_equal(c, turned_want, sizeof want);
}

/* Two matrices of C in a wide frame, at an offset: the frame stays. */
TEST(multiply_leaves_gaps_alone)
{
    const float a[] = {1, 2, 3, 4}, b[] = {1, 0, 0, 1, 2, 0, 0, 2};
    const float want[] = {-9, -9, 1, 2, -9, 3, 4, -9, -9, 2, 4, -9, 6, 8};
    float c[14];
    vkmm_problem problem =
        VKMM_PROBLEM(.m = 2, .n = 2, .k = 2, .ldc = 3, .offset_c = 2, .batch_count = 2, .stride_b = 4, .stride_c = 7);
    for (int i = 0; i < 14; i++) c[i] = -9;
    assert_int_equal(vkmm_operand_bytes(&problem, VKMM_C), sizeof c);
    assert_ok(vkmm_multiply(suite.device, &problem, a, b, NULL, c));
    assert_memory_equal(c, want, sizeof c);
    problem.layout = VKMM_COL_MAJOR; /* op(B) is symmetric */
    problem.alpha = -1;
    problem.beta = 1; /* takes away what was added */
    assert_ok(vkmm_multiply(suite.device, &problem, a, b, NULL, c));
    for (int i = 0; i < 14; i++) assert_true(c[i] == (want[i] == -9 ? -9 : 0));
}

/* Several panels, with gaps between their lines; the next product changes the stream that was kept. */
TEST(multiplies_large_matrices_in_panels)
{
    enum { M = 1300, N = 1301, K = 7, LDC = N + 3 };
    vkmm_problem problem = VKMM_PROBLEM(.m = M, .n = N, .k = K, .ldc = LDC, .alpha = 2, .beta = -1, .has_bias = 1);
    float *a = calloc(M * K, sizeof *a), *b = calloc(K * N, sizeof *b), *c = calloc(M * LDC, sizeof *c), bias[N];
    assert_true(a && b && c);
    for (int turn = 0; turn < 3; turn++) {
        int64_t wrong = 0;
        for (int i = 0; i < M * K; i++) a[i] = (float)(i % 5 - 2 + turn);
        for (int i = 0; i < K * N; i++) b[i] = (float)(i % 3 - 1);
        for (int i = 0; i < M * LDC; i++) c[i] = (float)(i % 11);
        for (int j = 0; j < N; j++) bias[j] = (float)(j % 13);
        problem.alpha = turn + 1;
        problem.has_bias = turn < 2;
        assert_ok(vkmm_multiply(suite.device, &problem, a, b, bias, c));
        for (int i = 0; i < M; i++)
            for (int j = 0; j < LDC; j++) {
                float sum = 0;
                for (int k = 0; k < K && j < N; k++) sum += a[i * K + k] * b[k * N + j];
                const int was = (i * LDC + j) % 11;
                const float want = j < N ? (float)(turn + 1) * sum - (float)was + (turn < 2 ? bias[j] : 0) : (float)was;
                wrong += c[i * LDC + j] != want && !(i == M - 1 && j >= N); /* C ends with its last element */
            }
        assert_int_equal(wrong, 0);
    }
    free(a), free(b), free(c);
}

/* Lines of one page with a page between them that nobody may access, as a matrix may lie in a larger one. */
static float *lines_apart(size_t page)
{
    char *lines = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(lines != MAP_FAILED);
    assert_int_equal(mprotect(lines + page, page, PROT_NONE), 0);
    return (float *)(void *)lines;
}

TEST(multiply_does_not_read_wide_gaps)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), length = page / sizeof(float), ld = 2 * length;
    const float square[] = {1, 2, 3, 4};
    float *a = lines_apart(page), *c = lines_apart(page);
    vkmm_problem problem =
        VKMM_PROBLEM(.m = length, .n = 2, .k = 2, .beta = 1, .layout = VKMM_COL_MAJOR, .lda = ld, .ldc = ld);
    for (size_t i = 0; i < length; i++) a[i] = (float)i, a[ld + i] = 1, c[i] = 5, c[ld + i] = 6;
    assert_ok(vkmm_multiply(suite.device, &problem, a, square, NULL, c));
    for (size_t i = 0; i < length; i++) assert_true(c[i] == (float)(i + 7) && c[ld + i] == (float)(3 * i + 10));
    problem = VKMM_PROBLEM(.m = 2, .n = length, .k = 2, .ldb = ld, .ldc = ld); /* the same, all transposed */
    assert_ok(vkmm_multiply(suite.device, &problem, square, a, NULL, c));
    for (size_t i = 0; i < length; i++) assert_true(c[i] == (float)(i + 2) && c[ld + i] == (float)(3 * i + 4));
    munmap(a, 3 * page);
    munmap(c, 3 * page);
}

TEST(multiply_reads_no_more_than_it_must)
{
    float c[] = {1, 2, 3, 4};
    const float want[] = {2, 4, 6, 8}, zeros[4] = {0}, nan[4] = {NAN, NAN, NAN, NAN}, ones[] = {1, 1, 1, 1};
    vkmm_problem problem = VKMM_PROBLEM(.m = 2, .n = 2, .k = 2, .alpha = 0, .beta = 2);
    assert_ok(vkmm_multiply(suite.device, &problem, NULL, NULL, NULL, c));
    assert_memory_equal(c, want, sizeof c);
    problem.beta = 0;
    assert_ok(vkmm_multiply(suite.device, &problem, nan, nan, NULL, c));
    assert_memory_equal(c, zeros, sizeof c);
    memcpy(c, nan, sizeof c);
    problem.alpha = 0.5;
    assert_ok(vkmm_multiply(suite.device, &problem, ones, ones, NULL, c));
    assert_memory_equal(c, ones, sizeof c);
    problem.k = 0; /* no terms, no A and B */
    assert_ok(vkmm_multiply(suite.device, &problem, NULL, NULL, NULL, c));
    assert_memory_equal(c, zeros, sizeof c);
    problem.m = 0;
    assert_ok(vkmm_multiply(suite.device, &problem, NULL, NULL, NULL, NULL));
}

/* The second call of each kind takes what the first has left: new operands count, and nothing of the old ones. */
TEST(multiply_keeps_nothing_of_a_product)
{
    enum { N = 24 };
    static float a[N * N], b[N * N], c[N * N];
    vkmm_problem problem = VKMM_PROBLEM(.m = N, .n = N, .k = N);
    for (int call = 0; call < 12; call++) {
        problem.alpha = 1 + call % 2;
        problem.beta = call % 3;
        for (int i = 0; i < N * N; i++) a[i] = (float)(call + 1), b[i] = (float)(i % N), c[i] = (float)call;
        assert_ok(vkmm_multiply(suite.device, &problem, a, b, NULL, c));
        for (int i = 0; i < N * N; i++)
            assert_true(c[i] == (float)(problem.alpha * N * (call + 1) * (i % N) + problem.beta * call));
    }
}

TEST(serial_takes_plain_problems_alone)
{
    vkmm_job *job = NULL;
    vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 2, .n = 2, .k = 2, .op_a = VKMM_OP_T), .kernel = "serial"};
    assert_refused(vkmm_job_create(NULL, NULL, &params, &job), VKMM_UNSUPPORTED, "serial");
    assert_null(job);
    params.problem.op_a = VKMM_OP_N;
    assert_false(vkmm_job_reads_c(keep_job(NULL, NULL, &params)));
}

/* Longer than the 65,535 rounds after which old llvmpipe leaves a loop. */
TEST(a_long_k_is_right_by_default)
{
    enum { K = 70000 };
    const vkmm_problem problem = VKMM_PROBLEM(.m = 2, .n = 3, .k = K, .type = VKMM_I32);
    int32_t *a = keep_object(malloc(2 * K * sizeof *a), free), *b = keep_object(malloc(3 * K * sizeof *b), free),
            c[6] = {0};
    assert_true(a && b);
    for (int i = 0; i < 2 * K; i++) a[i] = 2;
    for (int i = 0; i < 3 * K; i++) b[i] = 3;
    assert_ok(vkmm_multiply(suite.device, &problem, a, b, NULL, c));
    for (int i = 0; i < 6; i++) assert_int_equal(c[i], 6 * K);
}

static vkmm_job *make_job(const char *kernel, uint64_t n)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = n, .n = n, .k = n, .type = VKMM_F32),
                                    .kernel = kernel};
    vkmm_job *job = keep_job(suite.device, NULL, &params);
    float *a = vkmm_job_matrix(job, VKMM_A), *b = vkmm_job_matrix(job, VKMM_B);
    for (uint64_t i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    return job;
}

static void check_series(const vkmm_series *series, uint32_t count)
{
    assert_int_equal(series->count, count);
    assert_true(series->min > 0 && series->min <= series->p5 && series->p5 <= series->median &&
                series->median <= series->p95);
}

static void check_times(const char *kernel)
{
    vkmm_job *job = make_job(kernel, 40);
    vkmm_measurement time;
    const vkmm_measure_params params = {.iters = 5, .cold_iters = 0, .cold_iters_given = 1};
    assert_ok(vkmm_job_run(job));
    assert_ok(vkmm_job_measure(job, &params, &time));
    check_series(&time.kernel, 5);
    check_series(&time.submit, 5);
    check_series(&time.transfer, 5);
    if (time.clock == VKMM_CLOCK_DEVICE) assert_true(time.kernel.median <= time.submit.median * 1.05);
    if (time.clock == VKMM_CLOCK_HOST) assert_true(strlen(time.clock_note) > 0);
}

TEST(measures_three_times)
{
    check_times("tiled");
    check_times("serial");
}

/* A forgotten pointer is an error with a sentence, not a crash. */
TEST(null_is_refused)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 2, .n = 2, .k = 2, .has_bias = 1);
    float data[4] = {0}, *const d = data;
    assert_int_equal(vkmm_multiply(NULL, &problem, d, d, d, d), VKMM_INVALID);
    assert_int_equal(vkmm_multiply(suite.device, NULL, d, d, d, d), VKMM_INVALID);
    assert_int_equal(vkmm_multiply(suite.device, &problem, NULL, d, d, d), VKMM_INVALID);
    assert_int_equal(vkmm_multiply(suite.device, &problem, d, NULL, d, d), VKMM_INVALID);
    assert_int_equal(vkmm_multiply(suite.device, &problem, d, d, NULL, d), VKMM_INVALID);
    assert_int_equal(vkmm_multiply(suite.device, &problem, d, d, d, NULL), VKMM_INVALID);
}

/* What a kernel must not touch is marked before it runs. */
TEST(guards_hold_the_canary)
{
    if (!suite.info->memory.is_unified) skip(); /* staging is overwritten by the download */
    vkmm_job *job = make_job("naive", 8);
    float *beyond = (float *)vkmm_job_matrix(job, VKMM_C) + 64;
    assert_ok(vkmm_job_run(job));
    uint32_t canary;
    memcpy(&canary, beyond, sizeof canary);
    assert_int_equal(canary, 0xffffdeadu);
}

TEST(f64_on_every_device)
{
    const double a[] = {1, 2}, b[] = {3, 0x1p-40};
    const vkmm_problem problem = VKMM_PROBLEM(.m = 1, .n = 1, .k = 2, .type = VKMM_F64);
    double c = 0;
    assert_ok(vkmm_multiply(suite.device, &problem, a, b, NULL, &c));
    assert_true(c == 3 + 0x1p-39);
}

SUITE_MAIN(suite)
