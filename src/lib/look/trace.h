/* Trace: what the invocations of one workgroup see. */
#pragma once

#include "vkmatmul.h"

/* One invocation, as its shader knows it; pairs are x, y. */
typedef struct vkmm_invocation {
    uint32_t global[2];    /* gl_GlobalInvocationID */
    uint32_t local[2];     /* gl_LocalInvocationID */
    uint32_t workgroup[2]; /* gl_WorkGroupID */
    uint32_t
        tile_origin[2]; /* gl_WorkGroupID * gl_WorkGroupSize: the global index of the workgroup's first invocation */
    uint32_t row, col;  /* the element of C that it computes */
    int inside;         /* 0: that element lies beyond C's edges */
} vkmm_invocation;

typedef struct vkmm_trace_params {
    vkmm_job_params job; /* the problem, the kernel and its tile */
    uint64_t row, col;   /* the element of C to follow; its workgroup is traced */
    const void *a, *b;   /* packed, of the problem's type */
} vkmm_trace_params;

/* What the tracing build of the kernel's shader recorded in one dispatch. Everything except the followed element's
 * index is as the device wrote it. In kernels without tiles, an invocation beyond C's edges does nothing; its sums are
 * 0. */
typedef struct vkmm_trace {
    vkmm_problem problem;
    vkmm_kernel_info kernel;
    const vkmm_invocation *invocations; /* of the workgroup, by their elements: the tile row by row */
    uint32_t invocation_count;
    uint32_t followed;   /* index of the invocation that computes the followed element */
    uint32_t depth;      /* elements along K of the tiles in shared memory; 0: the kernel has none */
    uint32_t load_count; /* how often tiles are loaded: K / depth, rounded up */
    uint32_t sum_count;  /* terms added: K, or load_count · depth, where those from K on are padding */
    const void *a, *b;   /* what the device read */
    const void *c;       /* the whole product of this dispatch */
    const void *sums;    /* element k · invocation_count + i: the sum of invocation i after k */
    const void
        *tiles; /* for each load: rows×depth of A, then depth×cols of B, as in shared memory; rows, cols: kernel.tile */
} vkmm_trace;

/* Checks whether it can be traced: fails as vkmm_trace_create would, but does not need A and B. */
vkmm_status vkmm_trace_check(vkmm_device *device, const vkmm_trace_params *params);

/* Runs the trace. VKMM_INVALID: no such element, or more than 100,000 values or 4,096 steps; the message gives a size
 * that can be traced. Other failures as for vkmm_job_create. One allocation holds everything. */
vkmm_status vkmm_trace_create(vkmm_device *device, const vkmm_trace_params *params, vkmm_trace **trace);
void vkmm_trace_destroy(vkmm_trace **trace);
