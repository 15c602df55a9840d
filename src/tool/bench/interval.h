/* How certain a median is, and a ratio of two.
 *  Samples of one run are not independent: clocks drift, and other processes start and stop. So a row is sampled in
 * rounds, spread over time, and its interval covers two others: from order statistics within all samples
 * (base/order.h), and from Student's t over the logarithms of the rounds' medians (rounds of one row are alike; what
 * differs between them is the machine's), from three rounds on. */
#ifndef VKMM_BENCH_INTERVAL_H
#define VKMM_BENCH_INTERVAL_H

#include "report/document.h"

typedef struct vkmm_interval {
    double middle, low, high; /* NAN: unknown */
} vkmm_interval;

/* The 95 % interval of the median of a row's kernel times, milliseconds. With fewer than 6 samples in fewer than 3
 * rounds: the range of the samples; with one sample the interval is unknown. */
vkmm_interval vkmm_bench_interval(const vkmm_bench_row *row);

/* How many times faster `other` is than `base` (2: half the time): the quotient of their medians, with its 95 %
 * interval. NAN if a row has no speed.
 *
 * paired: both were measured in turns, so round i of one belongs to round i of the other. The interval is by Student's
 * t over the logarithms of the rounds' ratios, extended to the quotient if that lies outside.
 *
 * Otherwise the two rows' relative half widths are added as independent: as squares of logarithms, each side for
 * itself (Zou and Donner, Construction of confidence limits about effect measures, 2008), and the wider side is used
 * for both, because a disturbance of one run may not affect the next. */
vkmm_interval vkmm_bench_ratio(const vkmm_bench_row *base, const vkmm_bench_row *other, int paired);

/* Accumulates a geometric mean of ratios: begins zeroed, then each ratio with an interval is added. Its interval
 * assumes that all rows have the same error (a drift of the whole machine), the most cautious assumption: the mean of
 * their relative half widths. */
typedef struct vkmm_mean {
    double middle, below, above; /* sums of logarithms */
    uint32_t count;
} vkmm_mean;

void vkmm_mean_add(vkmm_mean *mean, const vkmm_interval *ratio);
vkmm_interval vkmm_mean_of(const vkmm_mean *mean);

/* Student's t for a two-sided 95 % interval; degrees of freedom from 1. */
double vkmm_student_t(uint32_t degrees);

/* -1: slower, +1: faster, 0: the interval contains 1. */
int vkmm_interval_verdict(const vkmm_interval *ratio);

#endif
