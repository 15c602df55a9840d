/* vkmatmul.h: matrix products on Vulkan devices. The whole public interface of libvkmatmul.
 *
 * The product      C[M×N] = A[M×K] · B[K×N]
 * Layout           row-major and tightly packed: element (i, j) of a matrix with n columns lies at index i·n + j.
 * Integers         i32 and u32 wrap modulo 2^32.
 * Errors           every fallible function returns a vkmm_status and writes one sentence (cause, limit, value) to the log
 *                  of the instance. On failure, output handles are NULL and other outputs are untouched.
 * Ownership        every *_create fills a handle that the caller ends with the matching *_destroy, which accepts a
 *                  pointer to NULL and sets the handle to NULL. An instance outlives its devices, a device its jobs and plans.
 * Threads          different instances are independent. One device and all that was made from it is used by one
 *                  thread at a time; different devices may be used by different threads at once. vkmm_*_name and
 *                  other functions without a handle are free of shared state.
 * Units            bytes, milliseconds and elements, as each name says.
 */
#ifndef VKMATMUL_H
#define VKMATMUL_H

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define VKMM_API __declspec(dllexport)
#else
#define VKMM_API __attribute__((visibility("default")))
#endif

#define VKMM_VERSION "0.1.0"

/* The result of every fallible function; the program's exit codes are the same numbers. */
typedef enum vkmm_status {
    VKMM_OK = 0,
    VKMM_WRONG_RESULT = 1,  /* a product failed its verification, or a validation layer spoke up */
    VKMM_INVALID = 2,       /* a bad argument, a bad file, an output that cannot be written */
    VKMM_NO_DEVICE = 3,     /* no Vulkan loader, no driver, or no device that matches */
    VKMM_UNSUPPORTED = 4,   /* the device cannot do this: a limit, a missing feature */
    VKMM_OUT_OF_MEMORY = 5, /* host or device memory */
    VKMM_DEVICE_LOST = 6    /* the device stopped answering; destroy it and everything made from it */
} vkmm_status;

/* Short English name ("out of memory"), static storage; never NULL. */
VKMM_API const char *vkmm_status_name(vkmm_status status);

/* The library's version, VKMM_VERSION of its build; and a hash of all shaders built into it: 16 hexadecimal digits, FNV-1a over the
 * SPIR-V words. Both static storage. Two reports are comparable kernel for kernel when their hashes are equal. */
VKMM_API const char *vkmm_version(void);
VKMM_API const char *vkmm_shader_hash(void);

typedef enum vkmm_log_level { VKMM_LOG_ERROR = 0, VKMM_LOG_WARNING = 1, VKMM_LOG_INFO = 2 } vkmm_log_level;

/* Receives one sentence, without a line end, valid during the call only. May be called from a driver's thread
 * when validation is on. A zeroed vkmm_log discards everything. */
typedef struct vkmm_log {
    void (*write)(void *user, vkmm_log_level level, const char *sentence);
    void *user;
} vkmm_log;

typedef enum vkmm_type { VKMM_F32 = 0, VKMM_F64 = 1, VKMM_I32 = 2, VKMM_U32 = 3, VKMM_TYPE_COUNT = 4 } vkmm_type;

/* Extents in elements, each 0 to 2^32 - 1; zeros are legal (K = 0 gives zeros, M = 0 or N = 0 an empty product). */
typedef struct vkmm_problem {
    uint64_t m, n, k;
    vkmm_type type;
} vkmm_problem;

/* ---- Instance: the Vulkan loader and the devices it finds ---- */

typedef struct vkmm_instance vkmm_instance;

typedef struct vkmm_instance_params {
    vkmm_log log;       /* zero: silent */
    int validate;       /* non-zero: VK_LAYER_KHRONOS_validation with synchronization validation; without the layer:
                               VKMM_UNSUPPORTED */
    const char *driver; /* NULL, or the path of one more driver manifest (ICD .json) for the loader, or "swiftshader" for the copy that
                           Chromium brings (without effect where VK_DRIVER_FILES or VK_ICD_FILENAMES is set). Changes this process's
                           environment */
} vkmm_instance_params;

/* Loads the Vulkan loader and lists the devices. VKMM_NO_DEVICE without a loader; an instance with no device at all is
 * VKMM_OK with a count of 0. params may be NULL. */
VKMM_API vkmm_status vkmm_instance_create(const vkmm_instance_params *params, vkmm_instance **instance);
VKMM_API void vkmm_instance_destroy(vkmm_instance **instance);

