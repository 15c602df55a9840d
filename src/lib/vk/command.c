#include "vk/command.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "vk/vk_result.h"

#define POLL_MS 0.1 /* at most, before a thread sleeps */

/* A half-built slot is legal. */
static void destroy_slot(vkmm_device *device, vkmm_command_slot *slot)
{
    if (slot->copied) device->table.vkDestroySemaphore(device->handle, slot->copied, NULL);
    if (slot->fence) device->table.vkDestroyFence(device->handle, slot->fence, NULL);
    if (slot->pool) device->table.vkDestroyCommandPool(device->handle, slot->pool, NULL); /* frees the command buffer */
    vkmm_free(slot);
}

static vkmm_status create_objects(vkmm_device *device, uint32_t family, vkmm_command_slot *slot)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    vkmm_status status = VKMM_CREATE(device, CommandPool, &pool, &slot->pool, "preparing to record");
    if (status != VKMM_OK) return status;
    VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = slot->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    status = vkmm_check(device->table.vkAllocateCommandBuffers(device->handle, &allocation, &slot->command),
                        "vkAllocateCommandBuffers", "preparing to record");
    if (status != VKMM_OK) return status;
    return VKMM_CREATE(device, Fence, &fence, &slot->fence, "preparing to record");
}

static vkmm_command_slot *create(vkmm_device *device, uint32_t family, vkmm_status *status)
{
    vkmm_command_slot *slot = vkmm_alloc(1, sizeof *slot);
    if (!slot) {
        *status = VKMM_NO_MEMORY("for a command buffer");
        return NULL;
    }
    *status = create_objects(device, family, slot);
    if (*status == VKMM_OK) return slot;
    destroy_slot(device, slot);
    return NULL;
}

static vkmm_queue *queue_of(vkmm_device *device, vkmm_queue_role role)
{
    while (!device->queues[role].handle && role > 0) role--;
    return &device->queues[role];
}

/* A short list: the command buffers that this process records at a time. */
static vkmm_command_slot **find_in(vkmm_queue *queue, VkCommandBuffer command)
{
    vkmm_command_slot **at = &queue->busy;
    while (*at && (*at)->command != command) at = &(*at)->next;
    return at;
}

/* The slot that was given out; its owner alone uses it, so that only the list needs the lock. */
static vkmm_command_slot *find(vkmm_device *device, VkCommandBuffer command, vkmm_queue **queue)
{
    for (int role = 0; role < VKMM_QUEUE_COUNT; role++) {
        *queue = &device->queues[role];
        if (!(*queue)->handle) continue;
        mtx_lock(&(*queue)->lock);
        vkmm_command_slot *slot = *find_in(*queue, command);
        mtx_unlock(&(*queue)->lock);
        if (slot) return slot;
    }
    return NULL;
}

vkmm_status vkmm_command_begin_on(vkmm_device *device, vkmm_queue_role role, VkCommandBuffer *command)
{
    vkmm_queue *queue = queue_of(device, role);
    vkmm_status status = vkmm_device_own(device);
    *command = NULL;
    if (status != VKMM_OK) return status;
    mtx_lock(&queue->lock);
    vkmm_command_slot *slot = queue->idle;
    if (slot) queue->idle = slot->next;
    mtx_unlock(&queue->lock);
    if (!slot) slot = create(device, queue->family, &status);
    if (!slot) return status;
    mtx_lock(&queue->lock);
    slot->next = queue->busy;
    queue->busy = slot;
    mtx_unlock(&queue->lock);
    *command = slot->command;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    status = vkmm_check(device->table.vkBeginCommandBuffer(*command, &begin), "vkBeginCommandBuffer", "recording");
    if (status != VKMM_OK) vkmm_command_free(device, command);
    return status;
}

vkmm_status vkmm_command_begin(vkmm_device *device, VkCommandBuffer *command)
{
    return vkmm_command_begin_on(device, VKMM_QUEUE_COMPUTE, command);
}

