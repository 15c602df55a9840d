/* Command buffers: recorded once, submitted and waited for. One submission of a device is in flight at a time. */
#ifndef VKMM_VK_COMMAND_H
#define VKMM_VK_COMMAND_H

#include "vk/device.h"

/* Takes a command buffer from the device's pool and begins it (reusable: no ONE_TIME_SUBMIT). On success the caller records, calls
 * vkmm_command_end, and gives it back with vkmm_command_free, after the last submission was waited for. */
vkmm_status vkmm_command_begin(vkmm_device *device, VkCommandBuffer *command);
vkmm_status vkmm_command_end(vkmm_device *device, VkCommandBuffer command);
void vkmm_command_free(vkmm_device *device, VkCommandBuffer *command); /* NULL is legal; sets it NULL */

/* Submits and waits for the end. *host_ms, where wanted, is the time from vkQueueSubmit to the fence, host clock. */
vkmm_status vkmm_command_run(vkmm_device *device, VkCommandBuffer command, double *host_ms);

/* A full memory barrier between two kinds of work on the same queue. */
void vkmm_command_barrier(vkmm_device *device, VkCommandBuffer command, VkPipelineStageFlags from, VkAccessFlags written,
                          VkPipelineStageFlags to, VkAccessFlags accessed);

#endif
