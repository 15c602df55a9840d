/* Devices that another program lends. */
#include "lent.h"

#include "feature_fields.h"
#include "gemm.h"
#include "look/access.h"
#include "look/kernel.h"
#include "look/peaks.h"
#include "look/race.h"
#include "look/trace.h"
#include "math/problem.h"
#include "suite.h"
#include "vk/device.h"

static lent_device lent;

static struct {
    unsigned errors, warnings;
    char last[1024];
} said;

static void note(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user;
    said.errors += level == VKMM_LOG_ERROR;
    said.warnings += level == VKMM_LOG_WARNING;
    snprintf(said.last, sizeof said.last, "%s", sentence);
}

static const vkmm_log notes = {note, NULL};

static int after(void **state)
{
    release_kept(state);
    lent_device_destroy(&lent);
    memset(&said, 0, sizeof said);
    assert_int_equal(lent.messages, 0);
    return 0;
}

static vkmm_device *borrow(lent_how how)
{
    return keep_device(lent_import(&lent, how, notes));
}

static vkmm_requirements *ask(void)
{
    const vkmm_requirements_params params = lent_requirements_params(&lent);
    return lent_requirements(&params);
}

static void check_same(const vkmm_device_info *info, const vkmm_device_info *own, const char *missing)
{
    const char *wrong = features_wrong(info, own, missing);
    assert_string_equal(info->name, own->name);
    assert_memory_equal(info->uuid, own->uuid, sizeof own->uuid);
    assert_int_equal(info->subgroup.min_size, own->subgroup.min_size);
    if (wrong) fail_msg("without %s: %s", missing ? missing : "nothing", wrong);
}

static void destroy_instance(void *object)
{
    vkmm_instance *instance = object;
    vkmm_instance_destroy(&instance);
}

static int own_pushes_sets; /* set by own_info */

/* What a device of our own has, as far as it can be lent: all of it but features of matrices that buy nothing, and with
 * Vulkan 1.1 no matrices. */
static const vkmm_device_info *own_info(void)
{
    static vkmm_device_info info;
    vkmm_instance *instance = NULL;
    assert_ok(vkmm_instance_create(NULL, &instance));
    keep_object(instance, destroy_instance);
    info = *vkmm_instance_device_info(instance, 0);
    own_pushes_sets = instance->physicals->features.push_descriptor == VK_TRUE;
    info.matrices.matrix2 &= ~(uint32_t)(VKMM_MATRIX2_BLOCK | VKMM_MATRIX2_REDUCTION);
    if (lent.api_version < VK_API_VERSION_1_2)
        info.matrices.shape_count = info.matrices.matrix2 = info.features.bf16_matrices = 0;
    return &info;
}

TEST(what_is_enabled_is_used)
{
    for (lent_how how = LENT_SEPARATE; how <= LENT_VERSIONS; how++) {
        uint32_t count = 99;
        const vkmm_device *device = borrow(how);
        vkmm_device_lacks(device, &count);
        assert_int_equal(count, 0);
        check_same(vkmm_device_describe(device), own_info(), NULL);
        assert_int_equal(device->has_push_descriptors, own_pushes_sets);
        assert_int_equal(said.errors + said.warnings, 0);
        release_kept(NULL);
        lent_device_destroy(&lent);
    }
}

TEST(nothing_else_is_used)
{
    uint32_t count, wanted;
    const vkmm_device *device = borrow(LENT_BARE);
    const vkmm_device_info *info = vkmm_device_describe(device);
    const vkmm_requirement *lacks = vkmm_device_lacks(device, &count);
    const vkmm_requirement *list = vkmm_requirements_list(ask(), &wanted);
    assert_int_equal(count, wanted);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(lacks[i].feature, list[i].feature);
        assert_string_equal(lacks[i].extension, list[i].extension);
    }
    assert_null(features_wrong(info, NULL, NULL));
    assert_string_not_equal(info->matrices.refusal, "");
    assert_int_equal(info->driver.api_version,
                     lent.api_version < info->driver.api_version ? 0 : info->driver.api_version);
    assert_int_equal(said.warnings, own_info()->features.f64);
    if (said.warnings > 0) assert_contains(said.last, "was lent without shaderFloat64: no fast f64 products");
}

