/* What several threads share besides a device: the functions without a handle, the instance with its cache and its
 * log, and the loader. */
#include <stdatomic.h>
#include <threads.h>
#include <unistd.h>

#include "crew.h"
#include "suite.h"
#include "vk/device.h"

static vkmm_instance *instance;

/* Errors that each thread heard of itself, and the last sentence. */
static thread_local unsigned heard;
static thread_local char sentence[512];

static void hear(void *user, vkmm_log_level level, const char *text)
{
    atomic_fetch_add((atomic_uint *)user, 1);
    if (level != VKMM_LOG_ERROR) return;
    heard++;
    snprintf(sentence, sizeof sentence, "%s", text);
}

static atomic_uint heard_by_all;
static const vkmm_instance_params params = {.log = {hear, &heard_by_all}};

/* These come first of all: what is worked out on first use is worked out by all of them at once. */
CREW_TEST(functions_without_a_handle)
{
    const char *const hash = vkmm_shader_hash();
    CREW_EXPECT(me, strlen(hash) == 16 && strspn(hash, "0123456789abcdef") == 16, "the hash is %s", hash);
    CREW_EXPECT(me, strcmp(vkmm_version(), VKMM_VERSION_TEXT) == 0, "the version is %s", vkmm_version());
    CREW_EXPECT(me, vkmm_loader_version() != 0, "no loader");
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL; i++)
        CREW_EXPECT(me, vkmm_kernel_summary(i) != NULL, "%s has no summary", vkmm_kernel_name(i));
    CREW_EXPECT(me, strcmp(vkmm_status_name(VKMM_STOPPED), "stopped") == 0, "a wrong name");
}

/* Instances with devices of their own, made and ended side by side; all keep their pipelines and results in one
 * folder. */
static void own_instance(crew_member *me)
{
    const int32_t a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, want[] = {19, 22, 43, 50};
    const vkmm_problem problem = VKMM_PROBLEM(.m = 2, .n = 2, .k = 2, .type = VKMM_I32);
    int32_t c[4] = {0};
    vkmm_instance *mine = NULL;
    vkmm_device *device = NULL;
    vkmm_status status = vkmm_instance_create(&params, &mine);
    if (status == VKMM_OK) status = vkmm_device_create(mine, 0, &device);
    if (status == VKMM_OK) status = vkmm_multiply(device, &problem, a, b, NULL, c);
    vkmm_device_destroy(&device);
    vkmm_instance_destroy(&mine);
    CREW_EXPECT(me, status == VKMM_OK, "%s", vkmm_status_name(status));
    CREW_EXPECT(me, memcmp(c, want, sizeof want) == 0, "a wrong product");
}

TEST(own_instances)
{
    for (int time = 0; time < 2; time++) assert_int_equal(crew_run(own_instance, NULL), 0);
}

/* One device, borrowed by all of them: each looks up its functions and compiles on it. */
static void borrow(crew_member *me)
{
    const vkmm_device *lender = me->shared;
    const vkmm_import_params lent = {.get_instance_proc_addr = instance->lookup,
                                     .instance = instance->handle,
                                     .physical_device = lender->physical->handle,
                                     .device = lender->handle,
                                     .api_version = VK_API_VERSION_1_1,
                                     .queue_family = lender->physical->queue_family,
                                     .cache_dir = ""};
    const vkmm_gemm_params gemm_params = {.job.problem = VKMM_PROBLEM(.m = 4, .n = 4 + (uint64_t)me->number, .k = 4)};
    vkmm_device *device = NULL;
    vkmm_gemm *gemm = NULL;
    vkmm_status status = vkmm_device_import(&lent, &device);
    if (status == VKMM_OK) status = vkmm_gemm_create(device, &gemm_params, &gemm);
    vkmm_gemm_destroy(&gemm);
    vkmm_device_destroy(&device);
    CREW_EXPECT(me, status == VKMM_OK, "%s", vkmm_status_name(status));
}

TEST(borrowing_one_device)
{
    vkmm_device *device = NULL;
    assert_ok(vkmm_device_create(instance, 0, &device));
    const int failed = crew_run(borrow, device);
    vkmm_device_destroy(&device);
    assert_int_equal(failed, 0);
}

CREW_TEST(finding_devices)
{
    const vkmm_device_info *info = vkmm_instance_device_info(instance, 0);
    for (int i = 0; i < 50; i++) {
        uint32_t index = 7;
        CREW_EXPECT(me,
                    vkmm_instance_find_device(instance, info->name, &index) == VKMM_OK &&
                        index < vkmm_instance_device_count(instance),
                    "%.200s is not found", info->name);
    }
}

/* Each fails with a sentence that names it, and hears its own. */
static void fail_often(crew_member *me)
{
    char kernel[32];
    heard = 0;
    snprintf(kernel, sizeof kernel, "no-kernel-%d", me->number);
    for (unsigned i = 1; i <= 50; i++) {
        vkmm_job *job = NULL;
        const vkmm_job_params wrong = {.problem = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4, .type = VKMM_F32),
                                       .kernel = kernel};
        CREW_EXPECT(me, vkmm_job_create(me->shared, NULL, &wrong, &job) == VKMM_INVALID && job == NULL,
                    "it did not fail");
        CREW_EXPECT(me, heard == i && strstr(sentence, kernel) != NULL, "%u of %u sentences, the last \"%.160s\"",
                    heard, i, sentence);
    }
}

