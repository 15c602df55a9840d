/* The kernel coopmat with every matrix shape that the device lists and this build has a shader for: types, ops,
 * edges, scalars, parts of K, epilogue; f32 as f16 parts, and what has none. Skipped (77) where there is none.
 * VKMM_TEST_MATRICES=llvmpipe makes that a failure for drivers of that name, where they are known to have them. */
#include "base/random.h"
#include "block_case.h"
#include "kernel/general.h"
#include "look/kernel.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/choose.h"

enum { MOST = 256 };

typedef struct matrix_case {
    uint32_t shape[3];
    vkmm_type type, compute;
    vkmm_method method;
} matrix_case;

static suite_device suite;
static matrix_case cases[MOST];
static uint32_t case_count;

static vkmm_problem typed(const matrix_case *of, vkmm_type out)
{
    return VKMM_PROBLEM(.type = of->type, .out_type = out, .compute = of->compute, .method = of->method);
}

static vkmm_type default_out(const matrix_case *of)
{
    return vkmm_types_default(of->type).out;
}

static int is_there(const matrix_case *wanted)
{
    for (uint32_t i = 0; i < case_count; i++)
        if (memcmp(&cases[i], wanted, sizeof *wanted) == 0) return 1;
    return 0;
}

static void list_cases(void)
{
    const vkmm_types *types;
    for (uint32_t t = 0; (types = vkmm_types_at(t)) != NULL; t++)
        for (uint32_t i = 0; i < suite.info->matrices.shape_count && case_count < MOST; i++) {
            const vkmm_matrix_shape *s = &suite.info->matrices.shapes[i];
            const matrix_case one = {{s->m, s->n, s->k}, types->in, types->compute, VKMM_COMPUTE_DIRECT},
                              split = {{s->m, s->n, s->k}, VKMM_F32, VKMM_F32, VKMM_COMPUTE_SPLIT};
            vkmm_problem problem = typed(&one, types->out);
            if (is_there(&one) || !vkmm_coopmat_lists(suite.info, &problem, one.shape)) continue;
            if (vkmm_module_for("coopmat", &problem, suite.info, one.shape)) cases[case_count++] = one;
            problem.method = VKMM_COMPUTE_SPLIT;
            if (types->in != VKMM_F16 || types->compute != VKMM_F32 || is_there(&split)) continue;
            if (vkmm_module_for("coopmat", &problem, suite.info, one.shape)) cases[case_count++] = split;
        }
}

static uint32_t at_least(uint32_t value, uint32_t least)
{
    return value > least ? value : least;
}

static uint32_t lanes(void)
{
    const uint32_t least = suite.info->subgroup.min_size;
    return suite.info->subgroup.max_size == 0 || suite.info->subgroup.size >= least ? suite.info->subgroup.size : least;
}

/* Two subgroups below each other and two side by side, small enough that small matrices need many tiles. `fragments`
 * of a subgroup side by side, `slices` of a step: drivers on processors take seconds to compile many. */
static void configure(const matrix_case *of, uint32_t fragments, uint32_t slices, const char *rest,
                      char config[VKMM_CONFIG_TEXT])
{
    const uint32_t rows = of->shape[0], cols = fragments * of->shape[1],
                   depth = of->method == VKMM_COMPUTE_SPLIT
                               ? slices * 2 * VKMM_PART
                               : at_least(slices * of->shape[2], 16 / vkmm_type_of(of->type)->bytes);
    snprintf(config, VKMM_CONFIG_TEXT, "rows=%u,cols=%u,depth=%u,sub-rows=%u,sub-cols=%u,lanes=%u,mm=%u,mn=%u,mk=%u,%s",
             2 * rows, 2 * cols, depth, rows, cols, lanes(), of->shape[0], of->shape[1], of->shape[2], rest);
}

static uint64_t stored_row(const vkmm_problem *p, vkmm_operand operand)
{
    const vkmm_op op = operand == VKMM_A ? p->op_a : operand == VKMM_B ? p->op_b : VKMM_OP_N;
    return op == VKMM_OP_N ? vkmm_operand_cols(p, operand) : vkmm_operand_rows(p, operand);
}

static uint64_t padded(const vkmm_problem *p, vkmm_operand operand, int aligned)
{
    const uint64_t vector = 16 / vkmm_type_of(vkmm_operand_type(p, operand))->bytes, row = stored_row(p, operand);
    return aligned ? (row + vector) / vector * vector + vector : row + 1 + row % 2;
}

