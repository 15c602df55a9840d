/* The fake driver's instance and its one physical device. */
#include "fake_state.h"

#include <math.h>
#include <string.h>

enum { MAX_GROUPS = 65535 };

uint32_t fake_family_count(void)
{
    return fake.caps.transfer_family ? 2 : 1;
}

static PFN_vkVoidFunction find(const char *name)
{
    const size_t size = strlen(name) + 1;
#define X(entry) \
    if (sizeof #entry == size && memcmp(name, #entry, size) == 0) return (PFN_vkVoidFunction)fake_##entry;
    FAKE_FALLIBLE(X)
    FAKE_OTHERS(X)
#undef X
    return NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    FAKE_ENTER(vkGetInstanceProcAddr);
    if (instance) FAKE_FIND(instance, FAKE_INSTANCE);
    if (!instance && strcmp(name, "vkEnumerateInstanceVersion") != 0 && strcmp(name, "vkCreateInstance") != 0 &&
        strcmp(name, "vkEnumerateInstanceExtensionProperties") != 0)
        return NULL;
    return find(name);
}

PFN_vkGetInstanceProcAddr fake_loader(void)
{
    return fake_vkGetInstanceProcAddr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_vkGetDeviceProcAddr(VkDevice device, const char *name)
{
    FAKE_ENTER(vkGetDeviceProcAddr);
    FAKE_FIND(device, FAKE_DEVICE);
    if (strcmp(name, "vkCmdPushDescriptorSetKHR") == 0 && fake.pushes_sets != 1) return NULL;
    if (strcmp(name, "vkCmdPushDescriptorSet") == 0 && fake.pushes_sets == 2) name = "vkCmdPushDescriptorSetKHR";
    return find(name);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkEnumerateInstanceVersion(uint32_t *version)
{
    FAKE_ENTER(vkEnumerateInstanceVersion);
    *version = failure == VK_SUCCESS ? VK_API_VERSION_1_3 : 0;
    return failure;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count,
                                                                           VkExtensionProperties *out)
{
    FAKE_ENTER(vkEnumerateInstanceExtensionProperties);
    if (layer) return VK_ERROR_LAYER_NOT_PRESENT;
    *count = fake.caps.portable != 0;
    if (out && *count > 0) strcpy(out[0].extensionName, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkCreateInstance(const VkInstanceCreateInfo *info,
                                                     const VkAllocationCallbacks *with, VkInstance *out)
{
    FAKE_ENTER_OR_SPOIL(vkCreateInstance, VkInstance, out);
    if (info->enabledLayerCount > 0) return VK_ERROR_LAYER_NOT_PRESENT;
    if (info->enabledExtensionCount != (fake.caps.portable ? 1 : 0)) return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (fake.caps.portable && !(info->flags & VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR))
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    const fake_object *instance = fake_make(FAKE_INSTANCE, 0);
    for (uint32_t i = 0; i < fake.caps.devices; i++) fake_make(FAKE_PHYSICAL, instance->id);
    *out = FAKE_HANDLE(VkInstance, instance);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *with)
{
    FAKE_ENTER(vkDestroyInstance);
    FAKE_DESTROY(instance, FAKE_INSTANCE);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkEnumeratePhysicalDevices(VkInstance handle, uint32_t *count,
                                                               VkPhysicalDevice *out)
{
    FAKE_ENTER(vkEnumeratePhysicalDevices);
    const fake_object *instance = FAKE_FIND(handle, FAKE_INSTANCE);
    if (failure != VK_SUCCESS) *count = 0xbad;
    if (failure != VK_SUCCESS || !instance) return failure;
    const uint32_t there = fake.caps.devices, room = out && *count < there ? *count : there;
    for (uint32_t i = 0; out && i < room; i++) out[i] = (VkPhysicalDevice)(uintptr_t)(instance->id + 1 + i);
    *count = room;
    return out && room < there ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char *layer,
                                                                         uint32_t *count, VkExtensionProperties *out)
{
    FAKE_ENTER(vkEnumerateDeviceExtensionProperties);
    FAKE_FIND(handle, FAKE_PHYSICAL);
    const char *names[4 + VKMM_MOST_FEATURES] = {VK_KHR_MAINTENANCE_4_EXTENSION_NAME};
    uint32_t there = 1;
    if (fake.caps.budget_bytes) names[there++] = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
    if (fake.caps.portable) names[there++] = "VK_KHR_portability_subset";
    if (fake.caps.push_descriptors == 1) names[there++] = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
    for (uint32_t i = 0; fake.caps.featured && vkmm_feature_at(i); i++)
        if (*vkmm_feature_at(i)->name) names[there++] = vkmm_feature_extension(vkmm_feature_at(i), VK_API_VERSION_1_0);
    if (failure != VK_SUCCESS) *count = 0xbad;
    if (failure != VK_SUCCESS) return failure;
    if (!out) *count = there;
    if (!out) return VK_SUCCESS;
    const uint32_t room = *count;
    *count = room < there ? room : there;
    memset(out, 0, *count * sizeof *out);
    for (uint32_t i = 0; i < *count; i++) strcpy(out[i].extensionName, names[i]);
    return room < there ? VK_INCOMPLETE : VK_SUCCESS;
}

static void fill_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxComputeWorkGroupInvocations = fake.caps.minimal ? 128 : 1024;
    for (int axis = 0; axis < 3; axis++) {
        limits->maxComputeWorkGroupSize[axis] = axis == 2 ? 64 : limits->maxComputeWorkGroupInvocations;
        limits->maxComputeWorkGroupCount[axis] = MAX_GROUPS;
    }
    limits->maxComputeSharedMemorySize = fake.caps.minimal ? 16384 : 32768;
    limits->maxStorageBufferRange = (uint32_t)fake.caps.max_storage_range;
    limits->minStorageBufferOffsetAlignment = fake.caps.offset_alignment;
    limits->maxMemoryAllocationCount = fake.caps.max_allocations;
    limits->maxPushConstantsSize = FAKE_PUSH_BYTES;
    limits->timestampPeriod = fake.caps.bad_period == 0 ? 1.0F : fake.caps.bad_period == 2 ? 0.0F : INFINITY;
}

static void fill_properties(VkBaseOutStructure *next)
{
    for (; next; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
            memset(((VkPhysicalDeviceIDProperties *)(void *)next)->deviceUUID, 0xfa, VK_UUID_SIZE);
            memset(((VkPhysicalDeviceIDProperties *)(void *)next)->driverUUID, 0xfb, VK_UUID_SIZE);
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            VkPhysicalDeviceSubgroupProperties *subgroup = (void *)next;
            subgroup->subgroupSize = 32;
            subgroup->supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
            subgroup->supportedOperations =
                VK_SUBGROUP_FEATURE_BASIC_BIT | (fake.caps.no_broadcast ? 0 : VK_SUBGROUP_FEATURE_BALLOT_BIT);
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES) {
            ((VkPhysicalDeviceMaintenance3Properties *)(void *)next)->maxMemoryAllocationSize =
                fake.caps.max_allocation_bytes;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES) {
            ((VkPhysicalDeviceMaintenance4Properties *)(void *)next)->maxBufferSize = fake.caps.max_buffer_bytes;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
            VkPhysicalDeviceSubgroupSizeControlProperties *sizes = (void *)next;
            sizes->minSubgroupSize = sizes->maxSubgroupSize = sizes->maxComputeWorkgroupSubgroups = 32;
            sizes->requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES) {
            VkPhysicalDeviceShaderIntegerDotProductProperties *dot = (void *)next;
            dot->integerDotProduct4x8BitPackedSignedAccelerated = VK_TRUE;
            dot->integerDotProduct4x8BitPackedUnsignedAccelerated = VK_TRUE;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR) {
            ((VkPhysicalDeviceCooperativeMatrixPropertiesKHR *)(void *)next)->cooperativeMatrixSupportedStages =
                VK_SHADER_STAGE_COMPUTE_BIT;
        } else if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            strcpy(((VkPhysicalDeviceDriverProperties *)(void *)next)->driverName, "fake");
        }
    }
}

VKAPI_ATTR void VKAPI_CALL fake_vkGetPhysicalDeviceProperties2(VkPhysicalDevice handle,
                                                               VkPhysicalDeviceProperties2 *out)
{
    FAKE_ENTER(vkGetPhysicalDeviceProperties2);
    FAKE_FIND(handle, FAKE_PHYSICAL);
    VkPhysicalDeviceProperties *p = &out->properties;
    memset(p, 0, sizeof *p);
    p->apiVersion = fake.caps.api_version;
    p->driverVersion = 7;
    p->vendorID = 0xfafa;
    p->deviceID = 0x1234;
    p->deviceType = fake.caps.unified ? VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    strcpy(p->deviceName, "fake "); /* like Mesa's NVK; nobody wants to see the space */
    memset(p->pipelineCacheUUID, 0xfc, VK_UUID_SIZE);
    fill_limits(&p->limits);
    fill_properties(out->pNext);
}

VKAPI_ATTR void VKAPI_CALL fake_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *out)
{
    FAKE_ENTER(vkGetPhysicalDeviceFeatures2);
    FAKE_FIND(handle, FAKE_PHYSICAL);
    memset(&out->features, 0, sizeof out->features);
    out->features.shaderFloat64 = VK_TRUE;
    for (uint32_t i = 0; fake.caps.featured && vkmm_feature_at(i); i++) {
        VkBool32 *found = vkmm_feature_find(vkmm_feature_at(i), out);
        if (found) *found = VK_TRUE;
    }
}

/* One shape, of 16x16x16. */
#define DEFINE_SHAPES(properties, m, n, k)                                                                        \
    VKAPI_ATTR VkResult VKAPI_CALL fake_vkGetPhysicalDevice##properties(VkPhysicalDevice handle, uint32_t *count, \
                                                                        Vk##properties *out)                      \
    {                                                                                                             \
        FAKE_ENTER(vkGetPhysicalDevice##properties);                                                              \
        FAKE_FIND(handle, FAKE_PHYSICAL);                                                                         \
        *count = 1;                                                                                               \
        if (out) out->m = out->n = out->k = 16;                                                                   \
        return VK_SUCCESS;                                                                                        \
    }
DEFINE_SHAPES(CooperativeMatrixPropertiesKHR, MSize, NSize, KSize)
DEFINE_SHAPES(CooperativeMatrixFlexibleDimensionsPropertiesNV, MGranularity, NGranularity, KGranularity)

/* Unified: everything is one; else the device's own, and two kinds of the host's. */
static void fill_memory(VkPhysicalDeviceMemoryProperties *out)
{
    const VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags cached = coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    memset(out, 0, sizeof *out);
    out->memoryHeaps[0] = (VkMemoryHeap){fake.caps.heap_bytes, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    out->memoryHeaps[1] = (VkMemoryHeap){fake.caps.heap_bytes, 0};
    out->memoryTypes[0] = (VkMemoryType){VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | (fake.caps.unified ? cached : 0), 0};
    out->memoryTypes[1] = (VkMemoryType){coherent, 1};
    out->memoryTypes[2] = (VkMemoryType){cached, 1};
    out->memoryHeapCount = fake.caps.unified ? 1 : 2;
    out->memoryTypeCount = fake.caps.unified ? 1 : 3;
}

VKAPI_ATTR void VKAPI_CALL fake_vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice handle,
                                                                    VkPhysicalDeviceMemoryProperties *out)
{
    FAKE_ENTER(vkGetPhysicalDeviceMemoryProperties);
    FAKE_FIND(handle, FAKE_PHYSICAL);
    fill_memory(out);
}

VKAPI_ATTR void VKAPI_CALL fake_vkGetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle,
                                                                     VkPhysicalDeviceMemoryProperties2 *out)
{
    FAKE_ENTER(vkGetPhysicalDeviceMemoryProperties2);
    FAKE_FIND(handle, FAKE_PHYSICAL);
    fill_memory(&out->memoryProperties);
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = out->pNext;
    if (!budget || budget->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) return;
    if (!fake.caps.budget_bytes) fake_complain("%s: asks for a budget that the driver does not list", __func__);
    for (int heap = 0; heap < 2; heap++) {
        budget->heapBudget[heap] = fake.caps.budget_bytes;
        budget->heapUsage[heap] = fake.heap_used[heap];
    }
}

VKAPI_ATTR void VKAPI_CALL fake_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice handle, uint32_t *count,
                                                                         VkQueueFamilyProperties *out)
{
    FAKE_ENTER(vkGetPhysicalDeviceQueueFamilyProperties);
    FAKE_FIND(handle, FAKE_PHYSICAL);
    if (out && *count > fake_family_count()) *count = fake_family_count();
    if (!out) *count = fake_family_count();
    for (uint32_t i = 0; out && i < *count; i++)
        out[i] = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_TRANSFER_BIT | (i == 0 ? VK_QUEUE_COMPUTE_BIT : 0),
                                           .queueCount = i == 0 ? 1 : (uint32_t)fake.caps.transfer_family,
                                           .timestampValidBits = fake.caps.no_timestamps ? 0 : 64};
}