/* How many messages of severity warning or error the validation layer gave so far; 0 without `validate`. */
VKMM_API uint32_t vkmm_instance_validation_messages(const vkmm_instance *instance);

/* Everything vkmatmul knows of a device: identity, the limits that its choices depend on, features. A plain value. */
typedef struct vkmm_device_info {
    uint32_t index; /* position in the loader's order, from 0 */
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char driver_name[VK_MAX_DRIVER_NAME_SIZE], driver_info[VK_MAX_DRIVER_INFO_SIZE];
    uint8_t uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE];
    uint32_t vendor_id, device_id, driver_id, driver_version, api_version; /* versions in Vulkan's packing */
    VkPhysicalDeviceType type;
    uint32_t max_invocations;        /* maxComputeWorkGroupInvocations */
    uint32_t max_workgroup_size[3];  /* maxComputeWorkGroupSize */
    uint32_t max_workgroup_count[3]; /* maxComputeWorkGroupCount */
    uint32_t max_shared_bytes;       /* maxComputeSharedMemorySize */
    uint32_t subgroup_size;
    uint64_t max_storage_range;    /* maxStorageBufferRange, bytes one binding can see */
    uint64_t max_allocation_bytes; /* maxMemoryAllocationSize */
    uint64_t max_buffer_bytes;     /* maxBufferSize, or max_allocation_bytes where Vulkan 1.3 is missing */
    uint64_t device_heap_bytes;    /* the largest device-local heap */
    uint32_t offset_alignment;     /* minStorageBufferOffsetAlignment */
    uint32_t timestamp_bits;       /* timestampValidBits of the queue used; 0: no timestamps */
    double timestamp_period_ns;    /* nanoseconds a tick */
    int has_f64;                   /* shaderFloat64 */
    int unified_memory;            /* a device-local memory type is also host-visible and host-cached: no copies needed */
    int has_statistics;            /* VK_KHR_pipeline_executable_properties: the driver tells what it made of a kernel */
} vkmm_device_info;

VKMM_API uint32_t vkmm_instance_device_count(const vkmm_instance *instance);

/* index < vkmm_instance_device_count; owned by the instance. */
VKMM_API const vkmm_device_info *vkmm_instance_device_info(const vkmm_instance *instance, uint32_t index);

/* Finds one device. what is NULL or "" (the first discrete GPU, else integrated, virtual, CPU), an index ("1"), a UUID
 * (32 hexadecimal digits, dashes ignored), or a part of a device or driver name, whatever its case.
 * VKMM_NO_DEVICE when nothing matches or a name matches several: the log names the candidates. */
VKMM_API vkmm_status vkmm_instance_find_device(const vkmm_instance *instance, const char *what, uint32_t *index);

/* ---- Device ---- */

typedef struct vkmm_device vkmm_device;

VKMM_API vkmm_status vkmm_device_create(vkmm_instance *instance, uint32_t index, vkmm_device **device);
VKMM_API void vkmm_device_destroy(vkmm_device **device);

/* The simplest use: C = A · B for host matrices, on any device, with the best kernel known. Copies a and b in and c
 * out. a, b and c are vkmm_type-aligned and must not overlap; c is written only on VKMM_OK. */
VKMM_API vkmm_status vkmm_multiply(vkmm_device *device, const vkmm_problem *problem, const void *a, const void *b, void *c);

/* ---- Kernels ---- */

#define VKMM_MAX_SPEC_CONSTANTS 8

/* A kernel as it will run: filled by the planner, never by the user. A plain value. */
typedef struct vkmm_kernel_info {
    char name[32];
    uint32_t tile[2];      /* rows and columns of C that one workgroup computes at a time */
    uint32_t workgroup[3]; /* invocations along x, y, z */
    uint32_t groups[3];    /* workgroups dispatched */
    uint32_t shared_bytes; /* of shared memory a workgroup */
    uint32_t spec_count;
    uint32_t spec_ids[VKMM_MAX_SPEC_CONSTANTS], spec_values[VKMM_MAX_SPEC_CONSTANTS]; /* specialization constants */
} vkmm_kernel_info;

/* The names of the kernels in the order of the tutorials: "serial", "naive", "grouped", "tiled", "band", "band-tiled".
 * NULL past the end. */
VKMM_API const char *vkmm_kernel_name(uint32_t index);

/* One sentence on what the kernel does; NULL past the end. */
VKMM_API const char *vkmm_kernel_summary(uint32_t index);

/* Whether this build has the kernel's shader for the type (a compiler that lacks an extension leaves it out). */
VKMM_API int vkmm_kernel_built(const char *name, vkmm_type type);

