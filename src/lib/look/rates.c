#include "look/peak.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "vkmatmul_memory.h"

#define TRANSFER_BYTES (UINT64_C(64) << 20)
#define CACHE_LEAST    (UINT64_C(64) << 10) /* of each of two buffers; doubled up to vkmm_peak_memory_bytes */
#define CACHE_TIMES    1.5                  /* times the speed of memory, at least */
#define CPU_RUN_BYTES  (UINT64_C(64) << 20) /* copied by each run in a cache */
#define GPU_RUN_BYTES  (UINT64_C(1) << 30)
enum { DISPATCHES = 256, GPU_GROUPS = 1024 };

const vkmm_rate_info vkmm_rate_infos[VKMM_RATE_COUNT] = {
    {"upload_pageable", "upload, pageable memory", "bytes/s"},
    {"upload_pinned", "upload, pinned memory", "bytes/s"},
    {"download_pageable", "download, pageable memory", "bytes/s"},
    {"download_pinned", "download, pinned memory", "bytes/s"},
    {"cache", "copy in a cache", "bytes/s"},
    {"launch", "launch of a dispatch", "ms"},
    {"submit", "empty submission, and wait", "ms"},
};

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

/* Memory that was never written may be one shared page, which is read faster. */
static vkmm_status measure_pageable(vkmm_device *device, int is_upload, vkmm_samples *samples, vkmm_rate *rate)
{
    transfer t = {.bytes = vkmm_peak_bytes(&device->physical->info, TRANSFER_BYTES), .is_upload = is_upload};
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
    vkmm_memory_destroy(&t.memory);
    vkmm_free(t.host);
    return status;
}

/* On the queue that panels use for it. */
static vkmm_status measure_pinned(vkmm_device *device, int is_upload, vkmm_samples *samples, vkmm_rate *rate)
{
    const uint64_t bytes = vkmm_peak_bytes(&device->physical->info, TRANSFER_BYTES);
    vkmm_peak peak = {.device = device, .role = is_upload ? VKMM_QUEUE_TRANSFER : VKMM_QUEUE_RETURN};
    vkmm_buffer *host = is_upload ? &peak.from : &peak.to, *there = is_upload ? &peak.to : &peak.from;
    vkmm_status status =
        vkmm_buffer_take_shared(device, "a transfer", bytes, is_upload ? VKMM_PLACE_UPLOAD : VKMM_PLACE_DOWNLOAD, host);
    if (status == VKMM_OK) status = vkmm_buffer_take_shared(device, "a transfer", bytes, VKMM_PLACE_DEVICE, there);
    if (status == VKMM_OK) {
        memset(host->mapped, 1, bytes);
        status = vkmm_peak_sample(&peak, samples);
    }
    rate->bytes = bytes;
    vkmm_peak_destroy(&peak);
    return status;
}

/* ---- dispatches ---- */

static vkmm_status measure_launch(vkmm_device *device, vkmm_samples *samples)
{
    vkmm_peak peak = {.device = device, .groups = 1, .push_bytes = sizeof(uint32_t), .repeats = DISPATCHES};
    vkmm_status status = vkmm_peak_create_copy(&peak, "copy", 16);
    if (status == VKMM_OK) status = vkmm_peak_sample(&peak, samples);
    vkmm_peak_destroy(&peak);
    return status;
}

static void set_size(vkmm_peak *peak, uint64_t bytes)
{
    const int is_processor = vkmm_is_processor(&peak->device->physical->info);
    peak->push[0] = (uint32_t)(bytes / 16);
    peak->push[1] = (uint32_t)((is_processor ? CPU_RUN_BYTES : GPU_RUN_BYTES) / bytes);
}

