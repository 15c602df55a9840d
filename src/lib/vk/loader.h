/* Finding Vulkan. */
#ifndef VKMM_VK_LOADER_H
#define VKMM_VK_LOADER_H

#include "base/log.h"

/* Loads the Vulkan loader, once a process; safe from any thread. NULL when there is none. */
PFN_vkGetInstanceProcAddr vkmm_loader(void);

/* Tests: takes this for the loader from now on, and looks for no other. Not while an instance exists. */
void vkmm_loader_set(PFN_vkGetInstanceProcAddr get);

/* Gives volk the function by which it fills a VolkDeviceTable; once an instance exists, before its first device. The
 * loader's own is the same for all instances; safe from any thread. */
void vkmm_loader_set_device_lookup(PFN_vkGetDeviceProcAddr get_device_proc_addr);

#endif