/* A user's own shader. Contract: bindings 0, 1, 2 of set 0 are A, B, C; push constants M, N, K (uint32 each, offsets 0, 4, 8);
 * constant ids 0 and 1 are the workgroup's x and y, 2 and 3 the tile's rows and columns, 4 the tile's depth along K. One
 * workgroup owns one tile of C: gl_WorkGroupID.x counts tiles along N, .y along M. See vkmatmul(1). */
typedef struct vkmm_shader vkmm_shader;

/* Compiles GLSL with libshaderc, loaded at run time. text is `bytes` long; name is shown in messages ("FILE:LINE: error: …").
 * type sets the macro T (float, double, int, uint). VKMM_INVALID: the shader has errors; VKMM_UNSUPPORTED: no libshaderc,
 * or built without it. */
VKMM_API vkmm_status vkmm_shader_compile(const vkmm_log *log, const char *name, const char *text, size_t bytes, vkmm_type type,
                                         vkmm_shader **shader);
VKMM_API void vkmm_shader_destroy(vkmm_shader **shader);

/* ---- Job: a problem on a device, with its memory; run it, time it ---- */

typedef struct vkmm_job vkmm_job;

typedef struct vkmm_job_params {
    vkmm_problem problem;
    const char *kernel;            /* NULL or "auto": the fastest legal kernel known */
    uint32_t tile_rows, tile_cols; /* 0: the kernel's default on this device */
    const vkmm_shader *shader;     /* NULL, or run this instead of a built-in kernel; must outlive the job */
} vkmm_job_params;

/* Plans the kernel and takes the memory. device may be NULL for the kernel "serial", which runs on the host. log NULL: the
 * device's instance's log.
 * Illegal tiles and sizes: VKMM_UNSUPPORTED or VKMM_INVALID, with the limit, the value and the nearest legal choice. */
VKMM_API vkmm_status vkmm_job_create(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params, vkmm_job **job);
VKMM_API void vkmm_job_destroy(vkmm_job **job);

VKMM_API const vkmm_kernel_info *vkmm_job_kernel(const vkmm_job *job); /* owned by the job */

typedef enum vkmm_operand { VKMM_A = 0, VKMM_B = 1, VKMM_C = 2 } vkmm_operand;

/* The host address of a matrix, writable for A and B before a run, readable for C after one; valid as long as the job.
 * On unified memory this IS the device's memory, so that nothing is ever stored twice. */
VKMM_API void *vkmm_job_matrix(vkmm_job *job, vkmm_operand operand);

/* Fills C and the guard bands around every matrix with a canary (a NaN for floats), uploads, multiplies, downloads.
 * VKMM_WRONG_RESULT when a guard band of C was written to: the kernel stored outside its matrix. */
VKMM_API vkmm_status vkmm_job_run(vkmm_job *job);

/* Distribution of repeated measurements, milliseconds; percentiles by linear interpolation between order statistics. */
typedef struct vkmm_series {
    const double *samples; /* in the order taken; owned by the job */
    uint32_t count;        /* 0: not measured; the other figures are then 0 */
    double median, min, p5, p95;
} vkmm_series;

typedef enum vkmm_clock { VKMM_CLOCK_DEVICE = 0, VKMM_CLOCK_HOST = 1 } vkmm_clock;

typedef struct vkmm_measure_params {
    uint32_t iters;       /* exactly so many samples; 0: until the median is stable */
    uint32_t cold_iters;  /* untimed dispatches first; 0 with warm_by_time: by time */
    int cold_iters_given; /* non-zero: cold_iters counts, even when it is 0 */
    double min_time_ms;   /* at least so much kernel time in samples; 0: 200 */
    double max_time_ms;   /* give up waiting for a stable median after this; 0: 3000 */
    double warm_time_ms;  /* keep the device busy this long first; 0: 500 */
    int skip_transfers;   /* non-zero: leave out the series with transfers */
} vkmm_measure_params;

typedef struct vkmm_measurement {
    vkmm_series kernel;   /* the dispatch alone, by `clock` */
    vkmm_series submit;   /* vkQueueSubmit to the fence, host clock */
    vkmm_series transfer; /* upload of A and B, dispatch, download of C, host clock */
    vkmm_clock clock;
    const char *clock_note; /* why the host clock stood in; "" otherwise; static storage */
    int mapped;             /* non-zero: unified memory, so transfers copy nothing */
    int stable;             /* the 95 % interval of the median is within ±1 % */
} vkmm_measurement;

