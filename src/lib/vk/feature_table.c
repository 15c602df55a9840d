/* The table of optional features. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "vk/instance.h"

enum {
    ALWAYS = VK_API_VERSION_1_1,
    NEVER = 0x7fffffff,
    /* Type and member offset of VkPhysicalDeviceVulkan14Features, which headers before 1.4 lack. */
    VULKAN14_FEATURES = 55,
    VULKAN14_PUSH_DESCRIPTOR = sizeof(VkBaseOutStructure) + 20 * sizeof(VkBool32)
};

#ifdef VK_API_VERSION_1_4
static_assert((VkStructureType)VULKAN14_FEATURES == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES, "");
static_assert(VULKAN14_PUSH_DESCRIPTOR == offsetof(VkPhysicalDeviceVulkan14Features, pushDescriptor), "");
#endif

/* Where a structure is in vkmm_features, the version of Vulkan that includes it, and the extension that provides it
 * before. */
static const struct {
    size_t offset;
    VkStructureType type; /* 0: the extension has none, only a VkBool32 */
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
    [VKMM_FEATURE_BASIC] = {STRUCTURE(basic, FEATURES_2), ALWAYS, ""},
#undef STRUCTURE
    [VKMM_FEATURE_PUSH_DESCRIPTOR] = {offsetof(vkmm_features, push_descriptor), 0, NEVER,
                                      VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME},
    [VKMM_FEATURE_PORTABILITY] = {offsetof(vkmm_features, portability), 0, NEVER, VKMM_PORTABILITY_SUBSET},
};

