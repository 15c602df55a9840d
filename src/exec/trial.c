#include "exec/trial.h"

#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "kernel/contract.h"
#include "math/problem.h"
#include "math/type.h"

enum { ALPHA = 3, BETA = -2, MOST_EXTENT = 600, MOST_DEPTH = 1200, SPREAD_IN = 17, SPREAD_C = 9 };

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* One tile and a half, and a little more: a multiple of 4, so that rows can end at multiples of 16 bytes, or odd, as the extent is that it
 * stands for. */
static uint64_t ragged(uint64_t tile, uint64_t most, uint64_t like, vkmm_type type)
{
    const uint64_t extent = at_most(tile + tile / 2 + 4, most - 4) / 4 * 4;
    return like % (16 / vkmm_type_of(type)->bytes) == 0 ? extent + 4 : extent + 1;
}

static uint32_t alignment_of(const vkmm_choice *choice)
{
    for (uint32_t i = 0; i < choice->info.spec_count; i++)
        if (choice->info.spec_ids[i] == VKMM_SPEC_ALIGNED) return choice->info.spec_values[i];
    return 0;
}

/* The stored row (column-major: column) of an operand with something behind it, so that rows begin at multiples of 16 bytes, or do not. */
static uint64_t wide(const vkmm_problem *p, vkmm_operand operand, int aligned)
{
    int transposed = (operand == VKMM_A && p->op_a == VKMM_OP_T) || (operand == VKMM_B && p->op_b == VKMM_OP_T);
    int by_rows = (p->layout == VKMM_ROW_MAJOR) != transposed;
    uint64_t length = by_rows ? vkmm_operand_cols(p, operand) : vkmm_operand_rows(p, operand);
    return (length + 3) / 4 * 4 + (aligned ? 4 : 1);
}

vkmm_problem vkmm_trial_problem(const vkmm_problem *problem, const vkmm_choice *choice)
{
    const uint32_t bits = alignment_of(choice), *tile = choice->info.tile, *tunable = choice->config.values;
    const uint32_t bit_a = choice->swapped ? VKMM_ALIGNED_B : VKMM_ALIGNED_A, bit_b = choice->swapped ? VKMM_ALIGNED_A : VKMM_ALIGNED_B;
    vkmm_problem trial = {
        .m = ragged(tile[choice->swapped], MOST_EXTENT, problem->m, problem->type),
        .n = ragged(tile[!choice->swapped], MOST_EXTENT, problem->n, problem->type),
        .k = ragged(2 * (uint64_t)tunable[VKMM_TUNE_SPLITS] * tunable[VKMM_TUNE_DEPTH], MOST_DEPTH, problem->k, problem->type),
        .type = problem->type,
        .layout = problem->layout,
        .op_a = problem->op_a,
        .op_b = problem->op_b,
        .batch_count = at_most(vkmm_problem_batches(problem), 2),
        .scaled = 1,
        .alpha = ALPHA,
        .beta = BETA,
    };
    trial.lda = wide(&trial, VKMM_A, bits & bit_a);
    trial.ldb = wide(&trial, VKMM_B, bits & bit_b);
    trial.ldc = wide(&trial, VKMM_C, bits & VKMM_ALIGNED_C);
    /* At least as long as any matrix stored either way. */
    trial.stride_a = trial.lda * (trial.m > trial.k ? trial.m : trial.k);
    trial.stride_b = trial.ldb * (trial.n > trial.k ? trial.n : trial.k);
    trial.stride_c = trial.ldc * (trial.m > trial.n ? trial.m : trial.n);
    return trial;
}

/* -8 … 8 for A and B, -4 … 4 for C: sums stay below 2^24, where f32 counts in whole numbers. */
static int32_t number(vkmm_operand operand, uint64_t batch, uint64_t i, uint64_t j)
{
    const uint32_t spread = operand == VKMM_C ? SPREAD_C : SPREAD_IN;
    const uint64_t seed = (uint64_t)operand + 3 * batch;
    return (int32_t)(vkmm_random_bits(seed, i << 32 | j) % spread) - (int32_t)(spread / 2);
}