/* Warms up, then times. A and B must hold data; C afterwards holds the last product. params may be NULL. */
VKMM_API vkmm_status vkmm_job_measure(vkmm_job *job, const vkmm_measure_params *params, vkmm_measurement *measurement);

/* ---- Explain: what a kernel reads, and what the device could do ---- */

/* The kernel as vkmm_job_create would plan it, without memory or a pipeline. Fails as that does. */
VKMM_API vkmm_status vkmm_kernel_choose(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                                        vkmm_kernel_info *info);

/* The tile that the kernel takes by itself on the device; 0 when there is no such kernel, or it runs on the host. */
VKMM_API int vkmm_kernel_default_tile(const vkmm_device_info *device, const char *kernel, vkmm_type type, uint32_t tile[2]);

/* A rule that forbids a tile: it needs so many units, more than the limit. All texts in static storage. */
typedef struct vkmm_tile_rule {
    uint64_t need, limit;
    const char *unit;       /* "invocations" */
    const char *limit_name; /* Vulkan's: "maxComputeWorkGroupInvocations" */
    const char *reason;     /* why the limit bounds this */
} vkmm_tile_rule;

/* Whether the device allows a tile (rows, cols > 0) of the kernel, a name of vkmm_kernel_name. Otherwise 0, and *broken (may be NULL) is the
 * first rule that forbids it. */
VKMM_API int vkmm_tile_check(const vkmm_device_info *device, const char *kernel, vkmm_type type, uint32_t rows, uint32_t cols,
                             vkmm_tile_rule *broken);

/* How often the elements of one input are read. min and max differ where not all elements are read equally often. */
typedef struct vkmm_reads {
    uint64_t global_min, global_max; /* from global memory, each element */
    uint64_t shared_min, shared_max; /* from shared memory, each element */
} vkmm_reads;

/* What a kernel does on one problem, by formula or counted on the device. A plain value. */
typedef struct vkmm_access {
    vkmm_reads a, b;        /* zeros for an input without elements */
    uint64_t invocations;   /* invocation and element of C: how often an invocation begins one, those beyond C's edges included */
    uint64_t useful;        /* of these, within C */
    uint64_t multiply_adds; /* carried out, those on padding included; M·N·K of them are useful */
    uint64_t bytes_read;    /* from global memory, as the kernel asks for them: caches may answer */
    uint64_t bytes_written; /* to global memory */
    uint32_t stride;        /* every stride-th element of A and B was counted; 1: all; 0: by formula */
} vkmm_access;

/* By formula. info is a built-in kernel's (not serial), as planned for the problem; else VKMM_UNSUPPORTED. */
VKMM_API vkmm_status vkmm_access_formula(const vkmm_log *log, const vkmm_kernel_info *info, const vkmm_problem *problem,
                                         vkmm_access *access);

/* Counted: runs the counting build of the kernel's own shader once, on small whole numbers whose product is checked as well
 * (VKMM_WRONG_RESULT). Costs about as much as a few products. params->shader must be NULL. VKMM_UNSUPPORTED: more than 2^32 - 1 invocations, or a
 * driver known to fail at this size. */
VKMM_API vkmm_status vkmm_access_count(vkmm_device *device, const vkmm_job_params *params, vkmm_access *access);

/* Whether both tell the same, whatever their strides. */
VKMM_API int vkmm_access_equal(const vkmm_access *left, const vkmm_access *right);

/* Whether the kernel's loops may be longer than the device's driver is known to carry them out (llvmpipe of older Mesa releases: 65,535
 * rounds): then a wrong product may be the driver's fault. By formula; no compiler's unrolling is counted. */
VKMM_API int vkmm_kernel_loops_too_long(const vkmm_device_info *device, const vkmm_kernel_info *info, const vkmm_problem *problem);

/* What the device can do at best, measured. */
typedef struct vkmm_peaks {
    double copy_bytes_per_s;    /* a copy from buffer to buffer in device memory: bytes read and bytes written */
    double multiply_adds_per_s; /* chains of x·a + b in registers; FLOP/s is twice that */
    uint64_t copy_bytes;        /* of the buffer that was copied */
} vkmm_peaks;

/* Takes half a second, or a little more on GPUs that raise their clocks slowly; no dispatch of it takes longer than 200 ms. */
VKMM_API vkmm_status vkmm_device_peaks(vkmm_device *device, vkmm_type type, vkmm_peaks *peaks);

