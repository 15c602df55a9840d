/* A Vulkan layer that makes calls fail. VKMM_TEST_FAULT lists which: "vkQueueSubmit 3 -4" makes the third call of that
 * function in the process return VK_ERROR_DEVICE_LOST, and "vkAllocateMemory 1..5 -2" the first five; several are
 * separated by commas. Each fault is appended to the file that VKMM_TEST_FAULT_LOG names. All devices have the name in
 * VKMM_TEST_DEVICE_NAME, if it is set, and none has timestamps if VKMM_TEST_NO_TIMESTAMPS is. With
 * VKMM_TEST_FAULT_DEVICE only calls of devices count whose name begins so. One instance at a time, and a few devices.
 */
#include "layer_link.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static PFN_vkGetPhysicalDeviceProperties2 next_properties;

/* A device; it and its queues begin with the same pointer, that of the loader's table for them. */
typedef struct layered {
    const void *key; /* NULL: none */
    int counts;
    PFN_vkGetDeviceProcAddr next_proc;
    PFN_vkQueueSubmit next_submit;
    PFN_vkWaitForFences next_wait;
    PFN_vkAllocateMemory next_allocate;
} layered;
enum { DEVICES = 8 };
static layered devices[DEVICES];
static unsigned created;

static const layered *find(const void *handle)
{
    const void *key = *(const void *const *)handle;
    int i = 0;
    while (i < DEVICES && devices[i].key != key) i++;
    if (i == DEVICES) abort();
    return &devices[i];
}

enum { SUBMIT, WAIT, ALLOCATE, CREATE, CALLS };
static const char *const names[CALLS] = {"vkQueueSubmit", "vkWaitForFences", "vkAllocateMemory", "vkCreateDevice"};
static atomic_uint counts[CALLS];

static void tell(int call, int result)
{
    const char *path = getenv("VKMM_TEST_FAULT_LOG");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    if (file == NULL) return;
    fprintf(file, "%s %u %d\n", names[call], atomic_load(&counts[call]), result);
    fclose(file);
}

/* What the present call is to return; VK_SUCCESS: it is passed on. */
static VkResult fault(int call, const layered *device)
{
    const char *at = getenv("VKMM_TEST_FAULT");
    const unsigned count = device->counts ? atomic_fetch_add(&counts[call], 1) + 1 : 0;
    for (; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        char name[64];
        unsigned first = 0, last = 0;
        int result = 0;
        if (sscanf(at, "%63s %u..%u %d", name, &first, &last, &result) != 4) {
            if (sscanf(at, "%63s %u %d", name, &first, &result) != 3) continue;
            last = first;
        }
        if (strcmp(name, names[call]) != 0 || count < first || count > last) continue;
        tell(call, result);
        return (VkResult)result;
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence)
{
    const layered *device = find(queue);
    VkResult result = fault(SUBMIT, device);
    return result != VK_SUCCESS ? result : device->next_submit(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for(VkDevice handle, uint32_t count, const VkFence *fences, VkBool32 all,
                                               uint64_t timeout)
{
    /* What a lost device was at has ended; a driver that is well would go on with it while its memory is freed. */
    const layered *device = find(handle);
    VkResult waited = device->next_wait(handle, count, fences, all, timeout), result = fault(WAIT, device);
    return result != VK_SUCCESS ? result : waited;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice handle, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *callbacks, VkDeviceMemory *memory)
{
    const layered *device = find(handle);
    VkResult result = fault(ALLOCATE, device);
    return result != VK_SUCCESS ? result : device->next_allocate(handle, info, callbacks, memory);
}

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties2 *all)
{
    const char *name = getenv("VKMM_TEST_DEVICE_NAME");
    next_properties(physical, all);
    if (getenv("VKMM_TEST_NO_TIMESTAMPS") != NULL) all->properties.limits.timestampPeriod = 0;
    if (name != NULL) snprintf(all->properties.deviceName, sizeof all->properties.deviceName, "%s", name);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *callbacks, VkInstance *instance)
{
    VkResult result = create_next_instance(info, callbacks, instance);
    if (result != VK_SUCCESS) return result;
    next_properties =
        (PFN_vkGetPhysicalDeviceProperties2)next_instance_proc(*instance, "vkGetPhysicalDeviceProperties2");
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkDevice *device)
{
    PFN_vkGetDeviceProcAddr next_proc;
    PFN_vkCreateDevice create = next_create_device(info, &next_proc);
    if (create == NULL) return VK_ERROR_INITIALIZATION_FAILED;
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    properties(physical, &all);
    const char *only = getenv("VKMM_TEST_FAULT_DEVICE"), *name = all.properties.deviceName;
    layered made = {.counts = only == NULL || strncmp(name, only, strlen(only)) == 0, .next_proc = next_proc};
    VkResult result = fault(CREATE, &made);
    if (result == VK_SUCCESS) result = create(physical, info, callbacks, device);
    if (result != VK_SUCCESS) return result;
    made.key = *(const void *const *)*device;
    made.next_submit = (PFN_vkQueueSubmit)next_proc(*device, "vkQueueSubmit");
    made.next_wait = (PFN_vkWaitForFences)next_proc(*device, "vkWaitForFences");
    made.next_allocate = (PFN_vkAllocateMemory)next_proc(*device, "vkAllocateMemory");
    int i = 0;
    while (i < DEVICES && devices[i].key != made.key) i++;
    devices[i < DEVICES ? i : (int)(created++ % DEVICES)] = made;
    return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)device_proc;
    if (strcmp(name, "vkQueueSubmit") == 0) return (PFN_vkVoidFunction)submit;
    if (strcmp(name, "vkWaitForFences") == 0) return (PFN_vkVoidFunction)wait_for;
    if (strcmp(name, "vkAllocateMemory") == 0) return (PFN_vkVoidFunction)allocate;
    return find(device)->next_proc(device, name);
}

static PFN_vkVoidFunction own_instance_proc(const char *name)
{
    if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)create_instance;
    if (strcmp(name, "vkCreateDevice") == 0) return (PFN_vkVoidFunction)create_device;
    if (strcmp(name, "vkGetPhysicalDeviceProperties2") == 0) return (PFN_vkVoidFunction)properties;
    return NULL;
}
