#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "vk/instance.h"

/* The first family with compute whose timestamps work, else the first with compute; UINT32_MAX without any. Also the
 * first transfer-only family: such families are separate engines. */
static void find_queue_families(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_physical *physical)
{
    enum {
        VIDEO_DECODE = 0x20,
        VIDEO_ENCODE = 0x40,
        OPTICAL_FLOW = 0x100
    }; /* Vulkan's values; older headers lack the names */
    const VkQueueFlags others =
        VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VIDEO_DECODE | VIDEO_ENCODE | OPTICAL_FLOW;
    VkQueueFamilyProperties families[32];
    uint32_t count = 32, *timestamp_bits = &physical->info.limits.timestamp_bits;
    physical->queue_family = UINT32_MAX;
    physical->transfer_queues = 0;
    *timestamp_bits = 0;
    instance->table.vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        const VkQueueFlags flags = families[i].queueFlags;
        if (families[i].queueCount == 0) continue;
        if ((flags & VK_QUEUE_TRANSFER_BIT) && !(flags & others) && physical->transfer_queues == 0) {
            physical->transfer_family = i;
            physical->transfer_queues = families[i].queueCount > 1 ? 2 : 1;
        }
        if (!(flags & VK_QUEUE_COMPUTE_BIT) || *timestamp_bits > 0) continue;
        if (physical->queue_family != UINT32_MAX && families[i].timestampValidBits == 0) continue;
        physical->queue_family = i;
        *timestamp_bits = families[i].timestampValidBits;
    }
}

static void read_memory(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info)
{
    const VkMemoryPropertyFlags unified = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    instance->table.vkGetPhysicalDeviceMemoryProperties(handle, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++)
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            memory.memoryHeaps[i].size > info->memory.device_heap_bytes)
            info->memory.device_heap_bytes = memory.memoryHeaps[i].size;
    info->memory.heap_count = memory.memoryHeapCount;
    memcpy(info->memory.heaps, memory.memoryHeaps, memory.memoryHeapCount * sizeof info->memory.heaps[0]);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if ((memory.memoryTypes[i].propertyFlags & unified) == unified) info->memory.is_unified = 1;
}

/* Empty if they cannot be read. */
static vkmm_extensions list_extensions(const vkmm_instance *instance, VkPhysicalDevice handle)
{
    vkmm_extensions list = {NULL, 0};
    uint32_t count = 0;
    if (instance->table.vkEnumerateDeviceExtensionProperties(handle, NULL, &count, NULL) != VK_SUCCESS || count == 0)
        return list;
    list.items = vkmm_alloc(count, sizeof *list.items);
    if (list.items && instance->table.vkEnumerateDeviceExtensionProperties(handle, NULL, &count, list.items) >= 0)
        list.count = count;
    return list;
}

int vkmm_extensions_have(const vkmm_extensions *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].extensionName, name) == 0) return 1;
    return 0;
}

static void read_limits(const VkPhysicalDeviceLimits *limits, vkmm_device_info *info)
{
    info->limits.max_invocations = limits->maxComputeWorkGroupInvocations;
    memcpy(info->limits.max_workgroup_size, limits->maxComputeWorkGroupSize, sizeof info->limits.max_workgroup_size);
    memcpy(info->limits.max_workgroup_count, limits->maxComputeWorkGroupCount, sizeof info->limits.max_workgroup_count);
    info->limits.max_shared_bytes = limits->maxComputeSharedMemorySize;
    info->limits.max_storage_range = limits->maxStorageBufferRange;
    info->limits.offset_alignment = (uint32_t)limits->minStorageBufferOffsetAlignment;
    if (isfinite(limits->timestampPeriod) && limits->timestampPeriod > 0)
        info->limits.timestamp_period_ns = (double)limits->timestampPeriod;
    else
        info->limits.timestamp_bits = 0;
}

/* NVK's name ends in a space. */
static void trim(char *name)
{
    for (size_t end = strlen(name); end > 0 && name[end - 1] == ' ';) name[--end] = '\0';
}

static void read_identity(const VkPhysicalDeviceProperties *properties, const VkPhysicalDeviceDriverProperties *driver,
                          const VkPhysicalDeviceIDProperties *ids, vkmm_device_info *info)
{
    memcpy(info->name, properties->deviceName, sizeof info->name);
    trim(info->name);
    memcpy(info->driver.name, driver->driverName, sizeof info->driver.name);
    memcpy(info->driver.info, driver->driverInfo, sizeof info->driver.info);
    info->driver.id = driver->driverID;
    memcpy(info->uuid, ids->deviceUUID, sizeof info->uuid);
    memcpy(info->driver.uuid, ids->driverUUID, sizeof info->driver.uuid);
    info->vendor_id = properties->vendorID;
    info->device_id = properties->deviceID;
    info->driver.version = properties->driverVersion;
    info->driver.api_version = properties->apiVersion;
    info->type = properties->deviceType;
}

