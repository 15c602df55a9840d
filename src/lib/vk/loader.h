/* Finding Vulkan. */
#pragma once

#include <volk.h>

#include "base/log.h"

/* Loads the Vulkan loader, once per process; safe from any thread. NULL if there is none. */
PFN_vkGetInstanceProcAddr vkmm_loader(void);

/* Tests: uses this as the loader from now on. Not while an instance exists. */
void vkmm_loader_set(PFN_vkGetInstanceProcAddr get);

/* Held while a device or an instance is destroyed: vkGetDeviceProcAddr of the Vulkan loader walks through the lists of
 * all instances and their devices without its own lock (1.3.239 crashes). */
void vkmm_loader_lock(void);
void vkmm_loader_unlock(void);

/* Fills the table of a device's functions. volk does that through one global function, which differs between the
 * loaders of programs that lend their devices: it is replaced meanwhile. Safe from any thread. */
void vkmm_loader_fill(PFN_vkGetDeviceProcAddr lookup, VkDevice device, struct VolkDeviceTable *table);
