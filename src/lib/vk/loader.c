#include "vk/loader.h"

#include <threads.h>
#include <volk.h>

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

uint32_t vkmm_loader_version(void)
{
    PFN_vkGetInstanceProcAddr get = vkmm_loader();
    PFN_vkEnumerateInstanceVersion enumerate =
        get ? (PFN_vkEnumerateInstanceVersion)get(NULL, "vkEnumerateInstanceVersion") : NULL;
    uint32_t version = get ? VK_API_VERSION_1_0 : 0; /* a loader of Vulkan 1.0 lacks the function */
    if (enumerate) enumerate(&version);
    return version;
}
