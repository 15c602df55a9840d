/* The fake driver speaks up: what the other tests expect not to hear is done here on purpose. */
#include <string.h>

#include "play.h"
#include "vk/loader.h"

/* Named without their vk, as volk has variables of these names. */
#define GET(type, name) const PFN_vk##name name = (PFN_vk##name)(void (*)(void))fake_loader()(type, "vk" #name)

static VkInstance instance;
static VkDevice device;
static struct VolkDeviceTable vk;

static void begin(void)
{
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    const fake_caps caps = {.lazy = 1, .max_storage_range = 1024, .max_buffer_bytes = 4096};
    VkPhysicalDevice physical;
    uint32_t count = 1;
    fake_begin(&caps);
    GET(NULL, CreateInstance);
    CreateInstance(&info, NULL, &instance);
    GET(instance, EnumeratePhysicalDevices);
    GET(instance, CreateDevice);
    EnumeratePhysicalDevices(instance, &count, &physical);
    GET(instance, GetDeviceProcAddr);
    CreateDevice(physical, &device_info, NULL, &device);
    vkmm_loader_fill(GetDeviceProcAddr, device, &vk);
}

/* Ends everything, after which the driver has complained of this, and of nothing else. */
static void end(const char *of)
{
    GET(instance, DestroyInstance);
    vk.vkDestroyDevice(device, NULL);
    DestroyInstance(instance, NULL);
    const unsigned faults = fake_end();
    expect(*of ? faults > 0 && strstr(fake_fault(0), of) : faults == 0, "\"%s\" is expected; there is \"%s\"", of,
           faults > 0 ? fake_fault(0) : "nothing");
}

static VkBuffer buffer_of(VkDeviceSize bytes)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes};
    VkBuffer buffer;
    vk.vkCreateBuffer(device, &info, NULL, &buffer);
    return buffer;
}

static void destroy_buffer(VkBuffer buffer)
{
    vk.vkDestroyBuffer(device, buffer, NULL);
}

static VkDeviceMemory memory_for(VkBuffer buffer, uint32_t type)
{
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 1024, .memoryTypeIndex = type};
    VkDeviceMemory memory;
    vk.vkAllocateMemory(device, &info, NULL, &memory);
    vk.vkBindBufferMemory(device, buffer, memory, 0);
    return memory;
}

static void free_memory(VkDeviceMemory memory)
{
    vk.vkFreeMemory(device, memory, NULL);
}

static void misuse_buffers(void)
{
    void *mapped;
    begin();
    destroy_buffer(buffer_of(64));
    end("");
    begin();
    VkBuffer buffer = buffer_of(64);
    destroy_buffer(buffer);
    destroy_buffer(buffer);
    end("destroyed before");
    begin();
    buffer_of(64);
    end("left over");
    begin();
    destroy_buffer(buffer_of(8192));
    end("maxBufferSize");
    begin();
    buffer = buffer_of(2048);
    free_memory(memory_for(buffer, 2));
    destroy_buffer(buffer);
    end("of memory with 1024");
    begin();
    buffer = buffer_of(64);
    VkDeviceMemory memory = memory_for(buffer, 0);
    vk.vkMapMemory(device, memory, 0, 64, 0, &mapped);
    destroy_buffer(buffer);
    free_memory(memory);
    end("does not see");
}

/* What is done after a submission, and what is expected of it. */
typedef enum misuse { NOTHING, SECOND_SUBMISSION, RESET, DESTROY_BUFFER, DESTROY_FENCE, DESTROY_POOL, NO_END } misuse;

static void misuse_work(misuse what, const char *of)
{
    begin();
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandBufferCount = 1};
    VkCommandBuffer command;
    VkQueue queue;
    VkFence fence;
    VkBuffer buffer = buffer_of(64);
    const VkDeviceMemory memory = memory_for(buffer, 2);
    vk.vkGetDeviceQueue(device, 0, 0, &queue);
    vk.vkCreateCommandPool(device, &pool_info, NULL, &allocation.commandPool);
    vk.vkAllocateCommandBuffers(device, &allocation, &command);
    vk.vkCreateFence(device, &fence_info, NULL, &fence);
    vk.vkBeginCommandBuffer(command, &begin_info);
    vk.vkCmdFillBuffer(command, buffer, 0, 64, 7);
    if (what != NO_END) vk.vkEndCommandBuffer(command);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command};
    vk.vkQueueSubmit(queue, 1, &submit, fence);
    if (what == SECOND_SUBMISSION) vk.vkQueueSubmit(queue, 1, &submit, fence);
    if (what == RESET) vk.vkResetCommandPool(device, allocation.commandPool, 0);
    if (what == DESTROY_BUFFER) destroy_buffer(buffer);
    if (what == DESTROY_FENCE) vk.vkDestroyFence(device, fence, NULL);
    if (what == DESTROY_POOL) vk.vkDestroyCommandPool(device, allocation.commandPool, NULL);
    if (what != DESTROY_FENCE) vk.vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
    if (what != DESTROY_FENCE) vk.vkDestroyFence(device, fence, NULL);
    if (what != DESTROY_POOL) vk.vkDestroyCommandPool(device, allocation.commandPool, NULL);
    if (what != DESTROY_BUFFER) destroy_buffer(buffer);
    free_memory(memory);
    end(of);
}

int main(void)
{
    misuse_buffers();
    misuse_work(NOTHING, "");
    misuse_work(SECOND_SUBMISSION, "not reset");
    misuse_work(RESET, "in flight");
    misuse_work(DESTROY_BUFFER, "in flight");
    misuse_work(DESTROY_FENCE, "in use by a submission");
    misuse_work(DESTROY_POOL, "in flight");
    misuse_work(NO_END, "not recorded");
    return unexpected() > 0;
}
