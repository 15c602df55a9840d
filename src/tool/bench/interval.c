#include "bench/interval.h"

#include <math.h>
#include <string.h>

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

    if (degrees == 0) return INFINITY;
    if (degrees <= VKMM_COUNT(student)) return student[degrees - 1];
    /* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5: within 1e-5 from there on. */
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

/* Samples of round i, as far as the row has them: reports come from files. */
static uint32_t round_of(const cli_bench_row *row, uint32_t i, const double **ms)
{
    uint32_t first = i > 0 ? row->round_ends[i - 1] : 0, end = row->round_ends[i];

    if (end > row->kernel_ms.count) end = row->kernel_ms.count;
    if (end <= first) return 0;
    *ms = row->kernel_ms.ms + first;
    return end - first;
}

/* The logarithm of a round's median; NAN if it has none. `room` holds as many samples as the row has. */
static double round_log(const cli_bench_row *row, uint32_t i, double *room)
{
    const double *ms = NULL;
    uint32_t count = round_of(row, i, &ms);
    double median;

    if (count == 0) return NAN;
    memcpy(room, ms, count * sizeof *room);
    vkmm_sort(room, count);
    median = vkmm_percentile(room, count, 0.5);
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

static cli_interval by_ranks(const double *sorted, uint32_t count)
{
    uint32_t first, last;

    vkmm_median_ranks(count, &first, &last);
    if (count < 2) return (cli_interval){sorted[0], NAN, NAN};
    return (cli_interval){vkmm_percentile(sorted, count, 0.5), sorted[first], sorted[last]};
}

cli_interval cli_bench_interval(const cli_bench_row *row)
{
    uint32_t count = row->kernel_ms.count;
    double *room, half;
    cli_interval interval;
    rounds_spread rounds = {0};

    if (count == 0) return unknown;
    room = vkmm_alloc(count, sizeof *room);
    if (room == NULL) return unknown;
    for (uint32_t i = 0; i < row->rounds; i++) spread_add(&rounds, round_log(row, i, room));
    memcpy(room, row->kernel_ms.ms, count * sizeof *room);
    vkmm_sort(room, count);
    interval = by_ranks(room, count);
    vkmm_free(room);
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
    uint32_t rounds = base->rounds < other->rounds ? base->rounds : other->rounds;
    uint32_t most = base->kernel_ms.count > other->kernel_ms.count ? base->kernel_ms.count : other->kernel_ms.count;
    double *room = rounds >= FEWEST_ROUNDS ? vkmm_alloc(most, sizeof *room) : NULL, half;
    rounds_spread ratios = {0};

    if (room == NULL) return unknown;
    for (uint32_t i = 0; i < rounds; i++) spread_add(&ratios, round_log(base, i, room) - round_log(other, i, room));
    vkmm_free(room);
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
