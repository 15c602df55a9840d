/* vkmatmul_stream.h: the part of libvkmatmul's interface for products that are larger than a buffer, a device, or the
 * host's memory. Included by vkmatmul.h, whose rules on errors, ownership and units apply here too.
 *  A stream cuts C into panels of rows × cols elements. For each panel it copies the rows of op(A) and the columns of
 * op(B) that it needs to the device, multiplies, and copies the panel back. While one panel is multiplied, the next is
 * loaded. K is cut only if a panel of a single tile would still be too large. The sums of its parts then stay on the
 * device, in the type of α and β, and β·C, bias and activation are applied with the last part.
 *   The kernel and its configuration are those of the product as a whole: if K is not cut, each element of C has the
 * same bits as from vkmm_job_run, but for the last rows or columns if a job computes them by a second dispatch, which
 * saves the device a round of tiles. If K is cut, the sum has another order, and with f16 sums each part is rounded to
 * f16. Split products (VKMM_COMPUTE_SPLIT) become f32 in those panels whose rows and columns parts cannot hold.
 *   Several devices can share a stream, of any vendors and drivers. Each has its own kernel, configuration, panels and
 * memory. It takes the next rows of C (or columns, if A is one panel) when it is free, as many as its speed so far
 * allows (devices of the same name count as equally fast), and keeps panels of A and B for as long as it needs them. If
 * a device is lost, hangs or runs out of memory, the others compute what it has not stored. Which device computes an
 * element depends on time: the bits of floating point results are the same in each run only if the kernels of all
 * devices add in the same order, and round alike. */
#ifndef VKMATMUL_STREAM_H
#define VKMATMUL_STREAM_H

#include "vkmatmul.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vkmm_stream vkmm_stream;

typedef struct vkmm_stream_params {
    vkmm_job_params job;        /* as for vkmm_job_create; each panel that is packed is so once, when it is loaded */
    uint64_t memory_limit;      /* bytes of device memory to use at most; 0: what the driver reports as free
                                   (VK_EXT_memory_budget), or the heap */
    uint32_t threads;           /* that fill and empty panels on the host, for each device; 0: as many as are useful */
    vkmm_device *const *others; /* further devices that compute panels; each must outlive the stream */
    uint32_t other_count;
} vkmm_stream_params;

/* How a product is cut. A plain value. */
typedef struct vkmm_partition {
    uint64_t rows, cols, depth;      /* of a panel of C, and along K; the last ones may be smaller */
    uint64_t row_panels, col_panels; /* of each matrix of the batch */
    uint64_t depth_panels;           /* 1: K is whole */
    uint32_t a_slots, b_slots;       /* panels of A and B that the device holds at a time */
    uint64_t device_bytes;           /* of memory on the device, */
    uint64_t staging_bytes;          /* and of host memory for copies; 0 if the device's is mapped */
} vkmm_partition;

/* Why a problem does not fit on the device as one job ("A needs 268435456 bytes; … (maxStorageBufferRange)"), or NULL
 * if it does. memory_limit as above. text holds the sentence, truncated to fit. The problem must be valid. */
VKMM_API const char *vkmm_stream_reason(vkmm_device *device, const vkmm_problem *problem, uint64_t memory_limit,
                                        char *text, size_t size);

/* Plans the product and allocates device memory. VKMM_OUT_OF_MEMORY: not even a panel of one tile fits;
 * VKMM_UNSUPPORTED, VKMM_INVALID as for a job. log NULL: the log of the device's instance. Devices that cannot compute
 * the product are left out with a warning; it is an error if none is left. */
VKMM_API vkmm_status vkmm_stream_create_sized(vkmm_device *device, const vkmm_log *log,
                                              const vkmm_stream_params *params, size_t size, vkmm_stream **stream);
static inline vkmm_status vkmm_stream_create(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                                             vkmm_stream **stream)
{
    return vkmm_stream_create_sized(device, log, params, sizeof *params, stream);
}
/* Prepares the stream for another product, of any type and extents, with the best kernel known. Threads, pipelines and
 * sufficiently large memory are reused; if only α and β differ, nothing is planned again. Fails as vkmm_stream_create
 * does; the stream can then only be changed again or destroyed. */
VKMM_API vkmm_status vkmm_stream_change(vkmm_stream *stream, const vkmm_problem *problem);
VKMM_API void vkmm_stream_destroy(vkmm_stream **stream);

/* The first device's kernel for a panel of full size; owned by the stream. */
VKMM_API const vkmm_kernel_info *vkmm_stream_kernel(const vkmm_stream *stream);

/* The first device's current partition, which changes if memory runs out during a run. */
VKMM_API vkmm_partition vkmm_stream_partition(const vkmm_stream *stream);

