/* The memory of generated inputs: the matrices hold what they hold when packed, and everything between them is a NaN. */
#include "cli/inputs.h"
#include "math/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const cli_inputs inputs = {.init = VKMM_INIT_UNIFORM, .seed = 7};

/* Every element of the operand's matrices stands where its view says; takes them away, so that what is left belongs to none. */
static void take_matrices(const vkmm_problem *problem, vkmm_operand operand, float *data, const float *packed, uint64_t shift)
{
    for (uint64_t x = 0; x < vkmm_problem_batches(problem); x++) {
        const vkmm_view view = vkmm_operand_view(problem, operand, data, x);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++) {
                float *element = (float *)(uintptr_t)view.data + i * view.row_stride + j * view.col_stride;
                assert_true(*element == packed[x * shift + i * view.cols + j]);
            }
    }
    for (uint64_t x = 0; x < vkmm_problem_batches(problem); x++) {
        const vkmm_view view = vkmm_operand_view(problem, operand, data, x);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++) ((float *)(uintptr_t)view.data)[i * view.row_stride + j * view.col_stride] = NAN;
    }
}

static void expect_nothing_left(const vkmm_problem *problem, vkmm_operand operand, const float *data)
{
    for (uint64_t i = 0; i < vkmm_operand_elements(problem, operand); i++) assert_true(isnan(data[i]));
}

/* The problem's memory beside that of the packed one, for all three operands. */
static void compare(const vkmm_problem *problem)
{
    vkmm_problem packed = {.m = problem->m, .n = problem->n, .k = problem->k, .batch_count = problem->batch_count, .scaled = 1, .beta = 1};
    float *memory[3], *plain[3];

    packed.stride_a = problem->stride_a == 0 ? 0 : packed.m * packed.k;
    packed.stride_b = problem->stride_b == 0 ? 0 : packed.k * packed.n;
    packed.stride_c = packed.m * packed.n;
    assert_int_equal(vkmm_problem_check(NULL, problem, NULL), VKMM_OK);
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        memory[o] = calloc(vkmm_operand_elements(problem, (vkmm_operand)o), sizeof(float));
        plain[o] = calloc(vkmm_operand_elements(&packed, (vkmm_operand)o), sizeof(float));
    }
    cli_inputs_fill(&inputs, problem, memory[VKMM_A], memory[VKMM_B]);
    cli_inputs_fill(&inputs, &packed, plain[VKMM_A], plain[VKMM_B]);
    cli_inputs_fill_c(&inputs, problem, memory[VKMM_C]);
    cli_inputs_fill_c(&inputs, &packed, plain[VKMM_C]);
    take_matrices(problem, VKMM_A, memory[VKMM_A], plain[VKMM_A], packed.stride_a);
    take_matrices(problem, VKMM_B, memory[VKMM_B], plain[VKMM_B], packed.stride_b);
    if (vkmm_problem_beta(problem) != 0) take_matrices(problem, VKMM_C, memory[VKMM_C], plain[VKMM_C], packed.stride_c);
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        expect_nothing_left(problem, (vkmm_operand)o, memory[o]);
        free(memory[o]);
        free(plain[o]);
    }
}

static void gaps_are_nan(void **state)
{
    (void)state;
    for (int choice = 0; choice < 16; choice++) {
        vkmm_problem problem = {.m = 5, .n = 4, .k = 3, .lda = 7, .ldb = 9, .ldc = 6, .offset_a = 2, .offset_b = 1, .offset_c = 5};
        problem.op_a = (choice & 1) != 0 ? VKMM_OP_T : VKMM_OP_N;
        problem.op_b = (choice & 2) != 0 ? VKMM_OP_T : VKMM_OP_N;
        problem.layout = (choice & 4) != 0 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
        problem.batch_count = 3;
        problem.stride_a = 60;
        problem.stride_b = (choice & 8) != 0 ? 0 : 70;
        problem.stride_c = 50;
        problem.scaled = 1;
        problem.alpha = 1;
        problem.beta = (choice & 1) != 0 ? 2 : 0;
        compare(&problem);
    }
}

static void batches_differ(void **state)
{
    const vkmm_problem problem = {
        .m = 4, .n = 4, .k = 4, .batch_count = 2, .stride_a = 16, .stride_b = 16, .stride_c = 16, .scaled = 1, .beta = 1};
    float a[32], b[32], c[32];

    (void)state;
    cli_inputs_fill(&inputs, &problem, a, b);
    cli_inputs_fill_c(&inputs, &problem, c);
    assert_memory_not_equal(a, a + 16, 64);
    assert_memory_not_equal(b, b + 16, 64);
    assert_memory_not_equal(c, c + 16, 64);
    assert_memory_not_equal(a, b, 64);
    assert_memory_not_equal(a, c, 64);
}

/* An operand without elements has no memory that could be filled, and costs nothing however many there are. */
static void empty_ones_are_left_alone(void **state)
{
    const vkmm_problem problem = {.m = 0,
                                  .n = 3,
                                  .k = 0,
                                  .lda = 5,
                                  .offset_a = 9,
                                  .offset_b = 9,
                                  .offset_c = 9,
                                  .batch_count = UINT32_MAX,
                                  .stride_a = 1,
                                  .stride_b = 1};

    (void)state;
    cli_inputs_fill(&inputs, &problem, NULL, NULL);
    cli_inputs_fill_c(&inputs, &problem, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_nan), cmocka_unit_test(batches_differ),
                                       cmocka_unit_test(empty_ones_are_left_alone)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
