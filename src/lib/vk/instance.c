#include "vk/instance.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/variable.h"
#include "vk/loader.h"
#include "vk/vk_result.h"
#include "vk/validation.h"

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types;
    vkmm_instance *instance = user;
    /* No image is ever used. The layer means loads and stores of matrix operations in `direct`, for which it knows no
     * access that a barrier could protect. */
    if (strstr(data->pMessage, "must protect layout transition accesses")) return VK_FALSE;
    atomic_fetch_add(&instance->messages, 1);
    vkmm_say(&instance->log, VKMM_LOG_WARNING, "validation: %s", data->pMessage);
    return VK_FALSE;
}

/* The version to request: the loader's, but no newer than this code supports. */
static vkmm_status read_version(PFN_vkGetInstanceProcAddr get, uint32_t *version)
{
    PFN_vkEnumerateInstanceVersion enumerate = (PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion");
    *version = VK_API_VERSION_1_0; /* which lacks the function */
    vkmm_status status =
        vkmm_check(enumerate ? enumerate(version) : VK_SUCCESS, "vkEnumerateInstanceVersion", "starting Vulkan");
    if (status != VKMM_OK) return status;
    if (*version < VK_API_VERSION_1_1) return vkmm_fail(VKMM_NO_DEVICE, "the Vulkan loader is older than Vulkan 1.1");
    if (*version > VK_API_VERSION_1_3) *version = VK_API_VERSION_1_3;
    return VKMM_OK;
}

vkmm_status vkmm_fail_missing(const char *what)
{
    static const char *const names[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LOADER_DRIVERS_SELECT",
                                        "VK_LOADER_DRIVERS_DISABLE", "VK_ADD_DRIVER_FILES"};
    for (size_t i = 0; i < VKMM_COUNT(names); i++) {
        const char *value = vkmm_variable(names[i]);
        if (value && *value)
            return vkmm_fail(VKMM_NO_DEVICE,
                             "no Vulkan %s was found with %s=%.200s; 'vkmatmul doctor' looks for the cause", what,
                             names[i], value);
    }
    return vkmm_fail(VKMM_NO_DEVICE, "no Vulkan %s was found; mesa-vulkan-drivers has a driver for any processor",
                     what);
}

static vkmm_status create_handle(vkmm_instance *instance, PFN_vkGetInstanceProcAddr get, int validate)
{
    vkmm_validation validation;
    VkDebugUtilsMessengerCreateInfoEXT messenger = vkmm_validation_messenger(on_message, instance);
    if (validate) vkmm_validation_fill(&validation, get, &messenger);
    uint32_t version;
    vkmm_status status = read_version(get, &version);
    if (status != VKMM_OK) return status;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "vkmatmul",
                                     .pEngineName = "libvkmatmul",
                                     .apiVersion = version};
    const char *extensions[3];
    uint32_t count = 0;
    while (validate && count < 2) extensions[count] = validation.extensions[count], count++;
    /* Without it, loaders do not list devices that lack parts of Vulkan, such as those of MoltenVK. */
    const int portable = vkmm_instance_offers(get, NULL, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    if (portable) extensions[count++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .flags = portable ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0,
        .pNext = validate ? validation.chain : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validate ? 1 : 0,
        .ppEnabledLayerNames = validate ? validation.layers : NULL,
        .enabledExtensionCount = count,
        .ppEnabledExtensionNames = extensions,
    };
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    if (!create) return vkmm_fail(VKMM_NO_DEVICE, "the Vulkan loader lacks vkCreateInstance");
    VkResult result = create(&info, NULL, &instance->handle);
    if (result != VK_SUCCESS) instance->handle = NULL;
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) return vkmm_fail_missing("driver");
    return vkmm_check(result, "vkCreateInstance", "starting Vulkan");
}

