#include "job/slope.h"

#include <math.h>

#include "base/log.h"
#include "job/job.h"
#include "vk/command.h"

#define ROUND_MS      8.0   /* of the longest batch; a round is twice that */
#define ROUND_MOST_MS 100.0 /* not more, even if the device's clock shows too little */
enum { MOST_DISPATCHES = 1024, LEAST_LENGTHS = 2, ROUNDS = 4 };

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

vkmm_status vkmm_slope_measure(vkmm_job *job, double dispatch_ms, double submit_ms, vkmm_slope *slope)
{
    enum { MOST_LENGTHS = 11 };
    VkCommandBuffer commands[MOST_LENGTHS] = {NULL};
    double x[MOST_LENGTHS * ROUNDS], y[MOST_LENGTHS * ROUNDS];
    *slope = (vkmm_slope){0};
    if (!(dispatch_ms > 0) || dispatch_ms > submit_ms) dispatch_ms = submit_ms; /* the device's clock is far off */
    if (!job->device || !vkmm_job_is_whole(job) || dispatch_ms > VKMM_SLOPE_MOST_MS || vkmm_plan_items(&job->plan) == 0)
        return VKMM_OK;
    const uint32_t lengths = count_lengths(dispatch_ms, submit_ms), rounds = dispatch_ms > ROUND_MS ? 2 : ROUNDS;
    vkmm_status status = VKMM_OK;
    for (uint32_t i = 0; i < lengths && status == VKMM_OK; i++)
        status = vkmm_job_record_batch(job, 1u << i, &commands[i]);
    if (status == VKMM_OK)
        status = vkmm_command_run(job->device, commands[lengths - 1], NULL); /* a GPU raises its clocks */
    if (status == VKMM_OK) status = time_batches(job, commands, lengths, rounds, x, y);
    if (status == VKMM_OK && !vkmm_slope_of(x, y, lengths * rounds, slope))
        status = VKMM_NO_MEMORY("for the slopes of %u batches", lengths * rounds);
    for (uint32_t i = 0; i < lengths; i++) vkmm_command_free(job->device, &commands[i]);
    return status;
}