/* Rows of numbers of one matrix, as they stand in the product. */
static void fill_numbers(const vkmm_problem *p, vkmm_operand operand, uint64_t batch, int32_t *numbers)
{
    const uint64_t rows = vkmm_operand_rows(p, operand), cols = vkmm_operand_cols(p, operand);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++) numbers[i * cols + j] = number(operand, batch, i, j);
}

static void store_number(void *at, vkmm_type type, int32_t value)
{
    const float narrow = (float)value;
    const double wide_value = (double)value;
    if (type == VKMM_F32)
        memcpy(at, &narrow, sizeof narrow);
    else if (type == VKMM_F64)
        memcpy(at, &wide_value, sizeof wide_value);
    else
        memcpy(at, &value, sizeof value); /* u32: modulo 2^32 */
}

/* What no matrix covers is all ones, a NaN for floats: whoever reads it spoils the product. */
static void store_matrices(vkmm_job *job, const vkmm_problem *p, vkmm_operand operand, int32_t *numbers)
{
    char *memory = vkmm_job_matrix(job, operand);
    const uint64_t size = vkmm_type_of(p->type)->bytes, cols = vkmm_operand_cols(p, operand);
    memset(memory, 0xff, vkmm_operand_bytes(p, operand));
    for (uint64_t batch = 0; batch < vkmm_problem_batches(p); batch++) {
        const vkmm_view view = vkmm_operand_view(p, operand, memory, batch);
        char *first = memory + ((const char *)view.data - memory);
        fill_numbers(p, operand, batch, numbers);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++)
                store_number(first + (i * view.row_stride + j * view.col_stride) * size, p->type, numbers[i * cols + j]);
    }
}

static double expected(vkmm_type type, int32_t sum, int32_t c)
{
    const int32_t value = ALPHA * sum + BETA * c;
    return type == VKMM_U32 ? (double)(uint32_t)value : (double)value;
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
        for (uint64_t j = 0; j < p->n; j++)
            if (vkmm_view_get(c, i, j) != expected(p->type, sums[j], number(VKMM_C, batch, i, j))) return 0;
    }
    return 1;
}

static vkmm_status run(vkmm_job *job, const vkmm_problem *trial, int32_t *numbers, int *right)
{
    for (int operand = VKMM_A; operand <= VKMM_C; operand++) store_matrices(job, trial, (vkmm_operand)operand, numbers);
    vkmm_status status = vkmm_job_run(job);
    if (status != VKMM_OK) return status;
    *right = 1;
    for (uint64_t batch = 0; batch < vkmm_problem_batches(trial) && *right; batch++) {
        const vkmm_view c = vkmm_operand_view(trial, VKMM_C, vkmm_job_matrix(job, VKMM_C), batch);
        *right = matches(trial, &c, batch, numbers);
    }
    return VKMM_OK;
}

vkmm_status vkmm_trial(vkmm_device *device, const vkmm_problem *problem, const vkmm_choice *choice, int *right)
{
    static const vkmm_log silent = {0}; /* whoever asked tells */
    const vkmm_job_params params = {
        .problem = vkmm_trial_problem(problem, choice), .kernel = choice->info.name, .config = choice->info.config, .untuned = 1};
    const vkmm_problem *p = &params.problem;
    vkmm_job *job = NULL;
    *right = 0;
    int32_t *numbers = vkmm_alloc(p->m * p->k + p->k * p->n + p->m * p->n + p->n, sizeof *numbers);
    vkmm_status status = numbers ? vkmm_job_create(device, &silent, &params, &job) : VKMM_OUT_OF_MEMORY;
    if (status == VKMM_OK) status = run(job, p, numbers, right);
    vkmm_job_destroy(&job);
    vkmm_free(numbers);
    return status == VKMM_DEVICE_LOST ? status : VKMM_OK;
}
