/* What follows from the samples of a report, and how certain a median is, and a ratio of two.
 *
 * Samples of one run are not independent: clocks drift, and other processes start and stop. So a row is sampled in
 * rounds, spread over time, and its interval covers two others: from order statistics within all samples
 * (base/order.h), and from Student's t over the logarithms of the rounds' medians (rounds of one row are alike; what
 * differs between them is the machine's), from three rounds on. */
#pragma once

#include "report/result.h"

/* Peak multiply-adds per second for the problem. NAN: unknown.
 *
 * The peak is that of the fastest measured shape of matrix operations on the problem's types (*is_matrix: 1), otherwise
 * of ordinary arithmetic in the type of the sums; for i8 and u8, of dot products of four if they were measured. f32,
 * f64, i32 and u32 with sums of the same type have no matrix operations here.
 *
 * A split product is limited to a third of the peak of its parts; a modular product to the peak of the inner product,
 * divided by the number of inner products, both according to the kernel (NULL: the usual one). */
double cli_bench_peak_of(const cli_bench_peaks *peaks, const vkmm_problem *problem, const vkmm_kernel_info *kernel,
                         int *is_matrix);

/* Fills row->figures from the samples, with peaks of row->device. A wrong, unverified or empty product has no speed:
 * its figures stay NAN. */
void cli_bench_derive(const cli_bench *bench, cli_bench_row *row);

/* Raises a device's measured peak to the speed of a faster row, and derives all rows again. The rows must have been
 * derived. */
void cli_bench_raise_peaks(cli_bench *bench);

/* ---- intervals ---- */

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
