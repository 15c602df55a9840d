/* The optional features that vkmatmul uses: which of them the device has, and the chain of structures that enables
 * them. */
#pragma once

#include "vk/cooperative_matrix.h"
#include "vkmatmul.h"

/* One structure for each extension, not those for a whole version of Vulkan: the two kinds cannot be combined in a
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
    VKMM_FEATURE_MAINTENANCE4,    /* workgroups of a specialized size in SPIR-V 1.6, which shaders with MATRIX2 are */
    VKMM_FEATURE_PUSH_DESCRIPTOR, /* without a structure */
    VKMM_FEATURE_PORTABILITY,     /* likewise: must be enabled where it is listed */
    VKMM_FEATURE_BASIC,           /* last, to be the first of a chain */
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
    VkBool32 push_descriptor, portability; /* the extension */
    VkPhysicalDeviceFeatures2 basic;
} vkmm_features;

/* A VkBool32 of one of these structures: what it is good for, and where else it is. A set of features has a bit for
 * each row of the table. */
typedef struct vkmm_feature {
    const char *name;        /* "": the extension has none */
    const char *buys;        /* NULL: nothing, for a program that lends its device */
    uint32_t types;          /* bits 1 << vkmm_type: A and B of types that cannot be multiplied without it */
    int structure;           /* VKMM_FEATURE_* */
    size_t offset;           /* in vkmm_features */
    VkStructureType version; /* the structure for a version of Vulkan, */
    size_t version_offset;   /* and where it is in that; 0: in none */
} vkmm_feature;

enum { VKMM_MOST_FEATURES = 32 };

/* NULL past the end. */
const vkmm_feature *vkmm_feature_at(uint32_t index);

/* The extension that is needed for it with this version of Vulkan; "": none. */
const char *vkmm_feature_extension(const vkmm_feature *feature, uint32_t version);

/* Where it is in a chain; NULL: in no structure of it. */
VkBool32 *vkmm_feature_find(const vkmm_feature *feature, void *chain);

/* The features that are set in structures in use; and those of a set alone, in the same structures. */
uint32_t vkmm_features_set(const vkmm_features *features);
vkmm_features vkmm_features_only(const vkmm_features *features, uint32_t set);

/* The extensions that a driver lists. */
typedef struct vkmm_extensions {
    VkExtensionProperties *items; /* owned */
    uint32_t count;
} vkmm_extensions;

int vkmm_extensions_have(const vkmm_extensions *list, const char *name);

/* The structures, as bits of vkmm_features.used, that a device of this version knows. */
uint32_t vkmm_features_known(const vkmm_extensions *extensions, uint32_t version);

struct vkmm_instance;

/* Reads the features of a device into *info, whose identity, version and subgroup size are already set; the matrix
 * shapes included. What is not in instance->enabled is missing. *features becomes what the device is to be created
 * with. */
void vkmm_features_read(const struct vkmm_instance *instance, VkPhysicalDevice handle,
                        const vkmm_extensions *extensions, vkmm_features *features, vkmm_device_info *info);

/* Chains the used structures, which then point to one another: *features must stay where it is as long as the chain
 * is used. NULL: none is. */
void *vkmm_features_chain(vkmm_features *features);

/* The extensions that a device of this version is created with, at most VKMM_FEATURE_COUNT; returns how many. Static
 * storage. */
uint32_t vkmm_features_extensions(const vkmm_features *features, uint32_t version, const char **names);
