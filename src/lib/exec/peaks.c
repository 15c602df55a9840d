#include "exec/peaks.h"

#include "base/clock.h"
#include "base/log.h"
#include "kernel/table.h"
#include "math/type.h"
#include "vk/buffer.h"
#include "vk/command.h"
#include "vk/pipeline.h"
#include "vk/query.h"

#define SAMPLE_MS      60.0 /* of samples, when warm */
#define WARM_CPU_MS    40.0 /* its clocks follow at once */
#define WARM_GPU_MS    300.0
#define COPY_CPU_BYTES (UINT64_C(64) << 20)  /* beyond the caches of a processor, */
#define COPY_GPU_BYTES (UINT64_C(256) << 20) /* and of a GPU */
enum { MAX_WORKGROUP = 256, CPU_GROUPS = 64, GPU_GROUPS = 4096, BYTES = 0x01030507 /* four factors */ };

typedef struct bench {
    vkmm_device *device;
    vkmm_pipeline pipeline, copier; /* of peak.comp and copy.comp */
    vkmm_buffer from, to;           /* of the copy; `to` takes the sums of peak.comp */
    uint64_t copy_bytes;
    uint32_t workgroup, groups, lanes; /* lanes: multiply-adds that are written as one operation */
    vkmm_peak_push push;
    vkmm_timer timer;
} bench;

