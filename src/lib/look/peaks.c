#include "look/peak.h"

#include <math.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "math/type.h"
#include "vk/command.h"

#define LEAST_MS       60.0  /* of samples, when warm; */
#define MOST_MS        400.0 /* this many if they do not agree */
#define WARM_CPU_MS    40.0  /* its clocks follow at once */
#define WARM_GPU_MS    300.0
#define LONG_ENOUGH_MS 8.0                   /* for a dispatch; the doubling ends there, */
#define MEMORY_CPU     (UINT64_C(64) << 20)  /* bytes, beyond the caches of a processor, */
#define MEMORY_GPU     (UINT64_C(256) << 20) /* and of a GPU */
#define WORD           0x3f9d70a4u           /* of memory that is read: 1.23 as f32 */
enum { MOST_STEPS = 1 << 15 };               /* or here: llvmpipe exits longer loops */
enum { MAX_WORKGROUP = 256, CPU_GROUPS = 64, GPU_GROUPS = 4096, BYTES = 0x01030507 /* four factors */ };

uint64_t vkmm_peak_bytes(const vkmm_device_info *info, uint64_t wanted)
{
    const uint64_t most = vkmm_least(info->memory.device_heap_bytes / 8, vkmm_largest_buffer(info));
    return vkmm_least(wanted, vkmm_least(most, info->limits.max_storage_range)) / 16 * 16;
}

uint64_t vkmm_peak_memory_bytes(const vkmm_device_info *info)
{
    return vkmm_peak_bytes(info, vkmm_is_processor(info) ? MEMORY_CPU : MEMORY_GPU);
}

uint32_t vkmm_peak_groups(const vkmm_device_info *info, uint32_t on_gpu)
{
    return (uint32_t)vkmm_least(vkmm_is_processor(info) ? CPU_GROUPS : on_gpu, info->limits.max_workgroup_count[0]);
}

vkmm_status vkmm_peak_create(vkmm_peak *peak, const vkmm_module *module, uint32_t spec_count,
                             const uint32_t *spec_values)
{
    static const uint32_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7};
    VkDescriptorBufferInfo parts[2];
    uint32_t count = 0;
    if (peak->from.handle) parts[count++] = (VkDescriptorBufferInfo){peak->from.handle, 0, peak->from.bytes};
    if (peak->to.handle) parts[count++] = (VkDescriptorBufferInfo){peak->to.handle, 0, peak->to.bytes};
    const vkmm_pipeline_info info = {.words = module->words,
                                     .bytes = module->bytes,
                                     .binding_count = count,
                                     .push_bytes = peak->push_bytes,
                                     .spec_count = spec_count,
                                     .spec_ids = ids,
                                     .spec_values = spec_values,
                                     .attempt = "building a pipeline"};
    vkmm_status status = vkmm_pipeline_create(peak->device, &info, &peak->pipeline);
    if (status != VKMM_OK) return status;
    vkmm_pipeline_bind(peak->device, &peak->pipeline, count, parts);
    return vkmm_timer_create(peak->device, VKMM_TIMER_STAMPS, &peak->timer);
}

/* An uninitialized source may be one shared page of zeros, which copies faster than memory. */
vkmm_status vkmm_peak_create_copy(vkmm_peak *peak, const char *shader, uint64_t bytes)
{
    vkmm_device *device = peak->device;
    const uint32_t workgroup = vkmm_widest_group(&device->physical->info, MAX_WORKGROUP);
    vkmm_status status = vkmm_buffer_create(device, "a copy", bytes, VKMM_PLACE_DEVICE, &peak->from);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a copy", bytes, VKMM_PLACE_DEVICE, &peak->to);
    if (status == VKMM_OK) status = vkmm_command_fill(device, peak->from.handle, bytes, WORD);
    if (status != VKMM_OK) return status;
    return vkmm_peak_create(peak, vkmm_module_find(shader, VKMM_U32, VKMM_BUILD_PLAIN), 1, &workgroup);
}

void vkmm_peak_destroy(vkmm_peak *peak)
{
    vkmm_timer_destroy(peak->device, &peak->timer);
    vkmm_pipeline_destroy(peak->device, &peak->pipeline);
    vkmm_buffer_destroy(peak->device, &peak->from);
    vkmm_buffer_destroy(peak->device, &peak->to);
}

