#include "vk/matrix.h"

#include "base/alloc.h"
#include "vk/instance.h"
#include "vk/loader.h"
#include "vk/result.h"

/* A validation layer as old as the headers would complain of structures that it does not know. */
static int is_known(const vkmm_instance *instance)
{
#ifdef VK_KHR_cooperative_matrix
    (void)instance;
    return 1;
#else
    return !instance->messenger;
#endif
}

static vkmm_matrix_support unusable(const char *why)
{
    return (vkmm_matrix_support){.why = why};
}

vkmm_matrix_support vkmm_matrix_support_read(const vkmm_instance *instance, VkPhysicalDevice handle, uint32_t version, int is_listed)
{
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    VkPhysicalDeviceVulkan12Features core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &matrix};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &core};
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR stages = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &stages};
    if (!is_listed) return unusable("the driver does not list VK_KHR_cooperative_matrix");
    if (version < VK_API_VERSION_1_2) return unusable("the driver has Vulkan 1.1, and matrix operations are asked for from 1.2 on");
    if (!is_known(instance))
        return unusable("this build's Vulkan headers are older than VK_KHR_cooperative_matrix, which validation needs");
    instance->table.vkGetPhysicalDeviceFeatures2(handle, &features);
    instance->table.vkGetPhysicalDeviceProperties2(handle, &properties);
    if (!matrix.cooperativeMatrix) return unusable("the driver lists VK_KHR_cooperative_matrix, but its feature bit is not set");
    if (!core.vulkanMemoryModel) return unusable("the driver lacks vulkanMemoryModel, which matrix operations need");
    if (!core.vulkanMemoryModelDeviceScope)
        return unusable("the driver lacks vulkanMemoryModelDeviceScope, which other shaders need beside vulkanMemoryModel");
    if (!(stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
        return unusable("the driver has no matrix operations in compute shaders");
    return (vkmm_matrix_support){.usable = 1, .why = "", .has_f16 = core.shaderFloat16 == VK_TRUE, .has_i8 = core.shaderInt8 == VK_TRUE};
}

static vkmm_status list(const vkmm_instance *instance, const vkmm_physical *physical, VkCooperativeMatrixPropertiesKHR **out,
                        uint32_t *count)
{
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR get = (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)vkmm_loader()(
        instance->handle, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    *out = NULL;
    *count = 0;
    if (!get) return VKMM_OK;
    VkResult result = get(physical->handle, count, NULL);
    if (result < 0)
        return vkmm_check(&instance->log, result, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "counting matrix shapes");
    if (*count == 0) return VKMM_OK;
    *out = vkmm_alloc(*count, sizeof **out);
    if (!*out) return vkmm_fail(&instance->log, VKMM_OUT_OF_MEMORY, "no memory to list %u matrix shapes", *count);
    for (uint32_t i = 0; i < *count; i++) (*out)[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    result = get(physical->handle, count, *out);
    if (result < 0) return vkmm_check(&instance->log, result, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "listing matrix shapes");
    return VKMM_OK;
}

vkmm_status vkmm_device_matrix_shapes(const vkmm_instance *instance, uint32_t index, vkmm_matrix_shape *shapes, uint32_t *count,
                                      const char **why)
{
    const uint32_t room = *count;
    VkCooperativeMatrixPropertiesKHR *found = NULL;
    const char *reason = "";
    if (index >= instance->physical_count)
        return vkmm_fail(&instance->log, VKMM_NO_DEVICE, "there is no device %u; %u were found", index, instance->physical_count);
    const vkmm_physical *physical = &instance->physicals[index];
    uint32_t found_count = 0;
    vkmm_status status = physical->matrix.usable ? list(instance, physical, &found, &found_count) : VKMM_OK;
    if (status == VKMM_OK) {
        reason = !physical->matrix.usable ? physical->matrix.why : found_count == 0 ? "the driver lists no matrix shape" : "";
        *count = found_count < room ? found_count : room;
        for (uint32_t i = 0; i < *count; i++)
            shapes[i] = (vkmm_matrix_shape){
                .m = found[i].MSize,
                .n = found[i].NSize,
                .k = found[i].KSize,
                .a = (uint32_t)found[i].AType,
                .b = (uint32_t)found[i].BType,
                .c = (uint32_t)found[i].CType,
                .result = (uint32_t)found[i].ResultType,
                .scope = (uint32_t)found[i].scope,
                .saturating = found[i].saturatingAccumulation == VK_TRUE,
            };
        if (why) *why = reason;
    }
    vkmm_free(found);
    return status;
}
