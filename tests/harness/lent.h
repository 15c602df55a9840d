/* A Vulkan program of its own, as those that lend their device: instance, device, queue and buffers belong to it, not
 * to the library. Validation and synchronization validation are on, unless VKMM_TEST_UNVALIDATED is set. */
#pragma once

#include "kept.h"
#include "vk/loader.h"
#include "vkmatmul_vulkan.h"

typedef struct lent_device {
    PFN_vkGetInstanceProcAddr get;
    uint32_t api_version; /* of the instance, the device and this program, whichever is least */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkDevice handle; /* with a queue of the first family that has compute */
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    struct VolkDeviceTable table;
    VkDebugUtilsMessengerEXT messenger;
    uint32_t messages; /* warnings and errors of the validation layer */
} lent_device;

/* Makes the instance, at most of this version (0: 1.3), and finds the first device of the driver that VK_DRIVER_FILES
 * names. Results as of suite_open. */
int lent_open(lent_device *lent, uint32_t api_version);

/* Makes the device and what is needed to use it; features: its chain, with VkPhysicalDeviceFeatures2 first, or NULL.
 * Fails the test if it cannot be made. One at a time; lent_device_destroy ends it. */
void lent_device_create(lent_device *lent, const VkPhysicalDeviceFeatures2 *features, const char *const *extensions,
                        uint32_t extension_count);
void lent_device_destroy(lent_device *lent);

/* How the device is made for the library. */
typedef enum lent_how {
    LENT_BARE,     /* nothing is enabled */
    LENT_SEPARATE, /* everything of vkmm_device_requirements, in structures of its own */
    LENT_VERSIONS  /* the same, in the structures of Vulkan 1.1, 1.2 and 1.3 where they have it */
} lent_how;

/* lent_device_create for the library, which then borrows it; the caller destroys that device before this one. Fails the
 * test if it is not VKMM_OK. log: zero is silent. */
vkmm_device *lent_import(lent_device *lent, lent_how how, vkmm_log log);

/* What lent_import passes, after lent_device_create; without extensions and features. */
vkmm_import_params lent_import_params(const lent_device *lent);
vkmm_requirements_params lent_requirements_params(const lent_device *lent);
/* Kept (kept.h); fails the test if there are none. */
vkmm_requirements *lent_requirements(const vkmm_requirements_params *params);

/* Destroys everything and returns how many validation messages there were: 0 is right. */
uint32_t lent_close(lent_device *lent);

/* A storage buffer, mapped as long as it exists, its bytes all 0xa5. Coherent. */
typedef struct lent_buffer {
    lent_device *owner;
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t bytes;
    void *mapped;
} lent_buffer;

/* Fails the test if it cannot be made; destroyed after the test (kept.h). */
lent_buffer *lent_buffer_create(lent_device *lent, uint64_t bytes);

/* All of a buffer. */
vkmm_binding lent_binding(const lent_buffer *buffer);

/* A command buffer that records. lent_submit ends it, submits it and waits, with barriers after the host's writes and
 * before its reads. Freed with the device. */
VkCommandBuffer lent_begin(lent_device *lent);
void lent_submit(lent_device *lent, VkCommandBuffer command);
