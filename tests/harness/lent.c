#include "lent.h"

#include <dlfcn.h>

#include "vk/validation.h"

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    lent_device *lent = user;
    (void)severity, (void)types;
    lent->messages++;
    printf("# validation: %s\n", data->pMessage);
    return VK_FALSE;
}

#define INSTANCE_FUNCTION(lent, name) ((PFN_##name)(lent)->get((lent)->instance, #name))

static VkResult create_instance(lent_device *lent, int validate)
{
    vkmm_validation validation;
    VkDebugUtilsMessengerCreateInfoEXT messenger = vkmm_validation_messenger(on_message, lent);
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "lender", .apiVersion = lent->api_version};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (validate) {
        vkmm_validation_fill(&validation, lent->get, &messenger);
        info.pNext = validation.chain;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = validation.layers;
        info.enabledExtensionCount = 2;
        info.ppEnabledExtensionNames = validation.extensions;
    }
    VkResult result = INSTANCE_FUNCTION(lent, vkCreateInstance)(&info, NULL, &lent->instance);
    if (result != VK_SUCCESS) lent->instance = NULL;
    if (result != VK_SUCCESS || !validate) return result;
    return INSTANCE_FUNCTION(lent, vkCreateDebugUtilsMessengerEXT)(lent->instance, &messenger, NULL, &lent->messenger);
}

static int find_device(lent_device *lent)
{
    uint32_t count = 1;
    VkResult result = INSTANCE_FUNCTION(lent, vkEnumeratePhysicalDevices)(lent->instance, &count, &lent->physical);
    if (result < 0 || count == 0) return 0;
    INSTANCE_FUNCTION(lent, vkGetPhysicalDeviceProperties)(lent->physical, &lent->properties);
    if (lent->properties.apiVersion < lent->api_version) lent->api_version = lent->properties.apiVersion;
    VkQueueFamilyProperties families[16];
    count = 16;
    INSTANCE_FUNCTION(lent, vkGetPhysicalDeviceQueueFamilyProperties)(lent->physical, &count, families);
    while (lent->family < count && !(families[lent->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) lent->family++;
    return lent->family < count;
}

int lent_open(lent_device *lent, uint32_t api_version)
{
    const int absent = getenv("VKMM_REQUIRE_VULKAN") ? 1 : 77;
    void *library = dlopen("libvulkan.so.1", RTLD_NOW); /* stays loaded */
    memset(lent, 0, sizeof *lent);
    lent->api_version = api_version ? api_version : VK_API_VERSION_1_3;
    if (library) *(void **)&lent->get = dlsym(library, "vkGetInstanceProcAddr");
    if (!lent->get) return absent;
    if (create_instance(lent, getenv("VKMM_TEST_UNVALIDATED") == NULL) != VK_SUCCESS || !find_device(lent)) {
        lent_close(lent);
        return absent;
    }
    printf("# %s\n", lent->properties.deviceName);
    return 0;
}

void lent_device_create(lent_device *lent, const VkPhysicalDeviceFeatures2 *features, const char *const *extensions,
                        uint32_t extension_count)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = lent->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = extension_count,
                                     .ppEnabledExtensionNames = extensions};
    assert_null(lent->handle);
    VkResult result = INSTANCE_FUNCTION(lent, vkCreateDevice)(lent->physical, &info, NULL, &lent->handle);
    if (result != VK_SUCCESS) lent->handle = NULL;
    assert_int_equal(result, VK_SUCCESS);
    vkmm_loader_fill(INSTANCE_FUNCTION(lent, vkGetDeviceProcAddr), lent->handle, &lent->table);
    lent->table.vkGetDeviceQueue(lent->handle, lent->family, 0, &lent->queue);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = lent->family};
    result = lent->table.vkCreateCommandPool(lent->handle, &pool, NULL, &lent->pool);
    if (result != VK_SUCCESS) lent->pool = VK_NULL_HANDLE;
    assert_int_equal(result, VK_SUCCESS);
}

void lent_device_destroy(lent_device *lent)
{
    if (!lent->handle) return;
    lent->table.vkDeviceWaitIdle(lent->handle);
    lent->table.vkDestroyCommandPool(lent->handle, lent->pool, NULL);
    lent->table.vkDestroyDevice(lent->handle, NULL);
    lent->pool = VK_NULL_HANDLE;
    lent->handle = NULL;
}

vkmm_import_params lent_import_params(const lent_device *lent)
{
    return (vkmm_import_params){.get_instance_proc_addr = lent->get,
                                .instance = lent->instance,
                                .physical_device = lent->physical,
                                .device = lent->handle,
                                .api_version = lent->api_version,
                                .queue_family = lent->family,
                                .cache_dir = ""};
}

vkmm_requirements_params lent_requirements_params(const lent_device *lent)
{
    return (vkmm_requirements_params){.get_instance_proc_addr = lent->get,
                                      .instance = lent->instance,
                                      .physical_device = lent->physical,
                                      .api_version = lent->api_version};
}

static void destroy_requirements(void *object)
{
    vkmm_requirements *requirements = object;
    vkmm_requirements_destroy(&requirements);
}

