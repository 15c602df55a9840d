/* The file that keeps a driver's compiled pipelines between processes: a header of 64 bytes, then the driver's data.
 * Numbers have this machine's byte order; the cache is for this machine only.
 *  No Vulkan calls: any bytes may be parsed. Drivers are known to trust such data, so a driver gets only data that is
 * known to be intact and its own. */
#pragma once

#include "vk/instance.h"

/* A larger file is neither read nor written. */
#define VKMM_PIPELINES_MOST (UINT64_C(64) << 20)

enum { VKMM_PIPELINES_VERSION = 1, VKMM_PIPELINES_NAME = 96 };

/* The header before the driver's data, which begins with the driver's own header. */
typedef struct vkmm_pipelines_head {
    char magic[8];                    /* "VKMMPIPE", without a zero */
    uint32_t version, driver_version; /* of this format; of the driver */
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    uint64_t bytes; /* of the driver's data */
    uint64_t sum;   /* FNV-1a of all fields before it, and of the data */
} vkmm_pipelines_head;

/* "WHAT-DEVICEUUID-HASH.SUFFIX": a file for each device and driver version. */
void vkmm_pipelines_name(const vkmm_device_info *info, const char *what, const char *suffix,
                         char name[VKMM_PIPELINES_NAME]);

/* The driver's part of a file's bytes, *data_bytes of them. NULL: the file is of another format, device or driver,
 * which is normal for a cache, and *damage is NULL; or it is damaged, and *damage says why (static storage). */
const void *vkmm_pipelines_parse(const void *file, uint64_t bytes, const vkmm_physical *physical, uint64_t *data_bytes,
                                 const char **damage);

/* Whether the data is from the device's driver, and has more than its header. */
int vkmm_pipelines_worth_keeping(const vkmm_physical *physical, const void *data, uint64_t bytes);

/* The header before the data in the file. */
vkmm_pipelines_head vkmm_pipelines_header(const vkmm_device_info *info, const void *data, uint64_t bytes);
