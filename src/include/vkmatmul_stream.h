/* vkmatmul_stream.h: the part of libvkmatmul's interface for products that are larger than a buffer, a device, or the
 * host's memory. Included by vkmatmul.h, whose rules on errors, ownership and units hold here too.
 *  A stream cuts C into panels of rows × cols elements, and for each of them brings the rows of op(A) and the columns
 * of op(B) that it takes to the device, multiplies, and takes the panel back; while one panel is multiplied, the next
 * is on its way. K is cut only where a panel of a single tile would still be too large; the sums of its parts then stay
 * on the device, in the type of α and β, and β·C, bias and activation are the last part's.
 *   The kernel and its configuration are those of the product as a whole: an element of C has the same bits as
 * vkmm_job_run gives it, as long as K is not cut. Where it is, its sum has another order, and a product of f16 sums
 * a rounding to f16 a part. */
#ifndef VKMATMUL_STREAM_H
#define VKMATMUL_STREAM_H

#include "vkmatmul.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vkmm_stream vkmm_stream;

typedef struct vkmm_stream_params {
    vkmm_job_params job;   /* problem, kernel, tile, shader, config: as for vkmm_job_create */
    uint64_t memory_limit; /* bytes of device memory to take at most; 0: what the driver says is free
                              (VK_EXT_memory_budget), or the heap */
    uint32_t threads;      /* that fill and empty panels on the host; 0: as many as pay */
} vkmm_stream_params;

/* How a product is cut up. A plain value. */
typedef struct vkmm_partition {
    uint64_t rows, cols, depth;      /* of C, and along K: of a panel; the last ones may be smaller */
    uint64_t row_panels, col_panels; /* of each matrix of the batch */
    uint64_t depth_panels;           /* 1: K is whole */
    uint32_t a_slots, b_slots;       /* panels of A and B that the device holds at a time */
    uint64_t device_bytes;           /* of memory on the device, */
    uint64_t staging_bytes;          /* and of host memory for copies; 0 where the device's is mapped */
} vkmm_partition;

/* Why a problem does not fit on the device as one job ("A needs 268435456 bytes; … (maxStorageBufferRange)"), or
 * NULL: it does. memory_limit as above. text holds the sentence, cut to fit. The problem must be valid. */
VKMM_API const char *vkmm_stream_reason(vkmm_device *device, const vkmm_problem *problem, uint64_t memory_limit,
                                        char *text, size_t size);

/* Plans the product and takes device memory. VKMM_OUT_OF_MEMORY: not even a panel of one tile fits;
 * VKMM_UNSUPPORTED, VKMM_INVALID as for a job. log NULL: the device's instance's. */
VKMM_API vkmm_status vkmm_stream_create(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                                        vkmm_stream **stream);
VKMM_API void vkmm_stream_destroy(vkmm_stream **stream);

VKMM_API const vkmm_kernel_info *
vkmm_stream_kernel(const vkmm_stream *stream); /* of a whole panel; owned by the stream */
VKMM_API vkmm_partition
vkmm_stream_partition(const vkmm_stream *stream); /* in force: it changes when memory ends in the middle */

/* A part of op(A), op(B) or C of one matrix of the batch, as they stand in the product; or of the bias, as one row.
 * Element (row + i, col + j) belongs at data + i·row_stride + j·col_stride elements; one of the strides is 1. The
 * type is vkmm_operand_type's. */
typedef struct vkmm_panel {
    vkmm_operand operand;
    uint64_t batch;
    uint64_t row, col, rows, cols;
    void *data;
    uint64_t row_stride, col_stride;
} vkmm_panel;

/* How far a run is. A plain value. */
typedef struct vkmm_stream_state {
    uint64_t panels, done; /* of C, all matrices of the batch together */
    double elapsed_ms;
    double left_ms; /* by the speed so far; negative: not known yet */
} vkmm_stream_state;

/* Where the operands come from and go to: memory, laid out as the problem says (vkmm_operand_bytes each), or where that
 * is NULL, functions.
 *   read fills a part of A, B, the bias, or, where β is not 0, C; write takes a part of C. Each part of C is written
 * once, after it was read. Both may be called by several threads at once, never twice at once for the same element, and
 * not only by the thread that runs the stream; what they return other than VKMM_OK, having told why, ends the run with
 * that status.
 *   progress (may be NULL) is called by the thread that runs the stream, several times a second as long as panels
 *   are short; not 0 stops the run. */
typedef struct vkmm_stream_io {
    const void *a, *b, *bias;
    void *c; /* its matrices' elements alone are written, panel by panel: after a failure some are old and some new */
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
    uint64_t uploaded_bytes, downloaded_bytes; /* copied to and from the device; of mapped memory: filled and read */
    uint32_t shrunk;                           /* how often memory ended and panels were halved */
} vkmm_stream_times;

/* Carries the product out. VKMM_STOPPED: progress said so. VKMM_DEVICE_LOST: the log says how many panels were done.
 * VKMM_OUT_OF_MEMORY: also with the smallest panels. VKMM_WRONG_RESULT: the kernel stored outside of a panel. *times
 * (may be NULL) is filled whatever the status. A stream can be run again. */
VKMM_API vkmm_status vkmm_stream_run(vkmm_stream *stream, const vkmm_stream_io *io, vkmm_stream_times *times);

#ifdef __cplusplus
}
#endif

#endif
