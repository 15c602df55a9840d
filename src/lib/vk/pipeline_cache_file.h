/* The file in which a driver's compiled pipelines lie between processes: 64 bytes of our own, then the driver's data.
 * Numbers are this machine's; so is the cache.
 *  No Vulkan calls: any bytes may be parsed. Drivers are known to trust what they are given, so nothing reaches one
 * that is not known to be whole, and its own. */
#ifndef VKMM_VK_PIPELINE_CACHE_FILE_H
#define VKMM_VK_PIPELINE_CACHE_FILE_H

#include "vkmatmul.h"

enum {
    VKMM_PIPELINES_VERSION = 1,
    VKMM_PIPELINES_HEADER = 64,
    VKMM_PIPELINES_DRIVER_HEADER = 32,
    VKMM_PIPELINES_NAME = 96
};

/* What stands before the driver's data, whose first part is a header of the driver's own. */
typedef struct vkmm_pipelines_head {
    char magic[8];                    /* "VKMMPIPE", without a zero */
    uint32_t version, driver_version; /* of this format; of the driver */
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    uint64_t bytes; /* of the driver's data */
    uint64_t sum;   /* FNV-1a of what stands before it, and of the data */
} vkmm_pipelines_head;

/* Whose pipelines they are. */
typedef struct vkmm_pipelines_owner {
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE],
        cache_uuid[VK_UUID_SIZE]; /* the last: pipelineCacheUUID */
    uint32_t driver_version, vendor_id, device_id;
} vkmm_pipelines_owner;

typedef enum vkmm_pipelines_state {
    VKMM_PIPELINES_WHOLE,
    VKMM_PIPELINES_STALE,  /* another format, device or driver: as it goes with caches */
    VKMM_PIPELINES_DAMAGED /* not what was once written */
} vkmm_pipelines_state;

/* "pipelines-DEVICEUUID-HASH.bin": a file for each device and driver version. */
void vkmm_pipelines_name(const vkmm_pipelines_owner *owner, char name[VKMM_PIPELINES_NAME]);

/* Judges a file's bytes. WHOLE: *data and *data_bytes are the driver's part of them. Otherwise *why says in a few
 * words what is wrong; static storage. */
vkmm_pipelines_state vkmm_pipelines_parse(const void *file, uint64_t bytes, const vkmm_pipelines_owner *owner,
                                          const void **data, uint64_t *data_bytes, const char **why);

/* Whether data is what a driver of this owner gives, and has more than its header. */
int vkmm_pipelines_worth_keeping(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes);

/* What stands before the data in the file. */
void vkmm_pipelines_header(const vkmm_pipelines_owner *owner, const void *data, uint64_t bytes,
                           uint8_t header[VKMM_PIPELINES_HEADER]);

#endif