/* A feature without its extension. */
TEST(extensions_count)
{
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    vkmm_requirements *requirements = ask();
    uint32_t count, lacking, extensions = 0;
    assert_ok(vkmm_requirements_merge(requirements, &features));
    const vkmm_requirement *list = vkmm_requirements_list(requirements, &count);
    for (uint32_t i = 0; i < count; i++) extensions += list[i].extension[0] != '\0';
    if (extensions == 0) skip();
    lent_device_create(&lent, NULL, NULL, 0);
    vkmm_import_params params = lent_import_params(&lent);
    vkmm_device *device = NULL;
    params.features = &features;
    params.log = notes;
    assert_ok(vkmm_device_import(&params, &device));
    keep_device(device);
    vkmm_device_lacks(device, &lacking);
    assert_int_equal(lacking, extensions);
    if (lent.api_version < VK_API_VERSION_1_2) {
        assert_int_equal(said.warnings, 1);
        assert_contains(said.last, "extensions are not enabled");
    }
}

/* ---- Products ---- */

enum { M = 37, N = 29, K = 41 };

static vkmm_binding matrix_of(const vkmm_problem *p, vkmm_operand operand, uint64_t bytes, void **memory)
{
    const lent_buffer *buffer = lent_buffer_create(&lent, bytes);
    const vkmm_type type = operand == VKMM_A || operand == VKMM_B ? p->type : gemm_out(p);
    for (uint64_t at = 0; at < bytes / vkmm_type_of(type)->bytes; at++)
        gemm_set(type, buffer->mapped, at, gemm_number(type, at, 5 + 2 * (unsigned)operand));
    *memory = buffer->mapped;
    return lent_binding(buffer);
}

/* Small whole numbers, so that sums are exact. */
static void check_product(vkmm_device *device, const vkmm_types *types)
{
    const vkmm_gemm_params params = {.job.problem =
                                         VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = types->in, .out_type = types->out,
                                                      .compute = types->compute, .alpha = 3, .beta = 2, .has_bias = 1)};
    const vkmm_problem *p = &params.job.problem;
    vkmm_gemm *gemm = NULL;
    vkmm_gemm_bindings bindings = {.slot = 0};
    void *memory[4];
    const vkmm_status status = vkmm_gemm_create(device, &params, &gemm);
    assert_ok(status);
    const vkmm_gemm_info *info = vkmm_gemm_describe(gemm);
    bindings.a = matrix_of(p, VKMM_A, info->bytes[VKMM_A], &memory[VKMM_A]);
    bindings.b = matrix_of(p, VKMM_B, info->bytes[VKMM_B], &memory[VKMM_B]);
    bindings.c = matrix_of(p, VKMM_C, info->bytes[VKMM_C], &memory[VKMM_C]);
    bindings.bias = matrix_of(p, VKMM_BIAS, info->bytes[VKMM_BIAS], &memory[VKMM_BIAS]);
    if (info->workspace_bytes) bindings.workspace = lent_binding(lent_buffer_create(&lent, info->workspace_bytes));
    char *want = malloc(info->bytes[VKMM_C]);
    memcpy(want, memory[VKMM_C], info->bytes[VKMM_C]);
    gemm_biased(p, memory[VKMM_A], memory[VKMM_B], memory[VKMM_BIAS], want);
    VkCommandBuffer command = lent_begin(&lent);
    assert_ok(vkmm_gemm_record(gemm, command, &bindings));
    lent_submit(&lent, command);
    for (uint64_t at = 0; at < M * N; at++)
        if (!(gemm_get(gemm_out(p), want, at) == gemm_get(gemm_out(p), memory[VKMM_C], at)))
            fail_msg("%s for %s, summed in %s: element %llu is wrong", info->kernel->name,
                     vkmm_type_of(types->in)->name, vkmm_type_of(types->compute)->name, (unsigned long long)at);
    free(want);
    vkmm_gemm_destroy(&gemm);
}

