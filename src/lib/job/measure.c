/* Warm up, then time: vkmm_job_measure. */
#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "job/job.h"
#include "vk/command.h"

enum { MAX_TRANSFERS = 20, MAX_BATCH = 256 };
#define SLOPE_TOLERANCE 0.1 /* of the slope, beyond its scatter */
#define BATCH_MS \
    5.0 /* long enough that the device does not idle between submissions, short enough for every watchdog; */
#define BATCH_MOST_MS   200.0 /* not more, even if the device's clock shows too little */
#define DEFAULT_WARM_MS 500.0

/* Dispatches back to back in one command buffer: single submissions leave gaps in which a GPU's clocks stay low. */
static vkmm_status warm_up_by_batches(vkmm_job *job, double dispatch_ms, double submit_ms, double target_ms)
{
    double batch = dispatch_ms > 0 ? BATCH_MS / dispatch_ms : MAX_BATCH;
    if (batch * submit_ms > BATCH_MOST_MS) batch = BATCH_MOST_MS / submit_ms;
    uint32_t dispatches = batch < 1 ? 1 : batch > MAX_BATCH ? MAX_BATCH : (uint32_t)batch;
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_job_record_batch(job, dispatches, &command);
    double start = vkmm_now_ms();
    while (status == VKMM_OK && vkmm_now_ms() - start < target_ms)
        status = vkmm_command_run(job->device, command, NULL);
    vkmm_command_free(job->device, &command);
    return status;
}

static vkmm_status warm_up(vkmm_job *job, const vkmm_measure_params *params)
{
    vkmm_times times = {0};
    vkmm_status status = VKMM_OK;
    if (params->cold_iters_given) {
        for (uint32_t i = 0; i < params->cold_iters && status == VKMM_OK; i++)
            status = vkmm_job_pass(job, VKMM_PASS_TIMED, &times);
        return status;
    }
    double target = params->warm_time_ms > 0 ? params->warm_time_ms : DEFAULT_WARM_MS;
    if (job->last_run.host_ms >= target)
        return VKMM_OK; /* the product that was just verified kept the device busy long enough */
    double start = vkmm_now_ms();
    /* Work that must be cut into slices keeps the device busy anyway. */
    do status = vkmm_job_pass(job, VKMM_PASS_TIMED, &times);
    while (status == VKMM_OK && !vkmm_job_is_whole(job) && vkmm_now_ms() - start < target);
    double left = target - (vkmm_now_ms() - start);
    if (status != VKMM_OK || !job->device || left <= 0) return status;
    return warm_up_by_batches(job, times.kernel_ms > 0 ? times.kernel_ms : times.host_ms, times.host_ms, left);
}

static vkmm_status out_of_memory(const vkmm_job *job)
{
    return VKMM_NO_MEMORY("for %u samples", job->samples[VKMM_SERIES_SUBMIT].count + 1);
}

static vkmm_status sample_kernel(vkmm_job *job, const vkmm_measure_params *params)
{
    vkmm_samples *kernel = &job->samples[VKMM_SERIES_KERNEL], *submit = &job->samples[VKMM_SERIES_SUBMIT];
    double total_ms = 0;
    uint32_t next_look = 0;
    do {
        vkmm_times times;
        vkmm_status status = vkmm_job_pass(job, VKMM_PASS_TIMED, &times);
        if (status != VKMM_OK) return status;
        if (!vkmm_samples_add(kernel, times.kernel_ms) || !vkmm_samples_add(submit, times.host_ms))
            return out_of_memory(job);
        total_ms += times.host_ms;
    } while (!vkmm_samples_enough(submit, params, total_ms, &next_look));
    return VKMM_OK;
}

/* With unified memory there is nothing to copy: submission and transfer are the same. */
static vkmm_status sample_transfers(vkmm_job *job, const vkmm_measure_params *params)
{
    const vkmm_samples *submit = &job->samples[VKMM_SERIES_SUBMIT];
    vkmm_samples *transfer = &job->samples[VKMM_SERIES_TRANSFER];
    int copies = job->device && !vkmm_stores_all_mapped(job->stores);
    uint32_t count = params->iters && params->iters < submit->count ? params->iters : submit->count;
    if (copies && !params->iters && count > MAX_TRANSFERS) count = MAX_TRANSFERS;
    for (uint32_t i = 0; i < count; i++) {
        vkmm_times times = {.host_ms = submit->values[i]};
        vkmm_status status = copies ? vkmm_job_pass(job, VKMM_PASS_TRANSFER, &times) : VKMM_OK;
        if (status != VKMM_OK) return status;
        if (!vkmm_samples_add(transfer, times.host_ms)) return out_of_memory(job);
        if (!copies || times.upload_ms < 0 || times.download_ms < 0) continue;
        if (!vkmm_samples_add(&job->samples[VKMM_SERIES_UPLOAD], times.upload_ms) ||
            !vkmm_samples_add(&job->samples[VKMM_SERIES_DOWNLOAD], times.download_ms))
            return out_of_memory(job);
    }
    return VKMM_OK;
}

static const char slope_disagrees[] =
    "the device's timestamps disagree with the slope of the host's clock over growing batches";

const char *vkmm_judge_clock(vkmm_samples *kernel, const vkmm_samples *submit, const vkmm_slope *slope)
{
    double device = 0, host = 0;
    for (uint32_t i = 0; i < kernel->count; i++) {
        if (kernel->values[i] < 0) return "the device has no timestamps";
        device += kernel->values[i];
        host += submit->values[i];
    }
    if (device > 1.05 * host + 0.01 * kernel->count)
        return "the device's timestamps span more time than passed on the host";
    if (device == 0) return "the device's timestamps do not advance";
    if (!(slope->ms > 0)) return "";
    const double median = vkmm_samples_series(kernel).median;
    if (fabs(slope->ms - median) > SLOPE_TOLERANCE * slope->ms + slope->scatter + VKMM_SLOPE_GAP_MS)
        return slope_disagrees;
    return "";
}

