/* The steps of a product: their names, their times, and the driver's statistics of them. */
#pragma once

#include "vkmatmul.h"

struct vkmm_pipeline; /* vk/pipeline.h */

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
vkmm_status vkmm_kernel_steps(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                              vkmm_step_info *steps, uint32_t *count);

/* Compiles a step's pipeline again, without the pipeline cache, and queries the driver: the subgroup size, then its
 * statistics. step: index in the list of vkmm_kernel_steps. *count: capacity on input, entries on output; 0 without
 * vkmm_device_info.features.statistics; statistics beyond the capacity are omitted. *compile_ms (may be NULL): the
 * time that the driver took. */
vkmm_status vkmm_kernel_statistics(vkmm_device *device, const vkmm_job_params *params, uint32_t step,
                                   vkmm_statistic *statistics, uint32_t *count, double *compile_ms);

/* The subgroup size and the statistics of a pipeline made with capture_statistics, on a device with
 * features.statistics. *count: as above. Texts are the driver's and may have any content. */
vkmm_status vkmm_pipeline_statistics(vkmm_device *device, const struct vkmm_pipeline *pipeline,
                                     vkmm_statistic *statistics, uint32_t *count);

/* Runs the product of a job once more, as vkmm_job_measure does, and times its steps by the device's clock:
 * steps[i].ms, in milliseconds; the entries of vkmm_kernel_steps that the product has. Each begins when the one before
 * has ended, waiting included. *count: as there. *why: "", or why no step has a time and *count is 0: "the device has
 * no timestamps"; static storage. */
vkmm_status vkmm_job_time_steps(vkmm_job *job, vkmm_step_info *steps, uint32_t *count, const char **why);
