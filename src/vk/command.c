#include "vk/command.h"

#include "base/clock.h"
#include "vk/result.h"

vkmm_status vkmm_command_begin(vkmm_device *device, VkCommandBuffer *command)
{
    VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = device->command_pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    *command = NULL;
    vkmm_status status = vkmm_check(vkmm_device_log(device), device->table.vkAllocateCommandBuffers(device->handle, &allocation, command),
                                    "vkAllocateCommandBuffers", "recording");
    if (status != VKMM_OK) return status;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    status = vkmm_check(vkmm_device_log(device), device->table.vkBeginCommandBuffer(*command, &begin), "vkBeginCommandBuffer", "recording");
    if (status != VKMM_OK) vkmm_command_free(device, command);
    return status;
}

vkmm_status vkmm_command_end(vkmm_device *device, VkCommandBuffer command)
{
    return vkmm_check(vkmm_device_log(device), device->table.vkEndCommandBuffer(command), "vkEndCommandBuffer", "recording");
}

void vkmm_command_free(vkmm_device *device, VkCommandBuffer *command)
{
    if (*command) device->table.vkFreeCommandBuffers(device->handle, device->command_pool, 1, command);
    *command = NULL;
}

vkmm_status vkmm_command_run(vkmm_device *device, VkCommandBuffer command, double *host_ms)
{
    const vkmm_log *log = vkmm_device_log(device);
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command};
    vkmm_status status =
        vkmm_check(log, device->table.vkResetFences(device->handle, 1, &device->fence), "vkResetFences", "preparing a submission");
    if (status != VKMM_OK) return status;

    double start = vkmm_now_ms();
    status = vkmm_check(log, device->table.vkQueueSubmit(device->queue, 1, &submit, device->fence), "vkQueueSubmit", "submitting");
    if (status != VKMM_OK) return status;
    VkResult result = device->table.vkWaitForFences(device->handle, 1, &device->fence, VK_TRUE, UINT64_MAX);
    if (host_ms) *host_ms = vkmm_now_ms() - start;
    return vkmm_check(log, result, "vkWaitForFences", "waiting for the device");
}

void vkmm_command_barrier(vkmm_device *device, VkCommandBuffer command, VkPipelineStageFlags from, VkAccessFlags written,
                          VkPipelineStageFlags to, VkAccessFlags accessed)
{
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = accessed};
    device->table.vkCmdPipelineBarrier(command, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}
