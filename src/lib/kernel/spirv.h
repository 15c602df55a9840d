/* Users' SPIR-V, checked before a driver sees it: drivers trust their input modules. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "vkmatmul.h"

/* Whether the module is valid, by the validator of SPIRV-Tools, for the version of Vulkan that has the module's version
 * of SPIR-V. VKMM_INVALID with the validator's message; VKMM_UNSUPPORTED if SPIRV-Tools cannot be loaded. */
vkmm_status vkmm_spirv_validate(const char *name, const uint32_t *words, size_t bytes);

/* Whether a valid module keeps the contract of users' shaders: one compute entry point "main", storage buffers at set
 * 0, bindings 0 to 2, push constants within 12 bytes, and only capabilities and extensions that vkmatmul may enable.
 *  Without a device and a kernel (both NULL), checks what applies to all devices. With them, for a pipeline that is
 * about to be built: what the device must support (version, capabilities), and what the shader requires with the
 * kernel's specialization constants: workgroup size and shared memory, if they follow from constants. kernel->workgroup
 * and kernel->shared_bytes become the module's. VKMM_INVALID: the module breaks the contract; VKMM_UNSUPPORTED: it
 * needs something that is not available, or has a fixed workgroup with more invocations than the tile has elements.
 *  Words that have not been validated are safe: nothing outside them is read, and time and memory are bounded. */
vkmm_status vkmm_spirv_check(const char *name, const uint32_t *words, size_t bytes, const vkmm_device_info *device,
                             vkmm_kernel_info *kernel);
