#include "vk/cooperative_matrix.h"

#include "base/alloc.h"
#include "vk/instance.h"

static vkmm_matrix_granule granule_of(const VkCooperativeMatrixFlexibleDimensionsPropertiesNV *found)
{
    return (vkmm_matrix_granule){
        .of = {.m = found->MGranularity,
               .n = found->NGranularity,
               .k = found->KGranularity,
               .a = (uint32_t)found->AType,
               .b = (uint32_t)found->BType,
               .c = (uint32_t)found->CType,
               .result = (uint32_t)found->ResultType,
               .scope = (uint32_t)found->scope,
               .saturating = found->saturatingAccumulation == VK_TRUE},
        .invocations = found->workgroupInvocations,
    };
}

/* A driver that cannot list its granules is treated as one without flexible dimensions: not an error, there are other
 * kernels. */
static void read_granules(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info)
{
    PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV get =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)instance->lookup(
            instance->handle, "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV");
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV *found = NULL;
    uint32_t count = 0;
    if (!get || get(handle, &count, NULL) < 0 || count == 0) return;
    found = vkmm_alloc(count, sizeof *found);
    if (!found) return;
    for (uint32_t i = 0; i < count; i++)
        found[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV;
    if (get(handle, &count, found) >= 0)
        for (uint32_t i = 0; i < count && info->matrices.granule_count < VKMM_MAX_MATRIX_GRANULES; i++)
            info->matrices.granules[info->matrices.granule_count++] = granule_of(&found[i]);
    vkmm_free(found);
}

void vkmm_matrix2_read(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info)
{
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV limits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &limits};
    if (info->matrices.matrix2 == 0) return;
    instance->table.vkGetPhysicalDeviceProperties2(handle, &properties);
    info->matrices.max_dimension = limits.cooperativeMatrixFlexibleDimensionsMaxDimension;
    info->matrices.max_invocations = limits.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize;
    info->matrices.reserved_bytes = limits.cooperativeMatrixWorkgroupScopeReservedSharedMemory;
    if (info->matrices.matrix2 & VKMM_MATRIX2_FLEXIBLE) read_granules(instance, handle, info);
}
