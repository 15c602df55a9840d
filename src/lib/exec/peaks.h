/* What a device can do at best: vkmm_device_peaks of include/vkmatmul.h.
 *  Copy: vkCmdCopyBuffer between two buffers in device memory that no cache holds, the best of some runs; each byte is
 * read and written.
 *  Multiply-adds: shaders/peak.comp, the best of some runs. It is written with * and + as the kernels are, so that a
 * compiler fuses them here if it does there. A device that computes faster by other means (matrix units) has more than
 * this.
 *  Both are measured after the device was kept busy for a while. Dispatches start small and double until they are
 * long enough to time: the longest takes twice that. */
#ifndef VKMM_EXEC_PEAKS_H
#define VKMM_EXEC_PEAKS_H

#include "vk/query.h"

enum { VKMM_PEAK_STEPS = 64 }; /* multiply-adds of one invocation and step of peak.comp */

/* The push constants of peak.comp. */
typedef struct vkmm_peak_push {
    uint32_t steps, numerator, denominator;
} vkmm_peak_push;

/* What both peaks (vkmm_device_matrix_peak's is exec/matrix_peak.c) time with. */

#define VKMM_PEAK_LONG_ENOUGH_MS 8.0 /* for a dispatch; the doubling ends there, */

enum { VKMM_PEAK_MOST_STEPS = 1 << 15 }; /* or here: llvmpipe leaves longer loops */

/* Milliseconds of one run of a command buffer with stamps 0 and 1 around its work: the device's clock, unless the
 * host's contradicts it. */
vkmm_status vkmm_peak_run(vkmm_device *device, const vkmm_timer *timer, VkCommandBuffer command, double *ms);

/* Keeps the device busy with it, then takes the shortest of some runs. */
vkmm_status vkmm_peak_best(vkmm_device *device, const vkmm_timer *timer, VkCommandBuffer command, double *best_ms);

#endif