vkmm_status vkmm_instance_load(vkmm_instance *instance)
{
#define X(name)                                                                   \
    instance->table.name = (PFN_##name)instance->lookup(instance->handle, #name); \
    if (!instance->table.name) return vkmm_fail(VKMM_NO_DEVICE, "the Vulkan loader lacks " #name);
    VKMM_INSTANCE_FUNCTIONS(X)
#undef X
    return VKMM_OK;
}

static vkmm_status open_messenger(vkmm_instance *instance)
{
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)instance->lookup(instance->handle, "vkCreateDebugUtilsMessengerEXT");
    instance->destroy_messenger =
        (PFN_vkDestroyDebugUtilsMessengerEXT)instance->lookup(instance->handle, "vkDestroyDebugUtilsMessengerEXT");
    if (!create || !instance->destroy_messenger)
        return vkmm_fail(VKMM_UNSUPPORTED, "the Vulkan loader lacks VK_EXT_debug_utils, which --validate needs");
    VkDebugUtilsMessengerCreateInfoEXT info = vkmm_validation_messenger(on_message, instance);
    VkResult result = create(instance->handle, &info, NULL, &instance->messenger);
    if (result != VK_SUCCESS) instance->messenger = VK_NULL_HANDLE;
    return vkmm_check(result, "vkCreateDebugUtilsMessengerEXT", "switching validation on");
}

vkmm_status vkmm_instance_enumerate(const vkmm_instance *instance, VkPhysicalDevice **handles, uint32_t *count)
{
    *handles = NULL;
    vkmm_status status = vkmm_check(instance->table.vkEnumeratePhysicalDevices(instance->handle, count, NULL),
                                    "vkEnumeratePhysicalDevices", "counting devices");
    if (status != VKMM_OK || *count == 0) return status;
    *handles = vkmm_alloc(*count, sizeof **handles);
    if (!*handles) return VKMM_NO_MEMORY("to list %u devices", *count);
    VkResult result = instance->table.vkEnumeratePhysicalDevices(instance->handle, count, *handles);
    if (result == VK_INCOMPLETE) return VKMM_OK;
    return vkmm_check(result, "vkEnumeratePhysicalDevices", "listing devices");
}

static vkmm_status list_devices(vkmm_instance *instance)
{
    VkPhysicalDevice *handles = NULL;
    uint32_t count = 0;
    vkmm_status status = vkmm_instance_enumerate(instance, &handles, &count);
    if (status == VKMM_OK && count > 0) {
        instance->physicals = vkmm_alloc(count, sizeof *instance->physicals);
        if (!instance->physicals) status = VKMM_NO_MEMORY("to list %u devices", count);
    }
    for (uint32_t i = 0; status == VKMM_OK && i < count; i++) {
        vkmm_physical *physical = &instance->physicals[instance->physical_count];
        if (vkmm_physical_read(instance, handles[i], instance->physical_count, physical)) instance->physical_count++;
    }
    vkmm_free(handles);
    return status;
}

vkmm_status vkmm_instance_create_sized(const vkmm_instance_params *params, size_t size, vkmm_instance **out)
{
    VKMM_NEED(params ? &params->log : NULL, out);
    VKMM_SIZED(size > 0 ? &params->log : NULL, vkmm_instance_params, params, size);
    *out = NULL;
    PFN_vkGetInstanceProcAddr get = vkmm_loader();
    if (!get) return VKMM_FAIL(&params->log, VKMM_NO_DEVICE, "no Vulkan loader is installed");
    if (params->validate && !vkmm_instance_offers(get, VKMM_VALIDATION_LAYER, NULL))
        return VKMM_FAIL(&params->log, VKMM_UNSUPPORTED,
                         VKMM_VALIDATION_LAYER " is not installed (Vulkan SDK; Debian: vulkan-validationlayers)");

    vkmm_instance *instance = vkmm_alloc(1, sizeof *instance);
    if (!instance) return vkmm_tell(&params->log, VKMM_NO_MEMORY("for an instance"));
    instance->log = params->log;
    instance->lookup = get;
    instance->most_version = instance->enabled = UINT32_MAX;
    vkmm_status status = vkmm_cache_dir_resolve(&instance->log, params->cache_dir, &instance->cache_dir);
    if (status == VKMM_OK) status = create_handle(instance, get, params->validate);
    if (status == VKMM_OK) status = vkmm_instance_load(instance);
    if (status == VKMM_OK && params->validate) status = open_messenger(instance);
    if (status == VKMM_OK) status = list_devices(instance);
    if (status != VKMM_OK) vkmm_instance_destroy(&instance);
    *out = instance;
    return vkmm_tell(&params->log, status);
}

void vkmm_instance_destroy(vkmm_instance **instance_pointer)
{
    if (!instance_pointer || !*instance_pointer) return;
    vkmm_instance *instance = *instance_pointer;
    if (instance->messenger) instance->destroy_messenger(instance->handle, instance->messenger, NULL);
    vkmm_loader_lock();
    if (instance->handle && !instance->is_lent && instance->table.vkDestroyInstance)
        instance->table.vkDestroyInstance(instance->handle, NULL);
    vkmm_loader_unlock();
    vkmm_free(instance->physicals);
    vkmm_attachment *tuning = atomic_load(&instance->tuning);
    if (tuning) tuning->destroy(tuning);
    vkmm_free(instance->cache_dir);
    vkmm_free(instance);
    *instance_pointer = NULL;
}

uint32_t vkmm_instance_validation_messages(const vkmm_instance *instance)
{
    return instance ? atomic_load(&instance->messages) : 0;
}

uint32_t vkmm_instance_device_count(const vkmm_instance *instance)
{
    return instance ? instance->physical_count : 0;
}

const char *vkmm_instance_left_out(const vkmm_instance *instance)
{
    return instance ? instance->left_out : "";
}

const vkmm_device_info *vkmm_instance_device_info(const vkmm_instance *instance, uint32_t index)
{
    return index < vkmm_instance_device_count(instance) ? &instance->physicals[index].info : NULL;
}
