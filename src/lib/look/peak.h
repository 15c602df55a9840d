/* The peaks of a device: vkmm_device_peaks.
 *  Copy: vkCmdCopyBuffer between two buffers in device memory that no cache can hold, the best of several runs; each
 * byte is read and written.
 *  Multiply-adds: shaders/peak.comp, the best of several runs. It is written with * and +, like the kernels, so that a
 * compiler fuses them here if it does there. A device with faster means (matrix units) can exceed it.
 *  Both are measured after the device was kept busy for a while. Dispatches start small and double until they are
 * long enough to time: the longest takes twice that. */
#pragma once

#include "job/stats.h"
#include "kernel/table.h"
#include "look/peaks.h"
#include "vk/buffer.h"
#include "vk/pipeline.h"
#include "vk/query.h"

enum { VKMM_PEAK_STEPS = 64 }; /* multiply-adds of one invocation and step of peak.comp */

/* Work that is timed again and again, also for vkmm_device_matrix_peak and vkmm_device_rate; vkmm_probe_run has its own
 * command buffer. */
typedef struct vkmm_peak {
    vkmm_device *device;
    vkmm_status (*run)(void *context, double *ms); /* NULL; or work of the host, instead of all others */
    void *context;
    vkmm_queue_role role;         /* of the copy */
    uint32_t groups;              /* of a dispatch; 0: a copy of `from` to `to`, or nothing without buffers */
    uint32_t repeats;             /* dispatches, each of which waits for the one before; 0: one */
    uint32_t push[3], push_bytes; /* push[0]: the steps of a dispatch that is to grow */
    vkmm_buffer from, to;         /* owned; of these, the pipeline has those that exist, as bindings 0 … */
    vkmm_pipeline pipeline;
    vkmm_timer timer;
} vkmm_peak;

/* Makes the timer, and the pipeline of a module whose specialization constants, eight at most, are numbered from 0.
 * Ended by vkmm_peak_destroy, even after a failure. */
vkmm_status vkmm_peak_create(vkmm_peak *peak, const vkmm_module *module, uint32_t spec_count,
                             const uint32_t *spec_values);
void vkmm_peak_destroy(vkmm_peak *peak);

/* The same for a shader, "copy" or "cache", that copies so many bytes of device memory, with the buffers. */
vkmm_status vkmm_peak_create_copy(vkmm_peak *peak, const char *shader, uint64_t bytes);

/* Bytes of one of several buffers: as many as wanted, if the device allows that; and as many as no cache holds. */
uint64_t vkmm_peak_bytes(const vkmm_device_info *info, uint64_t wanted);
uint64_t vkmm_peak_memory_bytes(const vkmm_device_info *info);

/* Workgroups of a dispatch that is long enough to time: so many on a GPU. */
uint32_t vkmm_peak_groups(const vkmm_device_info *info, uint32_t on_gpu);

/* Milliseconds of one run: the device's clock, unless the host's contradicts it. */
vkmm_status vkmm_peak_run(vkmm_peak *peak, double *ms);

/* The shorter of two runs: in the first one, the memory is touched for the first time and many drivers compile the
 * shader. */
vkmm_status vkmm_peak_run_twice(vkmm_peak *peak, double *ms);

/* Those of the shortest run, with the device kept busy before, and the spread as in vkmm_peaks. grows: the steps double
 * first, until a run is long enough to time. Runs repeat until their median is stable (vkmm_samples_enough), within
 * bounds of time. */
vkmm_status vkmm_peak_best(vkmm_peak *peak, int grows, double *best_ms, double *spread);

/* The same samples as they are, in milliseconds of one run: of all repeats together. */
vkmm_status vkmm_peak_sample(vkmm_peak *peak, vkmm_samples *samples);
