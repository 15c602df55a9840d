/* Runs a small shader of the manifest once and returns all that it wrote: for `vkmatmul check`. */
#pragma once

#include "vk/instance.h"

enum { VKMM_PROBE_CONSTANTS = 8, VKMM_PROBE_INTERVALS = 2 };

typedef struct vkmm_probe {
    const char *module;                       /* its name in the manifest */
    uint32_t constant_count;                  /* specialization constants, numbered from 0: */
    uint32_t constants[VKMM_PROBE_CONSTANTS]; /* the first is the number of invocations of a workgroup */
    uint32_t groups[3];
    int indirect;   /* the device reads `groups` from memory */
    uint32_t turns; /* dispatches, each of which waits for the one before and has its number as push constant; 0: one */
    const uint32_t *in;
    uint32_t in_words;
    uint32_t *out; /* binding 1 after the last; before the first, each word is `fill` */
    uint32_t out_words, fill;
    /* Results: milliseconds of the first dispatch and of the others by the device's timestamps, negative where it gave
     * none; and of all by the host's clock. */
    double device_ms[VKMM_PROBE_INTERVALS], host_ms;
} vkmm_probe;

/* Whether this build has a shader: its compiler may not know all extensions. */
int vkmm_probe_exists(const char *module);
vkmm_status vkmm_probe_run(vkmm_device *device, vkmm_probe *probe);