/* Rows that begin at multiples of 16 bytes, or no two of them alike; C's on its own, because it decides how sums are
 * stored. */
static void place(vkmm_problem *p, int aligned, int c_aligned, uint64_t batches)
{
    const uint64_t offset = aligned ? 32 : 3;
    p->lda = padded(p, VKMM_A, aligned);
    p->ldb = padded(p, VKMM_B, aligned);
    p->ldc = padded(p, VKMM_C, c_aligned);
    p->offset_a = offset;
    p->offset_b = 2 * offset;
    p->offset_c = c_aligned ? 16 : 1;
    p->batch_count = batches;
    p->stride_a = p->lda * (p->op_a == VKMM_OP_N ? p->m : p->k);
    p->stride_b = p->ldb * (p->op_b == VKMM_OP_N ? p->k : p->n);
    p->stride_c = p->ldc * p->m + (c_aligned ? 16 : 5);
}

static int extents(general_run *run, vkmm_problem p)
{
    static const uint32_t sizes[][3] = {{64, 80, 64}, {1, 144, 16}, {48, 16, 0}, {37, 29, 75},
                                        {131, 1, 33}, {80, 64, 16}, {48, 8, 40}};
    static const double scalars[][2] = {{1, 0}, {-3, 0}, {2, 1}};
    int wrong = 0;
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        p.m = sizes[i][0], p.n = sizes[i][1], p.k = sizes[i][2];
        p.alpha = p.type == VKMM_U8 && scalars[i % 3][0] < 0 ? 5 : scalars[i % 3][0];
        p.beta = scalars[i % 3][1];
        const int aligned = p.m % 16 == 0 && p.n % 8 == 0; /* 8: fewer than 16 bytes hold, of bytes */
        place(&p, aligned, aligned, i % 4 == 3 ? 3 : 1);
        run->max_groups = i % 3 == 2 ? 1 : 0;
        wrong += general_wrong(run, &p, 7 + p.m);
    }
    return wrong;
}

static int one_op(const matrix_case *of, uint32_t which)
{
    static const char *const rest[] = {"pad=1,splits=1", "pad=1,splits=3", "pad=0,splits=1,swizzle=1",
                                       "pad=1,splits=1"};
    char config[VKMM_CONFIG_TEXT];
    vkmm_problem problem = typed(of, default_out(of));
    general_run run = {.suite = &suite, .kernel = "coopmat", .config = config};
    configure(of, which == 2 ? 2 : 1, which == 1 ? 1 : 2, rest[which], config);
    problem.op_a = which & 1 ? VKMM_OP_T : VKMM_OP_N;
    problem.op_b = which & 2 ? VKMM_OP_T : VKMM_OP_N;
    const int wrong = extents(&run, problem);
    general_end(&run);
    return wrong;
}

TEST(shapes_ops_and_edges)
{
    int wrong = 0;
    for (uint32_t i = 0; i < case_count; i++) {
        const int split = cases[i].method == VKMM_COMPUTE_SPLIT;
        /* How operands are staged depends on op, but little on the type: on a processor, where compiling takes long,
         * each type meets one op; parts lie in both directions. */
        for (uint32_t op = 0; op < 4; op++)
            if (suite.info->type != VK_PHYSICAL_DEVICE_TYPE_CPU || (split ? op == 1 || op == 2 : op == i % 4))
                wrong += one_op(&cases[i], op);
    }
    assert_int_equal(wrong, 0);
}

/* A split product whose first tiles have all of K, and the last ones parts of it. The last tiles hang over C's edges;
 * the parts' sums are stored in vectors or one by one; a single workgroup does both kinds. */