vkmm_requirements *lent_requirements(const vkmm_requirements_params *params)
{
    vkmm_requirements *requirements = NULL;
    assert_ok(vkmm_device_requirements(params, &requirements));
    return keep_object(requirements, destroy_requirements);
}

vkmm_device *lent_import(lent_device *lent, lent_how how, vkmm_log log)
{
    vkmm_requirements_params params = lent_requirements_params(lent);
    VkPhysicalDeviceVulkan13Features since13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features since12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features since11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    const char *const *extensions = NULL;
    uint32_t extension_count = 0;
    params.log = log;
    if (how == LENT_VERSIONS && lent->api_version >= VK_API_VERSION_1_3) since12.pNext = &since13;
    if (how == LENT_VERSIONS && lent->api_version >= VK_API_VERSION_1_2) since11.pNext = &since12;
    if (how == LENT_VERSIONS && lent->api_version >= VK_API_VERSION_1_2) features.pNext = &since11;
    if (how != LENT_BARE) {
        vkmm_requirements *requirements = lent_requirements(&params);
        extensions = vkmm_requirements_extensions(requirements, &extension_count);
        assert_ok(vkmm_requirements_merge(requirements, &features));
    }
    lent_device_create(lent, &features, extensions, extension_count);
    vkmm_import_params import = lent_import_params(lent);
    vkmm_device *device = NULL;
    import.extensions = extensions;
    import.extension_count = extension_count;
    import.features = &features;
    import.log = log;
    assert_ok(vkmm_device_import(&import, &device));
    return device;
}

uint32_t lent_close(lent_device *lent)
{
    lent_device_destroy(lent);
    if (lent->messenger)
        INSTANCE_FUNCTION(lent, vkDestroyDebugUtilsMessengerEXT)(lent->instance, lent->messenger, NULL);
    if (lent->instance) INSTANCE_FUNCTION(lent, vkDestroyInstance)(lent->instance, NULL);
    const uint32_t messages = lent->messages;
    memset(lent, 0, sizeof *lent);
    return messages;
}

static void destroy_buffer(void *object)
{
    lent_buffer *buffer = object;
    lent_device *lent = buffer->owner;
    lent->table.vkDestroyBuffer(lent->handle, buffer->handle, NULL);
    lent->table.vkFreeMemory(lent->handle, buffer->memory, NULL);
    free(buffer);
}

static uint32_t find_type(const lent_device *lent, uint32_t allowed)
{
    enum { COHERENT = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT };
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t type = 0;
    INSTANCE_FUNCTION(lent, vkGetPhysicalDeviceMemoryProperties)(lent->physical, &memory);
    while (!(allowed & 1u << type) || (memory.memoryTypes[type].propertyFlags & COHERENT) != COHERENT) type++;
    return type;
}

lent_buffer *lent_buffer_create(lent_device *lent, uint64_t bytes)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    lent_buffer *buffer = calloc(1, sizeof *buffer);
    assert_non_null(buffer);
    buffer->owner = lent;
    buffer->bytes = bytes;
    keep_object(buffer, destroy_buffer);
    assert_int_equal(lent->table.vkCreateBuffer(lent->handle, &info, NULL, &buffer->handle), VK_SUCCESS);
    VkMemoryRequirements needs;
    lent->table.vkGetBufferMemoryRequirements(lent->handle, buffer->handle, &needs);
    const VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                             .allocationSize = needs.size,
                                             .memoryTypeIndex = find_type(lent, needs.memoryTypeBits)};
    assert_int_equal(lent->table.vkAllocateMemory(lent->handle, &allocation, NULL, &buffer->memory), VK_SUCCESS);
    assert_int_equal(lent->table.vkBindBufferMemory(lent->handle, buffer->handle, buffer->memory, 0), VK_SUCCESS);
    assert_int_equal(lent->table.vkMapMemory(lent->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped),
                     VK_SUCCESS);
    memset(buffer->mapped, 0xa5, bytes);
    return buffer;
}

vkmm_binding lent_binding(const lent_buffer *buffer)
{
    return (vkmm_binding){.buffer = buffer->handle, .offset = 0, .bytes = buffer->bytes};
}

static void barrier(lent_device *lent, VkCommandBuffer command, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags accessed)
{
    const VkMemoryBarrier both = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = accessed};
    lent->table.vkCmdPipelineBarrier(command, from, to, 0, 1, &both, 0, NULL, 0, NULL);
}

VkCommandBuffer lent_begin(lent_device *lent)
{
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = lent->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer command = NULL;
    assert_int_equal(lent->table.vkAllocateCommandBuffers(lent->handle, &info, &command), VK_SUCCESS);
    assert_int_equal(lent->table.vkBeginCommandBuffer(command, &begin), VK_SUCCESS);
    barrier(lent, command, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT, VKMM_STAGE, VKMM_ACCESS);
    return command;
}

void lent_submit(lent_device *lent, VkCommandBuffer command)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command};
    barrier(lent, command, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
    assert_int_equal(lent->table.vkEndCommandBuffer(command), VK_SUCCESS);
    assert_int_equal(lent->table.vkQueueSubmit(lent->queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(lent->table.vkQueueWaitIdle(lent->queue), VK_SUCCESS);
}
