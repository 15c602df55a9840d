#include "vk/lent.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cache_dir.h"

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
    instance->most_version = lender->api_version;
    instance->enabled = UINT32_MAX;
    status = vkmm_cache_dir_resolve(&instance->log, cache_dir, &instance->cache_dir);
    if (status == VKMM_OK) status = vkmm_instance_load(instance);
    if (status == VKMM_OK) status = find(instance, lender->physical_device);
    if (status != VKMM_OK) vkmm_lent_close(&instance);
    *out = instance;
    return status;
}

void vkmm_lent_close(vkmm_instance **instance)
{
    if (*instance) (*instance)->handle = NULL;
    vkmm_instance_destroy(instance);
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
