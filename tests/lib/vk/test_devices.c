/* Devices that lack something: old ones, those without usable timestamps, those that implement a part of Vulkan
 * (MoltenVK's), and the least that Vulkan allows. */
#include <stdio.h>
#include <stdlib.h>

#include "feature_fields.h"
#include "play.h"
#include "vk/device.h"
#include "vk/loader.h"
#include "vkmatmul_stream.h"
#include "vkmatmul_vulkan.h"

static char sentence[1100];
static const char *cache = "";

static void hear(void *user, vkmm_log_level level, const char *text)
{
    (void)user;
    if (level == VKMM_LOG_ERROR) snprintf(sentence, sizeof sentence, "%s", text);
}

static vkmm_instance *open_instance(const fake_caps *caps)
{
    const vkmm_instance_params params = {.log = {hear, NULL}, .cache_dir = cache};
    vkmm_instance *instance = NULL;
    fake_begin(caps);
    vkmm_loader_set(fake_loader());
    sentence[0] = '\0';
    expect(vkmm_instance_create(&params, &instance) == VKMM_OK, "no instance: %s", sentence);
    return instance;
}

static vkmm_device *open_device(const fake_caps *caps)
{
    vkmm_device *device = NULL;
    expect(vkmm_device_create(open_instance(caps), 0, &device) == VKMM_OK, "no device: %s", sentence);
    return device;
}

static void close_device(const char *about, vkmm_device *device)
{
    vkmm_instance *instance = device->instance;
    vkmm_device_destroy(&device);
    vkmm_instance_destroy(&instance);
    expect_no_fault(about);
}

/* 8³ of ones in f32, and how it was timed. */
static void multiply(const char *about, vkmm_device *device, const char *clock_note)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8, .type = VKMM_F32), .untuned = 1};
    const vkmm_measure_params how = {.iters = 1, .cold_iters_given = 1, .skip_transfers = 1};
    vkmm_measurement time = {0};
    vkmm_job *job = NULL;
    vkmm_status status = vkmm_job_create(device, NULL, &params, &job);
    for (int operand = VKMM_A; status == VKMM_OK && operand <= VKMM_B; operand++)
        for (int i = 0; i < 64; i++) ((float *)vkmm_job_matrix(job, (vkmm_operand)operand))[i] = 1;
    if (status == VKMM_OK) status = vkmm_job_run(job);
    if (status == VKMM_OK) status = vkmm_job_measure(job, &how, &time);
    if (expect(status == VKMM_OK, "%s: %s", about, sentence)) {
        const float *c = vkmm_job_matrix(job, VKMM_C);
        expect(c[0] == 8 && c[63] == 8, "%s: the product is wrong", about);
        expect((time.clock == VKMM_CLOCK_HOST) == (*clock_note != '\0') && strstr(time.clock_note, clock_note),
               "%s: timed with \"%s\"", about, time.clock_note);
    }
    vkmm_job_destroy(&job);
    close_device(about, device);
}

static void old_device(void)
{
    vkmm_instance *instance = open_instance(&(fake_caps){.api_version = VK_API_VERSION_1_0});
    uint32_t index = 0;
    expect(vkmm_instance_device_count(instance) == 0, "a device of Vulkan 1.0 is listed");
    expect(strcmp(vkmm_instance_left_out(instance), "\"fake\" supports Vulkan 1.0; 1.1 is the minimum") == 0,
           "the reason: %s", vkmm_instance_left_out(instance));
    expect(vkmm_instance_find_device(instance, NULL, &index) == VKMM_NO_DEVICE &&
               strstr(sentence, "\"fake\" supports Vulkan 1.0; 1.1 is the minimum"),
           "the only device: %s", sentence);
    vkmm_instance_destroy(&instance);
    expect_no_fault("Vulkan 1.0");
}

static void periods(void)
{
    for (int bad = 1; bad <= 2; bad++) {
        vkmm_device *device = open_device(&(fake_caps){.bad_period = bad});
        const vkmm_device_info *info = vkmm_device_describe(device);
        expect(info->limits.timestamp_bits == 0 && info->limits.timestamp_period_ns == 0, "an invalid tick is kept");
        multiply(bad == 1 ? "an infinite tick" : "a tick of 0", device, "timestamp");
    }
}

/* A kernel that cannot run says what it lacks. */
static void no_broadcast(void)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8), .kernel = "cpu"};
    vkmm_device *device = open_device(&(fake_caps){.no_broadcast = 1});
    vkmm_job *job = NULL;
    expect(vkmm_job_create(device, NULL, &params, &job) == VKMM_UNSUPPORTED &&
               strcmp(sentence, "cpu needs subgroup broadcasts, which \"fake\" does not support "
                                "(subgroupSupportedOperations)") == 0,
           "the reason: %s", sentence);
    close_device("no subgroup broadcasts", device);
}

