/* Statistics of samples. */
#ifndef VKMM_EXEC_STATS_H
#define VKMM_EXEC_STATS_H

#include "vkmatmul.h"

/* A growing list of samples, and room for its sorted copy. */
typedef struct vkmm_samples {
    double *values; /* in the order taken */
    double *sorted; /* ascending after vkmm_median_noise and vkmm_samples_series */
    uint32_t count, capacity;
} vkmm_samples;

/* 1, or 0 when memory ends. */
int vkmm_samples_add(vkmm_samples *samples, double value);
void vkmm_samples_free(vkmm_samples *samples); /* a zeroed list is legal */

/* Percentile p in [0, 1] of ascending values, count > 0: linear interpolation between the order statistics around p·(count − 1)
 * (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996, type 7; NumPy's default). */
double vkmm_percentile(const double *sorted, uint32_t count, double p);

/* Half the width of the 95 % confidence interval of the median, as a share of the median: order statistics around the middle, ranks
 * n/2 ± 0.98·√n by the normal approximation of the binomial distribution (Conover, Practical Nonparametric Statistics, 3.2). Infinite below 6 samples. */
double vkmm_median_noise(vkmm_samples *samples);

/* The list as a public series, which borrows it until the next add. */
vkmm_series vkmm_samples_series(vkmm_samples *samples);

#endif
