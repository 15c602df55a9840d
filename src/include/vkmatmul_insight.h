/* vkmatmul_insight.h: the part of libvkmatmul's interface that looks inside a product: what a kernel reads, what a
 * barrier is for, what the invocations see. Included by vkmatmul.h, whose rules on errors, ownership and threads
 * hold here too. All of it is about the tutorials' kernels ("naive" to "band-tiled") and the plain product:
 * row-major, packed, one matrix, α = 1, β = 0. */
#ifndef VKMATMUL_INSIGHT_H
#define VKMATMUL_INSIGHT_H

#include "vkmatmul.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Explain: what a kernel reads, and what the device could do ---- */

/* The kernel as vkmm_job_create would plan it, without memory or a pipeline. Fails as that does. */
VKMM_API vkmm_status vkmm_kernel_choose(const vkmm_log *log, const vkmm_device_info *device,
                                        const vkmm_job_params *params, vkmm_kernel_info *info);

/* The tile that the kernel takes by itself on the device; 0 when there is no such kernel, or it runs on the host. */
VKMM_API int vkmm_kernel_default_tile(const vkmm_device_info *device, const char *kernel, vkmm_type type,
                                      uint32_t tile[2]);

/* A rule that forbids a tile: it needs so many units, more than the limit. All texts in static storage. */
typedef struct vkmm_tile_rule {
    uint64_t need, limit;
    const char *unit;       /* "invocations" */
    const char *limit_name; /* Vulkan's: "maxComputeWorkGroupInvocations" */
    const char *reason;     /* why the limit bounds this */
} vkmm_tile_rule;

/* Whether the device allows a tile (rows, cols > 0) of the kernel, a name of vkmm_kernel_name. Otherwise 0, and
 * *broken (may be NULL) is the first rule that forbids it. */
VKMM_API int vkmm_tile_check(const vkmm_device_info *device, const char *kernel, vkmm_type type, uint32_t rows,
                             uint32_t cols, vkmm_tile_rule *broken);

/* How often the elements of one input are read. min and max differ where not all elements are read equally often. */
typedef struct vkmm_reads {
    uint64_t global_min, global_max; /* from global memory, each element */
    uint64_t shared_min, shared_max; /* from shared memory, each element */
} vkmm_reads;

/* What a kernel does on one problem, by formula or counted on the device. A plain value. */
typedef struct vkmm_access {
    vkmm_reads a, b;        /* zeros for an input without elements */
    uint64_t invocations;   /* invocation and element of C: how often an invocation begins one, those beyond C's edges
                               included */
    uint64_t useful;        /* of these, within C */
    uint64_t multiply_adds; /* carried out, those on padding included; M·N·K of them are useful */
    uint64_t bytes_read;    /* from global memory, as the kernel asks for them: caches may answer */
    uint64_t bytes_written; /* to global memory */
    uint32_t stride;        /* every stride-th element of A and B was counted; 1: all; 0: by formula */
} vkmm_access;

/* By formula. info is a built-in kernel's (not serial), as planned for the problem; else VKMM_UNSUPPORTED. */
VKMM_API vkmm_status vkmm_access_formula(const vkmm_log *log, const vkmm_kernel_info *info, const vkmm_problem *problem,
                                         vkmm_access *access);

/* Counted: runs the counting build of the kernel's own shader once, on small whole numbers whose product is checked
 * as well (VKMM_WRONG_RESULT). Costs about as much as a few products. params->shader must be NULL. VKMM_UNSUPPORTED:
 * more than 2^32 - 1 invocations, or a driver known to fail at this size. */
VKMM_API vkmm_status vkmm_access_count(vkmm_device *device, const vkmm_job_params *params, vkmm_access *access);

/* Whether both tell the same, whatever their strides. */
VKMM_API int vkmm_access_equal(const vkmm_access *left, const vkmm_access *right);

/* Whether the kernel's loops may be longer than the device's driver is known to carry them out (llvmpipe of older
 * Mesa releases: 65,535 rounds): then a wrong product may be the driver's fault. By formula; no compiler's unrolling
 * is counted. */