static char warning[1100];
static unsigned warnings;

enum { SIDE = 64 }; /* too large for skinny */

static void hear_warnings(void *user, vkmm_log_level level, const char *text)
{
    hear(user, level, text);
    if (level != VKMM_LOG_WARNING) return;
    warnings++;
    snprintf(warning, sizeof warning, "%s", text);
}

/* Runs a job, of which the next `refusals` pipelines fail, and compares the kernel. NULL: it fails. */
static void run_job(vkmm_device *device, const vkmm_job_params *params, unsigned refusals, const char *kernel)
{
    const uint64_t before = fake_calls("vkCreateComputePipelines");
    vkmm_job *job = NULL;
    if (refusals) fake_fail("vkCreateComputePipelines", 1, refusals, VK_ERROR_UNKNOWN);
    vkmm_status status = vkmm_job_create(device, NULL, params, &job);
    fake_fail(NULL, 0, 0, VK_SUCCESS);
    if (!kernel) {
        expect(status == VKMM_UNSUPPORTED, "the status is \"%s\"", vkmm_status_name(status));
        return;
    }
    if (!expect(status == VKMM_OK, "not %s: %s", kernel, sentence)) return;
    expect(strcmp(vkmm_job_kernel(job)->name, kernel) == 0, "%s instead of %s", vkmm_job_kernel(job)->name, kernel);
    expect(fake_calls("vkCreateComputePipelines") == before + refusals + 1, "refused kernels are tried again");
    for (int operand = VKMM_A; operand <= VKMM_B; operand++)
        for (int i = 0; i < SIDE * SIDE; i++) ((double *)vkmm_job_matrix(job, (vkmm_operand)operand))[i] = operand + 1;
    expect(vkmm_job_run(job) == VKMM_OK, "%s: %s", kernel, sentence);
    expect(((double *)vkmm_job_matrix(job, VKMM_C))[SIDE * SIDE - 1] == 2 * SIDE, "%s: the product is wrong", kernel);
    vkmm_job_destroy(&job);
}

/* A driver that cannot compile some kernels for f64: others compute what they can, and the device remembers it. */
static void refused_kernels(void)
{
    const vkmm_problem plain = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE, .type = VKMM_F64);
    const vkmm_problem turned = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE, .type = VKMM_F64, .op_a = VKMM_OP_T);
    const vkmm_job_params job = {.problem = plain}, named = {.problem = plain, .kernel = "blocked"},
                          general = {.problem = turned};
    static const double a[SIDE * SIDE] = {1}, b[SIDE * SIDE] = {2};
    static double c[SIDE * SIDE];
    vkmm_stream *stream = NULL;
    vkmm_device *device = open_device(NULL);
    warnings = 0;
    device->instance->log.write = hear_warnings;
    run_job(device, &named, 1, NULL);
    expect(strcmp(sentence, "vkCreateComputePipelines failed with VK_ERROR_UNKNOWN (-13) while compiling blocked for "
                            "f64") == 0 &&
               warnings == 0,
           "a named kernel: %s %s", sentence, warning);
    run_job(device, &job, 0, "blocked");
    sentence[0] = '\0';
    run_job(device, &job, 1, "tiled");
    expect(strcmp(warning, "vkCreateComputePipelines failed with VK_ERROR_UNKNOWN (-13) while compiling blocked for "
                           "f64; \"fake\" multiplies with tiled instead") == 0,
           "the warning: %s", warning);
    run_job(device, &job, 0, "tiled");
    run_job(device, &general, 0, "skinny");
    expect(vkmm_multiply(device, &plain, a, b, NULL, c) == VKMM_OK && c[0] == 2, "vkmm_multiply: %s", sentence);
    const vkmm_stream_params panels = {.job = job};
    expect(vkmm_stream_create(device, NULL, &panels, &stream) == VKMM_OK &&
               strcmp(vkmm_stream_kernel(stream)->name, "tiled") == 0,
           "panels: %s", sentence);
    vkmm_stream_destroy(&stream);
    expect(warnings == 1 && sentence[0] == '\0', "%u warnings; %s", warnings, sentence);
    run_job(device, &general, 99, NULL);
    expect(strstr(sentence, "VK_ERROR_UNKNOWN (-13) while compiling") != NULL, "no kernel is left: %s", sentence);
    close_device("kernels that the driver refuses", device);
}

/* What a program passes that lends a device of this test's, with nothing enabled. */
static vkmm_import_params lends(const vkmm_device *own)
{
    return (vkmm_import_params){.get_instance_proc_addr = fake_loader(),
                                .instance = own->instance->handle,
                                .physical_device = own->physical->handle,
                                .device = own->handle,
                                .api_version = VK_API_VERSION_1_3,
                                .cache_dir = cache,
                                .log = {hear, NULL}};
}

