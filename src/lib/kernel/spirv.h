/* Users' SPIR-V, checked before a driver sees it: drivers trust the modules that they are given. */
#ifndef VKMM_KERNEL_SPIRV_H
#define VKMM_KERNEL_SPIRV_H

#include <stddef.h>
#include <stdint.h>

#include "vkmatmul.h"

/* The structure: whole instructions in the host's byte order, ids within a sane bound, one compute entry point "main",
 * the contract of users' shaders (storage buffers at set 0, bindings 0 to 2, push constants within 12 bytes), no
 * pointers to addresses, no capability or extension that vkmatmul never turns on. Reads nothing outside of the words,
 * whatever they are, and is no proof that a function's body makes sense: that is vkmm_spirv_validate's.
 *  Without a device and a kernel (both NULL), what holds everywhere. With them, for a pipeline that is about to be
 * built: what the device must offer (version, capabilities), and what the shader asks of it with the kernel's
 * specialization constants: workgroup size and shared memory, as far as they follow from constants. VKMM_INVALID:
 * the module is broken, or breaks the contract; VKMM_UNSUPPORTED: it needs something that is not there. */
vkmm_status vkmm_spirv_check(const vkmm_log *log, const char *name, const uint32_t *words, size_t bytes,
                             const vkmm_device_info *device, const vkmm_kernel_info *kernel);

/* The validator of SPIRV-Tools, for the version of Vulkan that has the module's version of SPIR-V. VKMM_INVALID with
 * its message. Where its library is not there VKMM_OK, with a sentence of the level INFO when `tell` is not 0. The
 * words have passed vkmm_spirv_check. */
vkmm_status vkmm_spirv_validate(const vkmm_log *log, const char *name, const uint32_t *words, size_t bytes, int tell);

#endif
