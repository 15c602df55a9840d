/* Which part of a device limits a product, and how long it takes: a pure function of counts and peaks.
 *
 *  Each resource needs the time of its counts at its peak, and they work at the same time, so that the slowest is the
 * limit: the roofline of Williams, Waterman and Patterson, "Roofline: An Insightful Visual Performance Model", CACM
 * 52 (2009), with a roof for each level of the memory. What a workgroup waits for memory and at barriers is hidden by
 * the others on its processor (Volkov, "Understanding Latency Hiding on GPUs", Berkeley 2016, UCB/EECS-2016-143). But
 * they begin together and wait at the same places, so that of n workgroups a 1/n of the waits is taken to show, which
 * is added, and so is the launch of each dispatch. The last round of workgroups is counted as a whole: processors
 * without one wait for the others. */
#pragma once

#include "look/traffic.h"

/* In the order of vkmm_resource_name. */
typedef enum vkmm_resource {
    VKMM_RESOURCE_DRAM,
    VKMM_RESOURCE_L2,
    VKMM_RESOURCE_LINES,
    VKMM_RESOURCE_SHARED,
    VKMM_RESOURCE_INSTRUCTIONS,
    VKMM_RESOURCE_LATENCY,
    VKMM_RESOURCE_BARRIERS,
    VKMM_RESOURCE_COUNT
} vkmm_resource;

/* "DRAM bytes", "L2 bytes", "L1 lines", "shared memory", "instructions", "latency", "barriers". */
extern const char *const vkmm_resource_name[VKMM_RESOURCE_COUNT];

typedef struct vkmm_roofs {
    double dram_bytes_per_s, l2_bytes_per_s, shared_bytes_per_s; /* the last one also of lines */
    double multiply_adds_per_s, matrix_adds_per_s;               /* the second one 0: unknown */
    double l2_bytes;                                             /* the cache's size */
    double latency_ms, barrier_ms;                               /* of one read from memory, of one barrier */
    double launch_ms;                                            /* of one dispatch after another */
    uint32_t processors, invocations, registers, shared_bytes;   /* the last three: that fit on one processor */
} vkmm_roofs;

typedef struct vkmm_prediction {
    double amount[VKMM_RESOURCE_COUNT]; /* what the product needs: bytes, lines, turns, instructions; waits and barriers
                                           of one workgroup after the other on a processor */
    double ms[VKMM_RESOURCE_COUNT];     /* at the device's peak; latency and barriers: what shows of them */
    double predicted_ms;                /* the longest of the others, and what is added */
    vkmm_resource limiter;              /* the one that takes longest */
} vkmm_prediction;

void vkmm_predict(const vkmm_traffic *traffic, const vkmm_roofs *roofs, vkmm_prediction *prediction);

/* The roofs of a device with these measured peaks: `cache`: bytes per second of a copy in its cache, 0: not known;
 * `launch_ms`: of an empty dispatch that waits for the one before.
 * What is not measured is what GPUs have in common: a processor issues 128 multiply-adds and moves 128 bytes of
 * shared memory in a cycle. A CPU's shared memory is ordinary memory. */
vkmm_roofs vkmm_roofs_of(const vkmm_device_info *device, double copy, double cache, double multiply_adds,
                         double launch_ms);
