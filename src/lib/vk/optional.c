#include "vk/optional.h"

#include <stddef.h>

#include "vk/instance.h"

enum { ALWAYS = VK_API_VERSION_1_1, NEVER = 0x7fffffff };

/* Where a structure is in vkmm_features, the version of Vulkan that includes it, and the extension that provides it
 * before. */
static const struct {
    size_t offset;
    VkStructureType type;
    uint32_t core;
    const char *extension;
} structures[VKMM_FEATURE_COUNT] = {
#define STRUCTURE(member, type) offsetof(vkmm_features, member), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type
    [VKMM_FEATURE_STORAGE16] = {STRUCTURE(storage16, 16BIT_STORAGE_FEATURES), ALWAYS, ""},
    [VKMM_FEATURE_STORAGE8] = {STRUCTURE(storage8, 8BIT_STORAGE_FEATURES), VK_API_VERSION_1_2,
                               VK_KHR_8BIT_STORAGE_EXTENSION_NAME},
    [VKMM_FEATURE_FLOAT16_INT8] = {STRUCTURE(float16_int8, SHADER_FLOAT16_INT8_FEATURES), VK_API_VERSION_1_2,
                                   VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME},
    [VKMM_FEATURE_MEMORY_MODEL] = {STRUCTURE(memory_model, VULKAN_MEMORY_MODEL_FEATURES), VK_API_VERSION_1_2,
                                   VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME},
    [VKMM_FEATURE_INTEGER_DOT] = {STRUCTURE(integer_dot, SHADER_INTEGER_DOT_PRODUCT_FEATURES), VK_API_VERSION_1_3,
                                  VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME},
    [VKMM_FEATURE_SUBGROUP_SIZE] = {STRUCTURE(subgroup_size, SUBGROUP_SIZE_CONTROL_FEATURES), VK_API_VERSION_1_3,
                                    VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME},
    [VKMM_FEATURE_STATISTICS] = {STRUCTURE(statistics, PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR), NEVER,
                                 VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME},
    [VKMM_FEATURE_BFLOAT16] = {STRUCTURE(bfloat16, SHADER_BFLOAT16_FEATURES_KHR), NEVER,
                               VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME},
    [VKMM_FEATURE_MATRIX] = {STRUCTURE(matrix, COOPERATIVE_MATRIX_FEATURES_KHR), NEVER,
                             VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME},
    [VKMM_FEATURE_MATRIX2] = {STRUCTURE(matrix2, COOPERATIVE_MATRIX_2_FEATURES_NV), NEVER,
                              VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME},
    [VKMM_FEATURE_MAINTENANCE4] = {STRUCTURE(maintenance4, MAINTENANCE_4_FEATURES), VK_API_VERSION_1_3,
                                   VK_KHR_MAINTENANCE_4_EXTENSION_NAME},
#undef STRUCTURE
};

static VkBaseOutStructure *structure(vkmm_features *features, int index)
{
    return (VkBaseOutStructure *)(void *)((char *)features + structures[index].offset);
}

/* A validation layer as old as the headers would complain of structures that it does not know. */
static uint32_t unknown_to_headers(void)
{
    uint32_t unknown = 0;
#ifndef VK_KHR_shader_bfloat16
    unknown |= 1u << VKMM_FEATURE_BFLOAT16;
#endif
#ifndef VK_KHR_cooperative_matrix
    unknown |= 1u << VKMM_FEATURE_MATRIX;
#endif
#ifndef VK_NV_cooperative_matrix2
    unknown |= 1u << VKMM_FEATURE_MATRIX2;
#endif
    return unknown;
}

void *vkmm_features_chain(vkmm_features *features)
{
    VkBaseOutStructure *first = NULL;
    for (int i = 0; i < VKMM_FEATURE_COUNT; i++) {
        if (!(features->used & 1u << i)) continue;
        VkBaseOutStructure *next = structure(features, i);
        next->sType = structures[i].type;
        next->pNext = first;
        first = next;
    }
    return first;
}

