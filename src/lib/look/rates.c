#include "look/peak.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "vk/buffer.h"
#include "vk/command.h"
#include "vkmatmul_memory.h"

#define TRANSFER_BYTES (UINT64_C(64) << 20)
#define CACHE_LEAST    (UINT64_C(64) << 10) /* of each of two buffers; doubled up to what no cache holds: */
#define CPU_MEMORY     (UINT64_C(64) << 20)
#define GPU_MEMORY     (UINT64_C(256) << 20)
#define CACHE_TIMES    1.5                  /* times the speed of memory, at least */
#define CPU_RUN_BYTES  (UINT64_C(64) << 20) /* copied by each run in a cache */
#define GPU_RUN_BYTES  (UINT64_C(1) << 30)
enum { DISPATCHES = 256, MAX_WORKGROUP = 256, CPU_GROUPS = 64, GPU_GROUPS = 1024 };

const vkmm_rate_info vkmm_rate_infos[VKMM_RATE_COUNT] = {
    {"upload_pageable", "upload, pageable memory", "bytes/s"},
    {"upload_pinned", "upload, pinned memory", "bytes/s"},
    {"download_pageable", "download, pageable memory", "bytes/s"},
    {"download_pinned", "download, pinned memory", "bytes/s"},
    {"cache", "copy in a cache", "bytes/s"},
    {"launch", "launch of a dispatch", "ms"},
    {"submit", "empty submission, and wait", "ms"},
};

/* Bytes per second of samples that moved so many bytes. */
static void take_speed(vkmm_samples *samples, double moved, vkmm_rate *rate)
{
    const vkmm_series series = vkmm_samples_series(samples);
    if (!(series.p5 > 0)) return;
    rate->median = moved / series.median * 1e3;
    rate->low = moved / series.p95 * 1e3;
    rate->high = moved / series.p5 * 1e3;
}

static void take_time(vkmm_samples *samples, double events, vkmm_rate *rate)
{
    const vkmm_series series = vkmm_samples_series(samples);
    rate->median = series.median / events;
    rate->low = series.p5 / events;
    rate->high = series.p95 / events;
}

/* ---- transfers ---- */

typedef struct transfer {
    vkmm_memory *memory;
    void *host;
    uint64_t bytes;
    int is_upload;
} transfer;

static vkmm_status move(void *context, double *ms)
{
    const transfer *t = context;
    const double start = vkmm_now_ms();
    const vkmm_status status = t->is_upload ? vkmm_memory_write(t->memory, 0, t->bytes, t->host)
                                            : vkmm_memory_read(t->memory, 0, t->bytes, t->host);
    *ms = vkmm_now_ms() - start;
    return status;
}

/* Bytes for one of several buffers. */
static uint64_t room_of(const vkmm_device_info *info)
{
    return vkmm_least(info->memory.device_heap_bytes / 8, vkmm_largest_buffer(info)) / 16 * 16;
}

/* Memory that was never written may be one shared page, which is read faster. */
static vkmm_status measure_pageable(vkmm_device *device, int is_upload, vkmm_samples *samples, vkmm_rate *rate)
{
    transfer t = {.bytes = vkmm_least(TRANSFER_BYTES, room_of(&device->physical->info)), .is_upload = is_upload};
    vkmm_peak peak = {.device = device, .run = move, .context = &t};
    vkmm_status status = vkmm_memory_create(device, t.bytes, &t.memory);
    t.host = status == VKMM_OK ? vkmm_alloc(1, t.bytes) : NULL;
    if (status == VKMM_OK && !t.host) status = VKMM_NO_MEMORY("for a transfer");
    if (status == VKMM_OK) {
        memset(t.host, 1, t.bytes);
        status = vkmm_memory_write(t.memory, 0, t.bytes, t.host);
    }
    if (status == VKMM_OK) status = vkmm_peak_sample(&peak, samples);
    rate->bytes = t.bytes;
    if (status == VKMM_OK) take_speed(samples, (double)t.bytes, rate);
    vkmm_memory_destroy(&t.memory);
    vkmm_free(t.host);
    return status;
}

