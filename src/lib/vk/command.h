/* Command buffers: recorded once, then submitted and waited for any number of times. Several threads may have command
 * buffers of one device at once, but each is used by one thread at a time; several may be in flight. */
#pragma once

#include "vk/device.h"

/* Takes a command buffer for the compute queue (_on: for that of a role) and begins it (reusable: no
 * ONE_TIME_SUBMIT). On success the caller records, calls vkmm_command_end, and gives it back with vkmm_command_free. */
vkmm_status vkmm_command_begin(vkmm_device *device, VkCommandBuffer *command);
vkmm_status vkmm_command_begin_on(vkmm_device *device, vkmm_queue_role role, VkCommandBuffer *command);
vkmm_status vkmm_command_end(vkmm_device *device, VkCommandBuffer command);
void vkmm_command_free(vkmm_device *device,
                       VkCommandBuffer *command); /* waits for one in flight; NULL is legal; sets it NULL */

/* Submits and waits for completion. *host_ms, if wanted, is the time from vkQueueSubmit to the fence, host clock. */
vkmm_status vkmm_command_run(vkmm_device *device, VkCommandBuffer command, double *host_ms);

/* Begins a command buffer of the compute queue that runs once, after everything before it. vkmm_command_finish ends,
 * runs and frees it; then its writes are visible to the device and the host. If the begin or the recording failed with
 * `status`, finish only frees it and returns `status`. */
vkmm_status vkmm_command_once(vkmm_device *device, VkCommandBuffer *command);
vkmm_status vkmm_command_finish(vkmm_device *device, vkmm_status status, VkCommandBuffer *command);

/* Copies `bytes` at `at` to the start of another buffer, or fills a buffer from its start, and waits. */
vkmm_status vkmm_command_copy(vkmm_device *device, VkBuffer from, uint64_t at, VkBuffer to, uint64_t bytes);
vkmm_status vkmm_command_fill(vkmm_device *device, VkBuffer buffer, uint64_t bytes, uint32_t word);

/* The halves of vkmm_command_run. A submitted command buffer must be waited for before it is submitted again; waiting
 * for one that is not in flight returns VKMM_OK at once. after_copies: one of the compute queue, which begins when all
 * that was submitted to the transfer queue before has ended. */
vkmm_status vkmm_command_submit(vkmm_device *device, VkCommandBuffer command, int after_copies);
vkmm_status vkmm_command_wait(vkmm_device *device, VkCommandBuffer command);

/* Whether a submitted one has ended; 1 for one that is not in flight. A lost device counts as ended; vkmm_command_wait
 * reports it. */
int vkmm_command_ended(vkmm_device *device, VkCommandBuffer command);

/* A full memory barrier between two kinds of work on the same queue. */
void vkmm_command_barrier(vkmm_device *device, VkCommandBuffer command, VkPipelineStageFlags from,
                          VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags accessed);

/* One between everything before and everything after, the host's reads included. Any queue. */
void vkmm_command_barrier_all(vkmm_device *device, VkCommandBuffer command);
