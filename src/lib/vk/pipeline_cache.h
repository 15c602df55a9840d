/* Compiled pipelines, kept in memory as long as a device is open, and in the instance's cache_dir between processes. */
#pragma once

#include <stdatomic.h>
#include <volk.h>

#include "vkmatmul.h"

/* A larger file is neither read nor written. */
#define VKMM_PIPELINES_MOST (UINT64_C(64) << 20)

typedef struct vkmm_pipeline_cache {
    VkPipelineCache handle; /* VK_NULL_HANDLE: the driver created none; pipelines are then compiled each time */
    char *path;             /* of the file, owned; NULL: nothing is kept between processes */
    uint64_t file_bytes;    /* of the cache, as they were read or written last */
    int is_lent;            /* it belongs to the program that lends the device */
    atomic_long unsaved_us; /* what was built since the file was written took so long */
    atomic_int is_saving;   /* a thread writes the file; the others go on */
    long save_us;           /* what that took last */
} vkmm_pipeline_cache;

/* Creates device->pipeline_cache, from the file if it is intact and from this driver. A stale file is ignored; a
 * damaged one is reported as a warning. Never fails: without a cache everything works, but more slowly. */
void vkmm_pipeline_cache_open(vkmm_device *device);

/* A pipeline was built with the cache in compile_ms. Writes what was added, because programs end without destroying
 * their device, but spends at most a twentieth of the time of compiling on that. The file is replaced atomically, so
 * that processes never see half of it; the last one to write wins. A file that cannot be written is reported at level
 * INFO, and not tried again. From any thread. */
void vkmm_pipeline_cache_add(vkmm_device *device, double compile_ms);

/* Writes what is left. Frees everything; a zeroed cache is legal. */
void vkmm_pipeline_cache_close(vkmm_device *device);
