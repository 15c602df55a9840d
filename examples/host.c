#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void host_fail(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

void host_check_vulkan(VkResult result, const char *call)
{
    if (result == VK_SUCCESS) return;
    fprintf(stderr, "%s returned VkResult %d\n", call, (int)result);
    exit(1);
}

void host_check_product(vkmm_status status, const char *call)
{
    if (status == VKMM_OK) return;
    fprintf(stderr, "%s: %s\n", call, vkmm_status_name(status)); /* the log has told the reason */
    exit(1);
}

static void on_message(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user;
    if (level <= VKMM_LOG_WARNING) fprintf(stderr, "vkmatmul: %s\n", sentence);
}

/* The first discrete GPU, or else the first device, of those with Vulkan 1.2. */
static void choose_device(host *h)
{
    VkPhysicalDevice devices[16];
    uint32_t count = 16;
    VkResult result = vkEnumeratePhysicalDevices(h->instance, &count, devices);
    if (result != VK_INCOMPLETE) host_check_vulkan(result, "vkEnumeratePhysicalDevices");
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(devices[i], &properties);
        int better = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU &&
                     h->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
        if (properties.apiVersion < VK_API_VERSION_1_2 || (h->physical && !better)) continue;
        h->physical = devices[i];
        h->properties = properties;
    }
    if (!h->physical) host_fail("there is no device with Vulkan 1.2");

    VkQueueFamilyProperties families[16];
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(h->physical, &count, families);
    while (h->family < count && !(families[h->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) h->family++;
    if (h->family == count) host_fail("the device has no queue for compute");
    h->timestamp_bits = families[h->family].timestampValidBits;
}

void host_open(host *h, vkmm_type type)
{
    const uint32_t version = VK_API_VERSION_1_3; /* the highest that the application uses */
    const vkmm_log log = {on_message, NULL};
    *h = (host){0};
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    VK(vkCreateInstance(&instance, NULL, &h->instance));
    choose_device(h);

    /* What the library can use on this device is added to what the application itself needs: timeline semaphores. */
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .timelineSemaphore = VK_TRUE};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features12};
    const vkmm_requirements_params params = {.get_instance_proc_addr = vkGetInstanceProcAddr,
                                             .instance = h->instance,
                                             .physical_device = h->physical,
                                             .api_version = version,
                                             .types = &type,
                                             .type_count = 1,
                                             .log = log};
    vkmm_requirements *requirements;
    MM(vkmm_device_requirements(&params, &requirements));
    MM(vkmm_requirements_merge(requirements, &features));
    uint32_t extension_count;
    const char *const *extensions = vkmm_requirements_extensions(requirements, &extension_count);

    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = h->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = extension_count,
                                       .ppEnabledExtensionNames = extensions};
    VK(vkCreateDevice(h->physical, &device, NULL, &h->device));
    vkGetDeviceQueue(h->device, h->family, 0, &h->queue);

    /* The library learns what is enabled, and nothing else. */
    const vkmm_import_params import = {.get_instance_proc_addr = vkGetInstanceProcAddr,
                                       .instance = h->instance,
                                       .physical_device = h->physical,
                                       .device = h->device,
                                       .api_version = version,
                                       .queue_family = h->family,
                                       .extensions = extensions,
                                       .extension_count = extension_count,
                                       .features = &features,
                                       .log = log};
    MM(vkmm_device_import(&import, &h->lent));
    vkmm_requirements_destroy(&requirements); /* only now: parts of the chain belong to it */
    h->pool = host_pool_create(h);
}

void host_close(host *h)
{
    vkmm_device_destroy(&h->lent); /* before the VkDevice, and after all of its gemms */
    vkDestroyCommandPool(h->device, h->pool, NULL);
    vkDestroyDevice(h->device, NULL);
    vkDestroyInstance(h->instance, NULL);
}

