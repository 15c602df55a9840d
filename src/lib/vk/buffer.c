#include "vk/buffer.h"

#include <string.h>

#include "base/limits.h"
#include "vk/vk_result.h"

#define MIB(bytes) ((double)(bytes) / 1048576.0)

enum { COHERENT = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT };

/* The preferred memory types of each placement, best first; every Vulkan device has a host-visible, coherent type and a
 * device-local one. */
static const VkMemoryPropertyFlags wishes[][3] = {
    [VKMM_PLACE_DEVICE] = {COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                           VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
    [VKMM_PLACE_UPLOAD] = {COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, COHERENT, COHERENT},
    [VKMM_PLACE_DOWNLOAD] = {COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, COHERENT, COHERENT},
};

/* The first type, in the driver's order of preference, that has all requested properties. A staging buffer avoids
 * device-local memory if possible: the part of it that the host can access is small and slow to read. */
static uint32_t find_type(const vkmm_device *device, uint32_t allowed, VkMemoryPropertyFlags wish)
{
    uint32_t second_choice = UINT32_MAX;
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;
        if (!(allowed & (1u << i)) || (flags & wish) != wish) continue;
        if ((wish ^ flags) & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) {
            if (second_choice == UINT32_MAX) second_choice = i;
            continue;
        }
        return i;
    }
    return second_choice;
}

static vkmm_status check_size(const vkmm_device *device, const char *what, uint64_t bytes)
{
    const vkmm_device_info *info = &device->physical->info;
    const uint64_t limit = vkmm_largest_buffer(info);
    const int by_buffer = limit < info->memory.max_allocation_bytes;
    if (bytes <= limit) return VKMM_OK;
    return vkmm_fail(VKMM_UNSUPPORTED, "%s needs a buffer of %.1f MiB; \"%s\" allows %.1f MiB (%s)", what, MIB(bytes),
                     info->name, MIB(limit), by_buffer ? "maxBufferSize" : "maxMemoryAllocationSize");
}

static vkmm_status allocate(vkmm_device *device, const char *what, vkmm_placement placement, vkmm_buffer *buffer)
{
    VkMemoryRequirements needs;
    device->table.vkGetBufferMemoryRequirements(device->handle, buffer->handle, &needs);
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    uint32_t type = UINT32_MAX;
    for (size_t i = 0; i < 3 && result != VK_SUCCESS; i++) {
        type = find_type(device, needs.memoryTypeBits, wishes[placement][i]);
        if (type == UINT32_MAX) continue;
        VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
        do /* rather than use another type, release the spare jobs' memory of this one */
            result = device->table.vkAllocateMemory(device->handle, &info, NULL, &buffer->memory);
        while (result != VK_SUCCESS && vkmm_device_drop_spares(device));
        if (result != VK_SUCCESS) buffer->memory = VK_NULL_HANDLE;
    }
    if (result != VK_SUCCESS)
        return vkmm_fail(vkmm_result_status(result), "no device memory for %s: %.1f MiB on \"%s\" (%s)", what,
                         MIB(needs.size), device->physical->info.name, vkmm_result_name(result));
    vkmm_status status = vkmm_check(device->table.vkBindBufferMemory(device->handle, buffer->handle, buffer->memory, 0),
                                    "vkBindBufferMemory", what);
    int readable = (device->memory.memoryTypes[type].propertyFlags & COHERENT) == COHERENT;
    if (status != VKMM_OK || !readable || (placement == VKMM_PLACE_DEVICE && !device->physical->info.memory.is_unified))
        return status;
    return vkmm_check(device->table.vkMapMemory(device->handle, buffer->memory, 0, buffer->bytes, 0, &buffer->mapped),
                      "vkMapMemory", what);
}

static vkmm_status create(vkmm_device *device, const char *what, uint64_t bytes, vkmm_placement placement, int shared,
                          vkmm_buffer *buffer)
{
    const uint32_t families[] = {device->queues[VKMM_QUEUE_COMPUTE].family, device->queues[VKMM_QUEUE_TRANSFER].family};
    const int concurrent = shared && device->queues[VKMM_QUEUE_TRANSFER].handle;
    memset(buffer, 0, sizeof *buffer);
    vkmm_status status = vkmm_device_own(device);
    if (status == VKMM_OK) status = check_size(device, what, bytes);
    if (status != VKMM_OK) return status;
    buffer->bytes = bytes;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
        .sharingMode = concurrent ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = concurrent ? 2 : 0,
        .pQueueFamilyIndices = families,
    };
    status = VKMM_CREATE(device, Buffer, &info, &buffer->handle, what);
    if (status == VKMM_OK) status = allocate(device, what, placement, buffer);
    if (status != VKMM_OK) vkmm_buffer_destroy(device, buffer);
    return status;
}

vkmm_status vkmm_buffer_create(vkmm_device *device, const char *what, uint64_t bytes, vkmm_placement placement,
                               vkmm_buffer *buffer)
{
    return create(device, what, bytes, placement, 0, buffer);
}

vkmm_status vkmm_buffer_take_shared(vkmm_device *device, const char *what, uint64_t bytes, vkmm_placement placement,
                                    vkmm_buffer *buffer)
{
    if (buffer->bytes >= bytes) return VKMM_OK;
    vkmm_buffer_destroy(device, buffer);
    return create(device, what, bytes, placement, 1, buffer);
}

void vkmm_buffer_destroy(vkmm_device *device, vkmm_buffer *buffer)
{
    if (buffer->handle) device->table.vkDestroyBuffer(device->handle, buffer->handle, NULL);
    if (buffer->memory) device->table.vkFreeMemory(device->handle, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}
