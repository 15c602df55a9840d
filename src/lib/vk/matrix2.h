/* What VK_NV_cooperative_matrix2 tells of itself beyond its features: limits, and the granules that matrices of
 * flexible dimensions are multiples of. For Vulkan headers that do not know it, what is needed stands here. */
#ifndef VKMM_VK_MATRIX2_H
#define VKMM_VK_MATRIX2_H

#include "vk/matrix.h"

#ifndef VK_NV_cooperative_matrix2
typedef struct VkCooperativeMatrixFlexibleDimensionsPropertiesNV {
    VkStructureType sType;
    void *pNext;
    uint32_t MGranularity, NGranularity, KGranularity;
    uint32_t AType, BType, CType, ResultType;
    VkBool32 saturatingAccumulation;
    uint32_t scope;
    uint32_t workgroupInvocations;
} VkCooperativeMatrixFlexibleDimensionsPropertiesNV;

typedef struct VkPhysicalDeviceCooperativeMatrix2PropertiesNV {
    VkStructureType sType;
    void *pNext;
    uint32_t cooperativeMatrixWorkgroupScopeMaxWorkgroupSize, cooperativeMatrixFlexibleDimensionsMaxDimension,
        cooperativeMatrixWorkgroupScopeReservedSharedMemory;
} VkPhysicalDeviceCooperativeMatrix2PropertiesNV;

typedef VkResult(VKAPI_PTR *PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)(
    VkPhysicalDevice, uint32_t *, VkCooperativeMatrixFlexibleDimensionsPropertiesNV *);
#endif

/* Fills the limits and the granules of a device whose matrix2 is in *info already; beyond their room the driver's
 * list is cut. */
void vkmm_matrix2_read(const struct vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info);

#endif