TEST(tuning_results_are_used)
{
    vkmm_device *device = borrow(LENT_SEPARATE);
    const vkmm_device_info *limits = &device->physical->info;
    const vkmm_gemm_params params = {.job.problem = VKMM_PROBLEM(.m = M, .n = N, .k = K)};
    const vkmm_job_params split = {.problem = params.job.problem, .config = "splits=3"};
    vkmm_tuned tuned = {.candidates = 1};
    vkmm_kernel_info info;
    vkmm_gemm *gemm = NULL;
    assert_ok(vkmm_kernel_choose(NULL, limits, &split, &info));
    snprintf(tuned.best.kernel, sizeof tuned.best.kernel, "%s", info.name);
    snprintf(tuned.best.config, sizeof tuned.best.config, "%s", info.config);
    assert_ok(vkmm_tuned_put(device->instance, limits, &params.job.problem, &tuned));
    assert_ok(vkmm_gemm_create(device, &params, &gemm));
    assert_true(vkmm_gemm_describe(gemm)->kernel->tuned);
    assert_string_equal(vkmm_gemm_describe(gemm)->kernel->config, info.config);
    vkmm_gemm_destroy(&gemm);
}

/* With nothing enabled in Vulkan 1.1, and with everything in 1.3. */
TEST(products_are_right)
{
    vkmm_device *device = borrow(lent.api_version < VK_API_VERSION_1_2 ? LENT_BARE : LENT_SEPARATE);
    const int is_slow = own_info()->driver.id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER; /* compiles each pipeline anew */
    for (uint32_t i = 0; vkmm_types_at(i) != NULL; i += is_slow ? 3 : 1) check_product(device, vkmm_types_at(i));
}

/* Every function that needs memory or a queue of the device. */
TEST(nothing_is_submitted_or_allocated)
{
    vkmm_device *device = borrow(LENT_SEPARATE);
    const vkmm_problem problem = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4);
    const vkmm_job_params job_params = {.problem = problem};
    const vkmm_job_params count_params = {.problem = problem, .kernel = "tiled"};
    const vkmm_stream_params stream_params = {.job = job_params};
    const vkmm_race_params race_params = {.rows = 4, .cols = 4};
    float matrix[3][16] = {{0}};
    const vkmm_trace_params trace_params = {
        .job = {.problem = problem, .kernel = "tiled"}, .a = matrix[0], .b = matrix[1]};
    vkmm_memory *memory = NULL;
    vkmm_job *job = NULL;
    vkmm_stream *stream = NULL;
    vkmm_trace *trace = NULL;
    vkmm_race_result race;
    vkmm_access access;
    vkmm_peaks peaks = {0};
    vkmm_rate rate;
    static const char why[] = "was lent for recording";
    assert_refused(vkmm_multiply(device, &problem, matrix[0], matrix[1], NULL, matrix[2]), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_memory_create(device, 64, &memory), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_job_create(device, NULL, &job_params, &job), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_stream_create(device, NULL, &stream_params, &stream), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_race_run(device, &race_params, &race), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_trace_create(device, &trace_params, &trace), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_access_count(device, &count_params, &access), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_device_peaks(device, VKMM_F32, &peaks), VKMM_UNSUPPORTED, why);
    assert_refused(vkmm_device_rate(device, VKMM_RATE_SUBMIT, &rate), VKMM_UNSUPPORTED, why);
    assert_true(!memory && !job && !stream && !trace);
    assert_int_equal(said.errors, 9);
}

/* ---- Arguments ---- */

static void expect_import(const vkmm_import_params *params, vkmm_status want, const char *sentence)
{
    vkmm_device *device = (vkmm_device *)&lent;
    const unsigned before = said.errors;
    assert_refused(vkmm_device_import(params, &device), want, sentence);
    assert_true(device == NULL && said.errors == before + 1);
}

