/* Statistics of samples. */
#pragma once

#include "vkmatmul.h"

/* A growing list of samples, and room for its sorted copy. */
typedef struct vkmm_samples {
    double *values; /* in the order taken */
    double *sorted; /* ascending after vkmm_median_noise and vkmm_samples_series */
    uint32_t count;
} vkmm_samples;

/* 1, or 0 if memory runs out. */
int vkmm_samples_add(vkmm_samples *samples, double value);
void vkmm_samples_free(vkmm_samples *samples); /* a zeroed list is legal */

/* Half the width of the 95 % confidence interval of the median, as a share of the median: vkmm_median_ranks
 * (base/order.h). Infinite below 6 samples. */
double vkmm_median_noise(vkmm_samples *samples);
#define VKMM_STABLE_NOISE 0.01

/* Whether these are enough samples, which took total_ms: exactly params->iters, if that is given; else when the median
 * is stable (VKMM_STABLE_NOISE), within the bounds of time. *next_look: 0 before the first call. */
int vkmm_samples_enough(vkmm_samples *samples, const vkmm_measure_params *params, double total_ms, uint32_t *next_look);

/* The list as a public series, which borrows it until the next add. */
vkmm_series vkmm_samples_series(vkmm_samples *samples);
