/* Shaders that users bring: SPIR-V, or GLSL that becomes SPIR-V at run time. Either is checked before a driver sees
 * it, because drivers trust their input; only SPIR-V is validated first, because a compiler's output is valid. */
#pragma once

#include "kernel/table.h"

struct vkmm_shader {
    char *name;         /* as given */
    vkmm_kernel kernel; /* a grid kernel that may use shared memory */
    vkmm_module module; /* its words are owned */
    int is_foreign;     /* it comes from outside this build */
};

/* Checks what the shader needs of the device that it will run on, with the kernel's constants. */
vkmm_status vkmm_shader_check(const vkmm_shader *shader, const vkmm_device_info *device, vkmm_kernel_info *kernel);

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
