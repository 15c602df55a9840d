/* The fake driver's devices, buffers and memory. */
#include "fake_state.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, UNTOUCHED = 0xa5 };

static void check_queues(const VkDeviceCreateInfo *info)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *queue = &info->pQueueCreateInfos[i];
        if (queue->queueFamilyIndex >= fake_family_count() || seen & 1u << queue->queueFamilyIndex ||
            queue->queueCount == 0 ||
            queue->queueCount > (queue->queueFamilyIndex == 0 ? 1 : (uint32_t)fake.caps.transfer_family))
            fake_complain("vkCreateDevice: %u queues of family %u", queue->queueCount, queue->queueFamilyIndex);
        else
            seen |= 1u << queue->queueFamilyIndex;
    }
}

/* VkPhysicalDeviceVulkan14Features.pushDescriptor, which headers before 1.4 lack. */
static int enables_push_descriptors(const VkBaseInStructure *next)
{
    while (next && next->sType != (VkStructureType)FAKE_VULKAN14_FEATURES) next = next->pNext;
    return next && ((const fake_vulkan14_features *)(const void *)next)->push_descriptor;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkCreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                                   const VkAllocationCallbacks *with, VkDevice *out)
{
    FAKE_ENTER_OR_SPOIL(vkCreateDevice, VkDevice, out);
    const fake_object *physical = FAKE_FIND(handle, FAKE_PHYSICAL);
    if (!physical) return VK_ERROR_INITIALIZATION_FAILED;
    check_queues(info);
    uint32_t subsets = 0;
    fake.pushes_sets = fake.caps.push_descriptors == 2 && enables_push_descriptors(info->pNext) ? 2 : 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], "VK_KHR_portability_subset") == 0)
            subsets++;
        else if (fake.caps.push_descriptors == 1 &&
                 strcmp(info->ppEnabledExtensionNames[i], VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) == 0)
            fake.pushes_sets = 1;
        else if (!fake.caps.featured &&
                 strcmp(info->ppEnabledExtensionNames[i], VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) != 0)
            return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (fake.caps.portable && subsets == 0) fake_complain("vkCreateDevice: VK_KHR_portability_subset is not enabled");
    if (!fake.caps.portable && subsets > 0) return VK_ERROR_EXTENSION_NOT_PRESENT;
    fake_object *device = fake_make(FAKE_DEVICE, physical->parent);
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
        for (uint32_t j = 0; j < info->pQueueCreateInfos[i].queueCount; j++)
            fake_make(FAKE_QUEUE, device->id)->queue.family = info->pQueueCreateInfos[i].queueFamilyIndex;
    *out = FAKE_HANDLE(VkDevice, device);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_vkDestroyDevice(VkDevice device, const VkAllocationCallbacks *with)
{
    FAKE_ENTER(vkDestroyDevice);
    FAKE_DESTROY(device, FAKE_DEVICE);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkDeviceWaitIdle(VkDevice device)
{
    FAKE_ENTER_ON(vkDeviceWaitIdle, device);
    fake_retire(0, FAKE_FIND(device, FAKE_DEVICE));
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_vkGetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue *out)
{
    FAKE_ENTER(vkGetDeviceQueue);
    const fake_object *device = FAKE_FIND(handle, FAKE_DEVICE);
    *out = VK_NULL_HANDLE;
    for (uint32_t i = 0, seen = 0; device && i < fake.count; i++) {
        const fake_object *queue = fake.objects[i];
        if (queue->alive && queue->kind == FAKE_QUEUE && queue->parent == device->id && queue->queue.family == family &&
            seen++ == index)
            *out = FAKE_HANDLE(VkQueue, queue);
    }
    if (!*out) fake_complain("%s: no queue %u of family %u was made", __func__, index, family);
}

FAKE_DEFINE_CREATE(Buffer, FAKE_BUFFER)
{
    if (info->size == 0 || info->size > fake.caps.max_buffer_bytes)
        fake_complain("%s: %llu bytes; maxBufferSize is %llu", __func__, (unsigned long long)info->size,
                      (unsigned long long)fake.caps.max_buffer_bytes);
    made->buffer.bytes = info->size;
    made->buffer.shared = info->sharingMode == VK_SHARING_MODE_CONCURRENT;
    if (made->buffer.shared && info->queueFamilyIndexCount < 2)
        fake_complain("%s: a buffer shared with nobody", __func__);
}

static uint64_t required(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

VKAPI_ATTR void VKAPI_CALL fake_vkGetBufferMemoryRequirements(VkDevice device, VkBuffer handle,
                                                              VkMemoryRequirements *out)
{
    FAKE_ENTER(vkGetBufferMemoryRequirements);
    FAKE_FIND(device, FAKE_DEVICE);
    const fake_object *buffer = FAKE_FIND(handle, FAKE_BUFFER);
    if (buffer) *out = (VkMemoryRequirements){required(buffer->buffer.bytes), ALIGNMENT, fake.caps.unified ? 1 : 7};
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkAllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                     const VkAllocationCallbacks *with, VkDeviceMemory *out)
{
    FAKE_ENTER_OR_SPOIL(vkAllocateMemory, VkDeviceMemory, out);
    const fake_object *device = FAKE_FIND(handle, FAKE_DEVICE);
    const uint32_t heap = info->memoryTypeIndex > 0;
    if (info->memoryTypeIndex >= (fake.caps.unified ? 1 : 3) || info->allocationSize == 0 ||
        info->allocationSize > fake.caps.heap_bytes)
        fake_complain("%s: %llu bytes of type %u", __func__, (unsigned long long)info->allocationSize,
                      info->memoryTypeIndex);
    if (info->allocationSize > fake.caps.max_allocation_bytes)
        fake_complain("%s: %llu bytes; maxMemoryAllocationSize is %llu", __func__,
                      (unsigned long long)info->allocationSize, (unsigned long long)fake.caps.max_allocation_bytes);
    if (fake.allocations >= fake.caps.max_allocations) return VK_ERROR_TOO_MANY_OBJECTS;
    if (fake.heap_used[heap] + info->allocationSize > fake.caps.heap_bytes) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    unsigned char *data = malloc(info->allocationSize);
    if (!data || !device) {
        free(data);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    memset(data, UNTOUCHED, info->allocationSize);
    fake_object *memory = fake_make(FAKE_MEMORY, device->id);
    memory->memory.data = data;
    memory->memory.bytes = info->allocationSize;
    memory->memory.type = info->memoryTypeIndex;
    fake.heap_used[heap] += info->allocationSize;
    fake.allocations++;
    if (fake_allocated() > fake.most_used) fake.most_used = fake_allocated();
    *out = FAKE_HANDLE(VkDeviceMemory, memory);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_vkFreeMemory(VkDevice device, VkDeviceMemory handle, const VkAllocationCallbacks *with)
{
    FAKE_ENTER(vkFreeMemory);
    FAKE_FIND(device, FAKE_DEVICE);
    const fake_object *memory = handle ? FAKE_FIND(handle, FAKE_MEMORY) : NULL;
    if (!memory) return;
    fake.heap_used[memory->memory.type > 0] -= memory->memory.bytes;
    fake.allocations--;
    FAKE_DESTROY(handle, FAKE_MEMORY);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkBindBufferMemory(VkDevice device, VkBuffer buffer_handle, VkDeviceMemory handle,
                                                       VkDeviceSize offset)
{
    FAKE_ENTER_OR_FAIL(vkBindBufferMemory);
    FAKE_FIND(device, FAKE_DEVICE);
    fake_object *buffer = FAKE_FIND(buffer_handle, FAKE_BUFFER);
    const fake_object *memory = FAKE_FIND(handle, FAKE_MEMORY);
    if (!buffer || !memory) return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (buffer->buffer.memory) fake_complain("%s: the buffer has memory already", __func__);
    if (offset % ALIGNMENT != 0 || offset + required(buffer->buffer.bytes) > memory->memory.bytes)
        fake_complain("%s: %llu bytes at %llu of memory with %llu", __func__,
                      (unsigned long long)required(buffer->buffer.bytes), (unsigned long long)offset,
                      (unsigned long long)memory->memory.bytes);
    buffer->buffer.memory = memory->id;
    buffer->buffer.offset = offset;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_vkMapMemory(VkDevice device, VkDeviceMemory handle, VkDeviceSize offset,
                                                VkDeviceSize bytes, VkMemoryMapFlags flags, void **out)
{
    FAKE_ENTER_OR_SPOIL(vkMapMemory, void *, out);
    FAKE_FIND(device, FAKE_DEVICE);
    fake_object *memory = FAKE_FIND(handle, FAKE_MEMORY);
    if (!memory) return VK_ERROR_MEMORY_MAP_FAILED;
    if (!fake.caps.unified && memory->memory.type == 0)
        fake_complain("%s: the host does not see this memory", __func__);
    if (memory->memory.mapped) fake_complain("%s: the memory is mapped already", __func__);
    if (bytes != VK_WHOLE_SIZE && (bytes == 0 || offset + bytes > memory->memory.bytes))
        fake_complain("%s: %llu bytes at %llu of memory with %llu", __func__, (unsigned long long)bytes,
                      (unsigned long long)offset, (unsigned long long)memory->memory.bytes);
    memory->memory.mapped = 1;
    *out = memory->memory.data + offset;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_vkUnmapMemory(VkDevice device, VkDeviceMemory handle)
{
    FAKE_ENTER(vkUnmapMemory);
    FAKE_FIND(device, FAKE_DEVICE);
    fake_object *memory = FAKE_FIND(handle, FAKE_MEMORY);
    if (memory && !memory->memory.mapped) fake_complain("%s: the memory is not mapped", __func__);
    if (memory) memory->memory.mapped = 0;
}

unsigned char *fake_bytes(uint64_t id, uint64_t offset, uint64_t bytes, const char *call)
{
    const fake_object *buffer = fake_find(id, FAKE_BUFFER, call);
    const fake_object *memory =
        buffer && buffer->buffer.memory ? fake_find(buffer->buffer.memory, FAKE_MEMORY, call) : NULL;
    if (buffer && !buffer->buffer.memory) fake_complain("%s: a buffer without memory", call);
    if (!memory) return NULL;
    if (bytes == 0 || offset > buffer->buffer.bytes || bytes > buffer->buffer.bytes - offset) {
        fake_complain("%s: %llu bytes at %llu of a buffer with %llu", call, (unsigned long long)bytes,
                      (unsigned long long)offset, (unsigned long long)buffer->buffer.bytes);
        return NULL;
    }
    return memory->memory.data + buffer->buffer.offset + offset;
}
