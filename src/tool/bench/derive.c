#include "bench/derive.h"

#include <math.h>

#include "base/alloc.h"
#include "base/order.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/records.h"

/* ---- intervals ---- */

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

/* ---- figures ---- */

enum { FEW_ROUNDS = 4, FEW_SAMPLES = 5 };
#define CLEAR_DRIFT 0.03 /* a device that is slower by less at the end is not called throttled */
#define LOWER_CLOCK 0.97 /* of the clock before or after */

/* Bytes of A, B, C and the bias that must be moved at least once: elements, without the gaps between them. */
static double bytes_to_move(const vkmm_problem *problem)
{
    double bytes = (double)vkmm_operand_bytes(problem, VKMM_BIAS);
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        const vkmm_operand operand = (vkmm_operand)o;
        const int repeats = operand != VKMM_C && vkmm_operand_stride(problem, operand) == 0;
        const uint64_t elements = vkmm_operand_rows(problem, operand) * vkmm_operand_cols(problem, operand) *
                                  (repeats ? 1 : vkmm_problem_batches(problem));
        if (operand != VKMM_C && vkmm_problem_alpha(problem) == 0) continue; /* A and B are not read */
        bytes += (double)vkmm_operand_span(problem, operand, elements) *
                 (operand == VKMM_C && vkmm_problem_beta(problem) != 0 ? 2 : 1);
    }
    return bytes;
}

/* How much one round usually differs from the one before, as a share: the median; NAN if a round has no samples,
 * or memory runs out. */
static double step_between_rounds(const cli_bench_row *row)
{
    cli_bench_series steps = {.ms = vkmm_alloc(row->rounds, sizeof(double)), .count = row->rounds - 1};
    double last = NAN;
    if (steps.ms == NULL) return NAN;
    for (uint32_t i = 0; i < row->rounds; i++) {
        const double median = cli_bench_round(row, i).median;
        if (i > 0) steps.ms[i - 1] = fabs(median / last - 1);
        last = median;
    }
    cli_bench_series_sort(&steps);
    vkmm_free(steps.ms);
    return steps.median;
}

/* A driver reports a reason even if it lowered the clock only for a moment. Whether the row was affected shows in the
 * clock, if that is known. */
static int was_held_back(const cli_bench_power *power)
{
    const double most = fmax(power->mhz[0], power->mhz[2]);
    return power->limited[0] != '\0' && !(power->mhz[1] >= LOWER_CLOCK * most);
}

/* Compares the last round with the first. Variation within a round is not a drift, and neither are differences between
 * neighbouring rounds: on a busy machine the last round is slower than the first in every second row. */
static void derive_drift(const cli_bench_row *row, cli_bench_figures *figures)
{
    double noise;
    figures->busy = cli_bench_is_busy(&row->power);
    figures->throttled = was_held_back(&row->power);
    if (row->rounds < 2) return;
    const cli_bench_series first = cli_bench_round(row, 0), last = cli_bench_round(row, row->rounds - 1);
    if (!(first.median > 0) || !(last.median > 0)) return;
    figures->drift = last.median / first.median - 1;
    noise = fmax((first.p95 - first.p5) / 2 / first.median, (last.p95 - last.p5) / 2 / last.median);
    if (row->rounds >= FEW_ROUNDS)
        noise = fmax(noise, 2 * step_between_rounds(row));
    else if (row->round_ends[0] < FEW_SAMPLES ||
             row->round_ends[row->rounds - 1] - row->round_ends[row->rounds - 2] < FEW_SAMPLES)
        return; /* noise and drift cannot be distinguished */
    /* If other processes used the processors, a lack of them is not throttling. */
    if (figures->drift > CLEAR_DRIFT && figures->drift > noise && !figures->busy) figures->throttled = 1;
}

