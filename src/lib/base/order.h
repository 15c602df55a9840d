/* Order statistics. */
#pragma once

#include <stdint.h>

/* Sorts in place, ascending. */
void vkmm_sort(double *values, uint32_t count);

/* An ascending copy, to be freed with vkmm_free; NULL if memory runs out. */
double *vkmm_sorted(const double *values, uint32_t count);

/* Percentile p in [0, 1] of ascending values, count > 0: linear interpolation between the order statistics around
 * p·(count − 1) (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996, type 7; NumPy's default). */
double vkmm_percentile(const double *sorted, uint32_t count, double p);

/* The places in ascending values, count > 0, between which the median lies with 95 % confidence: ranks n/2 ± 0.98·√n
 * by the normal approximation of the binomial distribution (Conover, Practical Nonparametric Statistics, 3.2). Below 6
 * values the first and the last, with lower confidence. */
void vkmm_median_ranks(uint32_t count, uint32_t *first, uint32_t *last);