/* One figure that a driver tells of a compiled kernel, in its own words. */
typedef struct vkmm_statistic {
    char name[VK_MAX_DESCRIPTION_SIZE], description[VK_MAX_DESCRIPTION_SIZE];
    char value[32];
} vkmm_statistic;

/* Compiles the kernel once more and asks the driver: the subgroup size, then its statistics. *count: room on the way in, entries on the way
 * out; what finds no room is left out. VKMM_UNSUPPORTED without vkmm_device_info.has_statistics. */
VKMM_API vkmm_status vkmm_kernel_statistics(vkmm_device *device, const vkmm_job_params *params, vkmm_statistic *statistics,
                                            uint32_t *count);

/* ---- Race: what a barrier is for ---- */

/* The tutorials' tile sum, in i32: each element of a matrix becomes the sum of its tile. A workgroup stores its tile in shared memory,
 * waits at a barrier, and every invocation adds the whole tile up. Run beside it: the same shader without that barrier, where an
 * invocation's sum lacks what the others have not stored yet. That version may be wrong or right, as it happens: it reads and writes
 * nothing but its own tile, and harms nothing. */
typedef struct vkmm_race_params {
    uint32_t rows, cols;           /* of the matrix, each from 1; tiles hang over its edges, and what is missing there counts 0 */
    uint32_t tile_rows, tile_cols; /* both 0: 16x16, or the legal tile nearest to it */
    uint32_t runs;                 /* of each version, in turn; 0: 100 */
    const int32_t *values;         /* rows·cols elements, row-major; NULL: 1, 2, 3, … */
    /* Where the sums go, rows·cols elements each; NULL: nowhere. Of the two versions: the first wrong run, or the last when none was. */
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

/* Runs both versions `runs` times and compares every element with a sum made on the host (modulo 2^32). VKMM_OK whatever came out:
 * a with_barrier.wrong_runs above 0 is a fault of the device or its driver. VKMM_WRONG_RESULT: something was stored outside of the
 * matrix. VKMM_INVALID: an empty matrix; VKMM_UNSUPPORTED: a tile or size that the device does not allow. */
VKMM_API vkmm_status vkmm_race_run(vkmm_device *device, const vkmm_race_params *params, vkmm_race_result *result);

/* ---- Trace: what the invocations of one workgroup see ---- */

/* One invocation, as its shader knows it; pairs are x, y. */
typedef struct vkmm_invocation {
    uint32_t global[2];      /* gl_GlobalInvocationID */
    uint32_t local[2];       /* gl_LocalInvocationID */
    uint32_t workgroup[2];   /* gl_WorkGroupID */
    uint32_t tile_origin[2]; /* gl_WorkGroupID * gl_WorkGroupSize: the global index of the workgroup's first invocation */
    uint32_t row, col;       /* the element of C that it computes, */
    int inside;              /* which may lie beyond C's edges: 0 */
} vkmm_invocation;

/* The invocation that computes C[row][col], by formula. info is a built-in kernel's (not serial), as planned for the problem. */
VKMM_API vkmm_status vkmm_kernel_place(const vkmm_log *log, const vkmm_kernel_info *info, const vkmm_problem *problem, uint64_t row,
                                       uint64_t col, vkmm_invocation *invocation);

typedef struct vkmm_trace_params {
    vkmm_problem problem;
    const char *kernel;            /* as in vkmm_job_params */
    uint32_t tile_rows, tile_cols; /* 0: the kernel's default on this device */
    uint64_t row, col;             /* the element of C that is followed: its workgroup is traced */
    const void *a, *b;             /* packed, of the problem's type */
} vkmm_trace_params;

/* What the tracing build of the kernel's own shader recorded in one dispatch. Everything but the followed element's index is as the device
 * wrote it. An invocation beyond C's edges takes no part in kernels without tiles: its sums are 0 there. */
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
    const void *tiles;   /* for each load: rows×depth of A, then depth×cols of B, as in shared memory; rows, cols: kernel.tile */
} vkmm_trace;

/* Whether it can be traced: fails as vkmm_trace_create would, before A and B are needed. */
VKMM_API vkmm_status vkmm_trace_check(vkmm_device *device, const vkmm_trace_params *params);

/* Runs the trace. VKMM_INVALID: no such element, or more than 100,000 values or 4,096 steps, with a size that can be traced; other failures
 * as vkmm_job_create. One allocation holds all. */
VKMM_API vkmm_status vkmm_trace_create(vkmm_device *device, const vkmm_trace_params *params, vkmm_trace **trace);
VKMM_API void vkmm_trace_destroy(vkmm_trace **trace);

#ifdef __cplusplus
}
#endif
#endif
