/* What a job holds (include/vkmatmul.h declares what it does). */
#ifndef VKMM_EXEC_JOB_H
#define VKMM_EXEC_JOB_H

#include "exec/stats.h"
#include "exec/store.h"
#include "vk/query.h"

typedef enum vkmm_series_kind { VKMM_SERIES_KERNEL, VKMM_SERIES_SUBMIT, VKMM_SERIES_TRANSFER, VKMM_SERIES_COUNT } vkmm_series_kind;

struct vkmm_job {
    vkmm_device *device; /* NULL: the kernel serial */
    const vkmm_log *log;
    vkmm_problem problem;
    vkmm_choice choice;
    vkmm_plan plan;
    vkmm_store stores[VKMM_BINDING_COUNT];
    void *host[VKMM_BINDING_COUNT]; /* serial: owned */
    vkmm_timer timer;
    VkCommandBuffer checked;  /* canaries, upload, dispatch, download */
    VkCommandBuffer timed;    /* timestamp, dispatch, timestamp */
    VkCommandBuffer transfer; /* upload, dispatch, download */
    double last_run_ms;       /* of the last vkmm_job_run; it warmed the device up for as long */
    vkmm_samples samples[VKMM_SERIES_COUNT];
};

/* Runs the kernel once without transfers: *kernel_ms by the device's clock (negative: it gave none), *submit_ms by the host's. */
vkmm_status vkmm_job_dispatch(vkmm_job *job, double *kernel_ms, double *submit_ms);

/* Uploads, runs and downloads once; milliseconds by the host's clock. */
vkmm_status vkmm_job_transfer(vkmm_job *job, double *transfer_ms);

/* Why the device's clock cannot be trusted, judged by two series of the same length; "" when it can. Static storage. */
const char *vkmm_judge_clock(const vkmm_samples *kernel, const vkmm_samples *submit);

#endif