vkmm_status vkmm_command_end(vkmm_device *device, VkCommandBuffer command)
{
    return vkmm_check(device->table.vkEndCommandBuffer(command), "vkEndCommandBuffer", "recording");
}

/* If waiting fails because memory runs out, it is still in flight. Work that is nearly done ends before a thread that
 * sleeps is awake again: first the fence is polled, unless the device is the processor. */
static VkResult wait(vkmm_device *device, vkmm_command_slot *slot)
{
    const int is_cpu = vkmm_is_processor(&device->physical->info);
    const double until = vkmm_now_ms() + POLL_MS;
    VkResult result = VK_NOT_READY;
    while (result == VK_NOT_READY && !is_cpu && vkmm_now_ms() < until)
        result = device->table.vkGetFenceStatus(device->handle, slot->fence);
    if (result != VK_SUCCESS)
        result = device->table.vkWaitForFences(device->handle, 1, &slot->fence, VK_TRUE, UINT64_MAX);
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) slot->submitted = 0;
    return result;
}

static void wait_idle(vkmm_device *device, vkmm_queue *queue)
{
    mtx_lock(&queue->lock);
    device->table.vkQueueWaitIdle(queue->handle);
    mtx_unlock(&queue->lock);
}

/* Waits by every means: the owner is about to destroy what the command buffer uses. 1 if it has ended properly. */
static int finish(vkmm_device *device, vkmm_queue *queue, vkmm_command_slot *slot)
{
    if (!slot->submitted) return 1;
    VkResult result = wait(device, slot);
    if (!slot->submitted) return result == VK_SUCCESS;
    wait_idle(device, queue);
    return 0;
}

/* A slot that cannot be reset, or could not be waited for normally, is not reused. */
void vkmm_command_free(vkmm_device *device, VkCommandBuffer *command)
{
    vkmm_queue *queue;
    vkmm_command_slot *slot = *command ? find(device, *command, &queue) : NULL;
    *command = NULL;
    if (!slot) return;
    int whole = finish(device, queue, slot) && !slot->is_signaled;
    if (slot->is_signaled) wait_idle(device, &device->queues[VKMM_QUEUE_TRANSFER]);
    whole = whole && device->table.vkResetCommandPool(device->handle, slot->pool, 0) == VK_SUCCESS;
    mtx_lock(&queue->lock);
    *find_in(queue, slot->command) = slot->next;
    if (whole) {
        slot->next = queue->idle;
        queue->idle = slot;
    }
    mtx_unlock(&queue->lock);
    if (!whole) destroy_slot(device, slot);
}

/* Its semaphore will be signaled when the copies submitted so far have ended. */
static vkmm_status signal_after_copies(vkmm_device *device, vkmm_command_slot *slot)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    vkmm_queue *copies = &device->queues[VKMM_QUEUE_TRANSFER];
    vkmm_status status =
        slot->copied ? VKMM_OK : VKMM_CREATE(device, Semaphore, &info, &slot->copied, "preparing a submission");
    if (status != VKMM_OK) return status;
    const VkSubmitInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .signalSemaphoreCount = 1, .pSignalSemaphores = &slot->copied};
    mtx_lock(&copies->lock);
    status = vkmm_check(device->table.vkQueueSubmit(copies->handle, 1, &signal, VK_NULL_HANDLE), "vkQueueSubmit",
                        "submitting");
    mtx_unlock(&copies->lock);
    slot->is_signaled = status == VKMM_OK;
    return status;
}