uint32_t vkmm_features_extensions(const vkmm_features *features, uint32_t version, const char **names)
{
    uint32_t count = 0;
    for (int i = 0; i < VKMM_FEATURE_COUNT; i++)
        if (features->used & 1u << i && version < structures[i].core) names[count++] = structures[i].extension;
    return count;
}

static vkmm_features query(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_lister *extensions,
                           uint32_t version)
{
    vkmm_features found = {0};
    for (int i = 0; i < VKMM_FEATURE_COUNT; i++)
        if (version >= structures[i].core || extensions->has(extensions->list, structures[i].extension))
            found.used |= 1u << i;
    if (instance->messenger) found.used &= ~unknown_to_headers();
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = vkmm_features_chain(&found)};
    instance->table.vkGetPhysicalDeviceFeatures2(handle, &all);
    return found;
}

/* Part of both Vulkan 1.3 and the extension. */
static void read_subgroup_sizes(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info)
{
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes};
    instance->table.vkGetPhysicalDeviceProperties2(handle, &properties);
    if (!(sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT)) return;
    info->min_subgroup_size = sizes.minSubgroupSize;
    info->max_subgroup_size = sizes.maxSubgroupSize;
    info->max_subgroups = sizes.maxComputeWorkgroupSubgroups;
}

/* What is not accelerated is slower than the multiply-adds that it stands for. Part of both Vulkan 1.3 and the
 * extension. */
static VkPhysicalDeviceShaderIntegerDotProductProperties read_dot(const vkmm_instance *instance,
                                                                  VkPhysicalDevice handle, const vkmm_features *found)
{
    VkPhysicalDeviceShaderIntegerDotProductProperties dot = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &dot};
    if (found->used & 1u << VKMM_FEATURE_INTEGER_DOT)
        instance->table.vkGetPhysicalDeviceProperties2(handle, &properties);
    return dot;
}

static uint32_t matrix2_bits(const VkPhysicalDeviceCooperativeMatrix2FeaturesNV *found)
{
    return (found->cooperativeMatrixWorkgroupScope ? VKMM_MATRIX2_WORKGROUP : 0u) |
           (found->cooperativeMatrixFlexibleDimensions ? VKMM_MATRIX2_FLEXIBLE : 0u) |
           (found->cooperativeMatrixTensorAddressing ? VKMM_MATRIX2_TENSOR : 0u) |
           (found->cooperativeMatrixBlockLoads ? VKMM_MATRIX2_BLOCK : 0u) |
           (found->cooperativeMatrixConversions ? VKMM_MATRIX2_CONVERSION : 0u) |
           (found->cooperativeMatrixReductions ? VKMM_MATRIX2_REDUCTION : 0u) |
           (found->cooperativeMatrixPerElementOperations ? VKMM_MATRIX2_ELEMENTS : 0u);
}

/* Keeps the structure if its feature is to be enabled. */
static void use(vkmm_features *features, int index, int wanted)
{
    if (wanted) features->used |= 1u << index;
}

