#include "vk/cooperative_matrix.h"

#include "vk/instance.h"

static const char *why_not(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_matrix_facts *facts,
                           const vkmm_device_info *info)
{
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR stages = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    if (!facts->is_listed) return "the driver does not list VK_KHR_cooperative_matrix";
    if (info->driver.api_version < VK_API_VERSION_1_2)
        return "the driver has Vulkan 1.1; matrix operations are used with 1.2 or later";
    if (!facts->is_known)
        return "this build's Vulkan headers are older than VK_KHR_cooperative_matrix, which validation needs";
    if (!facts->has_feature) return "the driver lists VK_KHR_cooperative_matrix, but its feature bit is not set";
    if (!facts->has_memory_model) return "the driver lacks vulkanMemoryModel, which matrix operations need";
    if (!facts->has_device_scope)
        return "the driver lacks vulkanMemoryModelDeviceScope, which other shaders need in addition to "
               "vulkanMemoryModel";
    const char *bad = vkmm_matrix_known_bad(info, facts->has_mixed_dot);
    if (bad) return bad;
    vkmm_physical_properties(instance, handle, &stages);
    if (!(stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
        return "the driver has no matrix operations in compute shaders";
    if (!facts->is_enabled)
        return "cooperativeMatrix, vulkanMemoryModel and vulkanMemoryModelDeviceScope are not all enabled on the "
               "device";
    return "";
}

static const char *list(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info)
{
    VkCooperativeMatrixPropertiesKHR found[VKMM_MAX_MATRIX_SHAPES] = {0};
    uint32_t count = VKMM_MAX_MATRIX_SHAPES;
    PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR get =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)instance->lookup(
            instance->handle, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    if (!get) return "the Vulkan loader lacks vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
    for (uint32_t i = 0; i < count; i++) found[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    if (get(handle, &count, found) < 0) return "the driver fails to list its matrix shapes";
    if (count == 0) return "the driver lists no matrix shape";
    for (uint32_t i = 0; i < count; i++)
        info->matrices.shapes[i] = (vkmm_matrix_shape)VKMM_MATRIX_SHAPE(found[i], Size);
    info->matrices.shape_count = count;
    return "";
}

void vkmm_matrix_read(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_matrix_facts *facts,
                      vkmm_device_info *info)
{
    info->matrices.refusal = why_not(instance, handle, facts, info);
    if (!*info->matrices.refusal) info->matrices.refusal = list(instance, handle, info);
}
