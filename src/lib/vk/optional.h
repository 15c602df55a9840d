/* The optional features that vkmatmul uses: which of them the device has, and the chain of structures that enables
 * them. */
#ifndef VKMM_VK_OPTIONAL_H
#define VKMM_VK_OPTIONAL_H

#include "vk/matrix.h"
#include "vkmatmul.h"

/* One structure for each feature, not those for a whole version of Vulkan: the two kinds cannot be combined in a
 * chain. */
enum {
    VKMM_FEATURE_STORAGE16,
    VKMM_FEATURE_STORAGE8,
    VKMM_FEATURE_FLOAT16_INT8,
    VKMM_FEATURE_MEMORY_MODEL,
    VKMM_FEATURE_INTEGER_DOT,
    VKMM_FEATURE_SUBGROUP_SIZE,
    VKMM_FEATURE_STATISTICS,
    VKMM_FEATURE_BFLOAT16,
    VKMM_FEATURE_MATRIX,
    VKMM_FEATURE_MATRIX2,
    VKMM_FEATURE_MAINTENANCE4, /* workgroups of a specialized size in SPIR-V 1.6, which shaders with MATRIX2 are */
    VKMM_FEATURE_COUNT
};

typedef struct vkmm_features {
    uint32_t used; /* bits 1 << VKMM_FEATURE_*: the structures in use */
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceShaderIntegerDotProductFeatures integer_dot;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV matrix2;
    VkPhysicalDeviceMaintenance4Features maintenance4;
} vkmm_features;

struct vkmm_instance;

/* Finds out whether a driver lists an extension. */
typedef struct vkmm_lister {
    int (*has)(const void *list, const char *name);
    const void *list;
} vkmm_lister;

/* Reads the features of a device into *info, whose identity, version and subgroup size are already set; the matrix
 * shapes included. *features becomes what the device is to be created with. */
void vkmm_features_read(const struct vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_lister *extensions,
                        vkmm_features *features, vkmm_device_info *info);

/* Chains the used structures, which then point to one another: *features must stay where it is as long as the chain
 * is used. NULL: none is. */
void *vkmm_features_chain(vkmm_features *features);

/* The extensions that a device of this version is created with, at most VKMM_FEATURE_COUNT; returns how many. Static
 * storage. */
uint32_t vkmm_features_extensions(const vkmm_features *features, uint32_t version, const char **names);

#endif
