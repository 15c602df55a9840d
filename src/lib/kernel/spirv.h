/* Users' SPIR-V, checked before a driver sees it: drivers trust the modules that they are given. */
#ifndef VKMM_KERNEL_SPIRV_H
#define VKMM_KERNEL_SPIRV_H

#include <stddef.h>
#include <stdint.h>

#include "vkmatmul.h"

/* Whether the module is valid, by the validator of SPIRV-Tools, for the version of Vulkan that has the module's version
 * of SPIR-V. VKMM_INVALID with the validator's message; VKMM_UNSUPPORTED where SPIRV-Tools cannot be loaded. */
vkmm_status vkmm_spirv_validate(const vkmm_log *log, const char *name, const uint32_t *words, size_t bytes);

/* Whether a valid module keeps the contract of users' shaders: one compute entry point "main", storage buffers at set
 * 0, bindings 0 to 2, push constants within 12 bytes, and only capabilities and extensions that vkmatmul may turn on.
 *  Without a device and a kernel (both NULL), what holds everywhere. With them, for a pipeline that is about to be
 * built: what the device must offer (version, capabilities), and what the shader asks of it with the kernel's
 * specialization constants: workgroup size and shared memory, as far as they follow from constants. kernel->workgroup
 * becomes the module's. VKMM_INVALID: the module breaks the contract; VKMM_UNSUPPORTED: it needs something that is not
 * there, or fixes its workgroup at more invocations than the tile has elements.
 *  Words that no validator has seen are safe: nothing outside of them is read, and time and memory are bounded. */
vkmm_status vkmm_spirv_check(const vkmm_log *log, const char *name, const uint32_t *words, size_t bytes,
                             const vkmm_device_info *device, vkmm_kernel_info *kernel);

#endif
