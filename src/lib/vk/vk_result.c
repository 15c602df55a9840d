#include "vk/vk_result.h"

#include <string.h>

const char *vkmm_result_name(VkResult result)
{
    switch (result) {
#define NAME(code) \
    case code:     \
        return #code;
        NAME(VK_SUCCESS)
        NAME(VK_NOT_READY)
        NAME(VK_TIMEOUT)
        NAME(VK_INCOMPLETE)
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        NAME(VK_ERROR_INITIALIZATION_FAILED)
        NAME(VK_ERROR_DEVICE_LOST)
        NAME(VK_ERROR_MEMORY_MAP_FAILED)
        NAME(VK_ERROR_LAYER_NOT_PRESENT)
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
        NAME(VK_ERROR_FEATURE_NOT_PRESENT)
        NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
        NAME(VK_ERROR_TOO_MANY_OBJECTS)
        NAME(VK_ERROR_FRAGMENTED_POOL)
        NAME(VK_ERROR_FRAGMENTATION)
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
        NAME(VK_ERROR_INVALID_SHADER_NV)
        NAME(VK_ERROR_UNKNOWN)
#undef NAME
    default:
        return "an unlisted VkResult";
    }
}

vkmm_status vkmm_result_status(VkResult result)
{
    switch (result) {
    case VK_SUCCESS:
        return VKMM_OK;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_MEMORY_MAP_FAILED:
        return VKMM_OUT_OF_MEMORY;
    case VK_ERROR_DEVICE_LOST:
        return VKMM_DEVICE_LOST;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return VKMM_NO_DEVICE;
    default:
        return VKMM_UNSUPPORTED;
    }
}

vkmm_status vkmm_check(VkResult result, const char *call, const char *attempt)
{
    if (result == VK_SUCCESS) return VKMM_OK;
    return vkmm_fail(vkmm_result_status(result), "%s failed with %s (%d) while %s", call, vkmm_result_name(result),
                     (int)result, attempt);
}

vkmm_status vkmm_created(VkResult result, void *handle, size_t size, const char *call, const char *attempt)
{
    if (result != VK_SUCCESS) memset(handle, 0, size);
    return vkmm_check(result, call, attempt);
}