TEST(failing_at_once)
{
    vkmm_device *device = NULL;
    assert_ok(vkmm_device_create(instance, 0, &device));
    const unsigned before = atomic_load(&heard_by_all);
    assert_int_equal(crew_run(fail_often, device), 0);
    assert_int_equal(atomic_load(&heard_by_all) - before, CREW * 50);
    vkmm_device_destroy(&device);
}

/* Results of different problems, kept at once: none is lost, and other instances find them. */
enum { RESULTS = 4 };

static vkmm_problem problem_of(int thread, int result)
{
    const vkmm_type types[] = {VKMM_F32, VKMM_I32, VKMM_U32, VKMM_F16};
    return VKMM_PROBLEM(.m = UINT64_C(4) << thread, .n = 64, .k = 64, .type = types[result]);
}

static void keep(crew_member *me)
{
    const vkmm_device_info *info = vkmm_instance_device_info(instance, 0);
    for (int i = 0; i < RESULTS; i++) {
        const vkmm_problem problem = problem_of(me->number, i);
        const vkmm_tuned result = {
            .best = {.kernel = "serial"}, .gflops = 1 + me->number, .planned_gflops = 1, .candidates = 1};
        vkmm_tuned found;
        vkmm_status status = vkmm_tuned_put(instance, info, &problem, &result);
        CREW_EXPECT(me, status == VKMM_OK, "put: %s", vkmm_status_name(status));
        CREW_EXPECT(me, vkmm_tuned_get(instance, info, &problem, &found), "result %d is gone", i);
        CREW_EXPECT(me, (int)found.gflops == 1 + me->number, "result %d is another's", i);
    }
}

TEST(keeping_results)
{
    char path[512];
    uint32_t count = 0;
    vkmm_instance *other = NULL;
    assert_int_equal(crew_run(keep, NULL), 0);
    assert_ok(vkmm_instance_create(&params, &other));
    snprintf(path, sizeof path, "%s/results", getenv("XDG_RUNTIME_DIR"));
    assert_ok(vkmm_tuned_export(other, path, &count));
    assert_int_equal(count, CREW * RESULTS);
    assert_ok(vkmm_tuned_import(other, path, &count));
    unlink(path);
    vkmm_instance_destroy(&other);
}

/* A search for each thread: it names what it names when it is the only one. */
enum { STEPS = 40 };

static const char *search(int number, uint64_t *hash)
{
    const vkmm_device_info *info = vkmm_instance_device_info(instance, 0);
    const vkmm_tune_params what = {.problem = VKMM_PROBLEM(.m = UINT64_C(8) << number, .n = 1000, .k = 100)};
    vkmm_candidate candidate;
    vkmm_tune *tune = NULL;
    const char *why = NULL;
    *hash = 1469598103934665603u;
    if (vkmm_tune_create(instance, info, &what, &tune) != VKMM_OK) return "no search";
    for (int step = 0; step < STEPS && why == NULL && vkmm_tune_next(tune, &candidate); step++) {
        for (const char *at = candidate.config; *at != '\0'; at++)
            *hash = (*hash ^ (unsigned char)*at) * 1099511628211u;
        if (vkmm_tune_tell(tune, &candidate, 1 + (double)(*hash % 1000)) != VKMM_OK) why = "it cannot be told";
    }
    vkmm_tune_destroy(&tune);
    return why;
}

static void search_again(crew_member *me)
{
    const uint64_t *want = me->shared;
    uint64_t hash;
    const char *why = search(me->number, &hash);
    CREW_EXPECT(me, why == NULL, "%.100s", why);
    CREW_EXPECT(me, hash == want[me->number], "it named other candidates");
}

TEST(searching_at_once)
{
    uint64_t want[CREW];
    for (int i = 0; i < CREW; i++) assert_null(search(i, &want[i]));
    assert_int_equal(crew_run(search_again, want), 0);
}

/* Shaders know no device at all. */
CREW_TEST(compiling_shaders)
{
    char text[512];
    snprintf(text, sizeof text,
             "#version 450\nlayout(local_size_x_id = 0, local_size_y_id = 1) in;\nlayout(binding = %d) buffer X { T "
             "c[]; };\n"
             "void main() { c[0] = T(1) %s; }\n",
             2, me->number == 3 ? "+ nothing" : "");
    for (int i = 0; i < 3; i++) {
        vkmm_shader *shader = NULL;
        heard = 0;
        const vkmm_status status =
            vkmm_shader_compile(&params.log, "thread.comp", text, strlen(text), VKMM_F32, &shader);
        vkmm_shader_destroy(&shader);
        if (status == VKMM_UNSUPPORTED) return; /* no compiler here */
        CREW_EXPECT(me, status == (me->number == 3 ? VKMM_INVALID : VKMM_OK), "%s: %.200s", vkmm_status_name(status),
                    sentence);
        CREW_EXPECT(me, (heard > 0) == (me->number == 3), "%u sentences", heard);
    }
}

int main(void)
{
    const struct CMUnitTest *tests;
    const size_t count = listed_tests(&tests);
    cmocka_set_test_filter(getenv("VKMM_TEST_FILTER"));
    /* Without a device in this process yet, and without a loader: see functions_without_a_handle. */
    int failed = _cmocka_run_group_tests("threads: first", tests, 1, NULL, NULL);
    if (vkmm_instance_create(&params, &instance) != VKMM_OK || vkmm_instance_device_count(instance) == 0) {
        vkmm_instance_destroy(&instance);
        return failed || getenv("VKMM_REQUIRE_VULKAN") ? 1 : 77;
    }
    failed += _cmocka_run_group_tests("threads: what they share", tests, count, NULL, NULL);
    vkmm_instance_destroy(&instance);
    return failed;
}
