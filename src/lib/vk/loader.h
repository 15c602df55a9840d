/* Finding Vulkan. */
#ifndef VKMM_VK_LOADER_H
#define VKMM_VK_LOADER_H

#include "base/log.h"

/* Loads the Vulkan loader, once per process; safe from any thread. NULL if there is none. */
PFN_vkGetInstanceProcAddr vkmm_loader(void);

/* Tests: uses this as the loader from now on. Not while an instance exists. */
void vkmm_loader_set(PFN_vkGetInstanceProcAddr get);

/* Gives volk the function that it uses to fill a VolkDeviceTable; once an instance exists, before its first device. The
 * loader's function is the same for all instances; safe from any thread. */
void vkmm_loader_set_device_lookup(PFN_vkGetDeviceProcAddr get_device_proc_addr);

#endif
