/* What a product needs of each part of a device, for vkmm_predict: counted from the accesses of one workgroup, which
 * the counting build of its kernel logs (shaders/lib/observe.glsl) in a small product on any device, or by formula.
 *
 * Accesses are counted as GPUs make them (NVIDIA, CUDA C++ Programming Guide, "Global Memory" and "Shared Memory";
 * other vendors' guides have the same with other numbers). The n-th accesses of the invocations of a subgroup are
 * made together:
 *
 *     from memory: one access for each line of 128 bytes that they touch; the L2 cache then delivers each sector of
 *     32 bytes that the workgroup touches once, as its first-level cache holds it
 *     of shared memory: 32 banks deliver one word each at a time; as many turns as different words are wanted of the
 *     busiest bank. Accesses of 16 bytes are made for each half of the subgroup in turn, even if both want the same,
 *     which agrees with what was measured on an NVIDIA H100
 *
 * An interval between two barriers in which memory is read and then shared memory is written waits for memory; if the
 * values are written in a later interval, the reads are under way while the workgroup does something else.
 *
 * All this repeats along K and for each workgroup, so the figures of the small product are scaled by multiply-adds. */
#pragma once

#include "vkmatmul.h"

enum {
    VKMM_TRAFFIC_LANES = 32, /* invocations of a subgroup for which accesses are counted, on every device */
    VKMM_TRAFFIC_LINE = 128  /* bytes of a line of the first-level cache, and of a turn of shared memory */
};

/* The figures are those of a whole product, of all workgroups together, unless stated otherwise. */
typedef struct vkmm_traffic {
    double multiply_adds; /* useful ones */
    double memory_bytes;  /* A, B and C, each once */
    double l2_bytes;      /* read through the L2 cache */
    double lines;         /* of 128 bytes, read through the first-level cache */
    double shared_turns;  /* of shared memory, 128 bytes each at most */
    double instructions;  /* of subgroups: reads, stores to shared memory, multiply-adds */
    double matrix_adds;   /* multiply-adds by matrix operations, which are no instructions above; 0: none */
    double dispatches;    /* one after the other */
    double passed_bytes;  /* read and written by the steps before and after the product: packing, sums of parts of K */
    double workgroups;
    double waits, overlaps, barriers; /* of one workgroup: intervals that wait for memory, that read ahead; barriers */
    uint32_t invocations;             /* of a workgroup */
    uint32_t registers;               /* of an invocation, estimated */
    uint32_t shared_bytes;            /* of a workgroup */
    double tile_bytes[2];             /* what a workgroup reads of A, and of B, in all */
    double tiles[2];                  /* down and across C */
    uint32_t swizzle;                 /* rows of tiles that workgroups traverse together */
} vkmm_traffic;

/* Counted, for a kernel of the tutorials (not serial); params->problem is the product that the figures are for, and
 * is not multiplied; *planned is what vkmm_kernel_choose says of it. Fails as vkmm_access_count; VKMM_UNSUPPORTED also
 * if a workgroup does more than the log holds. */
vkmm_status vkmm_traffic_count(vkmm_device *device, const vkmm_job_params *params, const vkmm_kernel_info *planned,
                               vkmm_traffic *traffic);

/* By formula, for the general kernels blocked, coopmat and the like, from a plan (vkmm_kernel_choose). */
void vkmm_traffic_plan(const vkmm_kernel_info *info, const vkmm_problem *problem, vkmm_traffic *traffic);
