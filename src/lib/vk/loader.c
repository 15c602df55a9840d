#include "vk/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <volk.h>

#include "base/environment.h"

static once_flag once = ONCE_FLAG_INIT;
static PFN_vkGetInstanceProcAddr get_instance_proc_addr;

static mtx_t device_lookup_lock;

static void load_once(void)
{
    mtx_init(&device_lookup_lock, mtx_plain);
    if (!get_instance_proc_addr && volkInitialize() == VK_SUCCESS) get_instance_proc_addr = vkGetInstanceProcAddr;
}

PFN_vkGetInstanceProcAddr vkmm_loader(void)
{
    call_once(&once, load_once);
    return get_instance_proc_addr;
}

void vkmm_loader_set(PFN_vkGetInstanceProcAddr get)
{
    get_instance_proc_addr = get;
    call_once(&once, load_once);
    vkGetDeviceProcAddr = NULL; /* of the loader before */
}

void vkmm_loader_set_device_lookup(PFN_vkGetDeviceProcAddr get_device_proc_addr)
{
    mtx_lock(&device_lookup_lock);
    if (!vkGetDeviceProcAddr) vkGetDeviceProcAddr = get_device_proc_addr;
    mtx_unlock(&device_lookup_lock);
}

/* Where distributions put the SwiftShader that Chromium brings along. */
static const char *const swiftshader_manifests[] = {
    "/usr/lib/chromium/vk_swiftshader_icd.json",
    "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
    "/usr/lib64/chromium/vk_swiftshader_icd.json",
    "/opt/google/chrome/vk_swiftshader_icd.json",
};

static int readable(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

static const char *find_swiftshader(void)
{
    for (size_t i = 0; i < sizeof swiftshader_manifests / sizeof swiftshader_manifests[0]; i++)
        if (readable(swiftshader_manifests[i])) return swiftshader_manifests[i];
    return NULL;
}

/* The list that is in force: the loader ignores additions where one of the first two restricts it. */
static const char *driver_list(void)
{
    if (getenv("VK_DRIVER_FILES")) return "VK_DRIVER_FILES";
    return getenv("VK_ICD_FILENAMES") ? "VK_ICD_FILENAMES" : "VK_ADD_DRIVER_FILES";
}

vkmm_status vkmm_loader_add_driver(const vkmm_log *log, const char *driver)
{
    int by_name = strcmp(driver, "swiftshader") == 0;
    const char *list = driver_list(), *path = by_name ? find_swiftshader() : driver;
    if (by_name && strcmp(list, "VK_ADD_DRIVER_FILES") != 0)
        return VKMM_OK; /* whoever restricts the drivers means it */
    if (!path)
        return vkmm_fail(log, VKMM_NO_DEVICE, "SwiftShader was not found: Debian's package chromium-common brings it");
    if (!readable(path)) return vkmm_fail(log, VKMM_INVALID, "the driver manifest %s cannot be read", path);
    return vkmm_environment_append(log, list, path);
}

uint32_t vkmm_loader_version(void)
{
    PFN_vkGetInstanceProcAddr get = vkmm_loader();
    PFN_vkEnumerateInstanceVersion enumerate =
        get ? (PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion") : NULL;
    uint32_t version = get ? VK_API_VERSION_1_0 : 0; /* a loader of Vulkan 1.0 lacks the function */
    if (enumerate) enumerate(&version);
    return version;
}

vkmm_status vkmm_loader_disable_layers(const vkmm_log *log)
{
    vkmm_status status = vkmm_environment_append_by(log, "VK_LOADER_LAYERS_DISABLE", "~implicit~", ',');
    const uint32_t version = vkmm_loader_version();
    if (status == VKMM_OK && version > 0 && version < VK_MAKE_API_VERSION(0, 1, 3, 234))
        vkmm_say(log, VKMM_LOG_WARNING,
                 "implicit layers stay: the Vulkan loader %u.%u.%u cannot leave them out, loaders from 1.3.234 on can",
                 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    return status;
}

const char *vkmm_swiftshader_manifest(void)
{
    return find_swiftshader();
}
