/* The Vulkan loader, an instance, and what its devices can do. */
#pragma once

#include <stdatomic.h>

#include "base/log.h"
#include "vk/optional.h"
#include "vkmatmul_vulkan.h"

/* Instance-level functions, loaded for each instance: volk keeps a single global set, which two instances would
 * share. */
#define VKMM_INSTANCE_FUNCTIONS(X)              \
    X(vkDestroyInstance)                        \
    X(vkEnumeratePhysicalDevices)               \
    X(vkGetPhysicalDeviceProperties2)           \
    X(vkGetPhysicalDeviceFeatures2)             \
    X(vkGetPhysicalDeviceMemoryProperties)      \
    X(vkGetPhysicalDeviceMemoryProperties2)     \
    X(vkGetPhysicalDeviceQueueFamilyProperties) \
    X(vkEnumerateDeviceExtensionProperties)     \
    X(vkCreateDevice)                           \
    X(vkGetDeviceProcAddr)

typedef struct vkmm_instance_table {
#define X(name) PFN_##name name;
    VKMM_INSTANCE_FUNCTIONS(X)
#undef X
} vkmm_instance_table;

#define VKMM_PORTABILITY_SUBSET "VK_KHR_portability_subset" /* beta headers name it */

/* A physical device that vkmatmul can use: Vulkan 1.1 and a compute queue. */
typedef struct vkmm_physical {
    VkPhysicalDevice handle;
    uint32_t queue_family;
    uint32_t transfer_family, transfer_queues; /* a transfer-only family, and what is used of it: 0, 1 or 2 queues */
    uint8_t pipeline_cache_uuid[VK_UUID_SIZE]; /* which compiled pipelines the driver accepts */
    vkmm_features features;                    /* that the device is created with; not chained yet */
    int has_budget;                            /* VK_EXT_memory_budget: the driver reports how much memory is free */
    vkmm_device_info info;
    vkmm_device_check check; /* info.check, if there is one */
} vkmm_physical;

/* What another module keeps with an instance: the first member of that module's struct. */
typedef struct vkmm_attachment {
    void (*destroy)(struct vkmm_attachment *attachment);
} vkmm_attachment;

struct vkmm_instance {
    vkmm_log log;
    char *cache_dir;                   /* resolved (base/cache_dir.h), owned; NULL: nothing is kept between processes */
    _Atomic(vkmm_attachment *) tuning; /* plan/tuned.c's; NULL until it is needed */
    PFN_vkGetInstanceProcAddr lookup;
    VkInstance handle;
    int is_lent;           /* the handle is another program's */
    uint32_t most_version; /* of Vulkan that is used, even of newer devices */
    uint32_t enabled;      /* features (vkmm_feature) that may be used, of those that devices have */
    vkmm_instance_table table;
    VkDebugUtilsMessengerEXT messenger; /* with validation */
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
    atomic_uint messages;     /* validation messages so far */
    vkmm_physical *physicals; /* owned */
    uint32_t physical_count;
    char left_out[512]; /* vkmm_instance_left_out */
};

/* Fills instance->table; instance->lookup, handle and log are set. */
vkmm_status vkmm_instance_load(vkmm_instance *instance);

/* The handles of all devices, *count of them; the caller frees them with vkmm_free. */
vkmm_status vkmm_instance_enumerate(const vkmm_instance *instance, VkPhysicalDevice **handles, uint32_t *count);

/* VKMM_NO_DEVICE: no `what` was found. The message names the first environment variable that restricts the loader's
 * drivers. */
vkmm_status vkmm_fail_missing(const char *what);

/* Fills one physical device; 0 if vkmatmul cannot use it (Vulkan 1.0, no compute queue); instance->left_out then says
 * why. */
int vkmm_physical_read(vkmm_instance *instance, VkPhysicalDevice handle, uint32_t index, vkmm_physical *physical);

/* Fills one structure of properties, which the device knows. */
static inline void vkmm_physical_properties(const vkmm_instance *instance, VkPhysicalDevice handle, void *structure)
{
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = structure};
    instance->table.vkGetPhysicalDeviceProperties2(handle, &properties);
}

/* Bytes of the largest device-local heap that this process may still take: by the driver's budget, or all of it if the
 * driver reports none. */
uint64_t vkmm_physical_free_bytes(const vkmm_instance *instance, const vkmm_physical *physical);

/* ---- What another program lends: its instance and a physical device of it ---- */

/* An instance around the lender's handle, with that device alone. VKMM_UNSUPPORTED: it cannot be used. Ended by
 * vkmm_instance_destroy, which leaves the lender's handle alone. function: whose arguments these are. */
vkmm_status vkmm_lent_open(const vkmm_requirements_params *lender, const char *function, const char *cache_dir,
                           vkmm_instance **instance);

/* Reads the device again, as it is if only a set of its features (vkmm_feature) is enabled. */
void vkmm_lent_limit(vkmm_instance *instance, uint32_t enabled);

/* The requirements in a set of features, of which those for types (bits 1 << vkmm_type) are required. */
vkmm_status vkmm_requirements_make(const vkmm_instance *instance, uint32_t set, uint32_t types,
                                   vkmm_requirements **requirements);

/* ---- What `vkmatmul check` found, between processes ----
 * A text for each device and driver version, in the instance's cache_dir. Its first line is the date, each other one a
 * finding (vkmm_device_check). */

/* Fills physical->check and info.check, whose identity and matrices are known, if there is a file. Shapes that were
 * found wrong leave info.matrices; if none is left, matrix operations are refused. */
void vkmm_findings_read(const vkmm_instance *instance, vkmm_physical *physical);

/* Replaces the file, for later instances. Nothing without a cache_dir; a warning if it cannot be written. */
void vkmm_findings_write(const vkmm_instance *instance, const vkmm_device_info *info, const vkmm_device_check *check);

/* The finding that a shape is wrong. */
void vkmm_finding_of_shape(const vkmm_matrix_shape *shape, char finding[VKMM_FINDING]);
