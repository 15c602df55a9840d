/* How often each element of A and B is read, by formula or counted on the device.
 *
 *  Straight from global memory (naive, grouped, band): the invocation of C[i][j] reads row i of A and column j of B
 * once. Row i serves the N elements of C in its row, column j the M elements in its column; invocations beyond C's
 * edges read nothing. So
 *
 *     A: N global reads of each element,   B: M,   no shared ones.
 *  By tiles (tiled, band-tiled): C's width takes ⌈N/COLS⌉ tiles. Each of them loads its ROWS rows of A into shared
 * memory once, whichever step along K an element belongs to, and then each of its COLS columns of invocations reads the
 * element from there, also those beyond C's right edge, because all invocations must reach the barriers. Likewise B,
 * with rows for columns:
 *
 *     A: ⌈N/COLS⌉ global and ⌈N/COLS⌉·COLS shared reads of each element,
 *     B: ⌈M/ROWS⌉ global and ⌈M/ROWS⌉·ROWS shared.
 *  Where each invocation computes a block of BLOCK_ROWS×BLOCK_COLS elements, it reads an element of A once for
 * BLOCK_COLS multiply-adds: ⌈N/COLS⌉·⌈COLS/BLOCK_COLS⌉ shared reads, and likewise of B.
 *  Each element of A that is fetched is used COLS times. With 1024 columns and tiles of 16 this makes 64 global and
 * 1,024 shared reads.
 *  Invocations: ⌈M·N/size⌉·size where workgroups of `size` count the elements of C (naive), else ⌈M/ROWS⌉·ROWS ·
 * ⌈N/COLS⌉·COLS.
 *  Multiply-adds: M·N·K straight from global memory. By tiles, every invocation takes whole steps of DEPTH along K,
 * the last one padded with zeros: invocations · ⌈K/DEPTH⌉·DEPTH. */
#pragma once

#include "vkmatmul.h"

/* How often the elements of one input are read. min and max differ if some elements are read more often than others. */
typedef struct vkmm_reads {
    uint64_t global_min, global_max; /* from global memory, each element */
    uint64_t shared_min, shared_max; /* from shared memory, each element */
} vkmm_reads;

/* What a kernel does for one problem, by formula or counted on the device. A plain value. */
typedef struct vkmm_access {
    vkmm_reads a, b;        /* zeros for an input without elements */
    uint64_t invocations;   /* pairs of an invocation and an element of C, those beyond C's edges included */
    uint64_t useful;        /* of these, within C */
    uint64_t multiply_adds; /* executed, those on padding included; M·N·K of them are useful */
    uint64_t bytes_read;    /* from global memory, as the kernel requests them; caches may serve them */
    uint64_t bytes_written; /* to global memory */
    uint32_t stride;        /* every stride-th element of A and B was counted; 1: all; 0: by formula */
    uint64_t k; /* of the counted product: less than the problem's if the rest of K only repeats its steps */
} vkmm_access;

/* By formula. info is a built-in kernel's (not serial), as planned for the problem; else VKMM_UNSUPPORTED. */
vkmm_status vkmm_access_formula(const vkmm_kernel_info *info, const vkmm_problem *problem, vkmm_access *access);

/* Counted: runs the counting build of the kernel's shader once, on small whole numbers, and checks their product too
 * (VKMM_WRONG_RESULT). Costs about as much as a few products, and less if K is long (vkmm_count_depth).
 * params->shader must be NULL. VKMM_UNSUPPORTED: more than 2^32 - 1 invocations, or a driver known to fail at this
 * size. */
vkmm_status vkmm_access_count(vkmm_device *device, const vkmm_job_params *params, vkmm_access *access);

/* Whether both have the same values, regardless of their strides. */
int vkmm_access_equal(const vkmm_access *left, const vkmm_access *right);

/* The multiply-adds of this many invocations, `useful` of them within C. */
uint64_t vkmm_access_multiply_adds(const vkmm_kernel_info *info, const vkmm_problem *problem, uint64_t invocations,
                                   uint64_t useful);
