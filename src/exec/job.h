/* What a job holds (include/vkmatmul.h declares what it does). */
#ifndef VKMM_EXEC_JOB_H
#define VKMM_EXEC_JOB_H

#include "exec/slices.h"
#include "exec/stats.h"
#include "exec/store.h"
#include "vk/query.h"

typedef enum vkmm_series_kind { VKMM_SERIES_KERNEL, VKMM_SERIES_SUBMIT, VKMM_SERIES_TRANSFER, VKMM_SERIES_COUNT } vkmm_series_kind;

/* What happens around a product. */
typedef enum vkmm_pass {
    VKMM_PASS_CHECKED,  /* canaries, upload, product, download */
    VKMM_PASS_TIMED,    /* timestamp, product, timestamp */
    VKMM_PASS_TRANSFER, /* upload, product, download */
    VKMM_PASS_COUNT
} vkmm_pass;

struct vkmm_job {
    vkmm_device *device; /* NULL: the kernel serial */
    const vkmm_log *log;
    vkmm_problem problem;
    vkmm_choice choice;
    vkmm_plan plan;
    vkmm_store stores[VKMM_BINDING_COUNT];
    vkmm_buffer workspace;          /* zeroed where the plan has none */
    void *host[VKMM_BINDING_COUNT]; /* serial: owned */
    vkmm_timer timer;
    vkmm_slices slices;
    VkCommandBuffer commands[VKMM_PASS_COUNT]; /* each pass in one piece; NULL: not recorded yet */
    double last_run_ms;                        /* of the last vkmm_job_run; it warmed the device up for as long */
    vkmm_samples samples[VKMM_SERIES_COUNT];
};

/* Carries out a pass and waits for it, in slices where one piece would take too long. *kernel_ms by the device's clock (negative: it gave none),
 * *host_ms by the host's: each the sum over the slices, without what lies between them. The kernel serial knows the host's clock alone. */
vkmm_status vkmm_job_pass(vkmm_job *job, vkmm_pass pass, double *kernel_ms, double *host_ms);

/* Runs the kernel once without transfers. */
vkmm_status vkmm_job_dispatch(vkmm_job *job, double *kernel_ms, double *submit_ms);

/* Uploads, runs and downloads once; milliseconds by the host's clock. */
vkmm_status vkmm_job_transfer(vkmm_job *job, double *transfer_ms);

/* Whether the product is short enough for one submission. */
int vkmm_job_is_whole(const vkmm_job *job);

/* Tests: every slice has so many items from now on; 0: by time again. */
void vkmm_job_set_slice(vkmm_job *job, uint64_t items);

/* Why the device's clock cannot be trusted, judged by two series of the same length; "" when it can. Static storage. */
const char *vkmm_judge_clock(const vkmm_samples *kernel, const vkmm_samples *submit);

#endif
