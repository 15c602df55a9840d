#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "job/job.h"
#include "math/problem.h"
#include "math/type.h"
#include "verify_problem.h"
#include "vk/command.h"

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

int suite_has_turn(size_t index)
{
    enum { TURNS = 3 };
    const char *part = getenv("VKMM_MUTANTS_PART");
    char *end = NULL;
    const unsigned long number = part != NULL ? strtoul(part, &end, 10) : 0;
    return end == part || index % TURNS == number % TURNS;
}

int suite_has_type(const suite_device *suite, vkmm_type type)
{
    return type != VKMM_F64 || suite->info->features.f64;
}

/* The matrix and the guard behind it. */
static vkmm_part part_with_guard(const vkmm_store *store)
{
    vkmm_part part = vkmm_store_part(store);
    part.bytes = store->bytes + VKMM_GUARD_BYTES;
    return part;
}

static vkmm_status record(vkmm_device *device, const vkmm_plan *plan, vkmm_store *stores, VkCommandBuffer *command)
{
    vkmm_status status = vkmm_command_begin(device, command);
    if (status != VKMM_OK) return status;
    vkmm_stores_record_poison(device, stores, *command);
    vkmm_stores_record_upload(device, stores, *command);
    vkmm_plan_record(device, plan, *command);
    vkmm_stores_record_download(device, stores, *command);
    return vkmm_command_end(device, *command);
}

static void fill(const suite_case *product, const vkmm_problem *problem, vkmm_store *stores)
{
    if (product->fill) {
        product->fill(product, problem->type, stores[VKMM_A].host, stores[VKMM_B].host);
        return;
    }
    vkmm_fill(stores[VKMM_A].host, problem->m, problem->k, problem->type, VKMM_INIT_UNIFORM, 11);
    vkmm_fill(stores[VKMM_B].host, problem->k, problem->n, problem->type, VKMM_INIT_UNIFORM, 12);
}

static int judge(const vkmm_problem *problem, const vkmm_store *stores, char why[256])
{
    int64_t damage;
    cli_verdict verdict;
    if (!vkmm_store_guards_whole(&stores[VKMM_C], &damage)) {
        snprintf(why, 256, "wrote %lld bytes from C's start", (long long)damage);
        return 0;
    }
    if (vkmm_verify_problem(NULL, problem, stores[VKMM_A].host, stores[VKMM_B].host, NULL, NULL, stores[VKMM_C].host,
                            CLI_NUMBERS_RANDOM, CLI_VERIFY_FULL, 1, &verdict) != VKMM_OK) {
        snprintf(why, 256, "could not be verified");
        return 0;
    }
    snprintf(why, 256, "%.255s", verdict.sentence);
    return verdict.passed;
}

int suite_is_right(vkmm_job *job)
{
    cli_verdict verdict;
    assert_int_equal(vkmm_verify_problem(NULL, &job->problem, vkmm_job_matrix(job, VKMM_A),
                                         vkmm_job_matrix(job, VKMM_B), NULL, NULL, vkmm_job_matrix(job, VKMM_C),
                                         CLI_NUMBERS_RANDOM, CLI_VERIFY_FULL, 1, &verdict),
                     VKMM_OK);
    return verdict.passed;
}

static vkmm_status run_plan(suite_device *suite, const vkmm_problem *problem, const vkmm_choice *choice,
                            const suite_case *product, int *right, char why[256])
{
    vkmm_device *device = suite->device;
    vkmm_plan plan = {0};
    vkmm_store stores[VKMM_STORE_COUNT] = {0};
    vkmm_part parts[VKMM_MAX_BINDING_COUNT];
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_plan_create(device, choice, &plan);
    if (status == VKMM_OK) status = vkmm_stores_create(device, problem, stores, parts);
    if (status == VKMM_OK) {
        for (int operand = VKMM_A; operand <= VKMM_C; operand++) parts[operand] = part_with_guard(&stores[operand]);
        vkmm_plan_bind(device, &plan, parts);
        fill(product, problem, stores);
        status = record(device, &plan, stores, &command);
    }
    if (status == VKMM_OK) status = vkmm_command_run(device, command, NULL);
    if (status == VKMM_OK) *right = judge(problem, stores, why);
    vkmm_command_free(device, &command);
    vkmm_plan_destroy(device, &plan);
    vkmm_stores_destroy(device, stores);
    return status;
}

int suite_product(suite_device *suite, const char *kernel, const vkmm_module *module, vkmm_type type,
                  const suite_case *product, char why[256])
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = product->m, .n = product->n, .k = product->k, .type = type);
    const vkmm_kernel *shape = vkmm_kernel_find(kernel);
    vkmm_wish wish = {.kernel = kernel};
    vkmm_choice choice;
    int right = 0;
    if (product->tile_rows) {
        vkmm_tile wanted = {product->tile_rows, product->tile_cols};
        vkmm_tile legal = vkmm_tile_nearest(shape, type, wanted, suite->info);
        wish.tile_rows = legal.rows;
        wish.tile_cols = legal.cols;
    }
    vkmm_device_info limited = *suite->info;
    for (int axis = 0; axis < 3 && product->max_groups; axis++)
        limited.limits.max_workgroup_count[axis] = product->max_groups;
    vkmm_status status = vkmm_tell(&suite->instance->log, vkmm_choose(&limited, &problem, &wish, &choice));
    if (status == VKMM_OK && module) choice.module = module;
    if (status == VKMM_OK) status = run_plan(suite, &problem, &choice, product, &right, why);
    if (status != VKMM_OK) snprintf(why, 256, "status %d (%s)", (int)status, vkmm_status_name(status));
    return right;
}
