/* What follows from samples: cli_bench_derive. */
#include "bench/derive.h"

#include <math.h>

#include "base/alloc.h"
#include "math/component.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/records.h"
#include "report/text.h"

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
    uint32_t in, out;

    if (!vkmm_component_parse(vkmm_type_of(operands)->name, &in) ||
        !vkmm_component_parse(vkmm_type_of(sums)->name, &out))
        return NULL;
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
