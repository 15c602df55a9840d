/* VkResult as a vkmm_status. */
#pragma once

#include "base/log.h"

/* "VK_ERROR_DEVICE_LOST" …; static storage. */
const char *vkmm_result_name(VkResult result);

/* OUT_OF_*_MEMORY, MEMORY_MAP_FAILED and results of fragmentation: OUT_OF_MEMORY; DEVICE_LOST: DEVICE_LOST;
 * INCOMPATIBLE_DRIVER: NO_DEVICE; everything else that fails: UNSUPPORTED. */
vkmm_status vkmm_result_status(VkResult result);

/* VKMM_OK for success; otherwise reports "CALL failed: NAME" with what was attempted, and returns the status. */
vkmm_status vkmm_check(VkResult result, const char *call, const char *attempt);

/* The same for vkCreate…, whose handle is VK_NULL_HANDLE after a failure. */
#define VKMM_CREATE(device, object, info, to, attempt)                                                 \
    vkmm_created((device)->table.vkCreate##object((device)->handle, info, NULL, to), to, sizeof *(to), \
                 "vkCreate" #object, attempt)
vkmm_status vkmm_created(VkResult result, void *handle, size_t size, const char *call, const char *attempt);
