/* Checks whether a configuration computes correct products. Used for tuning results, which another process may have
 * stored long ago, before they are used. */

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"
#include "exec/pick.h"
#include "kernel/contract.h"
#include "math/problem.h"
#include "math/type.h"

enum { ALPHA = 3, BETA = -2, MOST_EXTENT = 600, MOST_DEPTH = 1200, SPREAD_IN = 17, SPREAD_HALF = 3, SPREAD_C = 9 };

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* Elements of 16 bytes, but 4 at least. */
static uint64_t step_of(vkmm_type type)
{
    const uint64_t elements = 16 / vkmm_type_of(type)->bytes;
    return elements > 4 ? elements : 4;
}

/* One tile and a half, and a little more: a multiple of so many elements that rows can end at multiples of 16 bytes,
 * of four elements alone, or odd, as the extent is that it stands for: kernels read one or the other at a time. */
static uint64_t ragged(uint64_t tile, uint64_t most, uint64_t like, vkmm_type type)
{
    const uint64_t step = step_of(type), extent = at_most(tile + tile / 2 + 4, most - step) / step * step;
    if (like % (16 / vkmm_type_of(type)->bytes) == 0) return extent + step;
    return extent + (step > 4 && like % 4 == 0 ? 4 : 1);
}

static uint32_t alignment_of(const vkmm_choice *choice)
{
    for (uint32_t i = 0; i < choice->info.spec_count; i++)
        if (choice->info.spec_ids[i] == VKMM_SPEC_ALIGNED) return choice->info.spec_values[i];
    return 0;
}

/* The stored row (column-major: column) of an operand with padding, so that rows begin at multiples of 16 bytes, or do
 * not. */
static uint64_t wide(const vkmm_problem *p, vkmm_operand operand, int aligned)
{
    const uint64_t step = step_of(vkmm_operand_type(p, operand));
    return (vkmm_operand_stored(p, operand).length + step - 1) / step * step + (aligned ? step : 1);
}

/* A problem like the given one (types, layout, ops, alignment, bias, activation, whether there is a batch) for the
 * kernel and the configuration of a choice made for it, but small: more than one tile and step along each extent,
 * ragged edges, wide rows, α = 3, β = -2. */
static vkmm_problem trial_problem(const vkmm_problem *problem, const vkmm_choice *choice)
{
    const uint32_t bits = alignment_of(choice), *tile = choice->info.tile, *tunable = choice->config.values;
    const uint32_t bit_a = choice->swapped ? VKMM_ALIGNED_B : VKMM_ALIGNED_A,
                   bit_b = choice->swapped ? VKMM_ALIGNED_A : VKMM_ALIGNED_B;
    vkmm_problem trial =
        VKMM_PROBLEM(.m = ragged(tile[choice->swapped], MOST_EXTENT, problem->m, problem->type),
                     .n = ragged(tile[!choice->swapped], MOST_EXTENT, problem->n, problem->type),
                     .k = ragged(2 * (uint64_t)tunable[VKMM_TUNE_SPLITS] * tunable[VKMM_TUNE_DEPTH], MOST_DEPTH,
                                 problem->k, problem->type),
                     .type = problem->type, .layout = problem->layout, .op_a = problem->op_a, .op_b = problem->op_b,
                     .batch_count = at_most(vkmm_problem_batches(problem), 2), .alpha = ALPHA, .beta = BETA,
                     .out_type = problem->out_type, .compute = problem->compute, .activation = problem->activation,
                     .method = vkmm_choice_method(choice), .has_bias = problem->has_bias);
    trial.lda = wide(&trial, VKMM_A, bits & bit_a);
    trial.ldb = wide(&trial, VKMM_B, bits & bit_b);
    trial.ldc = wide(&trial, VKMM_C, bits & VKMM_ALIGNED_C);
    /* At least as long as any matrix stored either way. */
    trial.stride_a = trial.lda * (trial.m > trial.k ? trial.m : trial.k);
    trial.stride_b = trial.ldb * (trial.n > trial.k ? trial.n : trial.k);
    trial.stride_c = trial.ldc * (trial.m > trial.n ? trial.m : trial.n);
    return trial;
}

/* -8 … 8 for A and B (u8: 0 … 16), -4 … 4 for C and the bias: sums stay below 2^24, where f32 counts in whole
 * numbers. f16 does below 2^11 alone: -1 … 1 for A and B where it has to hold sums or C, and as much for bf16, where
 * C rounds, but seldom. */
static int32_t number(const vkmm_problem *p, vkmm_operand operand, uint64_t batch, uint64_t i, uint64_t j)
{
    const vkmm_types types = vkmm_problem_types(p);
    const int is_factor = operand == VKMM_A || operand == VKMM_B;
    const int is_half = types.compute == VKMM_F16 || types.out == VKMM_F16 || types.out == VKMM_BF16;
    const uint32_t spread = !is_factor ? SPREAD_C : is_half ? SPREAD_HALF : SPREAD_IN;
    const uint64_t seed = (uint64_t)operand + 3 * batch;
    const int32_t least = is_factor && types.in == VKMM_U8 ? 0 : -(int32_t)(spread / 2);
    return (int32_t)(vkmm_random_bits(seed, i << 32 | j) % spread) + least;
}

/* Rows of numbers of one matrix, as they appear in the product. */
static void fill_numbers(const vkmm_problem *p, vkmm_operand operand, uint64_t batch, int32_t *numbers)
{
    const uint64_t rows = vkmm_operand_rows(p, operand), cols = vkmm_operand_cols(p, operand);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++) numbers[i * cols + j] = number(p, operand, batch, i, j);
}

