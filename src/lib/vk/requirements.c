/* What another program lends, and what of it is worth enabling. */
#include <string.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "vk/instance.h"

struct vkmm_requirements {
    vkmm_log log;
    uint32_t set; /* of features */
    uint32_t count, extension_count;
    vkmm_requirement list[VKMM_MOST_FEATURES];
    const char *extensions[VKMM_FEATURE_COUNT];
    vkmm_features appended; /* to the caller's chain */
};

static vkmm_status check(const vkmm_requirements_params *lender, const char *function)
{
    const uint32_t version = lender->api_version;
    const char *missing = !lender->get_instance_proc_addr ? "get_instance_proc_addr"
                          : !lender->instance             ? "instance"
                          : !lender->physical_device      ? "physical_device"
                                                          : NULL;
    if (missing) return vkmm_fail(VKMM_INVALID, "%s: params->%s is NULL", function, missing);
    if (version >= VK_API_VERSION_1_1) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED, "api_version of the instance is %u.%u; the minimum is 1.1",
                     VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
}

static vkmm_status find(vkmm_instance *instance, VkPhysicalDevice handle)
{
    VkPhysicalDevice *handles = NULL;
    uint32_t count = 0, index = 0;
    vkmm_status status = vkmm_instance_enumerate(instance, &handles, &count);
    if (status == VKMM_OK) {
        while (index < count && handles[index] != handle) index++;
        if (index == count)
            status = vkmm_fail(VKMM_INVALID, "the physical device is not one of the %u of the instance", count);
    }
    vkmm_free(handles);
    if (status != VKMM_OK) return status;
    instance->physicals = vkmm_alloc(1, sizeof *instance->physicals);
    if (!instance->physicals) return VKMM_NO_MEMORY("for a physical device");
    instance->physical_count = 1;
    if (vkmm_physical_read(instance, handle, index, instance->physicals)) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED, "the device cannot be used: %s", instance->left_out);
}

vkmm_status vkmm_lent_open(const vkmm_requirements_params *lender, const char *function, const char *cache_dir,
                           vkmm_instance **out)
{
    *out = NULL;
    vkmm_status status = check(lender, function);
    if (status != VKMM_OK) return status;
    vkmm_instance *instance = vkmm_alloc(1, sizeof *instance);
    if (!instance) return VKMM_NO_MEMORY("for an instance");
    instance->log = lender->log;
    instance->lookup = lender->get_instance_proc_addr;
    instance->handle = lender->instance;
    instance->is_lent = 1;
    instance->most_version = lender->api_version;
    instance->enabled = UINT32_MAX;
    status = vkmm_cache_dir_resolve(&instance->log, cache_dir, &instance->cache_dir);
    if (status == VKMM_OK) status = vkmm_instance_load(instance);
    if (status == VKMM_OK) status = find(instance, lender->physical_device);
    if (status != VKMM_OK) vkmm_instance_destroy(&instance);
    *out = instance;
    return status;
}

void vkmm_lent_limit(vkmm_instance *instance, uint32_t enabled)
{
    vkmm_physical *physical = instance->physicals;
    const VkPhysicalDevice handle = physical->handle;
    const uint32_t index = physical->info.index;
    memset(physical, 0, sizeof *physical);
    instance->enabled = enabled;
    vkmm_physical_read(instance, handle, index, physical);
}

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
    vkmm_instance_destroy(&instance);
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
