/* Shaders that users bring: SPIR-V, or GLSL that becomes SPIR-V at run time. Either is checked before a driver sees
 * it (kernel/spirv.h); only SPIR-V is validated first, because a compiler's output is valid. */
#pragma once

#include "kernel/table.h"

struct vkmm_shader {
    char *name;         /* as given */
    vkmm_kernel kernel; /* a grid kernel that may use shared memory */
    vkmm_module module; /* its words are owned */
    int is_foreign;     /* it comes from outside this build */
};

/* A shader from SPIR-V, copied, once it has passed the checks that need no device: is_valid says that it needs no
 * validation. VKMM_INVALID, VKMM_UNSUPPORTED as kernel/spirv.h has them; *shader is then NULL. */
vkmm_status vkmm_shader_make(const char *name, const void *data, size_t bytes, vkmm_type type, int is_valid,
                             vkmm_shader **shader);

/* Checks what the shader needs of the device that it will run on, with the kernel's constants. */
vkmm_status vkmm_shader_check(const vkmm_shader *shader, const vkmm_device_info *device, vkmm_kernel_info *kernel);
