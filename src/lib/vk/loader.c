#include "vk/loader.h"

#include <threads.h>

static once_flag once = ONCE_FLAG_INIT, once_locked = ONCE_FLAG_INIT;
static PFN_vkGetInstanceProcAddr get_instance_proc_addr;

static mtx_t lock;

static void load_once(void)
{
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
}

static void make_lock(void)
{
    mtx_init(&lock, mtx_plain);
}

void vkmm_loader_lock(void)
{
    call_once(&once_locked, make_lock);
    mtx_lock(&lock);
}

void vkmm_loader_unlock(void)
{
    mtx_unlock(&lock);
}

void vkmm_loader_fill(PFN_vkGetDeviceProcAddr lookup, VkDevice device, struct VolkDeviceTable *table)
{
    vkmm_loader_lock();
    const PFN_vkGetDeviceProcAddr before = vkGetDeviceProcAddr;
    vkGetDeviceProcAddr = lookup;
    volkLoadDeviceTable(table, device);
    vkGetDeviceProcAddr = before;
    vkmm_loader_unlock();
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