/* Two vendors report how many processors there are, each through its own extension. */
static uint32_t read_processors(const vkmm_instance *instance, VkPhysicalDevice handle,
                                const vkmm_extensions *extensions)
{
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
    VkPhysicalDeviceShaderCorePropertiesAMD amd = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
    if (vkmm_extensions_have(extensions, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME))
        vkmm_physical_properties(instance, handle, &nvidia);
    else if (vkmm_extensions_have(extensions, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME))
        vkmm_physical_properties(instance, handle, &amd);
    return nvidia.shaderSMCount +
           amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
}

static void read_pci(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_extensions *extensions,
                     vkmm_device_info *info)
{
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    if (!vkmm_extensions_have(extensions, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) return;
    vkmm_physical_properties(instance, handle, &pci);
    info->has_pci = 1;
    info->pci[0] = pci.pciDomain;
    info->pci[1] = pci.pciBus;
    info->pci[2] = pci.pciDevice;
    info->pci[3] = pci.pciFunction;
}

uint64_t vkmm_physical_free_bytes(const vkmm_instance *instance, const vkmm_physical *physical)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                .pNext = physical->has_budget ? &budget : NULL};
    const VkMemoryHeap *heaps = memory.memoryProperties.memoryHeaps;
    uint32_t largest = UINT32_MAX;
    instance->table.vkGetPhysicalDeviceMemoryProperties2(physical->handle, &memory);
    for (uint32_t i = 0; i < memory.memoryProperties.memoryHeapCount; i++)
        if ((heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            (largest == UINT32_MAX || heaps[i].size > heaps[largest].size))
            largest = i;
    if (largest == UINT32_MAX) return 0;
    if (!physical->has_budget || budget.heapBudget[largest] == 0) return heaps[largest].size;
    return budget.heapBudget[largest] > budget.heapUsage[largest]
               ? budget.heapBudget[largest] - budget.heapUsage[largest]
               : 0;
}

int vkmm_physical_read(vkmm_instance *instance, VkPhysicalDevice handle, uint32_t index, vkmm_physical *physical)
{
    VkPhysicalDeviceMaintenance4Properties maintenance4 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceMaintenance3Properties maintenance3 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                                   .pNext = &maintenance3};
    VkPhysicalDeviceIDProperties ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &subgroup};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vkmm_device_info *info = &physical->info;
    /* First without a chain: how new is the device? Structures that it does not know must not be chained. */
    instance->table.vkGetPhysicalDeviceProperties2(handle, &properties);
    uint32_t version = properties.properties.apiVersion;
    if (version > instance->most_version) version = instance->most_version;
    find_queue_families(instance, handle, physical);
    if (version < VK_API_VERSION_1_1 || physical->queue_family == UINT32_MAX) {
        trim(properties.properties.deviceName);
        VKMM_JOIN(instance->left_out, "; ", "\"%s\" %s", properties.properties.deviceName,
                  version < VK_API_VERSION_1_1 ? "supports Vulkan 1.0; 1.1 is the minimum" : "has no compute queue");
        memset(physical, 0, sizeof *physical);
        return 0;
    }
    vkmm_extensions extensions = list_extensions(instance, handle);
    /* VK_KHR_driver_properties is part of Vulkan 1.2; a 1.1 device offers it as an extension. */
    int knows_driver =
        version >= VK_API_VERSION_1_2 || vkmm_extensions_have(&extensions, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    int knows_maintenance4 = version >= VK_API_VERSION_1_3;
    properties.pNext = &ids;
    if (knows_driver) maintenance3.pNext = &driver;
    if (knows_maintenance4) driver.pNext = &maintenance4;
    instance->table.vkGetPhysicalDeviceProperties2(handle, &properties);

    physical->handle = handle;
    memcpy(physical->pipeline_cache_uuid, properties.properties.pipelineCacheUUID,
           sizeof physical->pipeline_cache_uuid);
    info->index = index;
    read_identity(&properties.properties, &driver, &ids, info);
    info->driver.api_version = version;
    read_limits(&properties.properties.limits, info);
    info->subgroup.size = subgroup.subgroupSize;
    if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
        info->subgroup.operations = subgroup.supportedOperations;
    info->subgroup.has_broadcast = (info->subgroup.operations & VK_SUBGROUP_FEATURE_BALLOT_BIT) != 0;
    info->processors = read_processors(instance, handle, &extensions);
    info->memory.max_allocation_bytes = maintenance3.maxMemoryAllocationSize;
    info->memory.max_buffer_bytes =
        knows_maintenance4 ? maintenance4.maxBufferSize : maintenance3.maxMemoryAllocationSize;
    read_memory(instance, handle, info);
    read_pci(instance, handle, &extensions, info);
    physical->has_budget = vkmm_extensions_have(&extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    vkmm_features_read(instance, handle, &extensions, &physical->features, info);
    vkmm_free(extensions.items);
    vkmm_findings_read(instance, physical);
    return 1;
}
