#include "job/stats.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/order.h"

enum { MIN_SAMPLES = 10, MIN_SLOW_SAMPLES = 3 };
#define DEFAULT_MIN_MS 200.0
#define DEFAULT_MAX_MS 3000.0

int vkmm_samples_add(vkmm_samples *samples, double value)
{
    uint32_t count = samples->count;
    double *added = vkmm_list_add(&samples->sorted, &count, 1, sizeof *added);
    if (added) added = vkmm_list_add(&samples->values, &samples->count, 1, sizeof *added);
    if (added) *added = value;
    return added != NULL;
}

static void sort(vkmm_samples *samples)
{
    if (samples->count == 0) return;
    memcpy(samples->sorted, samples->values, samples->count * sizeof *samples->sorted);
    vkmm_sort(samples->sorted, samples->count);
}

void vkmm_samples_free(vkmm_samples *samples)
{
    vkmm_free(samples->values);
    vkmm_free(samples->sorted);
    memset(samples, 0, sizeof *samples);
}

double vkmm_median_noise(vkmm_samples *samples)
{
    if (samples->count < 6) return INFINITY;
    sort(samples);
    uint32_t first, last;
    vkmm_median_ranks(samples->count, &first, &last);
    double median = vkmm_percentile(samples->sorted, samples->count, 0.5);
    return median > 0 ? (samples->sorted[last] - samples->sorted[first]) / 2 / median : INFINITY;
}

int vkmm_samples_enough(vkmm_samples *samples, const vkmm_measure_params *params, double total_ms, uint32_t *next_look)
{
    const double least = params->min_time_ms > 0 ? params->min_time_ms : DEFAULT_MIN_MS;
    const double most = params->max_time_ms > 0 ? params->max_time_ms : DEFAULT_MAX_MS;
    if (params->iters > 0) return samples->count >= params->iters;
    if (total_ms >= most && samples->count >= MIN_SLOW_SAMPLES) return 1;
    if (total_ms >= 2 * most && samples->count >= 1) return 1;
    if (samples->count < MIN_SAMPLES || total_ms < least || samples->count < *next_look) return 0;
    *next_look = samples->count + samples->count / 4; /* sorting at every sample would cost more than the sample */
    return vkmm_median_noise(samples) <= VKMM_STABLE_NOISE;
}

vkmm_series vkmm_samples_series(vkmm_samples *samples)
{
    sort(samples);
    vkmm_series series = {.samples = samples->values, .count = samples->count};
    if (samples->count == 0) return series;
    series.median = vkmm_percentile(samples->sorted, samples->count, 0.5);
    series.min = samples->sorted[0];
    series.p5 = vkmm_percentile(samples->sorted, samples->count, 0.05);
    series.p95 = vkmm_percentile(samples->sorted, samples->count, 0.95);
    return series;
}