/* The work between two timestamps; each run waits for what the one before wrote. */
static vkmm_status record(const vkmm_peak *peak, VkCommandBuffer *command)
{
    const VkBufferCopy region = {.size = peak->from.bytes};
    vkmm_status status = vkmm_command_begin_on(peak->device, peak->role, command);
    if (status != VKMM_OK) return status;
    if (peak->groups > 0 || peak->from.handle) vkmm_command_barrier_all(peak->device, *command);
    vkmm_timer_start(peak->device, *command, &peak->timer);
    for (uint32_t i = 0; peak->groups > 0 && (i == 0 || i < peak->repeats); i++) {
        if (i > 0) vkmm_command_barrier_all(peak->device, *command);
        vkmm_pipeline_use(peak->device, &peak->pipeline, 0, NULL, *command);
        vkmm_pipeline_dispatch(peak->device, &peak->pipeline, peak->push, peak->push_bytes,
                               (const uint32_t[3]){peak->groups, 1, 1}, *command);
    }
    if (peak->groups == 0 && peak->from.handle)
        peak->device->table.vkCmdCopyBuffer(*command, peak->from.handle, peak->to.handle, 1, &region);
    vkmm_timer_mark(peak->device, *command, &peak->timer, 1);
    return vkmm_command_end(peak->device, *command);
}

static vkmm_status run(const vkmm_peak *peak, VkCommandBuffer command, double *ms)
{
    double host_ms = 0;
    if (peak->run) return peak->run(peak->context, ms);
    vkmm_status status = vkmm_command_run(peak->device, command, &host_ms);
    if (status != VKMM_OK) return status;
    *ms = vkmm_timer_read(peak->device, &peak->timer, 0);
    if (*ms <= 0 || *ms > 1.05 * host_ms) *ms = host_ms;
    return VKMM_OK;
}

vkmm_status vkmm_peak_run(vkmm_peak *peak, double *ms)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = record(peak, &command);
    if (status == VKMM_OK) status = run(peak, command, ms);
    vkmm_command_free(peak->device, &command);
    return status;
}

vkmm_status vkmm_peak_run_twice(vkmm_peak *peak, double *ms)
{
    double again = 0;
    vkmm_status status = vkmm_peak_run(peak, ms);
    if (status == VKMM_OK) status = vkmm_peak_run(peak, &again);
    *ms = fmin(*ms, again);
    return status;
}

static vkmm_status grow(vkmm_peak *peak, int grows)
{
    for (;;) {
        double ms = 0;
        const vkmm_status status = vkmm_peak_run_twice(peak, &ms);
        if (status != VKMM_OK || !grows || ms >= LONG_ENOUGH_MS || peak->push[0] >= MOST_STEPS) return status;
        peak->push[0] *= 2;
    }
}

/* Until warm, then until the runs agree. */
static vkmm_status sample(vkmm_peak *peak, VkCommandBuffer command, vkmm_samples *samples)
{
    const double warm_ms = vkmm_is_processor(&peak->device->physical->info) ? WARM_CPU_MS : WARM_GPU_MS;
    const vkmm_measure_params bounds = {.min_time_ms = LEAST_MS, .max_time_ms = MOST_MS};
    double ms = 0, total_ms = 0;
    uint32_t next_look = 0;
    vkmm_status status = VKMM_OK;
    for (double start = vkmm_now_ms(); status == VKMM_OK && vkmm_now_ms() - start < warm_ms;)
        status = run(peak, command, &ms);
    while (status == VKMM_OK && !vkmm_samples_enough(samples, &bounds, total_ms, &next_look)) {
        const double start = vkmm_now_ms();
        status = run(peak, command, &ms);
        if (status == VKMM_OK && !vkmm_samples_add(samples, ms))
            status = VKMM_NO_MEMORY("for %u samples", samples->count + 1);
        total_ms += vkmm_now_ms() - start;
    }
    return status;
}

vkmm_status vkmm_peak_sample(vkmm_peak *peak, vkmm_samples *samples)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = peak->run ? VKMM_OK : record(peak, &command);
    if (status == VKMM_OK) status = sample(peak, command, samples);
    vkmm_command_free(peak->device, &command);
    return status;
}

vkmm_status vkmm_peak_best(vkmm_peak *peak, int grows, double *best_ms, double *spread)
{
    vkmm_samples samples = {0};
    vkmm_status status = grow(peak, grows);
    if (status == VKMM_OK) status = vkmm_peak_sample(peak, &samples);
    const vkmm_series series = vkmm_samples_series(&samples);
    *best_ms = series.min;
    *spread = series.median > 0 ? 1 - series.min / series.median : 0;
    vkmm_samples_free(&samples);
    return status;
}

/* By the driver and by a shader; the faster one is the peak. The driver of a processor copies like memcpy, which no
 * shader exceeds. */
