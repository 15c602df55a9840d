/* Which jobs use a tuned configuration. */
#include "job/job.h"
#include "look/kernel.h"
#include "suite.h"

static suite_device suite;
SUITE_MAIN(suite)
static unsigned warnings;
static char warning[1024];

static void count_warnings(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user;
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
    assert_ok(vkmm_kernel_choose(NULL, suite.info, &params, &info));
    snprintf(tuned.best.kernel, sizeof tuned.best.kernel, "%s", info.name);
    snprintf(tuned.best.config, sizeof tuned.best.config, "%s", info.config);
    return tuned;
}

static const vkmm_kernel_info *kernel_of(const vkmm_job_params *params)
{
    static const vkmm_log log = {count_warnings, NULL}; /* a job keeps the address */
    return vkmm_job_kernel(keep_job(suite.device, &log, params));
}

static int fresh(void **state)
{
    warnings = 0;
    return 0;
}

TEST_WITH(is_used_by_those_without_wishes, fresh, NULL)
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
    assert_ok(vkmm_tuned_put(suite.instance, suite.info, &problem, &tuned));
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) assert_false(kernel_of(&wishes[i])->tuned);
    for (int named = 0; named < 2; named++) {
        const vkmm_kernel_info *info =
            kernel_of(&(vkmm_job_params){.problem = problem, .kernel = named ? "auto" : NULL});
        assert_true(info->tuned);
        assert_string_equal(info->name, tuned.best.kernel);
        assert_string_equal(info->config, tuned.best.config);
    }
    assert_int_equal(warnings, 0);
}

TEST_WITH(is_ignored_when_illegal, fresh, NULL)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 1000, .n = 90, .k = 80)};
    vkmm_tuned tuned = tuned_for(&params.problem);
    snprintf(tuned.best.config, sizeof tuned.best.config, "rows=30000");
    assert_ok(vkmm_tuned_put(suite.instance, suite.info, &params.problem, &tuned));
    for (int i = 0; i < 2; i++) {
        assert_false(kernel_of(&params)->tuned);
        assert_int_equal(warnings, 1); /* not again */
    }
    assert_contains(warning, tuned.best.config);
    assert_contains(warning, suite.info->name);
}
