#include "vk/cooperative_matrix.h"

#include "base/alloc.h"
#include "vk/instance.h"

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
            info->matrices.granules[info->matrices.granule_count++] =
                (vkmm_matrix_granule){VKMM_MATRIX_SHAPE(found[i], Granularity), found[i].workgroupInvocations};
    vkmm_free(found);
}

void vkmm_matrix2_read(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info)
{
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV limits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV};
    if (info->matrices.matrix2 == 0) return;
    vkmm_physical_properties(instance, handle, &limits);
    info->matrices.max_dimension = limits.cooperativeMatrixFlexibleDimensionsMaxDimension;
    info->matrices.max_invocations = limits.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize;
    info->matrices.reserved_bytes = limits.cooperativeMatrixWorkgroupScopeReservedSharedMemory;
    if (info->matrices.matrix2 & VKMM_MATRIX2_FLEXIBLE) read_granules(instance, handle, info);
}
