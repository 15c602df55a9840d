/* The file that keeps a driver's compiled pipelines between processes: a header of 64 bytes, then the driver's data.
 * Numbers have this machine's byte order; the cache is for this machine only.
 *  No Vulkan calls: any bytes may be parsed. Drivers are known to trust such data, so a driver gets only data that is
 * known to be intact and its own. */
#pragma once

#include "vkmatmul.h"

enum {
    VKMM_PIPELINES_VERSION = 1,
    VKMM_PIPELINES_HEADER = 64,
    VKMM_PIPELINES_DRIVER_HEADER = 32,
    VKMM_PIPELINES_NAME = 96
};

/* The header before the driver's data, which begins with the driver's own header. */
typedef struct vkmm_pipelines_head {
    char magic[8];                    /* "VKMMPIPE", without a zero */
    uint32_t version, driver_version; /* of this format; of the driver */
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    uint64_t bytes; /* of the driver's data */
    uint64_t sum;   /* FNV-1a of all fields before it, and of the data */
} vkmm_pipelines_head;

/* Whose pipelines they are. */
typedef struct vkmm_pipelines_owner {
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE],
        cache_uuid[VK_UUID_SIZE]; /* the last: pipelineCacheUUID */
    uint32_t driver_version, vendor_id, device_id;
} vkmm_pipelines_owner;

typedef enum vkmm_pipelines_state {
    VKMM_PIPELINES_WHOLE,
    VKMM_PIPELINES_STALE,  /* another format, device or driver: normal for a cache */
    VKMM_PIPELINES_DAMAGED /* not what was once written */
} vkmm_pipelines_state;

/* "WHAT-DEVICEUUID-HASH.SUFFIX": a file for each device and driver version. */
void vkmm_pipelines_name(const vkmm_pipelines_owner *owner, const char *what, const char *suffix,
                         char name[VKMM_PIPELINES_NAME]);

/* Checks a file's bytes. WHOLE: *data and *data_bytes are the driver's part of them. Otherwise *why says briefly what
 * is wrong; static storage. */
vkmm_pipelines_state vkmm_pipelines_parse(const void *file, uint64_t bytes, const vkmm_pipelines_owner *owner,
                                          const void **data, uint64_t *data_bytes, const char **why);

/* Whether the data is from the owner's driver, and has more than its header. */
int vkmm_pipelines_worth_keeping(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes);

/* The header before the data in the file. */
void vkmm_pipelines_header(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes,
                           uint8_t header[VKMM_PIPELINES_HEADER]);