/* Finds the size that is copied fastest. *memory_ms: the time of the largest, by the shader or the driver's copy. */
static vkmm_status find_size(vkmm_peak *peak, uint64_t *best, double *best_ms, double *memory_ms)
{
    const uint32_t groups = peak->groups;
    double ms = 0;
    vkmm_status status = VKMM_OK;
    *best_ms = INFINITY;
    for (uint64_t bytes = CACHE_LEAST; bytes <= peak->from.bytes && status == VKMM_OK; bytes *= 2) {
        set_size(peak, bytes);
        status = vkmm_peak_run_twice(peak, &ms);
        if (ms < *best_ms) *best = bytes;
        *best_ms = fmin(ms, *best_ms);
    }
    *memory_ms = ms;
    peak->groups = 0;
    if (status == VKMM_OK) status = vkmm_peak_run_twice(peak, &ms);
    *memory_ms = fmin(*memory_ms, ms * peak->push[1]);
    peak->groups = groups;
    return status;
}

/* *moved: bytes of one sample. */
static vkmm_status measure_cache(vkmm_device *device, vkmm_samples *samples, vkmm_rate *rate, double *moved)
{
    const vkmm_device_info *info = &device->physical->info;
    vkmm_peak peak = {
        .device = device, .groups = vkmm_peak_groups(info, GPU_GROUPS), .push_bytes = 2 * sizeof(uint32_t)};
    uint64_t most = CACHE_LEAST;
    double best_ms = 0, memory_ms = 0;
    while (2 * most <= vkmm_peak_memory_bytes(info)) most *= 2;
    vkmm_status status = vkmm_peak_create_copy(&peak, "cache", most);
    if (status == VKMM_OK) status = find_size(&peak, &rate->bytes, &best_ms, &memory_ms);
    if (status == VKMM_OK && memory_ms < CACHE_TIMES * best_ms)
        status =
            vkmm_fail(VKMM_UNSUPPORTED,
                      "no cache is visible: no buffer of %llu KiB to %llu MiB is copied %.1f times as fast as memory",
                      (unsigned long long)CACHE_LEAST >> 10, (unsigned long long)most >> 20, CACHE_TIMES);
    if (status == VKMM_OK) {
        set_size(&peak, rate->bytes);
        *moved = 2.0 * (double)rate->bytes * peak.push[1];
        status = vkmm_peak_sample(&peak, samples);
    }
    vkmm_peak_destroy(&peak);
    return status;
}

static vkmm_status measure(vkmm_device *device, vkmm_rate_kind kind, vkmm_samples *samples, vkmm_rate *rate)
{
    const int is_time = kind == VKMM_RATE_LAUNCH || kind == VKMM_RATE_SUBMIT;
    double amount = kind == VKMM_RATE_LAUNCH ? DISPATCHES : 1; /* of one sample: events, or bytes moved */
    vkmm_peak empty = {.device = device};
    vkmm_status status;
    if (kind == VKMM_RATE_UPLOAD || kind == VKMM_RATE_DOWNLOAD)
        status = measure_pageable(device, kind == VKMM_RATE_UPLOAD, samples, rate);
    else if (kind == VKMM_RATE_UPLOAD_PINNED || kind == VKMM_RATE_DOWNLOAD_PINNED)
        status = measure_pinned(device, kind == VKMM_RATE_UPLOAD_PINNED, samples, rate);
    else if (kind == VKMM_RATE_CACHE)
        status = measure_cache(device, samples, rate, &amount);
    else if (kind == VKMM_RATE_LAUNCH)
        status = measure_launch(device, samples);
    else
        status = vkmm_peak_sample(&empty, samples);
    const vkmm_series series = vkmm_samples_series(samples);
    if (status != VKMM_OK || !(series.p5 > 0)) return status;
    if (!is_time && kind != VKMM_RATE_CACHE) amount = (double)rate->bytes;
    rate->median = is_time ? series.median / amount : amount / series.median * 1e3;
    rate->low = is_time ? series.p5 / amount : amount / series.p95 * 1e3;
    rate->high = is_time ? series.p95 / amount : amount / series.p5 * 1e3;
    return VKMM_OK;
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
