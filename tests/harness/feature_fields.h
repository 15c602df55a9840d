/* What of vkmm_device_info depends on which features, written down once more, for tests. */
#pragma once

#include <string.h>

#include "vkmatmul.h"

/* The fields of vkmm_device_info that depend on features, by the feature. */
static const struct {
    const char *feature;
    size_t field; /* 32 bits */
} features_fields[] = {
    {"shaderFloat64", offsetof(vkmm_device_info, features.f64)},
    {"storageBuffer16BitAccess", offsetof(vkmm_device_info, features.storage16)},
    {"storageBuffer8BitAccess", offsetof(vkmm_device_info, features.storage8)},
    {"shaderFloat16", offsetof(vkmm_device_info, features.f16)},
    {"shaderInt8", offsetof(vkmm_device_info, features.i8)},
    {"shaderIntegerDotProduct", offsetof(vkmm_device_info, features.dot)},
    {"shaderIntegerDotProduct", offsetof(vkmm_device_info, features.dot8)},
    {"subgroupSizeControl", offsetof(vkmm_device_info, subgroup.max_size)},
    {"subgroupSizeControl", offsetof(vkmm_device_info, subgroup.max_count)},
    {"computeFullSubgroups", offsetof(vkmm_device_info, subgroup.max_size)},
    {"computeFullSubgroups", offsetof(vkmm_device_info, subgroup.max_count)},
    {"vulkanMemoryModel", offsetof(vkmm_device_info, matrices.shape_count)},
    {"vulkanMemoryModelDeviceScope", offsetof(vkmm_device_info, matrices.shape_count)},
    {"cooperativeMatrix", offsetof(vkmm_device_info, matrices.shape_count)},
    {"cooperativeMatrix", offsetof(vkmm_device_info, matrices.matrix2)},
    {"cooperativeMatrix", offsetof(vkmm_device_info, features.bf16_matrices)},
    {"shaderBFloat16Type", offsetof(vkmm_device_info, features.bf16_matrices)},
    {"shaderBFloat16CooperativeMatrix", offsetof(vkmm_device_info, features.bf16_matrices)},
    {"maintenance4", offsetof(vkmm_device_info, matrices.matrix2)},
    {"vulkanMemoryModel", offsetof(vkmm_device_info, matrices.matrix2)},
    {"vulkanMemoryModel", offsetof(vkmm_device_info, features.bf16_matrices)},
    {"vulkanMemoryModelDeviceScope", offsetof(vkmm_device_info, matrices.matrix2)},
    {"vulkanMemoryModelDeviceScope", offsetof(vkmm_device_info, features.bf16_matrices)},
};
enum { FEATURES_FIELDS = sizeof features_fields / sizeof features_fields[0] };

static inline uint32_t features_field(const vkmm_device_info *info, size_t offset)
{
    uint32_t value;
    memcpy(&value, (const char *)info + offset, sizeof value);
    return value;
}

/* NULL if info has what `all` has, except for what needs a missing feature; else a feature whose field is wrong. all:
 * NULL for nothing; missing: NULL for none. */
static inline const char *features_wrong(const vkmm_device_info *info, const vkmm_device_info *all, const char *missing)
{
    for (size_t i = 0; i < FEATURES_FIELDS; i++) {
        const size_t at = features_fields[i].field;
        int lost = 0;
        for (size_t j = 0; missing && j < FEATURES_FIELDS; j++)
            lost |= features_fields[j].field == at && strcmp(features_fields[j].feature, missing) == 0;
        if (features_field(info, at) != (lost || !all ? 0 : features_field(all, at))) return features_fields[i].feature;
    }
    return NULL;
}