/* Memory outside all matrices is all ones, a NaN for floats: reading it makes the product wrong. */
static void store_matrices(vkmm_job *job, const vkmm_problem *p, vkmm_operand operand, int32_t *numbers)
{
    char *memory = vkmm_job_matrix(job, operand);
    const vkmm_type type = vkmm_operand_type(p, operand);
    const uint64_t size = vkmm_type_of(type)->bytes, cols = vkmm_operand_cols(p, operand);
    memset(memory, 0xff, vkmm_operand_bytes(p, operand));
    for (uint64_t batch = 0; batch < vkmm_problem_batches(p); batch++) {
        const vkmm_view view = vkmm_operand_view(p, operand, memory, batch);
        char *first = memory + ((const char *)view.data - memory);
        fill_numbers(p, operand, batch, numbers);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++)
                vkmm_type_put(type, first + (i * view.row_stride + j * view.col_stride) * size, numbers[i * cols + j]);
    }
}

static void store_bias(vkmm_job *job, const vkmm_problem *p)
{
    char *memory = vkmm_job_matrix(job, VKMM_BIAS);
    const vkmm_type type = vkmm_operand_type(p, VKMM_BIAS);
    for (uint64_t j = 0; j < p->n; j++)
        vkmm_type_put(type, memory + j * vkmm_type_of(type)->bytes, number(p, VKMM_BIAS, 0, 0, j));
}

/* value: α·Σ + β·c + bias, exact. gelu is not: a device's tanh is good to about 2^-18, and what is stored to C's own
 * spacing. */
static int is_right(const vkmm_problem *p, double got, int32_t value)
{
    const vkmm_type type = vkmm_operand_type(p, VKMM_C);
    double want = type == VKMM_U32 ? (double)(uint32_t)value : (double)value, stored;
    if (p->activation == VKMM_RELU) want = want > 0.0 ? want : 0.0;
    if (p->activation == VKMM_GELU) {
        const double x = want;
        want = vkmm_gelu(x);
        return fabs(got - want) <= 0x1p-18 * fabs(x) + vkmm_type_of(type)->epsilon * fabs(want);
    }
    vkmm_type_put(type, &stored, want);
    return got == vkmm_type_get(type, &stored);
}

/* numbers: A, then B, then a row of sums. */
static int matches(const vkmm_problem *p, const vkmm_view *c, uint64_t batch, int32_t *numbers)
{
    int32_t *a = numbers, *b = a + p->m * p->k, *sums = b + p->k * p->n;
    fill_numbers(p, VKMM_A, batch, a);
    fill_numbers(p, VKMM_B, batch, b);
    for (uint64_t i = 0; i < p->m; i++) {
        memset(sums, 0, p->n * sizeof *sums);
        for (uint64_t k = 0; k < p->k; k++)
            for (uint64_t j = 0; j < p->n; j++) sums[j] += a[i * p->k + k] * b[k * p->n + j];
        for (uint64_t j = 0; j < p->n; j++) {
            const int32_t bias = p->has_bias ? number(p, VKMM_BIAS, 0, 0, j) : 0;
            if (!is_right(p, vkmm_view_get(c, i, j), ALPHA * sums[j] + BETA * number(p, VKMM_C, batch, i, j) + bias))
                return 0;
        }
    }
    return 1;
}

static vkmm_status run(vkmm_job *job, const vkmm_problem *trial, int32_t *numbers, int *right)
{
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) store_matrices(job, trial, (vkmm_operand)operand, numbers);
    if (trial->has_bias) store_bias(job, trial);
    vkmm_status status = vkmm_job_run(job);
    if (status != VKMM_OK) return status;
    *right = 1;
    for (uint64_t batch = 0; batch < vkmm_problem_batches(trial) && *right; batch++) {
        const vkmm_view c = vkmm_operand_view(trial, VKMM_C, vkmm_job_matrix(job, VKMM_C), batch);
        *right = matches(trial, &c, batch, numbers);
    }
    return VKMM_OK;
}

/* The same operands are packed as of the product that it stands for. */
static uint32_t packs_of(const vkmm_choice *choice)
{
    const int a = choice->packs[choice->swapped ? VKMM_B : VKMM_A].bytes > 0,
              b = choice->packs[choice->swapped ? VKMM_A : VKMM_B].bytes > 0;
    return VKMM_PACK_NEVER | (a ? VKMM_PACK_A : 0u) | (b ? VKMM_PACK_B : 0u);
}

vkmm_status vkmm_trial(vkmm_device *device, const vkmm_problem *problem, const vkmm_choice *choice, int *right)
{
    const vkmm_job_params params = {.problem = trial_problem(problem, choice),
                                    .kernel = choice->info.name,
                                    .config = choice->info.config,
                                    .untuned = 1,
                                    .pack = packs_of(choice)};
    const vkmm_problem *p = &params.problem;
    vkmm_job *job = NULL;
    *right = 0;
    vkmm_held held;
    vkmm_errors_hold(&held); /* the caller reports it */
    int32_t *numbers = vkmm_alloc(p->m * p->k + p->k * p->n + p->m * p->n + p->n, sizeof *numbers);
    vkmm_status status = numbers ? vkmm_job_create(device, NULL, &params, &job) : VKMM_OUT_OF_MEMORY;
    if (status == VKMM_OK) status = run(job, p, numbers, right);
    vkmm_job_destroy(&job);
    vkmm_free(numbers);
    vkmm_errors_release(&held);
    return status == VKMM_DEVICE_LOST || status == VKMM_OUT_OF_MEMORY ? status : VKMM_OK;
}
