/* A tuned configuration multiplies on trial before a process first uses it. vkmm_job_run is wrapped (meson.build):
 * the trial's product can be spoilt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/job.h"
#include "exec/pick.h"
#include "math/problem.h"
#include "suite.h"

vkmm_status __real_vkmm_job_run(vkmm_job *job);
vkmm_status __wrap_vkmm_job_run(vkmm_job *job);

static suite_device suite;
static unsigned runs;
static int spoils;                /* one element of every product, the last */
static vkmm_problem last_problem; /* that was run */
static unsigned warnings;
static char warning[1024];

vkmm_status __wrap_vkmm_job_run(vkmm_job *job)
{
    const vkmm_problem *p = &job->problem;
    vkmm_status status = __real_vkmm_job_run(job);
    runs++;
    last_problem = *p;
    if (status == VKMM_OK && spoils) {
        const vkmm_view c = vkmm_operand_view(p, VKMM_C, vkmm_job_matrix(job, VKMM_C), vkmm_problem_batches(p) - 1);
        char *first = (char *)(uintptr_t)c.data;
        const uint64_t at = (p->m - 1) * c.row_stride + (p->n - 1) * c.col_stride, size = vkmm_type_of(c.type)->bytes;
        first[(at + 1) * size - 1] ^= 0x40; /* of a float, the exponent */
    }
    return status;
}

static void count_warnings(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user;
    printf("# %s\n", sentence);
    if (level != VKMM_LOG_WARNING) return;
    warnings++;
    snprintf(warning, sizeof warning, "%s", sentence);
}

/* The planner's configuration, but for K in three parts. */
static vkmm_tuned tuned_for(const vkmm_problem *problem)
{
    const vkmm_job_params params = {.problem = *problem, .config = "splits=3"};
    vkmm_tuned tuned = {.gflops = 2, .planned_gflops = 1, .candidates = 2};
    vkmm_kernel_info info;
    assert_int_equal(vkmm_kernel_choose(NULL, suite.info, &params, &info), VKMM_OK);
    snprintf(tuned.best.kernel, sizeof tuned.best.kernel, "%s", info.name);
    snprintf(tuned.best.config, sizeof tuned.best.config, "%s", info.config);
    return tuned;
}

static const vkmm_kernel_info *kernel_of(const vkmm_job_params *params, vkmm_job **job)
{
    const vkmm_log log = {count_warnings, NULL};
    static vkmm_log kept; /* a job keeps the address */
    kept = log;
    assert_int_equal(vkmm_job_create(suite.device, &kept, params, job), VKMM_OK);
    keep_job(*job);
    return vkmm_job_kernel(*job);
}

static int fresh(void **state)
{
    (void)state;
    runs = warnings = 0;
    spoils = 0;
    return 0;
}

static void is_tried_once_then_used(void **state)
{
    (void)state;
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 100, .n = 90, .k = 80)};
    const vkmm_tuned tuned = tuned_for(&params.problem);
    vkmm_job *job = NULL;
    assert_int_equal(vkmm_tuned_put(suite.instance, suite.info, &params.problem, &tuned), VKMM_OK);
    for (int i = 0; i < 2; i++) {
        const vkmm_kernel_info *info = kernel_of(&params, &job);
        assert_true(info->tuned);
        assert_string_equal(info->name, tuned.best.kernel);
        assert_string_equal(info->config, tuned.best.config);
        assert_int_equal(runs, 1);
    }
    assert_int_equal(warnings, 0);
}

static void is_for_those_without_wishes(void **state)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 100, .n = 90, .k = 80, .type = VKMM_I32);
    const vkmm_tuned tuned = tuned_for(&problem);
    const vkmm_job_params wishes[] = {
        {.problem = problem, .untuned = 1},
        {.problem = problem, .kernel = tuned.best.kernel},
        {.problem = problem, .config = "splits=1"},
        {.problem = problem, .kernel = "tiled"},
        {.problem = problem, .tile_rows = 4, .tile_cols = 4},
    };
    (void)state;
    vkmm_job *job = NULL;
    assert_int_equal(vkmm_tuned_put(suite.instance, suite.info, &problem, &tuned), VKMM_OK);
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        assert_false(kernel_of(&wishes[i], &job)->tuned);
    }
    assert_int_equal(runs, 0);
    const vkmm_job_params automatic = {.problem = problem, .kernel = "auto"};
    assert_true(kernel_of(&automatic, &job)->tuned);
}

