#include "bench/derive.h"

#include <math.h>

#include "base/alloc.h"
#include "base/order.h"

/* Fewer rounds show too little of how rounds differ: Student's t of 2 is 12.7 for one degree of freedom. */
enum { FEWEST_ROUNDS = 3 };

static const cli_interval unknown = {NAN, NAN, NAN};

/* 97.5 % of Student's distribution lies below, for 1 to 20 degrees of freedom: its published tables. */
static const double student[] = {12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624,
                                 2.306004,  2.262157, 2.228139, 2.200985, 2.178813, 2.160369, 2.144787,
                                 2.131450,  2.119905, 2.109816, 2.100922, 2.093024, 2.085963};

double cli_student_t(uint32_t degrees)
{
    const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, v = degrees;

    if (degrees <= VKMM_COUNT(student)) return student[degrees - 1];
    /* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5: within 1e-5 from there on. */
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

cli_bench_series cli_bench_round(const cli_bench_row *row, uint32_t i)
{
    const uint32_t first = i > 0 ? row->round_ends[i - 1] : 0, end = row->round_ends[i];
    cli_bench_series series = {0};

    if (first < end && end <= row->kernel_ms.count)
        series = (cli_bench_series){.ms = row->kernel_ms.ms + first, .count = end - first};
    cli_bench_series_sort(&series);
    return series;
}

/* The logarithm of a round's median; NAN if it has none. */
static double round_log(const cli_bench_row *row, uint32_t i)
{
    const double median = cli_bench_round(row, i).median;

    return median > 0 ? log(median) : NAN;
}

/* Welford's running mean and sum of squares: no list is needed. */
typedef struct rounds_spread {
    uint32_t count;
    double mean, squares;
} rounds_spread;

static void spread_add(rounds_spread *spread, double value)
{
    double step = value - spread->mean;

    if (!isfinite(value)) return;
    spread->count++;
    spread->mean += step / spread->count;
    spread->squares += step * (value - spread->mean);
}

/* Half the 95 % interval of the mean. */
static double spread_half(const rounds_spread *spread)
{
    uint32_t degrees = spread->count - 1;

    return cli_student_t(degrees) * sqrt(spread->squares / degrees / spread->count);
}

cli_interval cli_bench_interval(const cli_bench_row *row)
{
    const uint32_t count = row->kernel_ms.count;
    double *sorted = count > 0 ? vkmm_sorted(row->kernel_ms.ms, count) : NULL, half;
    cli_interval interval = unknown;
    rounds_spread rounds = {0};
    uint32_t first, last;

    if (sorted == NULL) return unknown;
    interval.middle = vkmm_percentile(sorted, count, 0.5);
    vkmm_median_ranks(count, &first, &last);
    if (count > 1) {
        interval.low = sorted[first];
        interval.high = sorted[last];
    }
    vkmm_free(sorted);
    for (uint32_t i = 0; i < row->rounds; i++) spread_add(&rounds, round_log(row, i));
    if (rounds.count < FEWEST_ROUNDS || !(interval.middle > 0)) return interval;
    half = spread_half(&rounds);
    /* Around the mean of the rounds: around the median of all samples, which is less certain than that mean, it would
     * be too narrow. */
    interval.low = fmin(interval.low, exp(rounds.mean - half));
    interval.high = fmax(interval.high, exp(rounds.mean + half));
    return interval;
}

/* Student's t over the rounds that both have; unknown if these are too few. Contains the ratio of the medians of all
 * samples, which is what is shown: one row may have had more rounds, or a few slow ones. */
static cli_interval paired_ratio(const cli_bench_row *base, const cli_bench_row *other, double middle)
{
    rounds_spread ratios = {0};
    double half;

    for (uint32_t i = 0; i < base->rounds && i < other->rounds; i++)
        spread_add(&ratios, round_log(base, i) - round_log(other, i));
    if (ratios.count < FEWEST_ROUNDS) return unknown;
    half = spread_half(&ratios);
    return (cli_interval){middle, fmin(middle, exp(ratios.mean - half)), fmax(middle, exp(ratios.mean + half))};
}

/* Errors of two independent figures on one side of their quotient, as logarithms (Zou and Donner, Construction of
 * confidence limits about effect measures, 2008: each side's own distances, squared and added). */
static double side(double a, double b)
{
    return hypot(log(a), log(b));
}

cli_interval cli_bench_ratio(const cli_bench_row *base, const cli_bench_row *other, int paired)
{
    cli_interval a, b, ratio = unknown;
    double half;

    if (!cli_bench_is_timed(base) || !cli_bench_is_timed(other)) return unknown;
    a = cli_bench_interval(base);
    b = cli_bench_interval(other);
    if (!(a.middle > 0) || !(b.middle > 0)) return unknown;
    if (paired) ratio = paired_ratio(base, other, a.middle / b.middle);
    if (isfinite(ratio.middle)) return ratio;
    ratio.middle = a.middle / b.middle;
    if (!(a.low > 0) || !(b.low > 0)) return ratio;
    /* A disturbance of one run may not affect the next: if all samples of a row were slow, its minimum says nothing
     * about the other run. */
    half = fmax(side(a.middle / a.low, b.high / b.middle), side(a.high / a.middle, b.middle / b.low));
    ratio.low = ratio.middle * exp(-half);
    ratio.high = ratio.middle * exp(half);
    return ratio;
}

void cli_mean_add(cli_mean *mean, const cli_interval *ratio)
{
    if (!(ratio->low > 0) || !isfinite(ratio->middle) || !isfinite(ratio->high)) return;
    mean->middle += log(ratio->middle);
    mean->below += log(ratio->middle / ratio->low);
    mean->above += log(ratio->high / ratio->middle);
    mean->count++;
}

cli_interval cli_mean_of(const cli_mean *mean)
{
    const double count = mean->count;

    if (mean->count == 0) return unknown;
    return (cli_interval){exp(mean->middle / count), exp((mean->middle - mean->below) / count),
                          exp((mean->middle + mean->above) / count)};
}

int cli_interval_verdict(const cli_interval *ratio)
{
    return ratio->low > 1 ? 1 : ratio->high < 1 ? -1 : 0;
}