TEST(tails_have_parts)
{
    const uint64_t round = (uint64_t)vkmm_device_processors(suite.info);
    int wrong = 0;
    for (uint32_t i = 0; i < case_count; i++) {
        if (cases[i].method != VKMM_COMPUTE_SPLIT) continue;
        for (uint32_t turn = 0; turn < 4; turn++) {
            const uint64_t across = 4, down = round / across + 2;
            char config[VKMM_CONFIG_TEXT];
            vkmm_kernel_info info;
            vkmm_problem problem = typed(&cases[i], VKMM_F32);
            general_run run = {.suite = &suite, .kernel = "coopmat", .config = config, .max_groups = turn == 1};
            configure(&cases[i], 1, 1, turn % 2 ? "pad=1,splits=1,tail=3" : "pad=1,splits=1,tail=2", config);
            problem.m = 2 * cases[i].shape[0] * down - 5,
            problem.n = 2 * cases[i].shape[1] * across - (turn & 2 ? 3 : 4);
            problem.k = 300;
            problem.alpha = turn == 3 ? -3 : 1, problem.beta = turn == 3 ? 2 : 0;
            problem.activation = turn == 2 ? VKMM_RELU : VKMM_ACTIVATION_NONE;
            place(&problem, turn < 2, turn < 2, 1);
            const vkmm_job_params params = {.problem = problem, .kernel = "coopmat", .config = config};
            assert_ok(vkmm_kernel_choose(NULL, suite.info, &params, &info));
            assert_int_equal(info.splits, turn % 2 ? 3 : 2);
            assert_int_equal(info.whole_rows, round / across * 2 * cases[i].shape[0]);
            assert_int_equal(info.items, round / across * across + (down - round / across) * across * info.splits);
            wrong += general_wrong(&run, &problem, 7 + problem.m);
            general_end(&run);
        }
    }
    assert_int_equal(wrong, 0);
}