static vkmm_status measure_copy(vkmm_device *device, vkmm_peaks *peaks)
{
    const vkmm_device_info *info = &device->physical->info;
    const uint64_t bytes = vkmm_peak_memory_bytes(info);
    const uint32_t ways[] = {0, vkmm_peak_groups(info, GPU_GROUPS)};
    vkmm_peak peak = {.device = device, .push = {(uint32_t)(bytes / 16)}, .push_bytes = sizeof(uint32_t)};
    vkmm_status status = vkmm_peak_create_copy(&peak, "copy", bytes);
    for (int way = 0; status == VKMM_OK && way < (vkmm_is_processor(info) ? 1 : 2); way++) {
        double ms = 0, spread = 0;
        peak.groups = ways[way];
        status = vkmm_peak_best(&peak, 0, &ms, &spread);
        const double speed = ms > 0 ? 2 * (double)bytes / ms * 1e3 : 0;
        if (status != VKMM_OK || speed <= peaks->copy_bytes_per_s) continue;
        peaks->copy_bytes_per_s = speed;
        peaks->copy_spread = spread;
    }
    vkmm_peak_destroy(&peak);
    peaks->copy_bytes = bytes;
    return status;
}

static vkmm_status measure_sums(vkmm_device *device, const vkmm_module *module, vkmm_peaks *peaks)
{
    const vkmm_device_info *info = &device->physical->info;
    const vkmm_type_info *type = vkmm_type_of(module->type);
    const int real = type->is_float, narrow = module->type == VKMM_I8 || module->type == VKMM_U8;
    const uint32_t lanes = narrow ? 4 : module->type == VKMM_F16 ? 2 : 1; /* multiply-adds of one operation */
    const uint32_t numerator = narrow ? BYTES : real ? 1 : 3, denominator = real ? 2 : 1;
    const uint32_t workgroup = vkmm_widest_group(info, MAX_WORKGROUP);
    vkmm_peak peak = {.device = device,
                      .groups = vkmm_peak_groups(info, GPU_GROUPS),
                      .push = {1, numerator, denominator},
                      .push_bytes = 3 * sizeof(uint32_t)};
    const uint64_t invocations = (uint64_t)peak.groups * workgroup;
    double ms = 0;
    vkmm_status status = vkmm_buffer_create(device, "sums", invocations * (type->bytes < 4 ? 4 : type->bytes),
                                            VKMM_PLACE_DEVICE, &peak.to);
    if (status == VKMM_OK) status = vkmm_peak_create(&peak, module, 1, &workgroup);
    if (status == VKMM_OK) status = vkmm_peak_best(&peak, 1, &ms, &peaks->multiply_adds_spread);
    const double sums = (double)invocations * peak.push[0] * VKMM_PEAK_STEPS * lanes;
    if (status == VKMM_OK) peaks->multiply_adds_per_s = ms > 0 ? sums / ms * 1e3 : 0;
    vkmm_peak_destroy(&peak);
    return status;
}

/* Why there is no peak of a type; NULL: there is one. */
static const char *why_not(const vkmm_device_info *info, vkmm_type type, const vkmm_module *module)
{
    if (type == VKMM_F64 && !info->features.f64)
        return "the device does not compute with 64-bit floats (shaderFloat64)";
    if (type == VKMM_BF16) return "bf16 is computed in f32, or by matrix operations";
    if (vkmm_type_is_narrow(type) && type != VKMM_F16) return "floats of 8 bits are computed in f32";
    if (type == VKMM_F16 && !info->features.f16)
        return "the device does not compute with 16-bit floats (shaderFloat16): f16 is computed in f32";
    if (!module) return "not in this build: its shader compiler does not know dot products";
    if (module->needs & ~vkmm_device_offers(info, type))
        return "the device does not accelerate dot products of such bytes (shaderIntegerDotProduct): they are computed "
               "in 32 bits";
    return NULL;
}

vkmm_status vkmm_device_peaks(vkmm_device *device, vkmm_type type, vkmm_peaks *peaks)
{
    const vkmm_device_info *info = &device->physical->info;
    const vkmm_module *module = vkmm_module_find("peak", type, VKMM_BUILD_PLAIN);
    const char *why = why_not(info, type, module);
    vkmm_peaks measured = *peaks;
    vkmm_status status = VKMM_OK;
    if (why)
        return VKMM_FAIL(vkmm_device_log(device), VKMM_UNSUPPORTED, "\"%s\" has no peak of %s: %s", info->name,
                         vkmm_type_of(type)->name, why);
    if (peaks->copy_bytes_per_s <= 0 || vkmm_is_processor(info)) status = measure_copy(device, &measured);
    if (status == VKMM_OK) status = measure_sums(device, module, &measured);
    if (status == VKMM_OK) *peaks = measured;
    return vkmm_tell(vkmm_device_log(device), status);
}
