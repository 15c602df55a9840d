#include <string.h>

#include "base/alloc.h"
#include "vk/lent.h"

struct vkmm_requirements {
    vkmm_log log;
    uint32_t set; /* of features */
    uint32_t count, extension_count;
    vkmm_requirement list[VKMM_MOST_FEATURES];
    const char *extensions[VKMM_FEATURE_COUNT];
    vkmm_features appended; /* to the caller's chain */
};

static void add_extension(vkmm_requirements *requirements, const char *name)
{
    uint32_t i = 0;
    while (i < requirements->extension_count && strcmp(requirements->extensions[i], name) != 0) i++;
    if (*name == '\0' || i < requirements->extension_count) return;
    requirements->extensions[requirements->extension_count++] = name;
}

static void add(vkmm_requirements *requirements, uint32_t types, uint32_t version, int required)
{
    const vkmm_feature *feature;
    for (uint32_t i = 0; (feature = vkmm_feature_at(i)) != NULL; i++) {
        if (!(requirements->set & 1u << i) || ((feature->types & types) != 0) != required) continue;
        const char *extension = vkmm_feature_extension(feature, version);
        requirements->list[requirements->count++] =
            (vkmm_requirement){extension, feature->name, feature->buys, required};
        add_extension(requirements, extension);
    }
}

vkmm_status vkmm_requirements_make(const vkmm_instance *instance, uint32_t set, uint32_t types, vkmm_requirements **out)
{
    const vkmm_feature *feature;
    *out = vkmm_alloc(1, sizeof **out);
    if (!*out) return VKMM_NO_MEMORY("for a list of features");
    for (uint32_t i = 0; (feature = vkmm_feature_at(i)) != NULL; i++)
        if (set & 1u << i && feature->buys) (*out)->set |= 1u << i;
    (*out)->log = instance->log;
    for (int required = 1; required >= 0; required--)
        add(*out, types, instance->physicals->info.driver.api_version, required);
    return VKMM_OK;
}

/* The types as bits 1 << vkmm_type. */
static vkmm_status read_types(const vkmm_requirements_params *params, uint32_t *types)
{
    *types = 0;
    for (uint32_t i = 0; i < params->type_count && params->types; i++)
        if (params->types[i] > VKMM_AUTO && params->types[i] < VKMM_TYPE_COUNT)
            *types |= 1u << params->types[i];
        else
            return vkmm_fail(VKMM_INVALID, "types[%u] is %d, which is no type of a matrix", i, (int)params->types[i]);
    return VKMM_OK;
}

vkmm_status vkmm_device_requirements_sized(const vkmm_requirements_params *params, size_t size, vkmm_requirements **out)
{
    VKMM_NEED(NULL, params);
    VKMM_SIZED(size > 0 ? &params->log : NULL, vkmm_requirements_params, params, size);
    VKMM_NEED(&params->log, out);
    *out = NULL;
    vkmm_instance *instance = NULL;
    uint32_t types;
    vkmm_status status = read_types(params, &types);
    if (status == VKMM_OK) status = vkmm_lent_open(params, __func__, "", &instance);
    if (status == VKMM_OK) {
        const uint32_t set = vkmm_features_set(&instance->physicals->features);
        status = vkmm_requirements_make(instance, set, types ? types : UINT32_MAX, out);
    }
    vkmm_lent_close(&instance);
    return vkmm_tell(&params->log, status);
}

void vkmm_requirements_destroy(vkmm_requirements **requirements)
{
    if (!requirements) return;
    vkmm_free(*requirements);
    *requirements = NULL;
}

const vkmm_requirement *vkmm_requirements_list(const vkmm_requirements *requirements, uint32_t *count)
{
    if (count) *count = requirements ? requirements->count : 0;
    return requirements ? requirements->list : NULL;
}

const char *const *vkmm_requirements_extensions(const vkmm_requirements *requirements, uint32_t *count)
{
    if (count) *count = requirements ? requirements->extension_count : 0;
    return requirements ? requirements->extensions : NULL;
}

vkmm_status vkmm_requirements_merge(vkmm_requirements *requirements, VkPhysicalDeviceFeatures2 *features)
{
    VKMM_NEED(NULL, requirements);
    VKMM_NEED(&requirements->log, features);
    if (features->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
        return VKMM_FAIL(&requirements->log, VKMM_INVALID,
                         "features->sType is %d; it must be VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2",
                         (int)features->sType);
    vkmm_features appended = {0};
    const vkmm_feature *feature;
    for (uint32_t i = 0; (feature = vkmm_feature_at(i)) != NULL; i++) {
        VkBool32 *found = requirements->set & 1u << i ? vkmm_feature_find(feature, features) : NULL;
        if (found) *found = VK_TRUE;
        if (found || !(requirements->set & 1u << i) || *feature->name == '\0') continue;
        appended.used |= 1u << feature->structure;
        memcpy((char *)&appended + feature->offset, &(VkBool32){VK_TRUE}, sizeof(VkBool32));
    }
    if (appended.used == 0) return VKMM_OK;
    if (requirements->appended.used != 0)
        return VKMM_FAIL(&requirements->log, VKMM_INVALID,
                         "the structures of these requirements are already part of another chain");
    requirements->appended = appended;
    VkBaseOutStructure *last = (VkBaseOutStructure *)(void *)features;
    while (last->pNext) last = last->pNext;
    last->pNext = vkmm_features_chain(&requirements->appended);
    return VKMM_OK;
}