VKMM_API int vkmm_kernel_loops_too_long(const vkmm_device_info *device, const vkmm_kernel_info *info,
                                        const vkmm_problem *problem);

/* What the device can do at best, measured. */
typedef struct vkmm_peaks {
    double copy_bytes_per_s;    /* a copy from buffer to buffer in device memory: bytes read and bytes written */
    double multiply_adds_per_s; /* chains of x·a + b in registers; FLOP/s is twice that */
    uint64_t copy_bytes;        /* of the buffer that was copied */
    /* Each is the best of some runs. How far below it the median of these runs is, as a share: 0.02 on a quiet machine,
     * 0.5 where other work disturbs it. */
    double copy_spread, multiply_adds_spread;
} vkmm_peaks;

/* Takes half a second, or a little more on GPUs that raise their clocks slowly; up to two seconds where the times do
 * not agree. No dispatch of it takes longer than 200 ms. */
VKMM_API vkmm_status vkmm_device_peaks(vkmm_device *device, vkmm_type type, vkmm_peaks *peaks);

/* "f16", "f32", "i8", "u8", "bf16" …; "type 1000491000" for one without a name here. Static storage, or `text`. */
VKMM_API const char *vkmm_component_name(uint32_t component, char text[32]);

/* The shapes that a device lists. *count: room on the way in, entries on the way out; what finds no room is left
 * out. *why (may be NULL): "", or why there are none; static storage. */
VKMM_API vkmm_status vkmm_device_matrix_shapes(const vkmm_instance *instance, uint32_t index, vkmm_matrix_shape *shapes,
                                               uint32_t *count, const char **why);

/* Multiply-adds a second of one shape, in registers alone: 4×4 fragments a subgroup. VKMM_UNSUPPORTED: the device
 * does not list the shape, or this build's shader compiler could not make its shader. VKMM_WRONG_RESULT: the device
 * gets the products wrong, all of which are compared with sums made on the host. Takes as long as vkmm_device_peaks,
 * and the driver's compiler some seconds where the device is a processor. */
VKMM_API vkmm_status vkmm_device_matrix_peak(vkmm_device *device, const vkmm_matrix_shape *shape,
                                             double *multiply_adds_per_s);

/* One figure that a driver tells of a compiled kernel, in its own words. */
typedef struct vkmm_statistic {
    char name[VK_MAX_DESCRIPTION_SIZE], description[VK_MAX_DESCRIPTION_SIZE];
    char value[32];
} vkmm_statistic;

/* Compiles the kernel once more and asks the driver: the subgroup size, then its statistics. *count: room on the way
 * in, entries on the way out; what finds no room is left out. VKMM_UNSUPPORTED without
 * vkmm_device_info.has_statistics. */
VKMM_API vkmm_status vkmm_kernel_statistics(vkmm_device *device, const vkmm_job_params *params,
                                            vkmm_statistic *statistics, uint32_t *count);

/* ---- Race: what a barrier is for ---- */

/* The tutorials' tile sum, in i32: each element of a matrix becomes the sum of its tile. A workgroup stores its tile
 * in shared memory, waits at a barrier, and every invocation adds the whole tile up. Run beside it: the same shader
 * without that barrier, where an invocation's sum lacks what the others have not stored yet. That version may be
 * wrong or right, as it happens: it reads and writes nothing but its own tile, and harms nothing. */
typedef struct vkmm_race_params {
    uint32_t rows, cols; /* of the matrix, each from 1; tiles hang over its edges, and what is missing there counts 0 */
    uint32_t tile_rows, tile_cols; /* both 0: 16x16, or the legal tile nearest to it */
    uint32_t runs;                 /* of each version, in turn; 0: 100 */
    const int32_t *values;         /* rows·cols elements, row-major; NULL: 1, 2, 3, … */
    /* Where the sums go, rows·cols elements each; NULL: nowhere. Of the two versions: the first wrong run, or the
     * last when none was. */
    int32_t *right, *with_barrier, *without_barrier;
} vkmm_race_params;

/* How one version did. Where wrong_runs is 0, the rest is 0 too. */
typedef struct vkmm_race_count {
    uint32_t wrong_runs;     /* runs in which some element was wrong */
    uint64_t wrong_elements; /* in all runs together */
    uint32_t row, col;       /* the first wrong element of the first wrong run, */
    int32_t got, want;       /* its value there, and the right one */
} vkmm_race_count;