host_buffer host_buffer_create(const host *h, VkDeviceSize bytes, host_place place)
{
    host_buffer buffer = {.bytes = bytes};
    const VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = bytes,
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                                VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VK(vkCreateBuffer(h->device, &create, NULL, &buffer.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(h->device, buffer.buffer, &needs);

    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(h->physical, &memory);
    const VkMemoryPropertyFlags flags =
        place == HOST_DEVICE ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                             : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type < memory.memoryTypeCount &&
           (!(needs.memoryTypeBits & 1u << type) || (memory.memoryTypes[type].propertyFlags & flags) != flags))
        type++;
    if (type == memory.memoryTypeCount) host_fail("the device has no such memory");

    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    VK(vkAllocateMemory(h->device, &allocate, NULL, &buffer.memory));
    VK(vkBindBufferMemory(h->device, buffer.buffer, buffer.memory, 0));
    if (place == HOST_MAPPED) VK(vkMapMemory(h->device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.mapped));
    return buffer;
}

void host_buffer_destroy(const host *h, host_buffer *buffer)
{
    vkDestroyBuffer(h->device, buffer->buffer, NULL);
    vkFreeMemory(h->device, buffer->memory, NULL);
    *buffer = (host_buffer){0};
}

vkmm_binding host_whole(const host_buffer *buffer)
{
    return (vkmm_binding){buffer->buffer, 0, buffer->bytes};
}

VkCommandPool host_pool_create(const host *h)
{
    const VkCommandPoolCreateInfo create = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .queueFamilyIndex = h->family};
    VkCommandPool pool;
    VK(vkCreateCommandPool(h->device, &create, NULL, &pool));
    return pool;
}

VkCommandBuffer host_begin(const host *h, VkCommandPool pool)
{
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands;
    VK(vkAllocateCommandBuffers(h->device, &allocate, &commands));
    VK(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

void host_run(const host *h, VkCommandBuffer commands)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VK(vkQueueSubmit(h->queue, 1, &submit, VK_NULL_HANDLE));
    VK(vkQueueWaitIdle(h->queue));
}

void host_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags writes, VkPipelineStageFlags to,
                  VkAccessFlags uses)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = writes, .dstAccessMask = uses};
    vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

host_shader host_shader_create(const host *h, const uint32_t *words, size_t bytes, const host_buffer *first,
                               const host_buffer *second)
{
    host_shader shader = {0};
    const host_buffer *const buffers[] = {first, second};
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] =
            (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    const VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    VK(vkCreateDescriptorSetLayout(h->device, &set_layout, NULL, &shader.set_layout));
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &shader.set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    VK(vkCreatePipelineLayout(h->device, &layout, NULL, &shader.layout));

    const VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = words};
    VkShaderModule module;
    VK(vkCreateShaderModule(h->device, &code, NULL, &module));
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = shader.layout};
    VK(vkCreateComputePipelines(h->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &shader.pipeline));
    vkDestroyShaderModule(h->device, module, NULL);

    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VK(vkCreateDescriptorPool(h->device, &pool, NULL, &shader.pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = shader.pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &shader.set_layout};
    VK(vkAllocateDescriptorSets(h->device, &allocate, &shader.set));
    for (uint32_t i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo buffer = {buffers[i]->buffer, 0, buffers[i]->bytes};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = shader.set,
                                            .dstBinding = i,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(h->device, 1, &write, 0, NULL);
    }
    return shader;
}

void host_shader_destroy(const host *h, host_shader *shader)
{
    vkDestroyDescriptorPool(h->device, shader->pool, NULL);
    vkDestroyPipeline(h->device, shader->pipeline, NULL);
    vkDestroyPipelineLayout(h->device, shader->layout, NULL);
    vkDestroyDescriptorSetLayout(h->device, shader->set_layout, NULL);
}

void host_dispatch(VkCommandBuffer commands, const host_shader *shader, uint32_t groups, const uint32_t constants[4])
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->layout, 0, 1, &shader->set, 0, NULL);
    vkCmdPushConstants(commands, shader->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, constants);
    vkCmdDispatch(commands, groups, 1, 1);
}

const char *host_options(int argc, char **argv, host_option *options, uint32_t count)
{
    const char *word = NULL;
    for (int i = 1; i < argc; i++) {
        host_option *option = options;
        while (option < options + count && strcmp(argv[i], option->name) != 0) option++;
        if (option == options + count) {
            if (word || argv[i][0] == '-') host_fail("unknown option; the source has a list");
            word = argv[i];
        } else if (option->alone) {
            option->value = 1;
        } else {
            char *end = NULL;
            const unsigned long value = i + 1 < argc ? strtoul(argv[++i], &end, 10) : 0;
            if (value == 0 || value > UINT16_MAX || *end) host_fail("options need a number from 1 to 65535");
            option->value = (uint32_t)value;
        }
    }
    return word;
}

float host_number(uint32_t i, uint32_t seed)
{
    uint32_t x = i * 747796405u + seed;
    x = (x ^ x >> 16) * 2246822519u;
    return ((float)(x >> 24) - 128) / 128;
}

void host_write(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file)) host_fail("could not write the output");
}
