#include "vk/device.h"

#include "base/alloc.h"
#include "vk/loader.h"
#include "vk/vk_result.h"

static vkmm_status create_handle(vkmm_device *device)
{
    const vkmm_instance_table *table = &device->instance->table;
    const vkmm_physical *physical = device->physical;
    const float priorities[] = {1, 1};
    const VkStructureType type = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    const VkDeviceQueueCreateInfo queues[] = {
        {type, NULL, 0, physical->queue_family, 1, priorities},
        {type, NULL, 0, physical->transfer_family, physical->transfer_queues, priorities}};
    vkmm_features chain = physical->features;
    const char *extensions[VKMM_FEATURE_COUNT];
    uint32_t count = vkmm_features_extensions(&chain, physical->info.driver.api_version, extensions);
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = vkmm_features_chain(&chain),
        .enabledExtensionCount = count,
        .ppEnabledExtensionNames = extensions,
        .queueCreateInfoCount = physical->transfer_queues > 0 ? 2 : 1,
        .pQueueCreateInfos = queues,
    };
    VkResult result = table->vkCreateDevice(physical->handle, &info, NULL, &device->handle);
    if (result != VK_SUCCESS) device->handle = NULL;
    if (result != VK_SUCCESS) return vkmm_check(result, "vkCreateDevice", "opening the device");
    device->has_push_descriptors = (chain.used & 1u << VKMM_FEATURE_PUSH_DESCRIPTOR) != 0;
    return VKMM_OK;
}

static void open_queue(vkmm_device *device, uint32_t family, uint32_t index, vkmm_queue_role role)
{
    device->queues[role].family = family;
    device->table.vkGetDeviceQueue(device->handle, family, index, &device->queues[role].handle);
}

int vkmm_device_drop_spares(vkmm_device *device)
{
    mtx_lock(&device->spares.lock);
    int (*drop)(vkmm_device *) = device->spares.drop;
    mtx_unlock(&device->spares.lock);
    return drop ? drop(device) : 0;
}

vkmm_status vkmm_device_own(const vkmm_device *device)
{
    if (!device->is_borrowed) return VKMM_OK;
    return vkmm_fail(
        VKMM_UNSUPPORTED,
        "\"%s\" was lent for recording: nothing is allocated on it or submitted to it, except by its owner",
        device->physical->info.name);
}

/* A plain lock needs nothing that could be missing. */
vkmm_device *vkmm_device_new(void)
{
    vkmm_device *device = vkmm_alloc(1, sizeof *device);
    if (!device) return NULL;
    mtx_init(&device->layouts.lock, mtx_plain);
    mtx_init(&device->spares.lock, mtx_plain);
    for (int role = 0; role < VKMM_QUEUE_COUNT; role++) mtx_init(&device->queues[role].lock, mtx_plain);
    return device;
}

void vkmm_device_open(vkmm_device *device)
{
    const vkmm_instance_table *table = &device->instance->table;
    vkmm_loader_fill(table->vkGetDeviceProcAddr, device->handle, &device->table);
    table->vkGetPhysicalDeviceMemoryProperties(device->physical->handle, &device->memory);
    if (!device->pipeline_cache.is_lent) vkmm_pipeline_cache_open(device);
}

vkmm_status vkmm_device_create(vkmm_instance *instance, uint32_t index, vkmm_device **out)
{
    VKMM_NEED(NULL, instance);
    VKMM_NEED(&instance->log, out);
    *out = NULL;
    if (index >= instance->physical_count)
        return VKMM_FAIL(&instance->log, VKMM_NO_DEVICE, "there is no device %u; %u were found", index,
                         instance->physical_count);
    vkmm_device *device = vkmm_device_new();
    if (!device) return vkmm_tell(&instance->log, VKMM_NO_MEMORY("for a device"));
    device->instance = instance;
    device->physical = &instance->physicals[index];
    vkmm_status status = create_handle(device);
    if (status != VKMM_OK) {
        vkmm_device_destroy(&device);
        return vkmm_tell(&instance->log, status);
    }
    vkmm_device_open(device);
    open_queue(device, device->physical->queue_family, 0, VKMM_QUEUE_COMPUTE);
    for (uint32_t i = 0; i < device->physical->transfer_queues; i++)
        open_queue(device, device->physical->transfer_family, i, VKMM_QUEUE_TRANSFER + i);
    *out = device;
    return VKMM_OK;
}

void vkmm_device_destroy(vkmm_device **device_pointer)
{
    if (!device_pointer || !*device_pointer) return;
    vkmm_device *device = *device_pointer;
    vkmm_device_drop_spares(device);
    if (device->handle) {
        if (!device->is_borrowed && device->table.vkDeviceWaitIdle) device->table.vkDeviceWaitIdle(device->handle);
        vkmm_pipeline_cache_close(device);
        vkmm_layouts_close(device);
        for (int role = 0; role < VKMM_QUEUE_COUNT; role++) vkmm_queue_close(device, &device->queues[role]);
        vkmm_loader_lock();
        if (!device->is_borrowed) device->table.vkDestroyDevice(device->handle, NULL);
        vkmm_loader_unlock();
    }
    mtx_destroy(&device->layouts.lock);
    mtx_destroy(&device->spares.lock);
    for (int role = 0; role < VKMM_QUEUE_COUNT; role++) mtx_destroy(&device->queues[role].lock);
    if (device->is_borrowed) vkmm_instance_destroy(&device->instance);
    vkmm_requirements_destroy(&device->lacks);
    vkmm_free(device);
    *device_pointer = NULL;
}
