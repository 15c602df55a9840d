#include "suite.h"

#include "job/job.h"
#include "math/type.h"
#include "verify_problem.h"

enum { SKIPPED = 77 };

static void print_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user, (void)level;
    printf("# %s\n", sentence);
}

int suite_open(suite_device *suite)
{
    const vkmm_instance_params params = {.log = {print_sentence, NULL},
                                         .validate = getenv("VKMM_TEST_UNVALIDATED") == NULL};
    int absent = getenv("VKMM_REQUIRE_VULKAN") ? 1 : SKIPPED;
    memset(suite, 0, sizeof *suite);
    if (vkmm_instance_create(&params, &suite->instance) != VKMM_OK) return absent;
    if (vkmm_instance_device_count(suite->instance) == 0) return absent;
    suite->info = &suite->instance->physicals[0].info;
    printf("# %s, %s %s\n", suite->info->name, suite->info->driver.name, suite->info->driver.info);
    return vkmm_device_create(suite->instance, 0, &suite->device) == VKMM_OK ? 0 : 1;
}

uint32_t suite_close(suite_device *suite)
{
    vkmm_device_destroy(&suite->device);
    uint32_t messages = vkmm_instance_validation_messages(suite->instance);
    vkmm_instance_destroy(&suite->instance);
    return messages;
}

static suite_device *group_suite;
static vkmm_device_info group_info;

int suite_after(void **state)
{
    release_kept(state);
    *group_suite->info = group_info;
    return 0;
}

int suite_exit(suite_device *suite, int failed)
{
    const int messages = suite_close(suite) != 0;
    return messages || (failed != 0 && failed != SKIPPED) ? 1 : failed;
}

int suite_must_have_matrices(const suite_device *suite)
{
    const char *wanted = getenv("VKMM_TEST_MATRICES");
    return wanted && *wanted && strstr(suite->info->driver.name, wanted) != NULL;
}

int suite_exit_without_matrices(suite_device *suite)
{
    const int known = suite_must_have_matrices(suite);
    printf("no matrix operation to test%s\n", known ? ", although VKMM_TEST_MATRICES names this driver" : "");
    return suite_exit(suite, known ? 1 : SKIPPED);
}

int suite_run_group(suite_device *suite, const char *name, const struct CMUnitTest *tests, size_t count)
{
    group_suite = suite;
    group_info = *suite->info;
    return run_group(name, tests, count, suite_after);
}

int suite_main(suite_device *suite)
{
    const struct CMUnitTest *tests;
    const size_t count = listed_tests(&tests);
    const int absent = suite_open(suite);
    if (absent) return absent;
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    return suite_exit(suite, suite_run_group(suite, "tests", tests, count));
}

int suite_is_slow(const suite_device *suite)
{
    return suite->info->driver.id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
}

int suite_is_wanted(const char *kernel)
{
    const char *only = getenv("VKMM_TEST_KERNEL");
    return only == NULL || strcmp(only, kernel) == 0;
}

int suite_has_type(const suite_device *suite, vkmm_type type)
{
    return type != VKMM_F64 || suite->info->features.f64;
}

void suite_compare(vkmm_type type, const void *got, const void *want, uint64_t count, int64_t first)
{
    const uint64_t size = vkmm_type_of(type)->bytes;
    for (uint64_t at = 0; at < count; at++) {
        const char *here = (const char *)got + at * size, *there = (const char *)want + at * size;
        if (memcmp(here, there, size) == 0) continue;
        const double g = vkmm_type_get(type, here), w = vkmm_type_get(type, there);
        if (g != w) fail_msg("element %lld is %g, should be %g", (long long)at + (long long)first, g, w);
    }
}

int suite_is_right(vkmm_job *job)
{
    cli_verdict verdict;
    assert_ok(vkmm_verify_problem(NULL, &job->problem, vkmm_job_matrix(job, VKMM_A), vkmm_job_matrix(job, VKMM_B), NULL,
                                  NULL, vkmm_job_matrix(job, VKMM_C), CLI_NUMBERS_RANDOM, CLI_VERIFY_FULL, 1,
                                  &verdict));
    return verdict.passed;
}