vkmm_status vkmm_command_submit(vkmm_device *device, VkCommandBuffer command, int after_copies)
{
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .pWaitDstStageMask = &all,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &command};
    vkmm_queue *queue;
    vkmm_command_slot *slot = find(device, command, &queue);
    vkmm_status status = vkmm_command_wait(device, command); /* a wait that failed is made up for */
    if (status == VKMM_OK)
        status = vkmm_check(device->table.vkResetFences(device->handle, 1, &slot->fence), "vkResetFences",
                            "preparing a submission");
    if (status == VKMM_OK && after_copies && device->queues[VKMM_QUEUE_TRANSFER].handle) {
        status = signal_after_copies(device, slot);
        submit.waitSemaphoreCount = 1;
        submit.pWaitSemaphores = &slot->copied;
    }
    if (status != VKMM_OK) return status;
    mtx_lock(&queue->lock);
    VkResult result = device->table.vkQueueSubmit(queue->handle, 1, &submit, slot->fence);
    mtx_unlock(&queue->lock);
    slot->submitted = result == VK_SUCCESS;
    if (slot->submitted) slot->is_signaled = 0;
    return vkmm_check(result, "vkQueueSubmit", "submitting");
}

vkmm_status vkmm_command_wait(vkmm_device *device, VkCommandBuffer command)
{
    vkmm_queue *queue;
    vkmm_command_slot *slot = find(device, command, &queue);
    if (!slot->submitted) return VKMM_OK;
    return vkmm_check(wait(device, slot), "vkWaitForFences", "waiting for the device");
}

int vkmm_command_ended(vkmm_device *device, VkCommandBuffer command)
{
    vkmm_queue *queue;
    vkmm_command_slot *slot = find(device, command, &queue);
    return !slot->submitted || device->table.vkGetFenceStatus(device->handle, slot->fence) != VK_NOT_READY;
}

vkmm_status vkmm_command_run(vkmm_device *device, VkCommandBuffer command, double *host_ms)
{
    double start = vkmm_now_ms();
    vkmm_status status = vkmm_command_submit(device, command, 0);
    if (status != VKMM_OK) return status;
    status = vkmm_command_wait(device, command);
    if (host_ms) *host_ms = vkmm_now_ms() - start;
    return status;
}

vkmm_status vkmm_command_once(vkmm_device *device, VkCommandBuffer *command)
{
    const vkmm_status status = vkmm_command_begin(device, command);
    if (status == VKMM_OK) vkmm_command_barrier_all(device, *command);
    return status;
}

vkmm_status vkmm_command_finish(vkmm_device *device, vkmm_status status, VkCommandBuffer *command)
{
    if (status == VKMM_OK) vkmm_command_barrier_all(device, *command);
    if (status == VKMM_OK) status = vkmm_command_end(device, *command);
    if (status == VKMM_OK) status = vkmm_command_run(device, *command, NULL);
    vkmm_command_free(device, command);
    return status;
}

vkmm_status vkmm_command_copy(vkmm_device *device, VkBuffer from, uint64_t at, VkBuffer to, uint64_t bytes)
{
    const VkBufferCopy region = {.srcOffset = at, .size = bytes};
    VkCommandBuffer command = NULL;
    const vkmm_status status = vkmm_command_once(device, &command);
    if (status == VKMM_OK) device->table.vkCmdCopyBuffer(command, from, to, 1, &region);
    return vkmm_command_finish(device, status, &command);
}

vkmm_status vkmm_command_fill(vkmm_device *device, VkBuffer buffer, uint64_t bytes, uint32_t word)
{
    VkCommandBuffer command = NULL;
    const vkmm_status status = vkmm_command_once(device, &command);
    if (status == VKMM_OK) device->table.vkCmdFillBuffer(command, buffer, 0, bytes, word);
    return vkmm_command_finish(device, status, &command);
}

void vkmm_command_barrier_all(vkmm_device *device, VkCommandBuffer command)
{
    vkmm_command_barrier(device, command, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                         VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
}

void vkmm_command_barrier(vkmm_device *device, VkCommandBuffer command, VkPipelineStageFlags from,
                          VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags accessed)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = accessed};
    device->table.vkCmdPipelineBarrier(command, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void destroy_slots(vkmm_device *device, vkmm_command_slot **list)
{
    while (*list) {
        vkmm_command_slot *slot = *list;
        *list = slot->next;
        destroy_slot(device, slot);
    }
}

void vkmm_queue_close(vkmm_device *device, vkmm_queue *queue)
{
    destroy_slots(device, &queue->busy);
    destroy_slots(device, &queue->idle);
}