/* A part of op(A), op(B) or C of one matrix of the batch, as they appear in the product; or of the bias, as one row.
 * Element (row + i, col + j) belongs at data + i·row_stride + j·col_stride elements; one of the strides is 1. The type
 * is vkmm_operand_type's. */
typedef struct vkmm_panel {
    vkmm_operand operand;
    uint64_t batch;
    uint64_t row, col, rows, cols;
    void *data;
    uint64_t row_stride, col_stride;
} vkmm_panel;

/* The progress of a run. A plain value. */
typedef struct vkmm_stream_state {
    uint64_t panels, done; /* of C, all matrices of the batch together; with several devices, `panels` is an estimate */
    double elapsed_ms;
    double left_ms; /* estimated from the speed so far; negative: not known yet */
} vkmm_stream_state;

/* Where the operands come from and go to: memory, laid out as the problem says (vkmm_operand_bytes each), or functions
 * if that is NULL.
 *   read fills a part of A, B, the bias, or, if β is not 0, C; write takes a part of C. Each part of C is written once,
 * after it was read. Both may be called by several threads at once, also by other threads than the one that runs the
 * stream, but never at once for the same element. If they return a status other than VKMM_OK, the run ends with that
 * status; they must have reported why.
 *   progress (may be NULL) is called by the thread that runs the stream, several times per second if panels are short;
 * a result other than 0 stops the run. */
typedef struct vkmm_stream_io {
    const void *a, *b, *bias;
    void *c; /* only elements of its matrices are written, panel by panel: after a failure some are old and some new */
    vkmm_status (*read)(void *user, const vkmm_panel *panel);
    vkmm_status (*write)(void *user, const vkmm_panel *panel);
    int (*progress)(void *user, const vkmm_stream_state *state);
    void *user;
} vkmm_stream_io;

typedef struct vkmm_stream_times {
    double wall_ms;    /* the whole run, by the host's clock */
    double kernel_ms;  /* all dispatches together, by `clock` */
    double longest_ms; /* the longest dispatch */
    vkmm_clock clock;
    uint64_t dispatches;
    uint64_t uploaded_bytes, downloaded_bytes; /* copied to and from the device; if its memory is mapped, written and
                                                  read there */
    uint32_t shrunk;                           /* how often memory ran out and panels were halved */
} vkmm_stream_times;

/* Computes the product. VKMM_STOPPED: progress requested it. VKMM_DEVICE_LOST: the log says how many panels were done.
 * VKMM_OUT_OF_MEMORY: even with the smallest panels. VKMM_WRONG_RESULT: the kernel stored outside a panel. *times (may
 * be NULL) is filled whatever the status is: sums over all devices, except wall_ms and longest_ms. If some of several
 * devices fail, each failure is a warning and the others complete the product: VKMM_OK. A stream can be run again, on
 * the devices that were not lost. */
VKMM_API vkmm_status vkmm_stream_run_sized(vkmm_stream *stream, const vkmm_stream_io *io, size_t size,
                                           vkmm_stream_times *times);
static inline vkmm_status vkmm_stream_run(vkmm_stream *stream, const vkmm_stream_io *io, vkmm_stream_times *times)
{
    return vkmm_stream_run_sized(stream, io, sizeof *io, times);
}

/* A panel of C in the last run, and what a device did for it: [0] when it began, [1] when it ended, in milliseconds
 * after the run began. */
typedef struct vkmm_stream_panel {
    uint64_t batch, matrices; /* of the batch: the first matrix, and how many */
    uint64_t row, col, rows, cols;
    double load_ms[2];   /* the host filled and sent panels of A, B and C, until the first product was submitted */
    double kernel_ms[2]; /* the device multiplied: by its timestamps, or else the host's clock */
    double store_ms[2];  /* the host fetched C and wrote it */
} vkmm_stream_panel;

/* What one device did in the last run. */
typedef struct vkmm_stream_part {
    const vkmm_device_info *device; /* owned by its instance; NULL: there is no such part */
    const vkmm_kernel_info *kernel; /* of a whole panel; owned by the stream */
    vkmm_partition partition;
    const vkmm_stream_panel *timeline; /* of the panels, as they were stored; owned by the stream, until its next run */
    uint64_t panels;                   /* panels of C that it stored */
    double share;                      /* their share of C's elements, 0 to 1 */
    vkmm_stream_times times;           /* wall_ms: until it had nothing left to do */
    double wait_ms;                    /* idle time within the run: no operands, or no panels left */
    vkmm_status status;                /* not VKMM_OK: it failed, and the others computed the rest */
} vkmm_stream_part;

/* The parts of a stream's devices, in their order, without those that were left out. */
VKMM_API vkmm_stream_part vkmm_stream_part_at(const vkmm_stream *stream, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
