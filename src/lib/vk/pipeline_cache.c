#include <string.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/clock.h"
#include "base/file.h"
#include "vk/device.h"
#include "vk/pipeline_cache_file.h"
#include "vk/vk_result.h"

static VkResult create(vkmm_device *device, const void *data, uint64_t bytes)
{
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = bytes, .pInitialData = data};
    VkResult result = device->table.vkCreatePipelineCache(device->handle, &info, NULL, &device->pipeline_cache.handle);
    if (result != VK_SUCCESS) device->pipeline_cache.handle = VK_NULL_HANDLE;
    return result;
}

/* A missing file is not reported, nor is one that cannot be opened: writing it will report the reason. What is parsed
 * is a copy, so that nobody can change it between the check and the driver. */
static void load(vkmm_device *device)
{
    vkmm_pipeline_cache *cache = &device->pipeline_cache;
    vkmm_mapping file = {0};
    const char *damage = NULL;
    const void *data = NULL;
    uint64_t bytes = 0;
    if (vkmm_mapping_open(cache->path, &file) != VKMM_OK) return;
    void *copy = file.bytes <= VKMM_PIPELINES_MOST ? vkmm_alloc(1, (size_t)file.bytes) : NULL;
    if (copy != NULL && file.bytes > 0) memcpy(copy, file.data, (size_t)file.bytes);
    if (copy != NULL) data = vkmm_pipelines_parse(copy, file.bytes, device->physical, &bytes, &damage);
    vkmm_mapping_close(&file);
    if (damage != NULL)
        vkmm_say(vkmm_device_log(device), VKMM_LOG_WARNING, "the compiled pipelines in %s are damaged and ignored: %s",
                 cache->path, damage);
    if (data != NULL && create(device, data, bytes) == VK_SUCCESS) cache->file_bytes = bytes;
    vkmm_free(copy);
}

void vkmm_pipeline_cache_open(vkmm_device *device)
{
    const char *folder = device->instance->cache_dir;
    vkmm_pipeline_cache *cache = &device->pipeline_cache;
    char name[VKMM_PIPELINES_NAME];
    vkmm_pipelines_name(&device->physical->info, "pipelines", "bin", name);
    *cache = (vkmm_pipeline_cache){.path = folder ? vkmm_cache_dir_join(folder, name) : NULL};
    if (cache->path) load(device);
    if (cache->handle) return;
    VkResult result = create(device, NULL, 0);
    if (result != VK_SUCCESS)
        vkmm_say(vkmm_device_log(device), VKMM_LOG_INFO,
                 "compiled pipelines are not kept: vkCreatePipelineCache failed with %s", vkmm_result_name(result));
}

/* The size shows whether something was added: drivers only ever append, and some give the same entries in another order
 * each time. */
static void save(vkmm_device *device)
{
    vkmm_pipeline_cache *cache = &device->pipeline_cache;
    vkmm_pipelines_head head;
    size_t bytes = 0;
    if (device->table.vkGetPipelineCacheData(device->handle, cache->handle, &bytes, NULL) != VK_SUCCESS) return;
    if (bytes == cache->file_bytes || bytes + sizeof head > VKMM_PIPELINES_MOST) return;
    char *file = vkmm_alloc(1, sizeof head + bytes);
    if (!file) return;
    char *data = file + sizeof head;
    if (device->table.vkGetPipelineCacheData(device->handle, cache->handle, &bytes, data) == VK_SUCCESS &&
        vkmm_pipelines_worth_keeping(device->physical, data, bytes)) {
        head = vkmm_pipelines_header(&device->physical->info, data, bytes);
        memcpy(file, &head, sizeof head);
        vkmm_status status = vkmm_cache_dir_make(vkmm_device_log(device), device->instance->cache_dir);
        if (status == VKMM_OK && (status = vkmm_output_whole(cache->path, 1, file, sizeof head + bytes)) != VKMM_OK)
            vkmm_say(vkmm_device_log(device), VKMM_LOG_INFO, "compiled pipelines are not kept: %s", vkmm_last_error());
        if (status != VKMM_OK) {
            vkmm_free(cache->path);
            cache->path = NULL;
        }
        cache->file_bytes = bytes;
    }
    vkmm_free(file);
}

void vkmm_pipeline_cache_add(vkmm_device *device, double compile_ms)
{
    enum { SHARE = 20 };
    vkmm_pipeline_cache *cache = &device->pipeline_cache;
    atomic_fetch_add(&cache->unsaved_us, (long)(compile_ms * 1e3) + 1);
    if (atomic_exchange(&cache->is_saving, 1)) return;
    const long us = atomic_load(&cache->unsaved_us);
    if (cache->path != NULL && us > SHARE * cache->save_us) {
        const double before = vkmm_now_ms();
        atomic_fetch_sub(&cache->unsaved_us, us);
        save(device);
        cache->save_us = (long)((vkmm_now_ms() - before) * 1e3);
    }
    atomic_store(&cache->is_saving, 0);
}

void vkmm_pipeline_cache_close(vkmm_device *device)
{
    vkmm_pipeline_cache *cache = &device->pipeline_cache;
    if (cache->handle && cache->path && cache->unsaved_us > 0) save(device);
    if (cache->handle && !cache->is_lent) device->table.vkDestroyPipelineCache(device->handle, cache->handle, NULL);
    vkmm_free(cache->path);
    *cache = (vkmm_pipeline_cache){0};
}
