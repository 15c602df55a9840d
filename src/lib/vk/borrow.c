/* Borrowing a device. */
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "vk/device.h"

static int is_listed(const vkmm_import_params *params, const char *extension)
{
    for (uint32_t i = 0; i < params->extension_count; i++)
        if (strcmp(params->extensions[i], extension) == 0) return 1;
    return *extension == '\0';
}

/* The set of features that the lender has enabled. */
static uint32_t read_enabled(const vkmm_import_params *params, const vkmm_device_info *info)
{
    VkPhysicalDeviceFeatures2 chain = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    const vkmm_feature *feature;
    char missing[512] = "";
    uint32_t enabled = 0;
    if (params->features) chain = *params->features;
    for (uint32_t i = 0; (feature = vkmm_feature_at(i)) != NULL; i++) {
        const VkBool32 *found = vkmm_feature_find(feature, &chain);
        const char *extension = vkmm_feature_extension(feature, info->driver.api_version);
        const int is_set = found && *found, has_name = *feature->name != '\0', has = is_listed(params, extension);
        if (has_name ? is_set && has : is_set || has)
            enabled |= 1u << i;
        else if (has_name && is_set)
            VKMM_JOIN(missing, ", ", "%s (%s)", feature->name, extension);
    }
    if (*missing)
        vkmm_say(&params->log, VKMM_LOG_WARNING,
                 "\"%s\" was lent with features whose extensions are not enabled, and which are not used: %s",
                 info->name, missing);
    return enabled;
}

/* The features that are missing, and what is lost without them. */
static vkmm_status tell_lacks(vkmm_device *device, uint32_t lacks)
{
    vkmm_status status = vkmm_requirements_make(device->instance, lacks, UINT32_MAX, &device->lacks);
    uint32_t count;
    const vkmm_requirement *list = vkmm_requirements_list(device->lacks, &count);
    for (uint32_t i = 0; i < count && list[i].required; i++)
        vkmm_say(vkmm_device_log(device), VKMM_LOG_WARNING, "\"%s\" was lent without %s: no %s",
                 device->physical->info.name, list[i].feature, list[i].buys);
    return status;
}

static vkmm_status check_family(vkmm_instance *instance, uint32_t family)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    vkmm_physical *physical = instance->physicals;
    instance->table.vkGetPhysicalDeviceQueueFamilyProperties(physical->handle, &count, families);
    if (family >= count || !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        return vkmm_fail(VKMM_INVALID, "queue family %u of \"%s\" %s; family %u supports compute", family,
                         physical->info.name, family >= count ? "does not exist" : "does not support compute",
                         physical->queue_family);
    physical->queue_family = family;
    if (physical->info.limits.timestamp_bits > 0)
        physical->info.limits.timestamp_bits = families[family].timestampValidBits;
    return VKMM_OK;
}

static int has_push_descriptors(uint32_t enabled)
{
    uint32_t i = 0;
    while (vkmm_feature_at(i)->structure != VKMM_FEATURE_PUSH_DESCRIPTOR) i++;
    return (enabled & 1u << i) != 0;
}

/* With Vulkan 1.4, the extension's function has no suffix. */
static void find_push_descriptors(vkmm_device *device, uint32_t enabled)
{
    struct VolkDeviceTable *table = &device->table;
    if (!has_push_descriptors(enabled)) return;
    if (!table->vkCmdPushDescriptorSetKHR)
        table->vkCmdPushDescriptorSetKHR = (PFN_vkCmdPushDescriptorSetKHR)device->instance->table.vkGetDeviceProcAddr(
            device->handle, "vkCmdPushDescriptorSet");
    device->has_push_descriptors = table->vkCmdPushDescriptorSetKHR != NULL;
}

static vkmm_status borrow(const vkmm_import_params *params, vkmm_device *device)
{
    const vkmm_requirements_params lender = {.get_instance_proc_addr = params->get_instance_proc_addr,
                                             .instance = params->instance,
                                             .physical_device = params->physical_device,
                                             .api_version = params->api_version,
                                             .log = params->log};
    vkmm_status status = vkmm_lent_open(&lender, "vkmm_device_import", params->cache_dir, &device->instance);
    if (status != VKMM_OK) return status;
    device->physical = device->instance->physicals;
    const uint32_t enabled = read_enabled(params, &device->physical->info);
    const uint32_t lacks = vkmm_features_set(&device->physical->features) & ~enabled;
    vkmm_lent_limit(device->instance, enabled);
    status = check_family(device->instance, params->queue_family);
    if (status == VKMM_OK) status = tell_lacks(device, lacks);
    if (status != VKMM_OK) return status;
    device->handle = params->device;
    device->pipeline_cache.handle = params->pipeline_cache;
    device->pipeline_cache.is_lent = params->pipeline_cache != VK_NULL_HANDLE;
    vkmm_device_open(device);
    find_push_descriptors(device, enabled);
    return VKMM_OK;
}

vkmm_status vkmm_device_import_sized(const vkmm_import_params *params, size_t size, vkmm_device **out)
{
    VKMM_NEED(NULL, params);
    VKMM_SIZED(size > 0 ? &params->log : NULL, vkmm_import_params, params, size);
    VKMM_NEED(&params->log, out);
    *out = NULL;
    VKMM_NEED(&params->log, params->device);
    if (params->extension_count > 0) VKMM_NEED(&params->log, params->extensions);
    vkmm_device *device = vkmm_device_new();
    if (!device) return vkmm_tell(&params->log, VKMM_NO_MEMORY("for a device"));
    device->is_borrowed = 1;
    vkmm_status status = borrow(params, device);
    if (status != VKMM_OK) vkmm_device_destroy(&device);
    *out = device;
    return vkmm_tell(&params->log, status);
}

const vkmm_device_info *vkmm_device_describe(const vkmm_device *device)
{
    return device ? &device->physical->info : NULL;
}

vkmm_status vkmm_device_handles(const vkmm_device *device, vkmm_handles *handles)
{
    VKMM_NEED(NULL, device);
    VKMM_NEED(vkmm_device_log(device), handles);
    *handles = (vkmm_handles){.get_instance_proc_addr = device->instance->lookup,
                              .instance = device->instance->handle,
                              .physical_device = device->physical->handle,
                              .device = device->handle,
                              .queue_family = device->physical->queue_family,
                              .queue = device->queues[VKMM_QUEUE_COMPUTE].handle};
    return VKMM_OK;
}

const vkmm_requirement *vkmm_device_lacks(const vkmm_device *device, uint32_t *count)
{
    return vkmm_requirements_list(device ? device->lacks : NULL, count);
}
