/* How certain a median is, and a ratio of two.
 *  Samples of one run are not independent: clocks drift, and other processes start and stop. So a row is sampled in
 * rounds, spread over time, and its interval covers two others: from order statistics within all samples
 * (base/order.h), and from Student's t over the logarithms of the rounds' medians (rounds of one row are alike; what
 * differs between them is the machine's), from three rounds on. */
#pragma once

#include "report/document.h"

typedef struct cli_interval {
    double middle, low, high; /* NAN: unknown */
} cli_interval;

/* Spread of the kernel times of round i, which it borrows; NAN without samples, or if memory runs out. */
cli_bench_series cli_bench_round(const cli_bench_row *row, uint32_t i);

/* The 95 % interval of the median of a row's kernel times, milliseconds. With fewer than 6 samples in fewer than 3
 * rounds: the range of the samples; with one sample the interval is unknown. */
cli_interval cli_bench_interval(const cli_bench_row *row);

/* How many times faster `other` is than `base` (2: half the time): the quotient of their medians, with its 95 %
 * interval. NAN if a row has no speed.
 *
 * paired: both were measured in turns, so round i of one belongs to round i of the other. The interval is by Student's
 * t over the logarithms of the rounds' ratios, extended to the quotient if that lies outside.
 *
 * Otherwise the two rows' relative half widths are added as independent: as squares of logarithms, each side for
 * itself (Zou and Donner, Construction of confidence limits about effect measures, 2008), and the wider side is used
 * for both, because a disturbance of one run may not affect the next. */
cli_interval cli_bench_ratio(const cli_bench_row *base, const cli_bench_row *other, int paired);

/* Accumulates a geometric mean of ratios: begins zeroed, then each ratio with an interval is added. Its interval
 * assumes that all rows have the same error (a drift of the whole machine), the most cautious assumption: the mean of
 * their relative half widths. */
typedef struct cli_mean {
    double middle, below, above; /* sums of logarithms */
    uint32_t count;
} cli_mean;

void cli_mean_add(cli_mean *mean, const cli_interval *ratio);
cli_interval cli_mean_of(const cli_mean *mean);

/* Student's t for a two-sided 95 % interval; degrees of freedom from 1. */
double cli_student_t(uint32_t degrees);

/* -1: slower, +1: faster, 0: the interval contains 1. */
int cli_interval_verdict(const cli_interval *ratio);
