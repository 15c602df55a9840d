/* Warm up, then time: vkmm_job_measure. */
#include <math.h>

#include "base/clock.h"
#include "base/log.h"
#include "job/job.h"
#include "vk/command.h"

enum { MAX_TRANSFERS = 20, MAX_BATCH = 256, MOST_DISPATCHES = 1024, LEAST_LENGTHS = 2, ROUNDS = 4 };
#define SLOPE_TOLERANCE 0.1   /* of the slope, beyond its scatter */
#define SLOPE_GAP_MS    0.01  /* after a barrier, the device drains and starts again: its timestamps do not show that */
#define SLOPE_MOST_MS   20.0  /* a dispatch that takes longer needs no batches to be timed, and gets none */
#define ROUND_MS        8.0   /* of the longest batch; a round is twice that */
#define ROUND_MOST_MS   100.0 /* not more, even if the device's clock shows too little */
#define BATCH_MS \
    5.0 /* long enough that the device does not idle between submissions, short enough for every watchdog */
#define BATCH_MOST_MS   200.0 /* not more, even if the device's clock shows too little */
#define DEFAULT_WARM_MS 500.0

/* Records dispatches one after the other, ready to be run; on the copies in turn, if the job rotates. */
static vkmm_status record_batch(vkmm_job *job, uint32_t dispatches, VkCommandBuffer *command)
{
    vkmm_status status = vkmm_command_begin(job->device, command);
    if (status != VKMM_OK) return status;
    for (uint32_t i = 0; i < dispatches; i++) {
        const vkmm_plan plan = vkmm_rotation_turn(job);
        vkmm_plan_record(job->device, &plan, *command);
        vkmm_plan_record_barrier(job->device, *command);
    }
    status = vkmm_command_end(job->device, *command);
    if (status != VKMM_OK) vkmm_command_free(job->device, command);
    return status;
}

/* Dispatches back to back in one command buffer: single submissions leave gaps in which a GPU's clocks stay low. */
static vkmm_status warm_up_by_batches(vkmm_job *job, double dispatch_ms, double submit_ms, double target_ms)
{
    double batch = dispatch_ms > 0 ? BATCH_MS / dispatch_ms : MAX_BATCH;
    if (batch * submit_ms > BATCH_MOST_MS) batch = BATCH_MOST_MS / submit_ms;
    uint32_t dispatches = batch < 1 ? 1 : batch > MAX_BATCH ? MAX_BATCH : (uint32_t)batch;
    VkCommandBuffer command = NULL;
    vkmm_status status = record_batch(job, dispatches, &command);
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

/* Whether operands are copied to the device and back. */
static int copies(const vkmm_job *job)
{
    return job->device && !vkmm_stores_all_mapped(job->stores);
}

static int add_product(vkmm_samples samples[], const vkmm_times *times)
{
    return vkmm_samples_add(&samples[VKMM_SERIES_KERNEL], times->kernel_ms) &&
           vkmm_samples_add(&samples[VKMM_SERIES_SUBMIT], times->host_ms);
}

/* The parts are left out where one of them has no time. */
static int add_transfer(vkmm_samples samples[], const vkmm_times *times, int has_parts)
{
    if (!vkmm_samples_add(&samples[VKMM_SERIES_TRANSFER], times->host_ms)) return 0;
    if (!has_parts || times->upload_ms < 0 || times->download_ms < 0) return 1;
    return vkmm_samples_add(&samples[VKMM_SERIES_UPLOAD], times->upload_ms) &&
           vkmm_samples_add(&samples[VKMM_SERIES_DOWNLOAD], times->download_ms);
}

static vkmm_status sample_kernel(vkmm_job *job, const vkmm_measure_params *params)
{
    double total_ms = 0;
    uint32_t next_look = 0;
    do {
        vkmm_times times;
        vkmm_status status = vkmm_job_pass(job, VKMM_PASS_TIMED, &times);
        if (status != VKMM_OK) return status;
        if (!add_product(job->samples, &times)) return out_of_memory(job);
        total_ms += times.host_ms;
    } while (!vkmm_samples_enough(&job->samples[VKMM_SERIES_SUBMIT], params, total_ms, &next_look));
    return VKMM_OK;
}

/* With unified memory there is nothing to copy: submission and transfer are the same. */
static vkmm_status sample_transfers(vkmm_job *job, const vkmm_measure_params *params)
{
    const vkmm_samples *submit = &job->samples[VKMM_SERIES_SUBMIT];
    const int has_copies = copies(job);
    uint32_t count = params->iters && params->iters < submit->count ? params->iters : submit->count;
    if (has_copies && !params->iters && count > MAX_TRANSFERS) count = MAX_TRANSFERS;
    for (uint32_t i = 0; i < count; i++) {
        vkmm_times times = {.host_ms = submit->values[i]};
        vkmm_status status = has_copies ? vkmm_job_pass(job, VKMM_PASS_TRANSFER, &times) : VKMM_OK;
        if (status != VKMM_OK) return status;
        if (!add_transfer(job->samples, &times, has_copies)) return out_of_memory(job);
    }
    return VKMM_OK;
}

/* Variance of Kendall's S where x has ties (Kendall, Rank Correlation Methods, 4.4). */
static double variance(const double *x, uint32_t count)
{
    double n = count, sum = n * (n - 1) * (2 * n + 5);
    for (uint32_t i = 0; i < count; i++) {
        double ties = 0;
        for (uint32_t j = 0; j < count; j++) ties += x[j] == x[i];
        sum -= (ties - 1) * (2 * ties + 5); /* ties times for each group: t(t - 1)(2t + 5) */
    }
    return sum / 18;
}

int vkmm_slope_of(const double *x, const double *y, uint32_t count, vkmm_slope *slope)
{
    vkmm_samples slopes = {0};
    int enough = 1;
    *slope = (vkmm_slope){0};
    for (uint32_t i = 0; i < count && enough; i++)
        for (uint32_t j = i + 1; j < count && enough; j++)
            if (x[i] != x[j]) enough = vkmm_samples_add(&slopes, (y[j] - y[i]) / (x[j] - x[i]));
    if (enough && slopes.count > 0) {
        const double ms = vkmm_samples_series(&slopes).median, middle = (slopes.count - 1) / 2.0;
        const double half =
            0.98 * sqrt(variance(x, count)); /* 1.96 standard deviations of S, which moves two ranks at a time */
        const double low = middle - half > 0 ? middle - half : 0,
                     high = middle + half < slopes.count - 1 ? middle + half : slopes.count - 1;
        const double width = slopes.sorted[(uint32_t)ceil(high)] - slopes.sorted[(uint32_t)low];
        if (ms > 0) *slope = (vkmm_slope){ms, width / 2};
    }
    vkmm_samples_free(&slopes);
    return enough;
}

/* Batches of 1, 2, 4, … dispatches, the longest of about ROUND_MS. */
static uint32_t count_lengths(double dispatch_ms, double submit_ms)
{
    uint32_t lengths = LEAST_LENGTHS;
    while ((1u << lengths) <= MOST_DISPATCHES && (1u << lengths) * dispatch_ms <= ROUND_MS &&
           (1u << lengths) * submit_ms <= ROUND_MOST_MS)
        lengths++;
    return lengths;
}

/* Rounds over all lengths, so that a drift hits all of them alike. */
static vkmm_status time_batches(vkmm_job *job, const VkCommandBuffer *commands, uint32_t lengths, uint32_t rounds,
                                double *x, double *y)
{
    vkmm_status status = VKMM_OK;
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t i = 0; i < lengths && status == VKMM_OK; i++) {
            x[round * lengths + i] = 1u << i;
            status = vkmm_command_run(job->device, commands[i], &y[round * lengths + i]);
        }
    return status;
}

