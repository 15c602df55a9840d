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
    if (volkInitialize() == VK_SUCCESS) get_instance_proc_addr = vkGetInstanceProcAddr;
}

PFN_vkGetInstanceProcAddr vkmm_loader(void)
{
    call_once(&once, load_once);
    return get_instance_proc_addr;
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

vkmm_status vkmm_loader_add_driver(const vkmm_log *log, const char *driver)
{
    if (getenv("VK_DRIVER_FILES") || getenv("VK_ICD_FILENAMES")) return VKMM_OK;
    const char *path = driver;
    if (strcmp(driver, "swiftshader") == 0) {
        path = NULL;
        for (size_t i = 0; i < sizeof swiftshader_manifests / sizeof swiftshader_manifests[0] && !path; i++)
            if (readable(swiftshader_manifests[i])) path = swiftshader_manifests[i];
        if (!path) return vkmm_fail(log, VKMM_INVALID, "SwiftShader was not found: Debian's package chromium-common brings it");
    }
    if (!readable(path)) return vkmm_fail(log, VKMM_INVALID, "the driver manifest %s cannot be read", path);
    return vkmm_environment_append(log, "VK_ADD_DRIVER_FILES", path);
}