TEST(epilogues)
{
    int wrong = 0;
    for (uint32_t i = 0; i < case_count; i++) {
        char config[VKMM_CONFIG_TEXT];
        general_run run = {.suite = &suite, .kernel = "coopmat", .config = config};
        const vkmm_types *types;
        configure(&cases[i], 1, 1, "pad=1,splits=1", config);
        for (uint32_t t = 0; (types = vkmm_types_at(t)) != NULL; t++) {
            if (types->in != cases[i].type || types->compute != cases[i].compute) continue;
            vkmm_problem problem = typed(&cases[i], types->out);
            const int turned = (i + t) % 2 != 0; /* column-major: the bias is one of the kernel's rows */
            problem.m = 48, problem.n = 64, problem.k = 32;
            problem.activation = vkmm_type_of(types->out)->is_float && turned ? VKMM_GELU : VKMM_RELU;
            problem.has_bias = 1;
            place(&problem, 1, 1, 1);
            problem.layout = turned ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
            if (turned) problem.lda = problem.ldb = problem.ldc = 80;
            wrong += general_wrong(&run, &problem, 7 + problem.m);
            problem.has_bias = 0;
            if (suite.info->type != VK_PHYSICAL_DEVICE_TYPE_CPU || i == 1)
                wrong += general_wrong(&run, &problem, 7 + problem.m);
        }
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* Tiles of 2×2 subgroups of 2×2 matrices each, of which C leaves whole subgroups without anything to store, next to
 * others that have; and matrices. */
TEST(subgroups_outside)
{
    int wrong = 0;
    for (uint32_t i = 0; i < case_count; i++) {
        /* On a processor, where compiling takes long, sums of integers have to do: these compile fastest. */
        if (suite.info->type == VK_PHYSICAL_DEVICE_TYPE_CPU && cases[i].type != VKMM_I8) continue;
        const uint32_t m = cases[i].shape[0], n = cases[i].shape[1], k = at_least(cases[i].shape[2], 16);
        const uint32_t sizes[][2] = {{3, 5}, {1, 2 * n + 1},         {2 * m + 1, 1},
                                     {m, n}, {4 * m + 1, 4 * n + 1}, {3 * m, 9 * n}};
        char config[VKMM_CONFIG_TEXT];
        general_run run = {.suite = &suite, .kernel = "coopmat", .config = config};
        snprintf(config, sizeof config,
                 "rows=%u,cols=%u,depth=%u,sub-rows=%u,sub-cols=%u,lanes=%u,mm=%u,mn=%u,mk=%u,%s", 4 * m, 4 * n, k,
                 2 * m, 2 * n, lanes(), m, n, cases[i].shape[2], "pad=1,splits=1");
        for (uint32_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            vkmm_problem problem = typed(&cases[i], default_out(&cases[i]));
            problem.m = sizes[s][0], problem.n = sizes[s][1], problem.k = 40;
            place(&problem, 0, 0, 1 + s % 2 * 2);
            run.max_groups = s % 3 == 2 ? 1 : 0;
            wrong += general_wrong(&run, &problem, 7 + problem.m);
        }
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* A·B with A and B all 40, but a NaN in A's first row and an infinity in its second: 102400 is beyond f16, in its
 * sums or in its C, and exact in f32. */
TEST(big_sums_and_what_is_no_number)
{
    enum { N = 32, K = 64 };
    static const vkmm_type kinds[][2] = {{VKMM_F16, VKMM_F16}, {VKMM_F32, VKMM_F32}}; /* of sums and C */
    int met = 0;
    for (int kind = 0; kind < 2; kind++) {
        char config[VKMM_CONFIG_TEXT];
        uint32_t i = 0;
        while (i < case_count && (cases[i].type != VKMM_F16 || cases[i].compute != kinds[kind][0])) i++;
        if (i == case_count) continue;
        met++;
        configure(&cases[i], 1, 1, "pad=1,splits=1", config);
        vkmm_job_params params = {.problem = typed(&cases[i], kinds[kind][1]), .kernel = "coopmat", .config = config};
        params.problem.m = params.problem.n = N;
        params.problem.k = K;
        vkmm_job *job = keep_job(suite.device, NULL, &params);
        char *a = vkmm_job_matrix(job, VKMM_A), *b = vkmm_job_matrix(job, VKMM_B), *c = vkmm_job_matrix(job, VKMM_C);
        for (size_t at = 0; at < (size_t)N * K; at++)
            vkmm_type_put(VKMM_F16, a + 2 * at, 40), vkmm_type_put(VKMM_F16, b + 2 * at, 40);
        vkmm_type_put(VKMM_F16, a + 2 * 5, NAN);
        vkmm_type_put(VKMM_F16, a + 2 * (K + 7), -INFINITY);
        assert_ok(vkmm_job_run(job));
        const uint32_t bytes = vkmm_type_of(kinds[kind][1])->bytes;
        for (size_t at = 0; at < (size_t)N * N; at++) {
            const double value = vkmm_type_get(kinds[kind][1], c + bytes * at);
            if (at < N)
                assert_true(isnan(value));
            else if (at < 2 * N)
                assert_true(kind == 0 ? !isfinite(value) : value == -INFINITY); /* f16: perhaps -∞ + ∞ */
            else
                assert_true(value == (kind == 0 ? INFINITY : 40. * 40 * K));
        }
    }
    if (met == 0) skip();
}

enum { SPLIT_M = 40, SPLIT_N = 24, SPLIT_K = 300 };

static double normal(uint64_t seed, uint64_t at)
{
    double sum = -6; /* of twelve uniform numbers */
    for (uint64_t i = 0; i < 12; i++) sum += (double)(vkmm_random_bits(seed, 12 * at + i) >> 11) * 0x1p-53;
    return sum;
}

typedef enum data { UNIFORM, POSITIVE, WIDE, SCALED, DATA_COUNT } data;

/* Element `at` of row `row` of op(A), or of a column of op(B). */
static float element(data of, uint64_t seed, uint64_t row, uint64_t at)
{
    const double unit = (double)(vkmm_random_bits(seed, at) >> 40) * 0x1p-24;
    if (of == POSITIVE) return (float)unit;
    if (of == WIDE) return (float)(normal(seed, at) * exp(2 * normal(seed + 1, at)));
    return (float)(of == SCALED ? ldexp(2 * unit - 1, (int)(vkmm_random_bits(seed, row) % 121) - 60) : 2 * unit - 1);
}

static void fill_job(vkmm_job *job, data of, uint64_t depth)
{
    float *a = vkmm_job_matrix(job, VKMM_A), *b = vkmm_job_matrix(job, VKMM_B);
    for (uint64_t i = 0; i < SPLIT_M * depth; i++) a[i] = element(of, 1, i / depth, i);
    for (uint64_t i = 0; i < depth * SPLIT_N; i++) b[i] = element(of, 5, i % SPLIT_N, i);
}

/* Σ of squares, and the largest, of what C differs from the sum in f64, over Σ|a||b|. */
static void errors(vkmm_job *job, uint64_t depth, double *squares, double *worst)
{
    const float *a = vkmm_job_matrix(job, VKMM_A), *b = vkmm_job_matrix(job, VKMM_B), *c = vkmm_job_matrix(job, VKMM_C);
    *squares = *worst = 0;
    for (uint64_t i = 0; i < SPLIT_M; i++)
        for (uint64_t j = 0; j < SPLIT_N; j++) {
            double sum = 0, size = 0;
            for (uint64_t k = 0; k < depth; k++) {
                const double one = (double)a[i * depth + k] * (double)b[k * SPLIT_N + j];
                sum += one, size += fabs(one);
            }
            const double error = size > 0 ? fabs((double)c[i * SPLIT_N + j] - sum) / size : 0;
            *squares += error * error;
            if (!(error <= *worst)) *worst = error;
        }
}

/* A split job, and a direct one of the same product with the kernel that takes the split one's place. */
static int make_jobs(vkmm_job *jobs[2], uint64_t depth, const char *rest)
{
    char config[VKMM_CONFIG_TEXT];
    uint32_t i = 0;
    while (i < case_count && cases[i].method != VKMM_COMPUTE_SPLIT) i++;
    if (i == case_count) return 0;
    configure(&cases[i], 1, 1, rest, config);
    vkmm_job_params params = {.problem =
                                  VKMM_PROBLEM(.m = SPLIT_M, .n = SPLIT_N, .k = depth, .method = VKMM_COMPUTE_SPLIT),
                              .config = config};
    jobs[0] = keep_job(suite.device, NULL, &params);
    params.problem.method = VKMM_COMPUTE_DIRECT;
    params.config = "splits=1";
    jobs[1] = keep_job(suite.device, NULL, &params);
    return 1;
}

static vkmm_method run_jobs(vkmm_job *jobs[2])
{
    vkmm_method method;
    assert_ok(vkmm_job_run(jobs[0]));
    assert_ok(vkmm_job_method(jobs[0], &method));
    for (int o = VKMM_A; o <= VKMM_B; o++)
        memcpy(vkmm_job_matrix(jobs[1], (vkmm_operand)o), vkmm_job_matrix(jobs[0], (vkmm_operand)o),
               SPLIT_K * (o == VKMM_A ? SPLIT_M : SPLIT_N) * sizeof(float));
    assert_ok(vkmm_job_run(jobs[1]));
    return method;
}

/* No worse than f32 itself: a compiler that folds lo to 0 has the error of f16, 2000 times as much. */
TEST(parts_are_as_precise_as_f32)
{
    vkmm_job *jobs[2];
    if (!make_jobs(jobs, SPLIT_K, "splits=1")) skip();
    for (int of = 0; of < DATA_COUNT; of++) {
        double squares[2], worst[2];
        fill_job(jobs[0], (data)of, SPLIT_K);
        assert_int_equal(run_jobs(jobs), VKMM_COMPUTE_SPLIT);
        for (int i = 0; i < 2; i++) errors(jobs[i], SPLIT_K, &squares[i], &worst[i]);
        assert_true(squares[0] <= squares[1] && worst[0] <= worst[1]);
    }
}

/* What has no parts is computed as if nobody had asked for them; and the next product has them again. */
TEST(what_has_no_parts_is_computed_directly)
{
    static const float odd[] = {INFINITY, NAN, 0x1p-40f, 1e-42f, -0x1p100f};
    static const char *const rest[] = {"splits=1", "splits=3", "splits=1,tail=3"};
    vkmm_job *jobs[2];
    for (size_t i = 0; i < 2 * sizeof odd / sizeof *odd; i++) {
        if (i < sizeof rest / sizeof *rest && !make_jobs(jobs, SPLIT_K, rest[i])) skip();
        const vkmm_operand where = i % 2 ? VKMM_B : VKMM_A;
        fill_job(jobs[0], UNIFORM, SPLIT_K);
        ((float *)vkmm_job_matrix(jobs[0], where))[SPLIT_K + 7] = odd[i / 2];
        assert_int_equal(run_jobs(jobs), VKMM_COMPUTE_DIRECT);
        assert_memory_equal(vkmm_job_matrix(jobs[0], VKMM_C), vkmm_job_matrix(jobs[1], VKMM_C),
                            SPLIT_M * SPLIT_N * sizeof(float));
        ((float *)vkmm_job_matrix(jobs[0], where))[SPLIT_K + 7] = 0; /* 0 has parts beside anything */
        assert_int_equal(run_jobs(jobs), VKMM_COMPUTE_SPLIT);
    }
}

static PFN_vkQueueSubmit submit;
static int submissions;

static VkResult VKAPI_CALL count_submissions(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence)
{
    submissions++;
    return submit(queue, count, infos, fence);
}

/* A run asks the device how it multiplied, to warn; who asks the job afterwards gets the same answer at once. */
TEST(the_device_is_asked_once)
{
    vkmm_job *jobs[2];
    vkmm_method method = VKMM_COMPUTE_DIRECT;
    if (!make_jobs(jobs, SPLIT_K, "splits=1")) skip();
    fill_job(jobs[0], UNIFORM, SPLIT_K);
    assert_ok(vkmm_job_run(jobs[0]));
    submit = suite.device->table.vkQueueSubmit;
    submissions = 0;
    suite.device->table.vkQueueSubmit = count_submissions;
    const vkmm_status status = vkmm_job_method(jobs[0], &method);
    suite.device->table.vkQueueSubmit = submit;
    assert_ok(status);
    assert_int_equal(method, VKMM_COMPUTE_SPLIT);
    assert_int_equal(submissions, 0);
}

/* The smallest element of A, or of B, beside a largest of 1: each may be 2^-33, and both 2^-31, or 2^-32 and 2^-30. */
TEST(small_elements_have_a_limit)
{
    static const float least[][2] = {{1, 0x1p-33f}, {0x1p-30f, 0x1p-32f}, {0x1p-31f, 0x1p-31f}};
    vkmm_job *jobs[2];
    if (!make_jobs(jobs, SPLIT_K, "splits=1")) skip();
    for (int turn = 0; turn < 6; turn++) {
        float *ones[] = {vkmm_job_matrix(jobs[0], VKMM_A), vkmm_job_matrix(jobs[0], VKMM_B)};
        for (int i = 0; i < SPLIT_K * SPLIT_M; i++) ones[0][i] = 1;
        for (int i = 0; i < SPLIT_K * SPLIT_N; i++) ones[1][i] = 1;
        ones[turn % 2][9] = least[turn / 2][0];
        ones[1 - turn % 2][99] = least[turn / 2][1];
        assert_int_equal(run_jobs(jobs), VKMM_COMPUTE_SPLIT);
        ones[1 - turn % 2][99] *= 0x1.fp-1f;
        assert_int_equal(run_jobs(jobs), VKMM_COMPUTE_DIRECT);
    }
}

/* All lines of A, or of B, have 16 elements that are not 0, the last ones; or one of them has 15. The next product is
 * counted from 0. */
TEST(few_products_are_computed_directly)
{
    enum { FEWEST = 16 };
    vkmm_job *jobs[2];
    if (!make_jobs(jobs, SPLIT_K, "splits=1")) skip();
    for (int turn = 0; turn < 4; turn++) {
        float *a = vkmm_job_matrix(jobs[0], VKMM_A), *b = vkmm_job_matrix(jobs[0], VKMM_B);
        const int is_b = turn / 2;
        for (int i = 0; i < SPLIT_M * SPLIT_K; i++) a[i] = is_b || i % SPLIT_K >= SPLIT_K - FEWEST;
        for (int i = 0; i < SPLIT_K * SPLIT_N; i++) b[i] = !is_b || i / SPLIT_N >= SPLIT_K - FEWEST;
        if (turn % 2) (is_b ? b : a)[SPLIT_K * (is_b ? SPLIT_N : SPLIT_M) - 1] = 0;
        assert_int_equal(run_jobs(jobs), turn % 2 ? VKMM_COMPUTE_DIRECT : VKMM_COMPUTE_SPLIT);
    }
}

/* Whole matrices in C order, one or several; and what it refuses. */
TEST(direct_reads_memory)
{
    int wrong = 0, met = 0;
    for (uint32_t i = 0; i < case_count; i++) {
        const uint32_t *shape = cases[i].shape;
        if (cases[i].type != VKMM_F16 || cases[i].compute != VKMM_F32) continue;
        char config[VKMM_CONFIG_TEXT];
        general_run run = {.suite = &suite, .kernel = "direct", .config = config};
        snprintf(config, sizeof config, "rows=%u,cols=%u,depth=%u", shape[0], shape[1], shape[2]);
        vkmm_problem problem = typed(&cases[i], VKMM_F32);
        met++;
        for (uint32_t turn = 0; turn < 4; turn++) {
            problem.m = 3 * shape[0], problem.n = 2 * shape[1], problem.k = 5 * shape[2];
            problem.alpha = turn & 1 ? -3 : 1, problem.beta = turn & 1 ? 2 : 0;
            problem.layout = turn & 2 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
            place(&problem, 1, 1, 1 + turn);
            if (turn & 2) problem.lda = problem.ldb = problem.ldc = 192;
            if (turn & 2) problem.stride_a = problem.stride_b = problem.stride_c = 192 * 192;
            run.max_groups = turn == 1 ? 2 : 0;
            wrong += general_wrong(&run, &problem, 7 + problem.m);
        }
        for (uint32_t change = 0; change < 4; change++) {
            vkmm_problem other = problem;
            const vkmm_job_params params = {.problem = problem, .kernel = "direct", .config = config};
            vkmm_job_params changed = params;
            vkmm_kernel_info info;
            if (change == 0) other.k++;
            if (change == 1) other.offset_a++;
            if (change == 2) other.op_b = VKMM_OP_T;
            if (change == 3) other.activation = VKMM_RELU;
            changed.problem = other;
            assert_ok(vkmm_kernel_choose(NULL, suite.info, &params, &info));
            assert_refused(vkmm_kernel_choose(NULL, suite.info, &changed, &info), VKMM_UNSUPPORTED,
                           change < 2 ? "must be multiples of rows, cols and depth" : "without bias or activation");
        }
        general_end(&run);
    }
    assert_int_equal(wrong, 0);
    if (met == 0) skip();
}

/* Matrices in blocks: every scale and code; then steps of which the first is not whole, in two parts of K, and of half
 * of what lies between each other's. */
TEST(unpacks_blocks)
{
    static const struct {
        vkmm_format format;
        vkmm_operand operand;
        uint32_t scaled;
        const char *config;
    } blocks[] = {
        {VKMM_Q8_0, VKMM_B, 1, "depth=32"},          {VKMM_Q4_0, VKMM_A, 1, "depth=64"},
        {VKMM_Q4_0, VKMM_B, 0, "depth=64,splits=2"}, {VKMM_Q4_K, VKMM_B, 1, "depth=64"},
        {VKMM_Q4_K, VKMM_A, 1, "depth=32"},          {VKMM_MXFP4, VKMM_A, BLOCKS_OF_F16, "depth=64"},
        {VKMM_NVFP4, VKMM_B, 1, "depth=64"},         {VKMM_Q6_K, VKMM_A, 0, "depth=128"},
        {VKMM_Q4_Z, VKMM_A, 0, "depth=64"},
    };
    unsigned met = 0;
    for (size_t n = 0; n < VKMM_COUNT(blocks); n++) {
        blocks_case c = blocks_case_of(blocks[n].format, blocks[n].operand, VKMM_F16,
                                       blocks[n].scaled ? BLOCKS_DEPTH : 5, VKMM_ROW_MAJOR);
        char config[80], why[512];
        c.params.problem.compute = VKMM_F32;
        if (!vkmm_module_for("coopmat", &c.params.problem, vkmm_device_describe(suite.device), NULL)) continue;
        snprintf(config, sizeof config, "rows=8,cols=8,sub-rows=8,sub-cols=8,%s", blocks[n].config);
        c.params.kernel = "coopmat";
        c.params.config = config;
        c.scaled = (int)blocks[n].scaled;
        if (blocks[n].format == VKMM_Q4_0 && !c.scaled) c.params.problem.k = 7 * 32;
        if (!blocks_case_right(&suite, &c, NULL, "coopmat", why)) fail_msg("%s", why);
        met++;
    }
    if (met == 0) skip();
}

int main(void)
{
    const struct CMUnitTest *tests;
    const size_t listed = listed_tests(&tests);
    int absent = suite_open(&suite);
    if (absent) return absent;
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    list_cases();
    if (case_count == 0) {
        printf("no matrix shape with a shader: %s\n",
               *suite.info->matrices.refusal ? suite.info->matrices.refusal : "none fits");
        return suite_exit_without_matrices(&suite);
    }
    return suite_exit(&suite, suite_run_group(&suite, "matrix kernels", tests, listed));
}