static int is_cpu(const bench *b)
{
    return b->device->physical->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static void record_copy(bench *b, VkCommandBuffer command)
{
    const VkBufferCopy region = {.size = b->copy_bytes};
    b->device->table.vkCmdCopyBuffer(command, b->from.handle, b->to.handle, 1, &region);
}

static void dispatch(bench *b, VkCommandBuffer command, const vkmm_pipeline *pipeline, const void *push,
                     uint32_t push_bytes)
{
    const struct VolkDeviceTable *table = &b->device->table;
    table->vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle);
    table->vkCmdBindDescriptorSets(command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout, 0, 1, &pipeline->set, 0,
                                   NULL);
    table->vkCmdPushConstants(command, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
    table->vkCmdDispatch(command, b->groups, 1, 1);
}

static void record_shader_copy(bench *b, VkCommandBuffer command)
{
    const uint32_t count = (uint32_t)(b->copy_bytes / 16);
    dispatch(b, command, &b->copier, &count, sizeof count);
}

static void record_sums(bench *b, VkCommandBuffer command)
{
    dispatch(b, command, &b->pipeline, &b->push, sizeof b->push);
}

/* Records the work between two timestamps; each run waits for what the one before wrote. */
static vkmm_status record(bench *b, void (*work)(bench *, VkCommandBuffer), VkCommandBuffer *command)
{
    vkmm_status status = vkmm_command_begin(b->device, command);
    if (status != VKMM_OK) return status;
    vkmm_command_barrier(b->device, *command, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    vkmm_timer_start(b->device, *command, &b->timer);
    work(b, *command);
    vkmm_timer_mark(b->device, *command, &b->timer, 1);
    return vkmm_command_end(b->device, *command);
}

vkmm_status vkmm_peak_run(vkmm_device *device, const vkmm_timer *timer, VkCommandBuffer command, double *ms)
{
    double host_ms = 0;
    vkmm_status status = vkmm_command_run(device, command, &host_ms);
    if (status != VKMM_OK) return status;
    *ms = vkmm_timer_read(device, timer, 0);
    if (*ms <= 0 || *ms > 1.05 * host_ms) *ms = host_ms;
    return VKMM_OK;
}

vkmm_status vkmm_peak_best(vkmm_device *device, const vkmm_timer *timer, VkCommandBuffer command, double *best_ms)
{
    const double warm = device->physical->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU ? WARM_CPU_MS : WARM_GPU_MS;
    double start = vkmm_now_ms(), ms = 0;
    vkmm_status status;
    *best_ms = 0;
    do {
        status = vkmm_peak_run(device, timer, command, &ms);
        if (status == VKMM_OK && (*best_ms == 0 || ms < *best_ms)) *best_ms = ms;
    } while (status == VKMM_OK && vkmm_now_ms() - start < warm + SAMPLE_MS);
    return status;
}

/* One way to copy; the faster one is the peak. */
static vkmm_status measure_copy(bench *b, void (*way)(bench *, VkCommandBuffer), vkmm_peaks *peaks)
{
    VkCommandBuffer command = NULL;
    double ms = 0;
    vkmm_status status = record(b, way, &command);
    if (status == VKMM_OK)
        status = vkmm_peak_run(b->device, &b->timer, command, &ms); /* touches the memory for the first time */
    if (status == VKMM_OK) status = vkmm_peak_best(b->device, &b->timer, command, &ms);
    vkmm_command_free(b->device, &command);
    if (status != VKMM_OK) return status;
    peaks->copy_bytes = b->copy_bytes;
    double speed = ms > 0 ? 2 * (double)b->copy_bytes / ms * 1e3 : 0;
    if (speed > peaks->copy_bytes_per_s) peaks->copy_bytes_per_s = speed;
    return VKMM_OK;
}

static vkmm_status measure_sums(bench *b, vkmm_peaks *peaks)
{
    VkCommandBuffer command = NULL;
    double ms = 0;
    vkmm_status status = VKMM_OK;
    for (b->push.steps = 1; status == VKMM_OK; b->push.steps *= 2) {
        status = record(b, record_sums, &command);
        if (status == VKMM_OK) status = vkmm_peak_run(b->device, &b->timer, command, &ms);
        if (status == VKMM_OK && (ms >= VKMM_PEAK_LONG_ENOUGH_MS || b->push.steps >= VKMM_PEAK_MOST_STEPS)) break;
        vkmm_command_free(b->device, &command);
    }
    if (status == VKMM_OK) status = vkmm_peak_best(b->device, &b->timer, command, &ms);
    vkmm_command_free(b->device, &command);
    double sums = (double)b->groups * b->workgroup * b->push.steps * VKMM_PEAK_STEPS * b->lanes;
    if (status == VKMM_OK) peaks->multiply_adds_per_s = ms > 0 ? sums / ms * 1e3 : 0;
    return status;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static vkmm_status create_copier(bench *b)
{
    const vkmm_module *module = vkmm_module_find("copy", VKMM_U32, VKMM_BUILD_PLAIN);
    const uint32_t id = 0;
    vkmm_pipeline_info info = {.words = module->words,
                               .bytes = module->bytes,
                               .binding_count = 2,
                               .push_bytes = sizeof(uint32_t),
                               .spec_count = 1,
                               .spec_ids = &id,
                               .spec_values = &b->workgroup};
    vkmm_status status = vkmm_pipeline_create(b->device, &info, &b->copier);
    if (status != VKMM_OK) return status;
    vkmm_pipeline_bind(b->device, &b->copier, 0, b->from.handle, 0, b->copy_bytes);
    vkmm_pipeline_bind(b->device, &b->copier, 1, b->to.handle, 0, b->copy_bytes);
    return VKMM_OK;
}

static vkmm_status create(bench *b, const vkmm_module *module)
{
    const vkmm_device_info *info = &b->device->physical->info;
    const uint32_t id = 0;
    vkmm_pipeline_info pipeline = {.words = module->words,
                                   .bytes = module->bytes,
                                   .binding_count = 1,
                                   .push_bytes = sizeof b->push,
                                   .spec_count = 1,
                                   .spec_ids = &id,
                                   .spec_values = &b->workgroup};
    b->workgroup = (uint32_t)least(MAX_WORKGROUP, least(info->max_invocations, info->max_workgroup_size[0]));
    b->groups = (uint32_t)least(is_cpu(b) ? CPU_GROUPS : GPU_GROUPS, info->max_workgroup_count[0]);
    const uint64_t bytes = vkmm_type_of(module->type)->bytes;
    uint64_t sums_bytes = (uint64_t)b->groups * b->workgroup * (bytes < 4 ? 4 : bytes); /* narrow ones as words */
    uint64_t wanted = is_cpu(b) ? COPY_CPU_BYTES : COPY_GPU_BYTES;
    b->copy_bytes =
        least(least(wanted, info->max_storage_range),
              least(info->max_allocation_bytes, least(info->max_buffer_bytes, info->device_heap_bytes / 8))) /
        16 * 16;
    if (b->copy_bytes < sums_bytes) b->copy_bytes = sums_bytes;
    vkmm_status status = vkmm_buffer_create(b->device, "a copy", b->copy_bytes, VKMM_PLACE_DEVICE, &b->from);
    if (status == VKMM_OK) status = vkmm_buffer_create(b->device, "a copy", b->copy_bytes, VKMM_PLACE_DEVICE, &b->to);
    if (status == VKMM_OK) status = vkmm_pipeline_create(b->device, &pipeline, &b->pipeline);
    if (status == VKMM_OK) status = create_copier(b);
    if (status == VKMM_OK) status = vkmm_timer_create(b->device, &b->timer);
    if (status == VKMM_OK) vkmm_pipeline_bind(b->device, &b->pipeline, 0, b->to.handle, 0, sums_bytes);
    return status;
}

/* An uninitialized source may be one shared page of zeros, which copies faster than memory. */
static vkmm_status fill_source(bench *b)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(b->device, &command);
    if (status != VKMM_OK) return status;
    b->device->table.vkCmdFillBuffer(command, b->from.handle, 0, b->copy_bytes, 0x3f9d70a4u);
    status = vkmm_command_end(b->device, command);
    if (status == VKMM_OK) status = vkmm_command_run(b->device, command, NULL);
    vkmm_command_free(b->device, &command);
    return status;
}

/* Why there is no peak of a type; NULL: there is one. */
static const char *why_not(const vkmm_device_info *info, vkmm_type type, const vkmm_module *module)
{
    if (type == VKMM_F64 && !info->has_f64) return "the device does not compute with 64-bit floats (shaderFloat64)";
    if (type == VKMM_BF16) return "bf16 is computed in f32, or by matrix operations";
    if (type == VKMM_F16 && !info->has_f16)
        return "the device does not compute with 16-bit floats (shaderFloat16): f16 is computed in f32";
    if (!module) return "not in this build: its shader compiler does not know dot products";
    if (module->needs & ~vkmm_device_offers(info))
        return "the device has no dot products (shaderIntegerDotProduct): bytes are computed in 32 bits";
    return NULL;
}

vkmm_status vkmm_device_peaks(vkmm_device *device, vkmm_type type, vkmm_peaks *peaks)
{
    VKMM_NEED(NULL, device);
    VKMM_NEED(vkmm_device_log(device), peaks);
    const vkmm_device_info *info = &device->physical->info;
    const vkmm_module *module = vkmm_module_find("peak", type, VKMM_BUILD_PLAIN);
    const char *why = why_not(info, type, module);
    const int real = vkmm_type_of(type)->is_float, narrow = type == VKMM_I8 || type == VKMM_U8;
    bench b = {.device = device,
               .push = {1,
                        real     ? 1
                        : narrow ? BYTES
                                 : 3,
                        real ? 2 : 1},
               .lanes = narrow             ? 4
                        : type == VKMM_F16 ? 2
                                           : 1};
    vkmm_peaks measured = {0};
    if (why)
        return vkmm_fail(vkmm_device_log(device), VKMM_UNSUPPORTED, "\"%s\" has no peak of %s: %s", info->name,
                         vkmm_type_of(type)->name, why);
    vkmm_status status = create(&b, module);
    if (status == VKMM_OK) status = fill_source(&b);
    if (status == VKMM_OK) status = measure_copy(&b, record_copy, &measured);
    if (status == VKMM_OK) status = measure_copy(&b, record_shader_copy, &measured);
    if (status == VKMM_OK) status = measure_sums(&b, &measured);
    vkmm_timer_destroy(device, &b.timer);
    vkmm_pipeline_destroy(device, &b.pipeline);
    vkmm_pipeline_destroy(device, &b.copier);
    vkmm_buffer_destroy(device, &b.from);
    vkmm_buffer_destroy(device, &b.to);
    if (status == VKMM_OK) *peaks = measured;
    return status;
}
