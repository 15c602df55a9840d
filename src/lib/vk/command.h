/* Command buffers: recorded once, submitted and waited for as often as one likes. Several threads may have command
 * buffers of one device at once, each one used by one thread at a time; several may be in flight. */
#ifndef VKMM_VK_COMMAND_H
#define VKMM_VK_COMMAND_H

#include "vk/device.h"

/* Takes a command buffer for the compute queue (_on: for that of a role) and begins it (reusable: no
 * ONE_TIME_SUBMIT). On success the caller records, calls vkmm_command_end, and gives it back with vkmm_command_free. */
vkmm_status vkmm_command_begin(vkmm_device *device, VkCommandBuffer *command);
vkmm_status vkmm_command_begin_on(vkmm_device *device, vkmm_queue_role role, VkCommandBuffer *command);
vkmm_status vkmm_command_end(vkmm_device *device, VkCommandBuffer command);
void vkmm_command_free(vkmm_device *device,
                       VkCommandBuffer *command); /* waits for one in flight; NULL is legal; sets it NULL */

/* Submits and waits for the end. *host_ms, where wanted, is the time from vkQueueSubmit to the fence, host clock. */
vkmm_status vkmm_command_run(vkmm_device *device, VkCommandBuffer command, double *host_ms);

/* Of one that was begun: ends it, runs it once, and gives it back, as after a begin or a recording that failed with
 * `status`, which is then returned. */
vkmm_status vkmm_command_finish(vkmm_device *device, vkmm_status status, VkCommandBuffer *command);

/* The halves of vkmm_command_run. What was submitted is waited for before it is submitted again; waiting for what is
 * not in flight is VKMM_OK at once. */
vkmm_status vkmm_command_submit(vkmm_device *device, VkCommandBuffer command);
vkmm_status vkmm_command_wait(vkmm_device *device, VkCommandBuffer command);

/* Whether a submitted one has ended; 1 for one that is not in flight. A lost device counts as ended:
 * vkmm_command_wait tells. */
int vkmm_command_ended(vkmm_device *device, VkCommandBuffer command);

/* A full memory barrier between two kinds of work on the same queue. */
void vkmm_command_barrier(vkmm_device *device, VkCommandBuffer command, VkPipelineStageFlags from,
                          VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags accessed);

/* One between all that comes before and all that follows, the host's reads too. Any queue. */
void vkmm_command_barrier_all(vkmm_device *device, VkCommandBuffer command);

#endif