static void read_matrices(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_lister *extensions,
                          const vkmm_features *found, vkmm_features *features, vkmm_device_info *info)
{
    const vkmm_matrix_facts facts = {
        .is_listed = extensions->has(extensions->list, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME),
        .is_known = !(instance->messenger && unknown_to_headers() & 1u << VKMM_FEATURE_MATRIX),
        .has_feature = found->matrix.cooperativeMatrix == VK_TRUE,
        .has_memory_model = found->memory_model.vulkanMemoryModel == VK_TRUE,
        .has_device_scope = found->memory_model.vulkanMemoryModelDeviceScope == VK_TRUE,
        .has_mixed_dot =
            read_dot(instance, handle, found).integerDotProduct4x8BitPackedMixedSignednessAccelerated == VK_TRUE,
    };
    vkmm_matrix_read(instance, handle, &facts, info);
    if (*info->no_matrices) return;
    features->matrix.cooperativeMatrix = VK_TRUE;
    features->memory_model.vulkanMemoryModel = VK_TRUE;
    /* For atomics, whose scope is the device: with the memory model they need this feature. */
    features->memory_model.vulkanMemoryModelDeviceScope = VK_TRUE;
    use(features, VKMM_FEATURE_MATRIX, 1);
    use(features, VKMM_FEATURE_MEMORY_MODEL, 1);
    info->has_bf16_matrices = found->bfloat16.shaderBFloat16Type && found->bfloat16.shaderBFloat16CooperativeMatrix;
    features->bfloat16.shaderBFloat16Type = features->bfloat16.shaderBFloat16CooperativeMatrix = VK_TRUE;
    use(features, VKMM_FEATURE_BFLOAT16, info->has_bf16_matrices);
    if (info->api_version >= VK_API_VERSION_1_3 && found->maintenance4.maintenance4)
        info->matrix2 = matrix2_bits(&found->matrix2);
    features->matrix2 = found->matrix2;
    features->maintenance4.maintenance4 = VK_TRUE;
    use(features, VKMM_FEATURE_MATRIX2, info->matrix2 != 0);
    use(features, VKMM_FEATURE_MAINTENANCE4, info->matrix2 != 0);
    vkmm_matrix2_read(instance, handle, info);
}

void vkmm_features_read(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_lister *extensions,
                        vkmm_features *features, vkmm_device_info *info)
{
    const vkmm_features found = query(instance, handle, extensions, info->api_version);
    *features = (vkmm_features){0};
    info->has_f16 = found.float16_int8.shaderFloat16 == VK_TRUE;
    info->has_i8 = found.float16_int8.shaderInt8 == VK_TRUE;
    info->has_storage16 = found.storage16.storageBuffer16BitAccess == VK_TRUE;
    info->has_storage8 = found.storage8.storageBuffer8BitAccess == VK_TRUE;
    info->has_dot = found.integer_dot.shaderIntegerDotProduct == VK_TRUE;
    const VkPhysicalDeviceShaderIntegerDotProductProperties dot = read_dot(instance, handle, &found);
    info->has_dot8 =
        info->has_dot &&
        (info->type == VK_PHYSICAL_DEVICE_TYPE_CPU ||
         (dot.integerDotProduct4x8BitPackedSignedAccelerated && dot.integerDotProduct4x8BitPackedUnsignedAccelerated));
    info->has_statistics = found.statistics.pipelineExecutableInfo == VK_TRUE;
    const int sizes = found.subgroup_size.subgroupSizeControl && found.subgroup_size.computeFullSubgroups;
    if (sizes) read_subgroup_sizes(instance, handle, info);
    features->float16_int8.shaderFloat16 = found.float16_int8.shaderFloat16;
    features->float16_int8.shaderInt8 = found.float16_int8.shaderInt8;
    features->storage16.storageBuffer16BitAccess = VK_TRUE;
    features->storage8.storageBuffer8BitAccess = VK_TRUE;
    features->integer_dot.shaderIntegerDotProduct = VK_TRUE;
    features->subgroup_size.subgroupSizeControl = features->subgroup_size.computeFullSubgroups = VK_TRUE;
    features->statistics.pipelineExecutableInfo = VK_TRUE;
    use(features, VKMM_FEATURE_FLOAT16_INT8, info->has_f16 || info->has_i8);
    use(features, VKMM_FEATURE_STORAGE16, info->has_storage16);
    use(features, VKMM_FEATURE_STORAGE8, info->has_storage8);
    use(features, VKMM_FEATURE_INTEGER_DOT, info->has_dot);
    use(features, VKMM_FEATURE_SUBGROUP_SIZE, info->max_subgroup_size > 0);
    use(features, VKMM_FEATURE_STATISTICS, info->has_statistics);
    read_matrices(instance, handle, extensions, &found, features, info);
}
