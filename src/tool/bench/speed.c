#include "base/limits.h"
#include "bench/cell.h"
#include "bench/derive.h"

#include "math/problem.h"

#include <math.h>
#include <string.h>

/* Shares of the multiply-add peak, before anything was measured. Processors' drivers reach little of it. */
#define GENERAL_GPU      0.4
#define GENERAL_CPU      0.05
#define TUTORIAL_GPU     0.03
#define TUTORIAL_CPU     0.01
#define COPY_SHARE       0.3     /* of the copy peak: for products that move more than they multiply */
#define UNKNOWN_FLOPS    (1.0e9) /* per millisecond, of a GPU without a measured peak: 1 TFLOP/s */
#define UNKNOWN_HOST     (2.0e6) /* of a processor */
#define HOST_MS_PER_BYTE 3e-6    /* 3 ns: a few passes over a matrix, and random numbers */
#define BLOCKY           64      /* a product with such extents shows the speed of arithmetic, not of memory */

static int is_host_speed(const cli_bench_device *device)
{
    return device->is_host || vkmm_is_processor(&device->info);
}

/* 0: accepts every problem. */
static uint32_t kind_of(const cli_suite_item *item)
{
    const char *kernel = item->kernel;
    if (item->shader != NULL) return CLI_BENCH_KINDS - 1;
    for (uint32_t i = 0; vkmm_kernel_name(i) != NULL && i + 2 < CLI_BENCH_KINDS; i++)
        if (strcmp(vkmm_kernel_name(i), kernel) == 0) return vkmm_kernel_is_general(kernel) ? 0 : i + 1;
    return 0;
}

/* An index of cli_bench_speeds.best. */
static uint32_t way_of(const vkmm_problem *problem)
{
    return problem->method == VKMM_COMPUTE_DIRECT ? vkmm_types_index(vkmm_problem_types(problem))
                                                  : VKMM_TYPES_COUNT - 1 + (uint32_t)problem->method;
}

/* The fastest measured speed of such products. */
static double best_of(const cli_bench_speeds *speeds, const cli_suite_item *item)
{
    return speeds->best[kind_of(item)][way_of(&item->problem)];
}

double cli_bench_bytes(const cli_suite_item *item, double rotating_bytes)
{
    double bytes = 0;
    for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++)
        bytes += (double)vkmm_operand_bytes(&item->problem, (vkmm_operand)operand);
    return bytes > rotating_bytes ? bytes : rotating_bytes;
}

static double first_guess(const cli_bench_speeds *speeds, const cli_suite_item *item)
{
    int slow = is_host_speed(speeds->device), unused;
    double peak = 2 * cli_bench_peak_of(&speeds->device->peaks, &item->problem, NULL, &unused) / 1000;
    if (!(peak > 0)) return slow ? UNKNOWN_HOST : UNKNOWN_FLOPS;
    if (kind_of(item) > 0) return peak * (slow ? TUTORIAL_CPU : TUTORIAL_GPU);
    return peak * (slow ? GENERAL_CPU : GENERAL_GPU);
}

double cli_bench_expect(const cli_bench_speeds *speeds, const cli_suite_item *item)
{
    double copy = speeds->device->peaks.copy_bytes_per_s / 1000;
    double arithmetic = vkmm_problem_flops(&item->problem) /
                        (cli_bench_is_guess(speeds, item) ? first_guess(speeds, item) : best_of(speeds, item));
    double memory = copy > 0 ? cli_bench_bytes(item, 0) / (COPY_SHARE * copy) : 0;
    return arithmetic > memory ? arithmetic : memory;
}

int cli_bench_is_guess(const cli_bench_speeds *speeds, const cli_suite_item *item)
{
    return !(best_of(speeds, item) > 0);
}

double cli_bench_expect_host(const cli_bench_speeds *speeds, const cli_suite_item *item)
{
    double each = speeds->host_ms_per_byte > 0 ? speeds->host_ms_per_byte : HOST_MS_PER_BYTE;
    return each * cli_bench_bytes(item, 0);
}

void cli_bench_learn(cli_bench_speeds *speeds, const cli_suite_item *item, double product_ms)
{
    const vkmm_problem *problem = &item->problem;
    double *best = &speeds->best[kind_of(item)][way_of(problem)];
    double speed = product_ms > 0 ? vkmm_problem_flops(problem) / product_ms : 0;
    if (problem->m < BLOCKY || problem->n < BLOCKY || problem->k < BLOCKY) return;
    if (isfinite(speed) && speed > *best) *best = speed;
}

void cli_bench_learn_host(cli_bench_speeds *speeds, const cli_suite_item *item, double host_ms)
{
    double each = host_ms / cli_bench_bytes(item, 0);
    /* For small products, the time is mostly that of the driver's compiler. The least value is one that no element by
     * element verification prolonged. */
    if (cli_bench_bytes(item, 0) < 1 << 22 || !(host_ms > 0)) return;
    if (!(speeds->host_ms_per_byte > 0) || each < speeds->host_ms_per_byte) speeds->host_ms_per_byte = each;
}
