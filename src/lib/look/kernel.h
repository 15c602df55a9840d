/* What the planner chooses on a device. */
#pragma once

#include "vkmatmul.h"

/* The kernel as vkmm_job_create would plan it, without memory or a pipeline. Fails as that does. */
vkmm_status vkmm_kernel_choose(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                               vkmm_kernel_info *info);

/* A kernel that computes only the plain product. Its texts have static storage. */
typedef struct vkmm_tutorial {
    const char *name;
    const char *step; /* where the ladder has it: "1c 2c", or "" */
    const char *summary;
    int has_tile; /* a tile of rows and columns, which may be asked for */
    int on_host;  /* needs no device */
} vkmm_tutorial;

/* The index-th of them, in the tutorials' order: 1, or 0 past the end. */
int vkmm_tutorial_at(uint32_t index, vkmm_tutorial *tutorial);