/* Samples and batches use the copies in turn; the work around them does not. */
static vkmm_status sample_dispatches(vkmm_job *job, const vkmm_measure_params *params, vkmm_slope *slope)
{
    job->rotates = job->device && params->rotating_bytes > 0;
    vkmm_status status = sample_kernel(job, params);
    if (status == VKMM_OK && params->cross_check) {
        const double kernel_ms = vkmm_samples_series(&job->samples[VKMM_SERIES_KERNEL]).median;
        const double submit_ms = vkmm_samples_series(&job->samples[VKMM_SERIES_SUBMIT]).median;
        status = vkmm_slope_measure(job, kernel_ms, submit_ms, slope);
    }
    job->rotates = 0;
    return status;
}

static vkmm_status take_last_run(vkmm_job *job)
{
    const vkmm_times *last = &job->last_run;
    vkmm_samples *samples = job->samples;
    int fits;
    if (!(last->host_ms > 0)) return vkmm_fail(VKMM_INVALID, "the job has not run yet: it has no times");
    fits = vkmm_samples_add(&samples[VKMM_SERIES_KERNEL], last->kernel_ms) &&
           vkmm_samples_add(&samples[VKMM_SERIES_SUBMIT], last->host_ms) &&
           vkmm_samples_add(&samples[VKMM_SERIES_TRANSFER], last->host_ms);
    if (fits && job->device && !vkmm_stores_all_mapped(job->stores) && last->upload_ms >= 0 && last->download_ms >= 0)
        fits = vkmm_samples_add(&samples[VKMM_SERIES_UPLOAD], last->upload_ms) &&
               vkmm_samples_add(&samples[VKMM_SERIES_DOWNLOAD], last->download_ms);
    return fits ? VKMM_OK : out_of_memory(job);
}

static vkmm_status measure(vkmm_job *job, const vkmm_measure_params *params, vkmm_slope *slope)
{
    vkmm_samples *kernel = &job->samples[VKMM_SERIES_KERNEL], *submit = &job->samples[VKMM_SERIES_SUBMIT];
    vkmm_status status = warm_up(job, params);
    if (status == VKMM_OK && job->device && params->rotating_bytes > 0)
        status = vkmm_rotation_prepare(job, params->rotating_bytes);
    if (status == VKMM_OK) status = sample_dispatches(job, params, slope);
    /* A device whose clocks change between the samples and the batches looks like one with wrong timestamps: only a
     * second disagreement is reported. */
    if (status == VKMM_OK && vkmm_judge_clock(kernel, submit, slope) == slope_disagrees) {
        kernel->count = submit->count = 0;
        status = sample_dispatches(job, params, slope);
    }
    if (status == VKMM_OK && !params->skip_transfers) status = sample_transfers(job, params);
    return status == VKMM_OK && params->skip_transfers ? vkmm_job_fetch(job) : status;
}

vkmm_status vkmm_job_measure_sized(vkmm_job *job, const vkmm_measure_params *params, size_t size, vkmm_measurement *out,
                                   size_t out_size)
{
    VKMM_NEED(NULL, job);
    VKMM_NEED(job->log, out);
    vkmm_measurement *measurement = out;
    VKMM_SIZED(job->log, vkmm_measure_params, params, size);
    VKMM_SIZED(job->log, vkmm_measurement, out, out_size);
    vkmm_samples *samples = job->samples, *kernel = &samples[VKMM_SERIES_KERNEL],
                 *submit = &samples[VKMM_SERIES_SUBMIT];
    vkmm_slope slope = {0};
    for (int kind = 0; kind < VKMM_SERIES_COUNT; kind++) samples[kind].count = 0;
    vkmm_status status = params->last_run ? take_last_run(job) : measure(job, params, &slope);
    if (status != VKMM_OK) return vkmm_tell(job->log, status);

    const char *distrust = job->device ? vkmm_judge_clock(kernel, submit, &slope) : "the kernel runs on the host";
    if (slope.ms > 0)
        job->distrust = *distrust ? distrust : NULL;
    else if (!*distrust && job->distrust)
        distrust = job->distrust;
    if (*distrust) {
        for (uint32_t i = 0; i < kernel->count; i++) kernel->values[i] = submit->values[i];
        samples[VKMM_SERIES_UPLOAD].count = samples[VKMM_SERIES_DOWNLOAD].count = 0;
    }
    *out = (vkmm_measurement){
        .stable = vkmm_median_noise(kernel) <= VKMM_STABLE_NOISE,
        .kernel = vkmm_samples_series(kernel),
        .submit = vkmm_samples_series(submit),
        .transfer = vkmm_samples_series(&samples[VKMM_SERIES_TRANSFER]),
        .clock = *distrust ? VKMM_CLOCK_HOST : VKMM_CLOCK_DEVICE,
        .clock_note = distrust,
        .upload = vkmm_samples_series(&samples[VKMM_SERIES_UPLOAD]),
        .download = vkmm_samples_series(&samples[VKMM_SERIES_DOWNLOAD]),
        .slope_ms = slope.ms,
        .copies = job->device && params->rotating_bytes > 0 ? job->rotation.count : 1,
        .mapped = !job->device || vkmm_stores_all_mapped(job->stores),
    };
    memcpy(measurement, out, out_size);
    return VKMM_OK;
}