TEST(wrong_arguments_are_refused)
{
    lent_device_create(&lent, NULL, NULL, 0);
    vkmm_import_params right = lent_import_params(&lent), wrong;
    right.log = notes;
    vkmm_device *device = NULL;
    assert_ok(vkmm_device_import(&right, &device));
    vkmm_device_destroy(&device);
    assert_int_equal(vkmm_device_import(&right, NULL), VKMM_INVALID);
    assert_contains(said.last, "out is NULL");
#define WRONG(status, sentence, ...) \
    wrong = right;                   \
    __VA_ARGS__;                     \
    expect_import(&wrong, status, sentence)
    WRONG(VKMM_INVALID, "get_instance_proc_addr is NULL", wrong.get_instance_proc_addr = NULL);
    WRONG(VKMM_INVALID, "instance is NULL", wrong.instance = NULL);
    WRONG(VKMM_INVALID, "physical_device is NULL", wrong.physical_device = NULL);
    WRONG(VKMM_INVALID, "device is NULL", wrong.device = NULL);
    WRONG(VKMM_INVALID, "extensions is NULL", wrong.extension_count = 1);
    WRONG(VKMM_UNSUPPORTED, "api_version of the instance is 1.0; the minimum is 1.1",
          wrong.api_version = VK_API_VERSION_1_0);
    WRONG(VKMM_INVALID, "the physical device is not one of the 1 of the instance",
          wrong.physical_device = (VkPhysicalDevice)(void *)&lent);
    WRONG(VKMM_INVALID, "queue family 99 of", wrong.queue_family = 99);
#undef WRONG
}

TEST(requirements_follow_the_types)
{
    static const vkmm_type f64[] = {VKMM_F16, VKMM_F64}, none[] = {VKMM_F32, VKMM_AUTO};
    vkmm_requirements_params params = lent_requirements_params(&lent);
    vkmm_requirements *requirements = (vkmm_requirements *)&params;
    uint32_t count;
    params.log = notes;
    params.types = none;
    params.type_count = 2;
    assert_int_equal(vkmm_device_requirements(&params, &requirements), VKMM_INVALID);
    assert_null(requirements);
    assert_contains(said.last, "types[1] is 0");
    params.type_count = 1;
    assert_int_equal(vkmm_requirements_list(lent_requirements(&params), &count)[0].required, 0);
    params.types = f64;
    params.type_count = 2;
    const vkmm_requirement *first = vkmm_requirements_list(lent_requirements(&params), &count);
    assert_int_equal(first->required, own_info()->features.f64);
    if (own_info()->features.f64) assert_string_equal(first->feature, "shaderFloat64");
}

/* The caller's structures are used, and keep what they have; a second chain is refused. */
TEST(features_are_merged)
{
    VkPhysicalDeviceVulkan12Features since12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &since12,
                                          .features.robustBufferAccess = VK_TRUE},
                              other = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    const vkmm_device_info *own = own_info();
    vkmm_requirements *requirements = ask();
    assert_ok(vkmm_requirements_merge(requirements, &features));
    assert_true(features.features.robustBufferAccess && since12.timelineSemaphore);
    assert_int_equal(since12.shaderFloat16, own->features.f16);
    assert_int_equal(since12.storageBuffer8BitAccess, own->features.storage8);
    assert_int_equal(features.features.shaderFloat64, own->features.f64);
    for (const VkBaseOutStructure *next = since12.pNext; next; next = next->pNext)
        assert_int_not_equal(next->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES);
    const void *appended = since12.pNext;
    assert_non_null(appended);
    assert_ok(vkmm_requirements_merge(requirements, &features));
    assert_ptr_equal(since12.pNext, appended);
    assert_int_equal(vkmm_requirements_merge(requirements, &other), VKMM_INVALID);
    other.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    assert_int_equal(vkmm_requirements_merge(requirements, &other), VKMM_INVALID);
}

int main(void)
{
    static const uint32_t versions[] = {0, VK_API_VERSION_1_1};
    const struct CMUnitTest *tests;
    const size_t count = listed_tests(&tests);
    int failed = 0;
    for (size_t i = 0; i < 2; i++) {
        int absent = lent_open(&lent, versions[i]);
        if (absent) return absent;
        failed |= run_group("lent devices", tests, count, after) != 0;
        failed |= lent_close(&lent) != 0;
    }
    return failed;
}