static const vkmm_feature table[] = {
#define IN(structure, member, name) VKMM_FEATURE_##structure, offsetof(vkmm_features, member.name)
#define SINCE(version, name)                                         \
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##version##_FEATURES, \
        offsetof(VkPhysicalDeviceVulkan1##version##Features, name)
#define ROW(structure, member, name, version, buys)                       \
    {                                                                     \
#name, buys, 0, IN(structure, member, name), SINCE(version, name) \
    }
#define ROW_OF_EXTENSION(structure, member, name, buys)   \
    {                                                     \
#name, buys, 0, IN(structure, member, name), 0, 0 \
    }
    {"shaderFloat64", "fast f64 products", 1u << VKMM_F64, IN(BASIC, basic, features.shaderFloat64), 0, 0},
    ROW(STORAGE16, storage16, storageBuffer16BitAccess, 1,
        "faster loads and stores of f16 and bf16, and their matrix operations"),
    ROW(STORAGE8, storage8, storageBuffer8BitAccess, 2, "users' shaders with 8-bit storage"),
    ROW(FLOAT16_INT8, float16_int8, shaderFloat16, 2, "f16 arithmetic; f16 and bf16 in matrix operations"),
    ROW(FLOAT16_INT8, float16_int8, shaderInt8, 2, "i8 and u8 in matrix operations"),
    ROW(INTEGER_DOT, integer_dot, shaderIntegerDotProduct, 3, "dot products of four bytes at once, for i8 and u8"),
    ROW(SUBGROUP_SIZE, subgroup_size, subgroupSizeControl, 3, "the subgroup size that suits matrix operations"),
    ROW(SUBGROUP_SIZE, subgroup_size, computeFullSubgroups, 3, "the same, and only with subgroupSizeControl"),
    ROW(MEMORY_MODEL, memory_model, vulkanMemoryModel, 2, "matrix operations, which need it"),
    ROW(MEMORY_MODEL, memory_model, vulkanMemoryModelDeviceScope, 2, "matrix operations, which need it"),
    ROW_OF_EXTENSION(MATRIX, matrix, cooperativeMatrix, "matrix operations: f16, i8 and u8 several times as fast"),
    ROW_OF_EXTENSION(BFLOAT16, bfloat16, shaderBFloat16Type, "matrix operations on bf16"),
    ROW_OF_EXTENSION(BFLOAT16, bfloat16, shaderBFloat16CooperativeMatrix, "matrix operations on bf16"),
    ROW_OF_EXTENSION(MATRIX2, matrix2, cooperativeMatrixFlexibleDimensions, NULL),
    ROW_OF_EXTENSION(MATRIX2, matrix2, cooperativeMatrixConversions, NULL),
    ROW_OF_EXTENSION(MATRIX2, matrix2, cooperativeMatrixPerElementOperations, NULL),
    ROW_OF_EXTENSION(MATRIX2, matrix2, cooperativeMatrixWorkgroupScope, NULL),
    ROW_OF_EXTENSION(MATRIX2, matrix2, cooperativeMatrixTensorAddressing, NULL),
    ROW_OF_EXTENSION(MATRIX2, matrix2, cooperativeMatrixBlockLoads, NULL),
    ROW_OF_EXTENSION(MATRIX2, matrix2, cooperativeMatrixReductions, NULL),
    ROW(MAINTENANCE4, maintenance4, maintenance4, 3, NULL),
    ROW_OF_EXTENSION(STATISTICS, statistics, pipelineExecutableInfo, NULL),
    {"", "any number of recordings at once, without descriptor pools", 0, VKMM_FEATURE_PUSH_DESCRIPTOR,
     offsetof(vkmm_features, push_descriptor), (VkStructureType)VULKAN14_FEATURES, VULKAN14_PUSH_DESCRIPTOR},
    {"", "nothing, but Vulkan requires it on this device", 0, VKMM_FEATURE_PORTABILITY,
     offsetof(vkmm_features, portability), 0, 0},
#undef IN
#undef SINCE
#undef ROW
#undef ROW_OF_EXTENSION
};

#define ROWS (VKMM_COUNT(table))
static_assert(ROWS < VKMM_MOST_FEATURES, "a set has a bit for each");

const vkmm_feature *vkmm_feature_at(uint32_t index)
{
    return index < ROWS ? &table[index] : NULL;
}

const char *vkmm_feature_extension(const vkmm_feature *feature, uint32_t version)
{
    return version < structures[feature->structure].core ? structures[feature->structure].extension : "";
}

static VkBool32 *at(void *structure, size_t offset)
{
    return (VkBool32 *)(void *)((char *)structure + offset);
}

VkBool32 *vkmm_feature_find(const vkmm_feature *feature, void *chain)
{
    for (VkBaseOutStructure *next = chain; next; next = next->pNext)
        if (next->sType == structures[feature->structure].type && next->sType != 0)
            return at(next, feature->offset - structures[feature->structure].offset);
        else if (next->sType == feature->version && feature->version_offset > 0)
            return at(next, feature->version_offset);
    return NULL;
}

static VkBool32 value(const vkmm_features *features, uint32_t row)
{
    VkBool32 found;
    memcpy(&found, (const char *)features + table[row].offset, sizeof found);
    return found;
}

uint32_t vkmm_features_set(const vkmm_features *features)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (features->used & 1u << table[i].structure && value(features, i)) set |= 1u << i;
    return set;
}

vkmm_features vkmm_features_only(const vkmm_features *features, uint32_t set)
{
    vkmm_features only = {.used = features->used};
    for (uint32_t i = 0; i < ROWS; i++)
        if (set & 1u << i) *at(&only, table[i].offset) = value(features, i);
    return only;
}

void *vkmm_features_chain(vkmm_features *features)
{
    VkBaseOutStructure *first = NULL;
    for (int i = 0; i < VKMM_FEATURE_COUNT; i++) {
        if (!(features->used & 1u << i) || structures[i].type == 0) continue;
        VkBaseOutStructure *next = (void *)((char *)features + structures[i].offset);
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

uint32_t vkmm_features_known(const vkmm_extensions *extensions, uint32_t version)
{
    uint32_t known = 0;
    for (int i = 0; i < VKMM_FEATURE_COUNT; i++)
        if (version >= structures[i].core || vkmm_extensions_have(extensions, structures[i].extension))
            known |= 1u << i;
    return known;
}
