/* A logical device with a compute queue, and a transfer-only queue if there is such a family. */
#pragma once

#include <stdatomic.h>
#include <volk.h>

#include "vk/instance.h"
#include "vk/layouts.h"
#include "vk/pipeline_cache.h"
#include "vk/queue.h"
#include "vkmatmul_vulkan.h"

/* What is released with the device, or earlier if memory runs out (api/spares.h). */
typedef struct vkmm_spares {
    mtx_t lock;
    int has_lock;
    struct vkmm_job *first;                  /* the one that was given last */
    void *stream, *copier;                   /* a vkmm_stream, a vkmm_copier; NULL: none */
    int (*drop)(struct vkmm_device *device); /* NULL: there never was one */
} vkmm_spares;

struct vkmm_device {
    vkmm_instance *instance; /* of a borrowed device: its own, with the lender's handle */
    const vkmm_physical *physical;
    VkDevice handle;
    int is_borrowed;              /* vkmm_device_import: no queue is open, and nothing may be allocated or submitted */
    int has_push_descriptors;     /* vkCmdPushDescriptorSetKHR may be used */
    vkmm_requirements *lacks;     /* of a borrowed device, owned */
    struct VolkDeviceTable table; /* every device-level call goes through this */
    vkmm_queue queues[VKMM_QUEUE_COUNT];
    VkPhysicalDeviceMemoryProperties memory;
    vkmm_pipeline_cache pipeline_cache;
    vkmm_layouts layouts;
    vkmm_spares spares;
    atomic_uint refused[VKMM_TYPE_COUNT]; /* kernels that the driver could not compile: info's refused_kernels */
    atomic_int told_tuned;                /* a tuning result that is not legal has been reported */
};

static inline const vkmm_log *vkmm_device_log(const vkmm_device *device)
{
    return &device->instance->log;
}

/* Opens what hangs on the handle, which is set, as is the physical device. Ended by vkmm_device_destroy, even on
 * failure. */
vkmm_status vkmm_device_open(vkmm_device *device);

/* VKMM_UNSUPPORTED if the device is borrowed: at the start of everything that allocates memory on it or submits to
 * it. */
vkmm_status vkmm_device_own(const vkmm_device *device);

/* Destroys all spare jobs; 0 if there are none. */
int vkmm_device_drop_spares(vkmm_device *device);
