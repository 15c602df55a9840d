#include "vk/optional.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "vk/instance.h"

/* A shape as the driver lists it, whose members for its extents end in Size or Granularity. */
#define MATRIX_SHAPE(found, ending)                                                                           \
    {                                                                                                         \
        .m = (found).M##ending, .n = (found).N##ending, .k = (found).K##ending, .a = (uint32_t)(found).AType, \
        .b = (uint32_t)(found).BType, .c = (uint32_t)(found).CType, .result = (uint32_t)(found).ResultType,   \
        .scope = (uint32_t)(found).scope, .saturating = (found).saturatingAccumulation == VK_TRUE             \
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

static vkmm_features query(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_extensions *extensions,
                           uint32_t version)
{
    vkmm_features found = {.used = vkmm_features_known(extensions, version)};
    if (instance->messenger) found.used &= ~unknown_to_headers();
    instance->table.vkGetPhysicalDeviceFeatures2(handle, vkmm_features_chain(&found)); /* `basic` is the first */
    found.push_descriptor = (found.used & 1u << VKMM_FEATURE_PUSH_DESCRIPTOR) != 0;
    found.portability = (found.used & 1u << VKMM_FEATURE_PORTABILITY) != 0;
    return found;
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

/* Why matrix operations are not used; "": they may be. Known-bad drivers are not asked for shapes. */
static const char *refusal_of(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_extensions *extensions,
                              const vkmm_features *all, int has_mixed_dot, const vkmm_features *features,
                              const vkmm_device_info *info)
{
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR stages = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    if (!vkmm_extensions_have(extensions, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME))
        return "the driver does not list VK_KHR_cooperative_matrix";
    if (info->driver.api_version < VK_API_VERSION_1_2)
        return "the driver has Vulkan 1.1; matrix operations are used with 1.2 or later";
    if (!(all->used & 1u << VKMM_FEATURE_MATRIX))
        return "this build's Vulkan headers are older than VK_KHR_cooperative_matrix, which validation needs";
    if (!all->matrix.cooperativeMatrix)
        return "the driver lists VK_KHR_cooperative_matrix, but its feature bit is not set";
    if (!all->memory_model.vulkanMemoryModel) return "the driver lacks vulkanMemoryModel, which matrix operations need";
    /* For atomics, whose scope is the device: with the memory model they need this feature. */
    if (!all->memory_model.vulkanMemoryModelDeviceScope)
        return "the driver lacks vulkanMemoryModelDeviceScope, which other shaders need in addition to "
               "vulkanMemoryModel";
    const char *bad = vkmm_matrix_known_bad(info, has_mixed_dot);
    if (bad) return bad;
    vkmm_physical_properties(instance, handle, &stages);
    if (!(stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
        return "the driver has no matrix operations in compute shaders";
    if (!features->matrix.cooperativeMatrix || !features->memory_model.vulkanMemoryModel ||
        !features->memory_model.vulkanMemoryModelDeviceScope)
        return "cooperativeMatrix, vulkanMemoryModel and vulkanMemoryModelDeviceScope are not all enabled on the "
               "device";
    return "";
}

/* "", or why the shapes are not known. */
static const char *list_shapes(const vkmm_instance *instance, VkPhysicalDevice handle, vkmm_device_info *info)
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
    for (uint32_t i = 0; i < count; i++) info->matrices.shapes[i] = (vkmm_matrix_shape)MATRIX_SHAPE(found[i], Size);
    info->matrices.shape_count = count;
    return "";
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
            info->matrices.granules[info->matrices.granule_count++] =
                (vkmm_matrix_granule){MATRIX_SHAPE(found[i], Granularity), found[i].workgroupInvocations};
    vkmm_free(found);
}

/* all: what the driver has; features: what of it is usable, the structures in use excepted. */
static void read_matrices(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_extensions *extensions,
                          const vkmm_features *all, int has_mixed_dot, vkmm_features *features, vkmm_device_info *info)
{
    info->matrices.refusal = refusal_of(instance, handle, extensions, all, has_mixed_dot, features, info);
    if (!*info->matrices.refusal) info->matrices.refusal = list_shapes(instance, handle, info);
    if (*info->matrices.refusal) return;
    use(features, VKMM_FEATURE_MATRIX, 1);
    use(features, VKMM_FEATURE_MEMORY_MODEL, 1);
    info->features.bf16_matrices =
        features->bfloat16.shaderBFloat16Type && features->bfloat16.shaderBFloat16CooperativeMatrix;
    use(features, VKMM_FEATURE_BFLOAT16, info->features.bf16_matrices);
    if (info->driver.api_version >= VK_API_VERSION_1_3 && features->maintenance4.maintenance4)
        info->matrices.matrix2 = matrix2_bits(&features->matrix2);
    if (info->matrices.matrix2 == 0) return;
    use(features, VKMM_FEATURE_MATRIX2, 1);
    use(features, VKMM_FEATURE_MAINTENANCE4, 1);
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV limits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV};
    vkmm_physical_properties(instance, handle, &limits);
    info->matrices.max_dimension = limits.cooperativeMatrixFlexibleDimensionsMaxDimension;
    info->matrices.max_invocations = limits.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize;
    info->matrices.reserved_bytes = limits.cooperativeMatrixWorkgroupScopeReservedSharedMemory;
    if (info->matrices.matrix2 & VKMM_MATRIX2_FLEXIBLE) read_granules(instance, handle, info);
}

/* Their limits identify GPUs, even if they cannot be asked for. Part of both Vulkan 1.3 and the extension. */
static void read_subgroups(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_features *all,
                           vkmm_features *features, vkmm_device_info *info)
{
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    if (all->subgroup_size.subgroupSizeControl && all->subgroup_size.computeFullSubgroups)
        vkmm_physical_properties(instance, handle, &sizes);
    if (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) {
        info->subgroup.min_size = sizes.minSubgroupSize;
        info->subgroup.max_size = sizes.maxSubgroupSize;
        info->subgroup.max_count = sizes.maxComputeWorkgroupSubgroups;
    }
    if (!features->subgroup_size.subgroupSizeControl || !features->subgroup_size.computeFullSubgroups)
        info->subgroup.max_size = info->subgroup.max_count = 0;
    use(features, VKMM_FEATURE_SUBGROUP_SIZE, info->subgroup.max_size > 0);
}

void vkmm_features_read(const vkmm_instance *instance, VkPhysicalDevice handle, const vkmm_extensions *extensions,
                        vkmm_features *features, vkmm_device_info *info)
{
    const vkmm_features all = query(instance, handle, extensions, info->driver.api_version);
    *features = vkmm_features_only(&all, instance->enabled);
    features->used = 0;
    info->features.f64 = features->basic.features.shaderFloat64 == VK_TRUE;
    info->features.f16 = features->float16_int8.shaderFloat16 == VK_TRUE;
    info->features.i8 = features->float16_int8.shaderInt8 == VK_TRUE;
    info->features.storage16 = features->storage16.storageBuffer16BitAccess == VK_TRUE;
    info->features.storage8 = features->storage8.storageBuffer8BitAccess == VK_TRUE;
    info->features.dot = features->integer_dot.shaderIntegerDotProduct == VK_TRUE;
    /* Dot products are used only where the device accelerates them. Part of both Vulkan 1.3 and the extension. */
    VkPhysicalDeviceShaderIntegerDotProductProperties dot = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES};
    if (all.used & 1u << VKMM_FEATURE_INTEGER_DOT) vkmm_physical_properties(instance, handle, &dot);
    const int any = vkmm_is_processor(info);
    if (info->features.dot)
        info->features.dot8 = (any || dot.integerDotProduct4x8BitPackedSignedAccelerated) |
                              (any || dot.integerDotProduct4x8BitPackedUnsignedAccelerated) << 1;
    info->features.statistics = features->statistics.pipelineExecutableInfo == VK_TRUE;
    use(features, VKMM_FEATURE_BASIC, 1);
    use(features, VKMM_FEATURE_FLOAT16_INT8, info->features.f16 || info->features.i8);
    use(features, VKMM_FEATURE_STORAGE16, info->features.storage16);
    use(features, VKMM_FEATURE_STORAGE8, info->features.storage8);
    use(features, VKMM_FEATURE_INTEGER_DOT, info->features.dot);
    use(features, VKMM_FEATURE_STATISTICS, info->features.statistics);
    use(features, VKMM_FEATURE_PUSH_DESCRIPTOR, features->push_descriptor == VK_TRUE);
    use(features, VKMM_FEATURE_PORTABILITY, features->portability == VK_TRUE);
    read_subgroups(instance, handle, &all, features, info);
    read_matrices(instance, handle, extensions, &all,
                  dot.integerDotProduct4x8BitPackedMixedSignednessAccelerated == VK_TRUE, features, info);
}