/* Runs batches of 1, 2, 4, … dispatches, some tens of milliseconds in all. dispatch_ms is what one takes by the
 * device's clock, which may be wrong, submit_ms by the host's, submission and all. Leaves zeros where one takes
 * longer than SLOPE_MOST_MS, is cut into slices, or runs on the host. */
static vkmm_status measure_slope(vkmm_job *job, double dispatch_ms, double submit_ms, vkmm_slope *slope)
{
    enum { MOST_LENGTHS = 11 };
    VkCommandBuffer commands[MOST_LENGTHS] = {NULL};
    double x[MOST_LENGTHS * ROUNDS], y[MOST_LENGTHS * ROUNDS];
    *slope = (vkmm_slope){0};
    if (!(dispatch_ms > 0) || dispatch_ms > submit_ms) dispatch_ms = submit_ms; /* the device's clock is far off */
    if (!job->device || !vkmm_job_is_whole(job) || dispatch_ms > SLOPE_MOST_MS || vkmm_plan_items(&job->plan) == 0)
        return VKMM_OK;
    const uint32_t lengths = count_lengths(dispatch_ms, submit_ms), rounds = dispatch_ms > ROUND_MS ? 2 : ROUNDS;
    vkmm_status status = VKMM_OK;
    for (uint32_t i = 0; i < lengths && status == VKMM_OK; i++) status = record_batch(job, 1u << i, &commands[i]);
    if (status == VKMM_OK)
        status = vkmm_command_run(job->device, commands[lengths - 1], NULL); /* a GPU raises its clocks */
    if (status == VKMM_OK) status = time_batches(job, commands, lengths, rounds, x, y);
    if (status == VKMM_OK && !vkmm_slope_of(x, y, lengths * rounds, slope))
        status = VKMM_NO_MEMORY("for the slopes of %u batches", lengths * rounds);
    for (uint32_t i = 0; i < lengths; i++) vkmm_command_free(job->device, &commands[i]);
    return status;
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
    if (fabs(slope->ms - median) > SLOPE_TOLERANCE * slope->ms + slope->scatter + SLOPE_GAP_MS) return slope_disagrees;
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
        status = measure_slope(job, kernel_ms, submit_ms, slope);
    }
    job->rotates = 0;
    return status;
}

static vkmm_status take_last_run(vkmm_job *job)
{
    const vkmm_times *last = &job->last_run;
    if (!(last->host_ms > 0)) return vkmm_fail(VKMM_INVALID, "the job has not run yet: it has no times");
    const int fits = add_product(job->samples, last) && add_transfer(job->samples, last, copies(job));
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
        .mapped = !copies(job),
    };
    memcpy(measurement, out, out_size);
    return VKMM_OK;
}
