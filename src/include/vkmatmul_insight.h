/* vkmatmul_insight.h: the part of libvkmatmul's interface that looks inside a product: what a kernel reads, why
 * barriers are needed, and what the invocations see. Included by vkmatmul.h, whose rules on errors, ownership and
 * threads apply here too. Unless stated otherwise, it is about the tutorials' kernels ("naive" to "band-tiled") and the
 * plain product: row-major, packed, one matrix, α = 1, β = 0. */
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

/* The kernel's default tile on the device; 0 if there is no such kernel, or it runs on the host. */
VKMM_API int vkmm_kernel_default_tile(const vkmm_device_info *device, const char *kernel, vkmm_type type,
                                      uint32_t tile[2]);

/* A rule that forbids a tile: it needs more units than the limit. All texts have static storage. */
typedef struct vkmm_tile_rule {
    uint64_t need, limit;
    const char *unit;       /* "invocations" */
    const char *limit_name; /* Vulkan's: "maxComputeWorkGroupInvocations" */
    const char *reason;     /* why the limit bounds this */
} vkmm_tile_rule;

/* Whether the device allows a tile (rows, cols > 0) of the kernel (a name from vkmm_kernel_name). If not, *broken (may
 * be NULL) is the first rule that forbids it. */
VKMM_API int vkmm_tile_check(const vkmm_device_info *device, const char *kernel, vkmm_type type, uint32_t rows,
                             uint32_t cols, vkmm_tile_rule *broken);

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
} vkmm_access;

/* By formula. info is a built-in kernel's (not serial), as planned for the problem; else VKMM_UNSUPPORTED. */
VKMM_API vkmm_status vkmm_access_formula(const vkmm_log *log, const vkmm_kernel_info *info, const vkmm_problem *problem,
                                         vkmm_access *access);

/* Counted: runs the counting build of the kernel's shader once, on small whole numbers, and checks their product too
 * (VKMM_WRONG_RESULT). Costs about as much as a few products. params->shader must be NULL. VKMM_UNSUPPORTED: more than
 * 2^32 - 1 invocations, or a driver known to fail at this size. */
VKMM_API vkmm_status vkmm_access_count(vkmm_device *device, const vkmm_job_params *params, vkmm_access *access);

/* Whether both have the same values, regardless of their strides. */
VKMM_API int vkmm_access_equal(const vkmm_access *left, const vkmm_access *right);

/* The device's measured peaks. */
typedef struct vkmm_peaks {
    double copy_bytes_per_s;    /* a copy from buffer to buffer in device memory: bytes read and bytes written */
    double multiply_adds_per_s; /* chains of x·a + b in registers; FLOP/s is twice that */
    uint64_t copy_bytes;        /* of the buffer that was copied */
    /* Each peak is the best of several runs. The spread is how far the median of these runs is below it, as a fraction:
     * 0.02 on a quiet machine, 0.5 if other work interferes. */
    double copy_spread, multiply_adds_spread;
} vkmm_peaks;

/* Takes half a second, or a little more on GPUs that raise their clocks slowly; up to two seconds if the times vary. No
 * dispatch takes longer than 200 ms. */
VKMM_API vkmm_status vkmm_device_peaks(vkmm_device *device, vkmm_type type, vkmm_peaks *peaks);

/* "f16", "f32", "i8", "u8", "bf16" …; "type 1000491000" for one without a name. Static storage, or `text`. */
VKMM_API const char *vkmm_component_name(uint32_t component, char text[32]);

/* Multiply-adds per second of one shape, in registers only: 4×4 fragments per subgroup. VKMM_UNSUPPORTED: the device
 * does not list the shape, or this build's shader compiler could not compile its shader. VKMM_WRONG_RESULT: the device
 * computes wrong products; all are compared with sums computed on the host. Takes as long as vkmm_device_peaks; if the
 * device is a CPU, its driver's compiler takes some seconds more. */
VKMM_API vkmm_status vkmm_device_matrix_peak(vkmm_device *device, const vkmm_matrix_shape *shape,
                                             double *multiply_adds_per_s);

/* One statistic of a compiled kernel, in the driver's own words. */
typedef struct vkmm_statistic {
    char name[VK_MAX_DESCRIPTION_SIZE], description[VK_MAX_DESCRIPTION_SIZE];
    char value[32];
} vkmm_statistic;

/* A step of a product: the dispatches of one pipeline that follow one another. A plain value. */
typedef struct vkmm_step_info {
    const char *name;       /* "product", "reduce", "pack", "edge", "scale", …: static storage */
    uint64_t pipeline_hash; /* of the SPIR-V, the specialization constants and the subgroup size: drivers make the same
                               code of pipelines with equal hashes */
    double ms;              /* vkmm_job_time_steps only */
} vkmm_step_info;

/* The steps of the kernel that vkmm_kernel_choose returns, each once; the first is the product itself. *count: capacity
 * of steps[] on input, entries on output; steps beyond the capacity are omitted. 0 for the kernel serial. Errors: those
 * of vkmm_kernel_choose. */
VKMM_API vkmm_status vkmm_kernel_steps(const vkmm_log *log, const vkmm_device_info *device,
                                       const vkmm_job_params *params, vkmm_step_info *steps, uint32_t *count);