/* On the queue that panels use for it. */
static vkmm_status measure_pinned(vkmm_device *device, int is_upload, vkmm_samples *samples, vkmm_rate *rate)
{
    const uint64_t bytes = vkmm_least(TRANSFER_BYTES, room_of(&device->physical->info));
    vkmm_buffer host = {0}, there = {0};
    vkmm_status status = vkmm_buffer_take_shared(device, "a transfer", bytes,
                                                 is_upload ? VKMM_PLACE_UPLOAD : VKMM_PLACE_DOWNLOAD, &host);
    if (status == VKMM_OK) status = vkmm_buffer_take_shared(device, "a transfer", bytes, VKMM_PLACE_DEVICE, &there);
    if (status == VKMM_OK) {
        vkmm_peak peak = {.device = device,
                          .role = is_upload ? VKMM_QUEUE_TRANSFER : VKMM_QUEUE_RETURN,
                          .from = is_upload ? host.handle : there.handle,
                          .to = is_upload ? there.handle : host.handle,
                          .copy_bytes = bytes};
        memset(host.mapped, 1, bytes);
        status = vkmm_peak_sample(&peak, samples);
    }
    rate->bytes = bytes;
    if (status == VKMM_OK) take_speed(samples, (double)bytes, rate);
    vkmm_buffer_destroy(device, &host);
    vkmm_buffer_destroy(device, &there);
    return status;
}

/* ---- dispatches ---- */

typedef struct pair {
    vkmm_peak peak;
    vkmm_buffer from, to;
} pair;

/* A shader of two buffers of so many bytes. Ended by pair_destroy, even after a failure. */
static vkmm_status pair_create(pair *p, const char *shader, uint64_t bytes)
{
    vkmm_device *device = p->peak.device;
    const uint32_t workgroup = vkmm_widest_group(&device->physical->info, MAX_WORKGROUP);
    vkmm_status status = vkmm_buffer_create(device, "a copy", bytes, VKMM_PLACE_DEVICE, &p->from);
    if (status == VKMM_OK) status = vkmm_buffer_create(device, "a copy", bytes, VKMM_PLACE_DEVICE, &p->to);
    if (status == VKMM_OK)
        status = vkmm_peak_create(&p->peak, vkmm_module_find(shader, VKMM_U32, VKMM_BUILD_PLAIN), 2, 1, &workgroup);
    const VkDescriptorBufferInfo parts[] = {{p->from.handle, 0, bytes}, {p->to.handle, 0, bytes}};
    if (status == VKMM_OK) vkmm_pipeline_bind(device, &p->peak.pipeline, 2, parts);
    return status;
}

static void pair_destroy(pair *p)
{
    vkmm_peak_destroy(&p->peak);
    vkmm_buffer_destroy(p->peak.device, &p->from);
    vkmm_buffer_destroy(p->peak.device, &p->to);
}

static vkmm_status measure_launch(vkmm_device *device, vkmm_samples *samples, vkmm_rate *rate)
{
    pair p = {.peak = {.device = device, .groups = 1, .push_bytes = sizeof(uint32_t), .repeats = DISPATCHES}};
    vkmm_status status = pair_create(&p, "copy", 16);
    if (status == VKMM_OK) status = vkmm_peak_sample(&p.peak, samples);
    if (status == VKMM_OK) take_time(samples, DISPATCHES, rate);
    pair_destroy(&p);
    return status;
}

static void set_size(pair *p, uint64_t bytes)
{
    p->peak.push[0] = (uint32_t)(bytes / 16);
    p->peak.push[1] =
        (uint32_t)((vkmm_is_processor(&p->peak.device->physical->info) ? CPU_RUN_BYTES : GPU_RUN_BYTES) / bytes);
}

/* Finds the size that is copied fastest. *memory_ms: the time of the largest, by the shader or the driver's copy. */
static vkmm_status find_size(pair *p, uint64_t most, uint64_t *best, double *best_ms, double *memory_ms)
{
    vkmm_peak copy = {.device = p->peak.device, .from = p->from.handle, .to = p->to.handle, .copy_bytes = most};
    double ms = 0;
    vkmm_status status = VKMM_OK;
    *best_ms = INFINITY;
    for (uint64_t bytes = CACHE_LEAST; bytes <= most && status == VKMM_OK; bytes *= 2) {
        set_size(p, bytes);
        status = vkmm_peak_run_twice(&p->peak, &ms);
        if (ms < *best_ms) *best = bytes;
        *best_ms = fmin(ms, *best_ms);
    }
    *memory_ms = ms;
    if (status == VKMM_OK) status = vkmm_peak_run_twice(&copy, &ms);
    *memory_ms = fmin(*memory_ms, ms * p->peak.push[1]);
    return status;
}

