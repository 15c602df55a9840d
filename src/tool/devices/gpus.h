/* The graphics processors that the system knows of, whether or not Vulkan does. */
#pragma once

#include <stdint.h>

typedef struct cli_gpu {
    int has_pci;                   /* it is on a PCI bus: */
    uint32_t pci[4];               /* domain, bus, device, function, */
    uint32_t vendor_id, device_id; /* and these */
    char kernel_driver[32];        /* "amdgpu", "nvidia" …; "": none is bound */
    char node[64];                 /* the render node, "/dev/dri/renderD128"; "": it has none */
    int node_there, node_open;     /* it exists; this user may read and write it */
} cli_gpu;

/* PCI devices of the class of displays (0x03), and other devices with a render node, as sysfs lists them. Returns their
 * number; the first `room` are filled in. root: the folder that contains /sys and /dev, "" for the real ones. */
uint32_t cli_gpus_list(const char *root, cli_gpu *gpus, uint32_t room);
