#include "vk/device.h"

#include "base/alloc.h"
#include "vk/result.h"

static vkmm_status create_handle(vkmm_device *device)
{
    const vkmm_instance_table *table = &device->instance->table;
    const vkmm_physical *physical = device->physical;
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = physical->queue_family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkPhysicalDeviceFeatures features = {.shaderFloat64 = physical->info.has_f64 ? VK_TRUE : VK_FALSE};
    vkmm_features chain = physical->features;
    const char *extensions[VKMM_FEATURE_COUNT];
    const uint32_t count = vkmm_features_extensions(&chain, physical->info.api_version, extensions);
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = vkmm_features_chain(&chain),
        .enabledExtensionCount = count,
        .ppEnabledExtensionNames = extensions,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .pEnabledFeatures = &features,
    };
    vkmm_status status = vkmm_check(vkmm_device_log(device), table->vkCreateDevice(physical->handle, &info, NULL, &device->handle),
                                    "vkCreateDevice", "opening the device");
    if (status != VKMM_OK) return status;
    volkLoadDeviceTable(&device->table, device->handle);
    device->table.vkGetDeviceQueue(device->handle, physical->queue_family, 0, &device->queue);
    table->vkGetPhysicalDeviceMemoryProperties(physical->handle, &device->memory);
    return VKMM_OK;
}

static vkmm_status create_command_objects(vkmm_device *device)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = device->physical->queue_family,
    };
    vkmm_status status =
        vkmm_check(vkmm_device_log(device), device->table.vkCreateCommandPool(device->handle, &pool, NULL, &device->command_pool),
                   "vkCreateCommandPool", "opening the device");
    if (status != VKMM_OK) return status;
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    return vkmm_check(vkmm_device_log(device), device->table.vkCreateFence(device->handle, &fence, NULL, &device->fence), "vkCreateFence",
                      "opening the device");
}

vkmm_status vkmm_device_create(vkmm_instance *instance, uint32_t index, vkmm_device **out)
{
    *out = NULL;
    if (index >= instance->physical_count)
        return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "there is no device %u; %u were found", index, instance->physical_count);
    vkmm_device *device = vkmm_alloc(1, sizeof *device);
    if (!device) return vkmm_fail(&instance->log, VKMM_OUT_OF_MEMORY, "no memory for a device");
    device->instance = instance;
    device->physical = &instance->physicals[index];
    vkmm_status status = create_handle(device);
    if (status == VKMM_OK) status = create_command_objects(device);
    if (status == VKMM_OK) vkmm_pipeline_cache_open(device);
    if (status != VKMM_OK) vkmm_device_destroy(&device);
    *out = device;
    return status;
}

void vkmm_device_destroy(vkmm_device **device_pointer)
{
    if (!device_pointer || !*device_pointer) return;
    vkmm_device *device = *device_pointer;
    if (device->handle) {
        if (device->table.vkDeviceWaitIdle) device->table.vkDeviceWaitIdle(device->handle);
        vkmm_pipeline_cache_close(device);
        if (device->fence) device->table.vkDestroyFence(device->handle, device->fence, NULL);
        if (device->command_pool) device->table.vkDestroyCommandPool(device->handle, device->command_pool, NULL);
        device->table.vkDestroyDevice(device->handle, NULL);
    }
    vkmm_free(device);
    *device_pointer = NULL;
}