/* Compiles a step's pipeline again, without the pipeline cache, and queries the driver: the subgroup size, then its
 * statistics. step: index in the list of vkmm_kernel_steps. *count: capacity on input, entries on output; 0 without
 * vkmm_device_info.has_statistics; statistics beyond the capacity are omitted. *compile_ms (may be NULL): the time that
 * the driver took. */
VKMM_API vkmm_status vkmm_kernel_statistics(vkmm_device *device, const vkmm_job_params *params, uint32_t step,
                                            vkmm_statistic *statistics, uint32_t *count, double *compile_ms);

/* Runs the product of a job once more, as vkmm_job_measure does, and times its steps by the device's clock:
 * steps[i].ms, in milliseconds; the entries of vkmm_kernel_steps that the product has. Each begins when the one before
 * has ended, waiting included. *count: as there. *why: "", or why no step has a time and *count is 0: "the device has
 * no timestamps"; static storage. */
VKMM_API vkmm_status vkmm_job_time_steps(vkmm_job *job, vkmm_step_info *steps, uint32_t *count, const char **why);

/* ---- Race: why barriers are needed ---- */

/* The tutorials' tile sum, in i32: each element of a matrix becomes the sum of its tile. A workgroup stores its tile
 * in shared memory, waits at a barrier, and every invocation sums the whole tile. For comparison, the same shader runs
 * without that barrier: an invocation's sum then lacks what the others have not stored yet. Its result may be right or
 * wrong by chance. It reads and writes only its own tile and is harmless. */
typedef struct vkmm_race_params {
    uint32_t rows, cols; /* of the matrix, each at least 1; tiles may extend beyond its edges, where values are 0 */
    uint32_t tile_rows, tile_cols; /* both 0: 16x16, or the legal tile nearest to it */
    uint32_t runs;                 /* of each version, alternating; 0: 100 */
    const int32_t *values;         /* rows·cols elements, row-major; NULL: 1, 2, 3, … */
    /* Where the sums go, rows·cols elements each; NULL: nowhere. For the two versions: those of the first wrong run, or
     * of the last run if none was wrong. */
    int32_t *right, *with_barrier, *without_barrier;
} vkmm_race_params;

/* The result of one version. If wrong_runs is 0, the rest is 0 too. */
typedef struct vkmm_race_count {
    uint32_t wrong_runs;     /* runs with a wrong element */
    uint64_t wrong_elements; /* in all runs together */
    uint32_t row, col;       /* the first wrong element of the first wrong run, */
    int32_t got, want;       /* its value there, and the right one */
} vkmm_race_count;

typedef struct vkmm_race_result {
    vkmm_kernel_info kernel; /* as both versions ran */
    uint32_t runs;           /* of each */
    vkmm_race_count with_barrier, without_barrier;
} vkmm_race_result;

/* Runs both versions `runs` times and compares every element with a sum computed on the host (modulo 2^32). VKMM_OK
 * whatever the result; with_barrier.wrong_runs above 0 is a fault of the device or its driver. VKMM_WRONG_RESULT:
 * something was stored outside the matrix. VKMM_INVALID: an empty matrix; VKMM_UNSUPPORTED: a tile or size that the
 * device does not allow. */
VKMM_API vkmm_status vkmm_race_run(vkmm_device *device, const vkmm_race_params *params, vkmm_race_result *result);

/* ---- Trace: what the invocations of one workgroup see ---- */

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

/* The invocation that computes C[row][col], by formula. info is a built-in kernel's (not serial), as planned for the
 * problem. */
VKMM_API vkmm_status vkmm_kernel_place(const vkmm_log *log, const vkmm_kernel_info *info, const vkmm_problem *problem,
                                       uint64_t row, uint64_t col, vkmm_invocation *invocation);

typedef struct vkmm_trace_params {
    vkmm_problem problem;
    const char *kernel;            /* as in vkmm_job_params */
    uint32_t tile_rows, tile_cols; /* 0: the kernel's default on this device */
    uint64_t row, col;             /* the element of C to follow; its workgroup is traced */
    const void *a, *b;             /* packed, of the problem's type */
} vkmm_trace_params;

/* What the tracing build of the kernel's shader recorded in one dispatch. Everything except the followed element's
 * index is as the device wrote it. In kernels without tiles, an invocation beyond C's edges does nothing; its sums are
 * 0. */
typedef struct vkmm_trace {
    vkmm_problem problem;
    vkmm_kernel_info kernel;
    const vkmm_invocation *invocations; /* of the workgroup, by gl_LocalInvocationIndex */
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
VKMM_API vkmm_status vkmm_trace_check(vkmm_device *device, const vkmm_trace_params *params);

/* Runs the trace. VKMM_INVALID: no such element, or more than 100,000 values or 4,096 steps; the message gives a size
 * that can be traced. Other failures as for vkmm_job_create. One allocation holds everything. */
VKMM_API vkmm_status vkmm_trace_create(vkmm_device *device, const vkmm_trace_params *params, vkmm_trace **trace);
VKMM_API void vkmm_trace_destroy(vkmm_trace **trace);

#ifdef __cplusplus
}
#endif
#endif
