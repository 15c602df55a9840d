/* Devices that lack something: old ones, those without usable timestamps, those that implement a part of Vulkan
 * (MoltenVK's), and the least that Vulkan allows. */
#include <stdio.h>
#include <string.h>

#include "play.h"
#include "vk/loader.h"

static char sentence[1100];

static void hear(void *user, vkmm_log_level level, const char *text)
{
    (void)user;
    if (level == VKMM_LOG_ERROR) snprintf(sentence, sizeof sentence, "%s", text);
}

static vkmm_instance *open_instance(const fake_caps *caps)
{
    const vkmm_instance_params params = {.log = {hear, NULL}, .cache_dir = ""};
    vkmm_instance *instance = NULL;
    fake_begin(caps);
    vkmm_loader_set(fake_loader());
    sentence[0] = '\0';
    expect(vkmm_instance_create(&params, &instance) == VKMM_OK, "no instance: %s", sentence);
    return instance;
}

/* 8³ of ones in f32, and how it was timed. */
static void multiply(const char *about, vkmm_instance *instance, const char *clock_note)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8, .type = VKMM_F32), .untuned = 1};
    const vkmm_measure_params how = {.iters = 1, .cold_iters_given = 1, .skip_transfers = 1};
    vkmm_measurement time = {0};
    vkmm_device *device = NULL;
    vkmm_job *job = NULL;
    vkmm_status status = vkmm_device_create(instance, 0, &device);
    if (status == VKMM_OK) status = vkmm_job_create(device, NULL, &params, &job);
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
    vkmm_device_destroy(&device);
    vkmm_instance_destroy(&instance);
    expect_no_fault(about);
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
        vkmm_instance *instance = open_instance(&(fake_caps){.bad_period = bad});
        const vkmm_device_info *info = vkmm_instance_device_info(instance, 0);
        expect(info && info->timestamp_bits == 0 && info->timestamp_period_ns == 0, "an invalid tick is kept");
        multiply(bad == 1 ? "an infinite tick" : "a tick of 0", instance, "timestamp");
    }
}

/* A kernel that cannot run says what it lacks. */
static void no_broadcast(void)
{
    const vkmm_job_params params = {.problem = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8), .kernel = "cpu"};
    vkmm_instance *instance = open_instance(&(fake_caps){.no_broadcast = 1});
    vkmm_device *device = NULL;
    vkmm_job *job = NULL;
    expect(vkmm_device_create(instance, 0, &device) == VKMM_OK, "no device: %s", sentence);
    expect(vkmm_job_create(device, NULL, &params, &job) == VKMM_UNSUPPORTED &&
               strcmp(sentence, "cpu needs subgroup broadcasts, which \"fake\" does not support "
                                "(subgroupSupportedOperations)") == 0,
           "the reason: %s", sentence);
    vkmm_device_destroy(&device);
    vkmm_instance_destroy(&instance);
    expect_no_fault("no subgroup broadcasts");
}

int main(void)
{
    no_broadcast();
    old_device();
    periods();
    multiply("a part of Vulkan", open_instance(&(fake_caps){.portable = 1}), "");
    multiply("128 invocations, 16 KiB", open_instance(&(fake_caps){.minimal = 1}), "");
    return unexpected() > 0;
}
