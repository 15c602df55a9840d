/* What the Vulkan layers of these tests share: the loader's calls, and what comes after the layer. The includer defines
 * what is declared here. One instance at a time. */
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name);
static PFN_vkVoidFunction own_instance_proc(const char *name); /* NULL: it is none of the layer's */

static PFN_vkGetInstanceProcAddr next_instance_proc;

/* The layer's entry in the loader's list of what to call next, of instances or of devices; NULL: there is none. */
static void *find_link(const void *chain, VkStructureType type)
{
    const VkLayerInstanceCreateInfo *link = chain; /* both kinds begin alike */
    while (link != NULL && (link->sType != type || link->function != VK_LAYER_LINK_INFO)) link = link->pNext;
    return (void *)(uintptr_t)link;
}

/* Creates the instance with what comes next. */
static VKAPI_ATTR VkResult VKAPI_CALL create_next_instance(const VkInstanceCreateInfo *info,
                                                           const VkAllocationCallbacks *callbacks, VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (link == NULL) return VK_ERROR_INITIALIZATION_FAILED;
    next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return ((PFN_vkCreateInstance)next_instance_proc(NULL, "vkCreateInstance"))(info, callbacks, instance);
}

/* What creates a device next, and *next_proc, which finds its functions; NULL: there is none. */
static PFN_vkCreateDevice next_create_device(const VkDeviceCreateInfo *info, PFN_vkGetDeviceProcAddr *next_proc)
{
    VkLayerDeviceCreateInfo *link = find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (link == NULL) return NULL;
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    *next_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return (PFN_vkCreateDevice)next(NULL, "vkCreateDevice");
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (PFN_vkVoidFunction)instance_proc;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)device_proc;
    PFN_vkVoidFunction own = own_instance_proc(name);
    return own != NULL || instance == NULL ? own : next_instance_proc(instance, name);
}

EXPORT VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface);

EXPORT VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion > 2) interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = instance_proc;
    interface->pfnGetDeviceProcAddr = device_proc;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
