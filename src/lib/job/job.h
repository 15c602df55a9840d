/* What a job holds (include/vkmatmul.h declares what it does). */
#pragma once

#include "record/slices.h"
#include "job/stats.h"
#include "copy/store.h"
#include "vk/query.h"

typedef enum vkmm_series_kind {
    VKMM_SERIES_KERNEL,
    VKMM_SERIES_SUBMIT,
    VKMM_SERIES_TRANSFER,
    VKMM_SERIES_UPLOAD,
    VKMM_SERIES_DOWNLOAD,
    VKMM_SERIES_COUNT
} vkmm_series_kind;

/* What happens around a product. */
typedef enum vkmm_pass {
    VKMM_PASS_CHECKED,  /* canaries, then as VKMM_PASS_TRANSFER */
    VKMM_PASS_TIMED,    /* timestamp, product, timestamp; on the copies in turn, where the job has some */
    VKMM_PASS_TRANSFER, /* upload, product, download, with timestamps around each */
    VKMM_PASS_UNTIMED,  /* the same without timestamps; operands that are lent are not copied */
    VKMM_PASS_COUNT
} vkmm_pass;

/* How long a pass took, in milliseconds: the total by the host's clock, and its parts by the device's (negative: it
 * gave none, or the pass has no such part). For slices each is the sum, without the time between them. */
typedef struct vkmm_times {
    double host_ms, upload_ms, kernel_ms, download_ms;
} vkmm_times;

/* Copies of a job's operands that are used in turn, one per dispatch, so that no cache still holds what the next one
 * reads. Copy 0 is the job's own memory. */
enum { VKMM_MOST_COPIES = 4096 };

typedef struct vkmm_copy {
    vkmm_part parts[VKMM_MAX_BINDING_COUNT]; /* of vkmm_plan_bind */
} vkmm_copy;

typedef struct vkmm_rotation {
    uint64_t asked_bytes; /* 0: there are no copies */
    vkmm_copy *copies;    /* owned */
    uint32_t count;       /* with copy 0 */
    uint32_t next;        /* whose turn it is */
    vkmm_buffer *buffers; /* owned: the memory of all copies but the first, several in each */
    uint32_t buffer_count;
    vkmm_plan_sets sets; /* of all copies but the first */
} vkmm_rotation;

struct vkmm_job {
    vkmm_device *device; /* NULL: the kernel serial */
    const vkmm_log *log;
    vkmm_problem problem;
    int is_lent;    /* its operands are bound for each product (api/memory.c); its stores have no memory */
    int is_guarded; /* vkmm_job_multiply has written canaries */
    vkmm_choice choice;
    vkmm_plan plan;
    vkmm_store stores[VKMM_STORE_COUNT];     /* of the bias zeroed where there is none; serial: only `host`, owned */
    vkmm_buffer workspace;                   /* zeroed where the plan has none */
    vkmm_part parts[VKMM_MAX_BINDING_COUNT]; /* what is bound */
    vkmm_timer timer;
    vkmm_slices slices;
    vkmm_rotation rotation;                    /* zeroed until a measurement asks for it */
    int rotates;                               /* timed passes use its copies in turn */
    VkCommandBuffer commands[VKMM_PASS_COUNT]; /* each pass in one piece; NULL: not recorded yet */
    const char *distrust;  /* what the last slope said against the device's clock; NULL: nothing. Static storage */
    vkmm_method method;    /* of the last product, */
    int knows_method;      /* if the device has been asked */
    vkmm_times last_run;   /* of vkmm_job_run, which warmed up the device for that long; host_ms 0: there was none */
    struct vkmm_job *next; /* of the device's spare ones (api/spares.h) */
    vkmm_samples samples[VKMM_SERIES_COUNT];
};

/* vkmm_job_create, of a job without memory if it is lent; log and params are checked. */
vkmm_status vkmm_job_make(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params, int is_lent,
                          vkmm_job **out);

/* Sets where the operands are, as vkmm_plan_bind, and the workspace. */
void vkmm_job_bind(vkmm_job *job, const vkmm_part parts[VKMM_MAX_BINDING_COUNT]);

/* Before a pass whose A and B may be new: a product that depends on them (plan/method.h) gets another plan if they
 * need one, perhaps with a warning. Does nothing to other products. */
vkmm_status vkmm_job_settle(vkmm_job *job);

/* Runs a pass and waits for it, in slices if one piece would take too long. The kernel serial has only the host's
 * clock. */
vkmm_status vkmm_job_pass(vkmm_job *job, vkmm_pass pass, vkmm_times *times);

/* vkmm_job_run on a device without times, for callers that tell failures: canaries are written once, before the first
 * product, so that what the kernel leaves out of a later one keeps its old value. */
vkmm_status vkmm_job_multiply(vkmm_job *job);

/* Copies the last product to the host, if its memory is not mapped. */
vkmm_status vkmm_job_fetch(vkmm_job *job);

/* Whether the product is short enough for one submission. */
int vkmm_job_is_whole(const vkmm_job *job);

/* Allocates the memory and the descriptor sets, unless the job already has them for as many bytes, and copies A, B, the
 * bias and, if it is read, C from the job's memory on the device into every copy. Copy 0 is next. VKMM_OUT_OF_MEMORY if
 * half of the device's free memory cannot hold a second copy. */
vkmm_status vkmm_rotation_prepare(vkmm_job *job, uint64_t rotating_bytes);
void vkmm_rotation_destroy(vkmm_device *device, vkmm_rotation *rotation); /* a zeroed or half-built one is legal */

/* The job's plan with the operands of the next copy. The job's own plan if it does not rotate. The result borrows the
 * job's objects and is not destroyed. */
vkmm_plan vkmm_rotation_turn(vkmm_job *job);

/* How many copies fill this many bytes: at least 2, at most VKMM_MOST_COPIES, and no more than fit into `room` in
 * addition to the first; 0 if a second does not fit. set_bytes > 0: of all operands together, as vkmm_copy_bytes has
 * them. */
uint32_t vkmm_copies_for(uint64_t rotating_bytes, uint64_t set_bytes, uint64_t room);

/* Bytes that an operand takes up in a copy: a multiple of every device's minStorageBufferOffsetAlignment, never 0. */
uint64_t vkmm_copy_bytes(uint64_t operand_bytes);

/* The time of one dispatch by the host's clock alone: the slope of wall time over command buffers of growing length,
 * which cancels the cost of a submission. */
typedef struct vkmm_slope {
    double ms;      /* of one dispatch; 0: not measured */
    double scatter; /* half the 95 % interval of ms */
} vkmm_slope;

/* The median of the slopes between all pairs of points with different x (Sen, Estimates of the Regression
 * Coefficient Based on Kendall's Tau, Journal of the American Statistical Association 63, 1968), and its interval
 * from the variance of Kendall's tau with ties in x. count: 2 or more. Zeros when all x are the same, or the slope is
 * not positive. 0 if memory runs out. */
int vkmm_slope_of(const double *x, const double *y, uint32_t count, vkmm_slope *slope);

/* Why the device's clock cannot be trusted, judged by two series of the same length and the slope over growing
 * batches (slope->ms 0: not measured); "" when it can. Static storage. */
const char *vkmm_judge_clock(vkmm_samples *kernel, const vkmm_samples *submit, const vkmm_slope *slope);