typedef struct vkmm_race_result {
    vkmm_kernel_info kernel; /* as both versions ran */
    uint32_t runs;           /* of each */
    vkmm_race_count with_barrier, without_barrier;
} vkmm_race_result;

/* Runs both versions `runs` times and compares every element with a sum made on the host (modulo 2^32). VKMM_OK
 * whatever came out: a with_barrier.wrong_runs above 0 is a fault of the device or its driver. VKMM_WRONG_RESULT:
 * something was stored outside of the matrix. VKMM_INVALID: an empty matrix; VKMM_UNSUPPORTED: a tile or size that
 * the device does not allow. */
VKMM_API vkmm_status vkmm_race_run(vkmm_device *device, const vkmm_race_params *params, vkmm_race_result *result);

/* ---- Trace: what the invocations of one workgroup see ---- */

/* One invocation, as its shader knows it; pairs are x, y. */
typedef struct vkmm_invocation {
    uint32_t global[2];    /* gl_GlobalInvocationID */
    uint32_t local[2];     /* gl_LocalInvocationID */
    uint32_t workgroup[2]; /* gl_WorkGroupID */
    uint32_t
        tile_origin[2]; /* gl_WorkGroupID * gl_WorkGroupSize: the global index of the workgroup's first invocation */
    uint32_t row, col;  /* the element of C that it computes, */
    int inside;         /* which may lie beyond C's edges: 0 */
} vkmm_invocation;

/* The invocation that computes C[row][col], by formula. info is a built-in kernel's (not serial), as planned for the
 * problem. */
VKMM_API vkmm_status vkmm_kernel_place(const vkmm_log *log, const vkmm_kernel_info *info, const vkmm_problem *problem,
                                       uint64_t row, uint64_t col, vkmm_invocation *invocation);

typedef struct vkmm_trace_params {
    vkmm_problem problem;
    const char *kernel;            /* as in vkmm_job_params */
    uint32_t tile_rows, tile_cols; /* 0: the kernel's default on this device */
    uint64_t row, col;             /* the element of C that is followed: its workgroup is traced */
    const void *a, *b;             /* packed, of the problem's type */
} vkmm_trace_params;

/* What the tracing build of the kernel's own shader recorded in one dispatch. Everything but the followed element's
 * index is as the device wrote it. An invocation beyond C's edges takes no part in kernels without tiles: its sums
 * are 0 there. */
typedef struct vkmm_trace {
    vkmm_problem problem;
    vkmm_kernel_info kernel;
    const vkmm_invocation *invocations; /* of the workgroup, by gl_LocalInvocationIndex */
    uint32_t invocation_count;
    uint32_t followed;   /* index of the invocation that computes the followed element */
    uint32_t depth;      /* elements along K of the tiles in shared memory; 0: the kernel has none */
    uint32_t load_count; /* how often tiles are loaded: K / depth, rounded up */
    uint32_t sum_count;  /* terms added: K, or load_count · depth, of which those from K on are padding */
    const void *a, *b;   /* what the device read */
    const void *c;       /* the whole product of this dispatch */
    const void *sums;    /* element k · invocation_count + i: the sum of invocation i after k */
    const void
        *tiles; /* for each load: rows×depth of A, then depth×cols of B, as in shared memory; rows, cols: kernel.tile */
} vkmm_trace;

/* Whether it can be traced: fails as vkmm_trace_create would, before A and B are needed. */
VKMM_API vkmm_status vkmm_trace_check(vkmm_device *device, const vkmm_trace_params *params);

/* Runs the trace. VKMM_INVALID: no such element, or more than 100,000 values or 4,096 steps, with a size that can be
 * traced; other failures as vkmm_job_create. One allocation holds all. */
VKMM_API vkmm_status vkmm_trace_create(vkmm_device *device, const vkmm_trace_params *params, vkmm_trace **trace);
VKMM_API void vkmm_trace_destroy(vkmm_trace **trace);

#ifdef __cplusplus
}
#endif
#endif
