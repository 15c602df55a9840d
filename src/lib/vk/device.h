/* A logical device with a compute queue, and one for transfers alone where there is such a family. */
#ifndef VKMM_VK_DEVICE_H
#define VKMM_VK_DEVICE_H

#include <volk.h>

#include "vk/instance.h"
#include "vk/layouts.h"
#include "vk/pipeline_cache.h"
#include "vk/queue.h"

struct vkmm_device {
    vkmm_instance *instance;
    const vkmm_physical *physical;
    VkDevice handle;
    struct VolkDeviceTable table; /* every device-level call goes through this */
    vkmm_queue queues[VKMM_QUEUE_COUNT];
    VkPhysicalDeviceMemoryProperties memory;
    vkmm_pipeline_cache pipeline_cache;
    vkmm_layouts layouts;
};

static inline const vkmm_log *vkmm_device_log(const vkmm_device *device)
{
    return &device->instance->log;
}

#endif
