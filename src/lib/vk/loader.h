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

/* Offers one more driver manifest to the loader: a path, or "swiftshader" for the copy that ships inside Chromium,
 * unless the user's own VK_DRIVER_FILES or VK_ICD_FILENAMES restricts the drivers. VKMM_INVALID: no such file;
 * VKMM_NO_DEVICE: no SwiftShader here. */
vkmm_status vkmm_loader_add_driver(const vkmm_log *log, const char *driver);

/* Asks the loader, before its first instance, to leave all implicit layers out, in addition to what the user
 * disabled. Loaders before 1.3.234 cannot: a warning says so. */
vkmm_status vkmm_loader_disable_layers(const vkmm_log *log);

#endif
