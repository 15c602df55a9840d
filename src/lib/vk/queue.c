#include "vk/queue.h"

#include "base/alloc.h"
#include "base/log.h"
#include "vk/device.h"

vkmm_status vkmm_queue_open(vkmm_device *device, uint32_t family, vkmm_queue *queue)
{
    queue->family = family;
    if (mtx_init(&queue->lock, mtx_plain) != thrd_success)
        return vkmm_fail(vkmm_device_log(device), VKMM_OUT_OF_MEMORY, "no lock for a queue");
    queue->has_lock = 1;
    device->table.vkGetDeviceQueue(device->handle, family, 0, &queue->handle);
    return VKMM_OK;
}

void vkmm_command_slot_destroy(vkmm_device *device, vkmm_command_slot *slot)
{
    if (slot->fence) device->table.vkDestroyFence(device->handle, slot->fence, NULL);
    if (slot->pool) device->table.vkDestroyCommandPool(device->handle, slot->pool, NULL); /* frees the command buffer */
    vkmm_free(slot);
}

static void destroy_slots(vkmm_device *device, vkmm_command_slot **list)
{
    while (*list) {
        vkmm_command_slot *slot = *list;
        *list = slot->next;
        vkmm_command_slot_destroy(device, slot);
    }
}

void vkmm_queue_close(vkmm_device *device, vkmm_queue *queue)
{
    destroy_slots(device, &queue->busy);
    destroy_slots(device, &queue->idle);
    if (queue->has_lock) mtx_destroy(&queue->lock);
    *queue = (vkmm_queue){0};
}
