/* How fast a device copies, adds products in registers, multiplies matrices as single operations, and starts work. */
#pragma once

#include "vkmatmul.h"

/* The device's measured peaks. */
typedef struct vkmm_peaks {
    double copy_bytes_per_s;    /* a copy from buffer to buffer in device memory: bytes read and bytes written */
    double multiply_adds_per_s; /* chains of x·a + b in registers; FLOP/s is twice that */
    uint64_t copy_bytes;        /* of the buffer that was copied */
    /* Each peak is the best of several runs. The spread is how far the median of these runs is below it, as a fraction:
     * 0.02 on a quiet machine, 0.5 if other work interferes. */
    double copy_spread, multiply_adds_spread;
} vkmm_peaks;

/* *peaks: zeros, or what it was for another type: a GPU's copy is then not measured again. That of a processor is, and
 * the best one kept, because other processes disturb it. Takes half a second, or a little more on GPUs that raise their
 * clocks slowly; up to two seconds if the times vary. No dispatch takes longer than 200 ms. */
vkmm_status vkmm_device_peaks(vkmm_device *device, vkmm_type type, vkmm_peaks *peaks);

/* Multiply-adds per second of a shape that the device lists, in registers only: 4×4 fragments per subgroup.
 * VKMM_UNSUPPORTED: there is no shader for it, or this build's shader compiler could not compile it.
 * VKMM_WRONG_RESULT: the device computes wrong products; all are compared with sums computed on the host. Takes as long
 * as vkmm_device_peaks; if the device is a CPU, its driver's compiler takes some seconds more. */
vkmm_status vkmm_device_matrix_peak(vkmm_device *device, const vkmm_matrix_shape *shape, double *multiply_adds_per_s);

/* What else a program waits for: transfers and submissions. The order of vkmm_rate_infos. */
typedef enum vkmm_rate_kind {
    VKMM_RATE_UPLOAD, /* vkmm_memory_write from pageable memory: through staging buffers, or into mapped memory */
    VKMM_RATE_UPLOAD_PINNED, /* a copy by the device from memory of the host that it can read */
    VKMM_RATE_DOWNLOAD,      /* the same back, vkmm_memory_read */
    VKMM_RATE_DOWNLOAD_PINNED,
    VKMM_RATE_CACHE,  /* a copy in device memory that a cache holds: bytes read and bytes written */
    VKMM_RATE_LAUNCH, /* an empty dispatch that waits for the one before, in one command buffer */
    VKMM_RATE_SUBMIT, /* an empty command buffer, from vkQueueSubmit until the host knows that it has ended */
    VKMM_RATE_COUNT
} vkmm_rate_kind;

typedef struct vkmm_rate_info {
    const char *name, *title; /* "upload_pinned", "upload, pinned memory" */
    const char *unit;         /* "bytes/s" or "ms" */
} vkmm_rate_info;

extern const vkmm_rate_info vkmm_rate_infos[VKMM_RATE_COUNT];

/* Bytes per second, or milliseconds. Host clock but for VKMM_RATE_CACHE and VKMM_RATE_LAUNCH. */
typedef struct vkmm_rate {
    double median, low, high; /* low, high: the 5th and 95th percentile of the samples */
    uint64_t bytes;           /* of the buffer; 0 for times */
} vkmm_rate;

/* Takes half a second as above. VKMM_UNSUPPORTED: VKMM_RATE_CACHE, where no size of buffer is clearly faster than
 * memory. */
vkmm_status vkmm_device_rate(vkmm_device *device, vkmm_rate_kind kind, vkmm_rate *rate);
