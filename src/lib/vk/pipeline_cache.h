/* Compiled pipelines, kept in memory as long as a device is open, and in the instance's cache_dir between processes. */
#ifndef VKMM_VK_PIPELINE_CACHE_H
#define VKMM_VK_PIPELINE_CACHE_H

#include <stdatomic.h>
#include <volk.h>

#include "vkmatmul.h"

/* A larger file is neither read nor written. */
#define VKMM_PIPELINES_MOST (UINT64_C(64) << 20)

typedef struct vkmm_pipeline_cache {
    VkPipelineCache handle; /* VK_NULL_HANDLE: the driver created none; pipelines are then compiled each time */
    char *path;             /* of the file, owned; NULL: nothing is kept between processes */
    uint64_t loaded_bytes;  /* bytes of it given to the driver */
    int is_lent;            /* it belongs to the program that lends the device */
    atomic_int used;        /* a pipeline was built: something may have been added */
} vkmm_pipeline_cache;

/* Creates device->pipeline_cache, from the file if it is intact and from this driver. A stale file is ignored; a
 * damaged one is reported as a warning. Never fails: without a cache everything works, but more slowly. */
void vkmm_pipeline_cache_open(vkmm_device *device);

/* Writes what was added, if the driver returns it. The file is replaced atomically, so that processes never see half of
 * it; the last one to end wins. A file that cannot be written is reported at level INFO. Frees everything; a zeroed
 * cache is legal. */
void vkmm_pipeline_cache_close(vkmm_device *device);

#endif