static vkmm_status measure_cache(vkmm_device *device, vkmm_samples *samples, vkmm_rate *rate)
{
    const vkmm_device_info *info = &device->physical->info;
    const uint64_t wanted = vkmm_is_processor(&device->physical->info) ? CPU_MEMORY : GPU_MEMORY,
                   room = vkmm_least(vkmm_least(wanted, info->limits.max_storage_range), room_of(info));
    uint64_t most = CACHE_LEAST;
    double best_ms = 0, memory_ms = 0;
    while (2 * most <= room) most *= 2;
    pair p = {
        .peak = {.device = device,
                 .groups = (uint32_t)vkmm_least(vkmm_is_processor(&device->physical->info) ? CPU_GROUPS : GPU_GROUPS,
                                                info->limits.max_workgroup_count[0]),
                 .push_bytes = 2 * sizeof(uint32_t)}};
    vkmm_status status = pair_create(&p, "cache", most);
    if (status == VKMM_OK) status = vkmm_command_fill(device, p.from.handle, p.from.bytes, VKMM_PEAK_WORD);
    if (status == VKMM_OK) status = find_size(&p, most, &rate->bytes, &best_ms, &memory_ms);
    if (status == VKMM_OK && memory_ms < CACHE_TIMES * best_ms)
        status =
            vkmm_fail(VKMM_UNSUPPORTED,
                      "no cache is visible: no buffer of %llu KiB to %llu MiB is copied %.1f times as fast as memory",
                      (unsigned long long)CACHE_LEAST >> 10, (unsigned long long)most >> 20, CACHE_TIMES);
    if (status == VKMM_OK) {
        set_size(&p, rate->bytes);
        status = vkmm_peak_sample(&p.peak, samples);
    }
    if (status == VKMM_OK) take_speed(samples, 2.0 * (double)rate->bytes * p.peak.push[1], rate);
    pair_destroy(&p);
    return status;
}

static vkmm_status measure_submit(vkmm_device *device, vkmm_samples *samples, vkmm_rate *rate)
{
    vkmm_peak peak = {.device = device};
    const vkmm_status status = vkmm_peak_sample(&peak, samples);
    if (status == VKMM_OK) take_time(samples, 1, rate);
    return status;
}

static vkmm_status measure(vkmm_device *device, vkmm_rate_kind kind, vkmm_samples *samples, vkmm_rate *rate)
{
    switch (kind) {
    case VKMM_RATE_UPLOAD:
    case VKMM_RATE_DOWNLOAD:
        return measure_pageable(device, kind == VKMM_RATE_UPLOAD, samples, rate);
    case VKMM_RATE_UPLOAD_PINNED:
    case VKMM_RATE_DOWNLOAD_PINNED:
        return measure_pinned(device, kind == VKMM_RATE_UPLOAD_PINNED, samples, rate);
    case VKMM_RATE_CACHE:
        return measure_cache(device, samples, rate);
    case VKMM_RATE_LAUNCH:
        return measure_launch(device, samples, rate);
    case VKMM_RATE_SUBMIT:
        return measure_submit(device, samples, rate);
    case VKMM_RATE_COUNT:
        break;
    }
    return VKMM_INVALID;
}

vkmm_status vkmm_device_rate(vkmm_device *device, vkmm_rate_kind kind, vkmm_rate *rate)
{
    vkmm_samples samples = {0};
    vkmm_rate measured = {0};
    vkmm_status status = vkmm_device_own(device);
    if (status == VKMM_OK) status = measure(device, kind, &samples, &measured);
    vkmm_samples_free(&samples);
    if (status == VKMM_OK) *rate = measured;
    return vkmm_tell(vkmm_device_log(device), status);
}
