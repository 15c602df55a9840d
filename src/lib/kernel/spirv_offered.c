#include "kernel/spirv_offered.h"

#include <string.h>

#include "base/log.h"

/* What a capability needs of a device: a field of vkmm_device_info, bits of its subgroup_operations, or nothing. */
typedef struct capability {
    uint32_t number;
    const char *name, *feature;
    size_t field;      /* an int of vkmm_device_info; 0: none */
    uint32_t subgroup; /* VkSubgroupFeatureFlags */
    int never;         /* no device is asked for it: only its name is of use */
} capability;

#define FIELD(name) offsetof(vkmm_device_info, name)

static const capability capabilities[] = {
    {0, "Matrix", "", 0, 0, 0},
    {1, "Shader", "", 0, 0, 0},
    {9, "Float16", "shaderFloat16", FIELD(has_f16), 0, 0},
    {10, "Float64", "shaderFloat64", FIELD(has_f64), 0, 0},
    {39, "Int8", "shaderInt8", FIELD(has_i8), 0, 0},
    {61, "GroupNonUniform", "subgroups in compute shaders", 0, VK_SUBGROUP_FEATURE_BASIC_BIT, 0},
    {62, "GroupNonUniformVote", "subgroup votes", 0, VK_SUBGROUP_FEATURE_VOTE_BIT, 0},
    {63, "GroupNonUniformArithmetic", "subgroup arithmetic", 0, VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, 0},
    {64, "GroupNonUniformBallot", "subgroup ballots", 0, VK_SUBGROUP_FEATURE_BALLOT_BIT, 0},
    {65, "GroupNonUniformShuffle", "subgroup shuffles", 0, VK_SUBGROUP_FEATURE_SHUFFLE_BIT, 0},
    {66, "GroupNonUniformShuffleRelative", "relative subgroup shuffles", 0, VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT,
     0},
    {67, "GroupNonUniformClustered", "clusters of subgroups", 0, VK_SUBGROUP_FEATURE_CLUSTERED_BIT, 0},
    {68, "GroupNonUniformQuad", "subgroup quads", 0, VK_SUBGROUP_FEATURE_QUAD_BIT, 0},
    {4433, "StorageBuffer16BitAccess", "storageBuffer16BitAccess", FIELD(has_storage16), 0, 0},
    {4448, "StorageBuffer8BitAccess", "storageBuffer8BitAccess", FIELD(has_storage8), 0, 0},
    {6016, "DotProductInputAll", "shaderIntegerDotProduct", FIELD(has_dot8), 0, 0},
    {6017, "DotProductInput4x8Bit", "shaderIntegerDotProduct", FIELD(has_dot8), 0, 0},
    {6018, "DotProductInput4x8BitPacked", "shaderIntegerDotProduct", FIELD(has_dot8), 0, 0},
    {6019, "DotProduct", "shaderIntegerDotProduct", FIELD(has_dot8), 0, 0},
    {4, "Addresses", "", 0, 0, 1},
    {5, "Linkage", "", 0, 0, 1},
    {6, "Kernel", "", 0, 0, 1},
    {11, "Int64", "", 0, 0, 1},
    {12, "Int64Atomics", "", 0, 0, 1},
    {22, "Int16", "", 0, 0, 1},
    {50, "ImageQuery", "", 0, 0, 1},
    {4434, "UniformAndStorageBuffer16BitAccess", "", 0, 0, 1},
    {4441, "VariablePointersStorageBuffer", "", 0, 0, 1},
    {4442, "VariablePointers", "", 0, 0, 1},
    {4464, "DenormPreserve", "", 0, 0, 1},
    {4465, "DenormFlushToZero", "", 0, 0, 1},
    {4466, "SignedZeroInfNanPreserve", "", 0, 0, 1},
    {4467, "RoundingModeRTE", "", 0, 0, 1},
    {4468, "RoundingModeRTZ", "", 0, 0, 1},
    {5345, "VulkanMemoryModel", "", 0, 0, 1},
    {5346, "VulkanMemoryModelDeviceScope", "", 0, 0, 1},
    {5347, "PhysicalStorageBufferAddresses", "", 0, 0, 1},
    {6022, "CooperativeMatrixKHR", "", 0, 0, 1},
};

vkmm_status vkmm_spirv_offered_capability(const vkmm_spirv *m, uint32_t number, const vkmm_device_info *device)
{
    const capability *known = NULL;
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities && !known; i++)
        if (capabilities[i].number == number) known = &capabilities[i];
    if (!known)
        return vkmm_fail(m->log, VKMM_UNSUPPORTED,
                         "%s needs the capability %u of SPIR-V, which vkmatmul turns on nowhere", m->name, number);
    if (known->never)
        return vkmm_fail(m->log, VKMM_UNSUPPORTED,
                         "%s needs the capability %s of SPIR-V, which vkmatmul turns on nowhere", m->name, known->name);
    if (!device) return VKMM_OK;
    int has = known->field == 0;
    if (!has) memcpy(&has, (const char *)device + known->field, sizeof has);
    if (!has || (device->subgroup_operations & known->subgroup) != known->subgroup)
        return vkmm_fail(m->log, VKMM_UNSUPPORTED, "%s needs the capability %s of SPIR-V, and \"%s\" has no %s",
                         m->name, known->name, device->name, known->feature);
    return VKMM_OK;
}

/* Those that only say what Vulkan 1.1 has anyway, or what goes with a capability above. */
vkmm_status vkmm_spirv_offered_extension(const vkmm_spirv *m, const char *extension)
{
    static const char *const known[] = {"SPV_KHR_storage_buffer_storage_class", "SPV_KHR_16bit_storage",
                                        "SPV_KHR_8bit_storage", "SPV_KHR_integer_dot_product"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(extension, known[i]) == 0) return VKMM_OK;
    return vkmm_fail(m->log, VKMM_UNSUPPORTED,
                     "%s needs the extension \"%.60s\" of SPIR-V, which vkmatmul turns on nowhere", m->name, extension);
}

vkmm_status vkmm_spirv_offered_version(const vkmm_spirv *m, const vkmm_device_info *device)
{
    const uint32_t version = m->words[1], major = version >> 16 & 0xff, minor = version >> 8 & 0xff;
    const uint32_t api = device ? device->api_version : VK_API_VERSION_1_3;
    const uint32_t most = api >= VK_API_VERSION_1_3 ? 6 : api >= VK_API_VERSION_1_2 ? 5 : 3;
    if (major != 1 || (version & 0xff0000ff) != 0)
        return vkmm_fail(m->log, VKMM_INVALID, "%s: 0x%08x is no version of SPIR-V that is known", m->name, version);
    if (minor <= most) return VKMM_OK;
    return vkmm_fail(m->log, VKMM_UNSUPPORTED, "%s is SPIR-V 1.%u; %s%s%s takes up to 1.%u: compile it for Vulkan 1.1",
                     m->name, minor, device ? "\"" : "", device ? device->name : "vkmatmul", device ? "\"" : "", most);
}