/* What a check found is avoided on an own device and on one that is lent. */
static void findings(void)
{
    const vkmm_job_params job = {.problem = VKMM_PROBLEM(.m = SIDE, .n = SIDE, .k = SIDE, .type = VKMM_F64)};
    const fake_caps caps = {.featured = 1};
    vkmm_device_check check = {.date = "2026-11-21T12:00:00Z", .finding_count = 2, .findings = {"kernel blocked f64"}};
    char folder[] = "/tmp/vkmm-devices-XXXXXX", command[64];
    vkmm_device *lent = NULL;
    cache = mkdtemp(folder);
    vkmm_device *own = open_device(&caps);
    const vkmm_device_info *info = vkmm_device_describe(own);
    expect(info->matrices.shape_count == 1 && !info->check, "a device that was not checked");
    vkmm_finding_of_shape(&info->matrices.shapes[0], check.findings[1]);
    vkmm_findings_write(own->instance, info, &check);
    close_device("a check", own);
    own = open_device(&caps);
    run_job(own, &job, 0, "tiled");
    const vkmm_import_params params = lends(own);
    expect(vkmm_device_import(&params, &lent) == VKMM_OK, "no lent device: %s", sentence);
    info = vkmm_device_describe(lent);
    expect(info->check && info->check->finding_count == 2 && info->matrices.shape_count == 0, "a lent device");
    vkmm_device_destroy(&lent);
    close_device("what a check found", own);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    expect(system(command) == 0, "the folder cannot be removed");
    cache = "";
}

/* Enables all that the device has, except for one feature. */
static void lend_without(uint32_t missing, const vkmm_device *own)
{
    const vkmm_physical *physical = own->physical;
    const vkmm_feature *feature = vkmm_feature_at(missing);
    const char *extensions[VKMM_FEATURE_COUNT];
    vkmm_features enabled = physical->features;
    vkmm_device *lent = NULL;
    uint32_t count;
    vkmm_import_params params = lends(own);
    params.extensions = extensions;
    params.features = vkmm_features_chain(&enabled);
    VkBool32 *found = vkmm_feature_find(feature, &enabled.basic);
    params.extension_count = vkmm_features_extensions(&enabled, VK_API_VERSION_1_3, extensions);
    if (!expect(found && *found, "%s is not enabled on an own device", feature->name)) return;
    *found = VK_FALSE;
    if (!expect(vkmm_device_import(&params, &lent) == VKMM_OK, "without %s: %s", feature->name, sentence)) return;
    const vkmm_requirement *lacks = vkmm_device_lacks(lent, &count);
    expect(feature->buys ? count == 1 && strcmp(lacks[0].feature, feature->name) == 0 : count == 0,
           "without %s: the device lacks %u features", feature->name, count);
    const vkmm_device_info *info = vkmm_device_describe(lent);
    vkmm_device_info all = physical->info;
    if (feature->structure == VKMM_FEATURE_MATRIX2) {
        const uint32_t lost = all.matrices.matrix2 & ~info->matrices.matrix2;
        expect(lost && !(lost & (lost - 1)), "without %s: the bits 0x%x are lost", feature->name, lost);
        all.matrices.matrix2 = info->matrices.matrix2;
    }
    const char *wrong = features_wrong(info, &all, feature->name);
    expect(!wrong, "without %s: what depends on %s", feature->name, wrong);
    expect(!info->matrices.shape_count == (*info->matrices.refusal != '\0'), "without %s: \"%s\"", feature->name,
           info->matrices.refusal);
    vkmm_device_destroy(&lent);
}

/* Each feature, those of matrix operations included. */
static void lent_devices(void)
{
    vkmm_device *device = open_device(&(fake_caps){.featured = 1, .push_descriptors = 1});
    const vkmm_device_info *info = &device->physical->info;
    expect(info->matrices.shape_count == 1 && info->matrices.matrix2 == 127 && info->matrices.granule_count == 1 &&
               info->features.bf16_matrices && info->features.dot8 && device->has_push_descriptors,
           "an own device with all features lacks some: %s", info->matrices.refusal);
    for (uint32_t i = 0; vkmm_feature_at(i); i++)
        if (*vkmm_feature_at(i)->name) lend_without(i, device);
    close_device("lent devices", device);
}

int main(void)
{
    lent_devices();
    play_well(&(scenario){.caps = {.push_descriptors = 2, .api_version = VK_MAKE_API_VERSION(0, 1, 4, 0)},
                          .act = act_lender_1_4},
              "lent with Vulkan 1.4's push descriptors");
    refused_kernels();
    findings();
    no_broadcast();
    old_device();
    periods();
    multiply("a part of Vulkan", open_device(&(fake_caps){.portable = 1}), "");
    multiply("128 invocations, 16 KiB", open_device(&(fake_caps){.minimal = 1}), "");
    return unexpected() > 0;
}
