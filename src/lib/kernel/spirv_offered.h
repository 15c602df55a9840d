/* What a user's SPIR-V may need: versions, capabilities and extensions that vkmatmul turns on where a device has
 * them. */
#ifndef VKMM_KERNEL_SPIRV_OFFERED_H
#define VKMM_KERNEL_SPIRV_OFFERED_H

#include "kernel/spirv_module.h"

/* VKMM_UNSUPPORTED with the capability's or the extension's name. device NULL: whether any device can offer it. */
vkmm_status vkmm_spirv_offered_version(const vkmm_spirv *m, const vkmm_device_info *device);
vkmm_status vkmm_spirv_offered_capability(const vkmm_spirv *m, uint32_t capability, const vkmm_device_info *device);
vkmm_status vkmm_spirv_offered_extension(const vkmm_spirv *m, const char *extension);

#endif