static const double *component_peak(const cli_bench_peaks *peaks, vkmm_type operands, vkmm_type sums)
{
    const double *best = NULL;
    const uint32_t in = vkmm_component_of(operands), out = vkmm_component_of(sums);
    for (uint32_t i = 0; i < peaks->matrix_count && i < CLI_BENCH_MATRICES; i++) {
        const vkmm_matrix_shape *shape = &peaks->matrix[i].shape;
        const double *peak = &peaks->matrix[i].multiply_adds_per_s;
        if (shape->a == in && shape->b == in && shape->c == out && shape->result == out && !shape->saturating &&
            *peak > (best != NULL ? *best : 0))
            best = peak;
    }
    return best;
}

/* The peak of what multiplies: of so many products for each of the problem's. */
static const double *find_peak(const cli_bench_peaks *peaks, const vkmm_problem *problem,
                               const vkmm_kernel_info *kernel, uint32_t *products, int *is_matrix)
{
    const vkmm_types types = vkmm_problem_inner(problem, kernel, products);
    const vkmm_type operands = types.compute == VKMM_F16 ? VKMM_F16 : types.in; /* f32 is rounded to f16 first */
    const double *matrix =
        operands != types.compute || operands == VKMM_F16 ? component_peak(peaks, operands, types.compute) : NULL;
    const double *of = peaks->multiply_adds_per_s;
    *is_matrix = matrix != NULL;
    if (matrix != NULL) return matrix;
    if ((types.in == VKMM_I8 || types.in == VKMM_U8) && of[types.in] > 0) return &of[types.in]; /* dot products */
    return &of[types.compute == VKMM_F16 && !(of[VKMM_F16] > 0) ? VKMM_F32 : types.compute];
}

double cli_bench_peak_of(const cli_bench_peaks *peaks, const vkmm_problem *problem, const vkmm_kernel_info *kernel,
                         int *is_matrix)
{
    uint32_t products;
    const double peak = *find_peak(peaks, problem, kernel, &products, is_matrix);
    return peak / products;
}

void cli_bench_raise_peaks(cli_bench *bench)
{
    int raised = 0, unused;
    uint32_t products;
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const cli_bench_row *row = &bench->rows[i];
        const double speed = row->figures.gflops * 1e9 / 2;
        if (row->device >= bench->device_count || !(row->figures.arithmetic_share > 1) || !(speed <= CLI_MOST_A_S))
            continue;
        cli_bench_peaks *peaks = &bench->devices[row->device].peaks;
        double *peak = (double *)find_peak(peaks, &row->problem, &row->kernel, &products, &unused);
        *peak = fmax(*peak, speed * products);
        peaks->raised = raised = 1;
    }
    for (uint32_t i = 0; i < bench->row_count && raised; i++) cli_bench_derive(bench, &bench->rows[i]);
}

static void derive_shares(const cli_bench *bench, const cli_bench_row *row, cli_bench_figures *figures)
{
    if (row->device >= bench->device_count) return;
    const cli_bench_peaks *peaks = &bench->devices[row->device].peaks;
    int is_matrix;
    const double multiply_adds = cli_bench_peak_of(peaks, &row->problem, &row->kernel, &is_matrix),
                 copy = peaks->copy_bytes_per_s;

    /* Ordinary arithmetic is not a peak for matrix operations. */
    if (multiply_adds > 0 && (is_matrix || row->kernel.matrix[0] == 0))
        figures->arithmetic_share = figures->gflops * 1e9 / 2 / multiply_adds;
    if (copy > 0) figures->copy_share = figures->gbytes_per_s * 1e9 / copy;
}

void cli_bench_derive(const cli_bench *bench, cli_bench_row *row)
{
    cli_bench_figures *figures = &row->figures;
    if (!cli_bench_row_speed(row)) return;
    const cli_interval interval = cli_bench_interval(row);
    figures->interval_ms[0] = interval.low;
    figures->interval_ms[1] = interval.high;
    figures->noise = (interval.high - interval.low) / 2 / figures->median_ms;
    figures->gbytes_per_s = bytes_to_move(&row->problem) / figures->median_ms * 1e-6;
    derive_shares(bench, row, figures);
    derive_drift(row, figures);
}