static void is_forgotten_when_wrong(void **state)
{
    (void)state;
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 1000, .n = 90, .k = 80)};
    const vkmm_tuned tuned = tuned_for(&params.problem);
    vkmm_job *job = NULL;
    assert_int_equal(vkmm_tuned_put(suite.instance, suite.info, &params.problem, &tuned), VKMM_OK);
    spoils = 1;
    for (int i = 0; i < 2; i++) {
        assert_false(kernel_of(&params, &job)->tuned);
        assert_int_equal(runs, 1); /* not again */
        assert_int_equal(warnings, 1);
    }
    assert_non_null(strstr(warning, tuned.best.config));
    assert_non_null(strstr(warning, suite.info->name));
}

/* What the trial multiplies is like the problem, and small. */
static void tries_problems_like_it(void **state)
{
    const vkmm_problem like[] = {
        VKMM_PROBLEM_INIT(.m = 2000, .n = 3000, .k = 4000, .type = VKMM_U32),
        VKMM_PROBLEM_INIT(.m = 77, .n = 33, .k = 55, .layout = VKMM_COL_MAJOR, .op_a = VKMM_OP_T, .lda = 57, .ldb = 60,
                          .ldc = 80, .batch_count = 5, .stride_c = 3000),
        VKMM_PROBLEM_INIT(.m = 1, .n = 4096, .k = 4096, .layout = VKMM_COL_MAJOR, .op_b = VKMM_OP_T),
        VKMM_PROBLEM_INIT(.m = 512, .n = 512, .k = 512, .type = VKMM_F16, .activation = VKMM_RELU, .has_bias = 1),
        VKMM_PROBLEM_INIT(.m = 333, .n = 70, .k = 90, .compute = VKMM_F16, .layout = VKMM_COL_MAJOR, .has_bias = 1),
        VKMM_PROBLEM_INIT(.m = 200, .n = 600, .k = 200, .type = VKMM_BF16, .activation = VKMM_GELU, .has_bias = 1,
                          .op_b = VKMM_OP_T),
        VKMM_PROBLEM_INIT(.m = 256, .n = 304, .k = 304, .type = VKMM_I8, .activation = VKMM_RELU, .has_bias = 1),
        VKMM_PROBLEM_INIT(.m = 300, .n = 40, .k = 2000, .type = VKMM_U8),
    };
    (void)state;
    for (size_t i = 0; i < sizeof like / sizeof like[0]; i++) {
        const vkmm_wish wish = {.kernel = NULL};
        vkmm_choice choice, small;
        int right = 0;
        assert_int_equal(vkmm_choose(NULL, suite.info, &like[i], &wish, &choice), VKMM_OK);
        assert_int_equal(vkmm_trial(suite.device, &like[i], &choice, &right), VKMM_OK);
        assert_true(right);
        spoils = 1;
        assert_int_equal(vkmm_trial(suite.device, &like[i], &choice, &right), VKMM_OK);
        assert_false(right);
        spoils = 0;
        const vkmm_problem *t = &last_problem;
        assert_true(t->type == like[i].type && t->layout == like[i].layout && t->op_a == like[i].op_a &&
                    t->op_b == like[i].op_b);
        assert_true(t->compute == like[i].compute && t->out_type == like[i].out_type);
        assert_true(t->activation == like[i].activation && t->has_bias == like[i].has_bias);
        assert_true(t->m > choice.info.tile[choice.swapped] || t->m == 600);
        assert_true(t->n > choice.info.tile[!choice.swapped] || t->n == 600);
        assert_true(t->m <= 600 && t->n <= 600 && t->k > choice.config.values[VKMM_TUNE_DEPTH]);
        /* The very same shader: all specialization constants are equal. */
        const vkmm_wish same = {.kernel = choice.info.name, .config = choice.info.config};
        assert_int_equal(vkmm_choose(NULL, suite.info, t, &same, &small), VKMM_OK);
        assert_int_equal(small.info.spec_count, choice.info.spec_count);
        for (uint32_t c = 0; c < small.info.spec_count; c++)
            if (small.info.spec_values[c] != choice.info.spec_values[c])
                fail_msg("case %u: constant %u is %u, but %u in the trial", (unsigned)i, choice.info.spec_ids[c],
                         choice.info.spec_values[c], small.info.spec_values[c]);
        assert_true((small.info.splits > 1) == (choice.info.splits > 1));
    }
}

int main(void)
{
    int absent = suite_open(&suite);
    if (absent) return absent;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(is_tried_once_then_used, fresh),
        cmocka_unit_test_setup(is_for_those_without_wishes, fresh),
        cmocka_unit_test_setup(is_forgotten_when_wrong, fresh),
        cmocka_unit_test_setup(tries_problems_like_it, fresh),
    };
    int failed = suite_run(&suite, "tuned", tests);
    return suite_exit(&suite, failed);
}
