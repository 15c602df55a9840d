/* Shaders that users bring: GLSL to SPIR-V at run time. */
#ifndef VKMM_KERNEL_USER_H
#define VKMM_KERNEL_USER_H

#include "kernel/table.h"

struct vkmm_shader {
    char *name;         /* as given */
    vkmm_kernel kernel; /* a grid kernel that may use shared memory */
    vkmm_module module; /* its words are owned */
};

#endif
