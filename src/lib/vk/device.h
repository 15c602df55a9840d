/* A logical device with a compute queue, and a transfer-only queue if there is such a family. */
#ifndef VKMM_VK_DEVICE_H
#define VKMM_VK_DEVICE_H

#include <stdatomic.h>
#include <volk.h>

#include "vk/instance.h"
#include "vk/layouts.h"
#include "vk/pipeline_cache.h"
#include "vk/queue.h"

/* What is released with the device, or earlier if memory runs out (exec/spares.h). */
typedef struct vkmm_spares {
    mtx_t lock;
    int has_lock;
    struct vkmm_job *first;                  /* the one that was given last */
    int (*drop)(struct vkmm_device *device); /* NULL: there never was one */
} vkmm_spares;

struct vkmm_device {
    vkmm_instance *instance;
    const vkmm_physical *physical;
    VkDevice handle;
    struct VolkDeviceTable table; /* every device-level call goes through this */
    vkmm_queue queues[VKMM_QUEUE_COUNT];
    VkPhysicalDeviceMemoryProperties memory;
    int has_push_descriptors; /* VK_KHR_push_descriptor is enabled */
    vkmm_pipeline_cache pipeline_cache;
    vkmm_layouts layouts;
    vkmm_spares spares;
    atomic_uint refused[VKMM_TYPE_COUNT]; /* kernels that the driver could not compile: info's refused_kernels */
};

static inline const vkmm_log *vkmm_device_log(const vkmm_device *device)
{
    return &device->instance->log;
}

/* Destroys all spare jobs; 0 if there are none. */
int vkmm_device_drop_spares(vkmm_device *device);

#endif
