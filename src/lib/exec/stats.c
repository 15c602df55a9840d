#include "exec/stats.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/order.h"

static int grow(vkmm_samples *samples)
{
    uint32_t capacity = samples->capacity ? 2 * samples->capacity : 64;
    double *values = vkmm_realloc(samples->values, capacity, sizeof *values);
    if (!values) return 0;
    samples->values = values;
    double *sorted = vkmm_realloc(samples->sorted, capacity, sizeof *sorted);
    if (!sorted) return 0;
    samples->sorted = sorted;
    samples->capacity = capacity;
    return 1;
}

int vkmm_samples_add(vkmm_samples *samples, double value)
{
    if (samples->count == samples->capacity && !grow(samples)) return 0;
    samples->values[samples->count++] = value;
    return 1;
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
