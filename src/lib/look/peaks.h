/* How fast a device copies, adds products in registers, and multiplies matrices as single operations. */
#ifndef VKMM_LOOK_PEAKS_H
#define VKMM_LOOK_PEAKS_H

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

/* Takes half a second, or a little more on GPUs that raise their clocks slowly; up to two seconds if the times vary. No
 * dispatch takes longer than 200 ms. */
vkmm_status vkmm_device_peaks(vkmm_device *device, vkmm_type type, vkmm_peaks *peaks);

/* Multiply-adds per second of one shape, in registers only: 4×4 fragments per subgroup. VKMM_UNSUPPORTED: the device
 * does not list the shape, or this build's shader compiler could not compile its shader. VKMM_WRONG_RESULT: the device
 * computes wrong products; all are compared with sums computed on the host. Takes as long as vkmm_device_peaks; if the
 * device is a CPU, its driver's compiler takes some seconds more. */
vkmm_status vkmm_device_matrix_peak(vkmm_device *device, const vkmm_matrix_shape *shape, double *multiply_adds_per_s);

#endif
