/* The memory of generated inputs: the matrices hold what they hold when packed, and everything between them is a
 * NaN. */
#include "test.h"
#include "base/random.h"
#include "product/inputs.h"
#include "math/problem.h"
#include "math/type.h"

static const cli_inputs inputs = {.init = VKMM_INIT_UNIFORM, .seed = 7};

static char *at(const vkmm_view *view, uint64_t i, uint64_t j)
{
    return (char *)(uintptr_t)view->data +
           (i * view->row_stride + j * view->col_stride) * vkmm_type_of(view->type)->bytes;
}

/* Every element of the operand's matrices stands where its view says; takes them away, so that what is left belongs
 * to none. */
static void take_matrices(const vkmm_problem *problem, vkmm_operand operand, void *data, const vkmm_problem *packed,
                          const void *plain)
{
    for (uint64_t x = 0; x < vkmm_problem_batches(problem); x++) {
        const vkmm_view view = vkmm_operand_view(problem, operand, data, x),
                        want = vkmm_operand_view(packed, operand, plain, x);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++)
                assert_true(vkmm_view_get(&view, i, j) == vkmm_view_get(&want, i, j));
    }
    for (uint64_t x = 0; x < vkmm_problem_batches(problem); x++) {
        const vkmm_view view = vkmm_operand_view(problem, operand, data, x);
        for (uint64_t i = 0; i < view.rows; i++)
            for (uint64_t j = 0; j < view.cols; j++) vkmm_type_put(view.type, at(&view, i, j), NAN);
    }
}

static void expect_nothing_left(const vkmm_problem *problem, vkmm_operand operand, const void *data)
{
    const vkmm_view all =
        vkmm_view_rows(data, 1, vkmm_operand_elements(problem, operand), vkmm_operand_type(problem, operand));
    for (uint64_t i = 0; i < all.cols; i++) assert_true(isnan(vkmm_view_get(&all, 0, i)));
}

/* The problem's memory beside that of the packed one, for all three operands. */
static void compare(const vkmm_problem *problem)
{
    vkmm_problem packed = VKMM_PROBLEM(.m = problem->m, .n = problem->n, .k = problem->k,
                                       .batch_count = problem->batch_count, .alpha = 0, .beta = 1);
    void *memory[3], *plain[3];
    packed.type = problem->type;
    packed.out_type = problem->out_type;
    packed.compute = problem->compute;
    packed.stride_a = problem->stride_a == 0 ? 0 : packed.m * packed.k;
    packed.stride_b = problem->stride_b == 0 ? 0 : packed.k * packed.n;
    packed.stride_c = packed.m * packed.n;
    assert_ok(vkmm_problem_check(problem));
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        memory[o] = calloc(1, vkmm_operand_bytes(problem, (vkmm_operand)o));
        plain[o] = calloc(1, vkmm_operand_bytes(&packed, (vkmm_operand)o));
    }
    for (int o = VKMM_A; o <= VKMM_C; o++) {
        cli_inputs_fill(&inputs, problem, (vkmm_operand)o, memory[o], NULL);
        cli_inputs_fill(&inputs, &packed, (vkmm_operand)o, plain[o], NULL);
        if (o != VKMM_C || vkmm_problem_beta(problem) != 0)
            take_matrices(problem, (vkmm_operand)o, memory[o], &packed, plain[o]);
        expect_nothing_left(problem, (vkmm_operand)o, memory[o]);
        free(memory[o]);
        free(plain[o]);
    }
}

TEST(gaps_are_nan)
{
    static const vkmm_types types[] = {{VKMM_F32, VKMM_F32, VKMM_F32},
                                       {VKMM_F16, VKMM_F16, VKMM_F32},
                                       {VKMM_F16, VKMM_F32, VKMM_F32},
                                       {VKMM_BF16, VKMM_BF16, VKMM_F32}};
    for (int choice = 0; choice < 64; choice++) {
        vkmm_problem problem = VKMM_PROBLEM(.m = 5, .n = 4, .k = 3, .lda = 7, .ldb = 9, .ldc = 6, .offset_a = 2,
                                            .offset_b = 1, .offset_c = 5);
        problem.op_a = (choice & 1) != 0 ? VKMM_OP_T : VKMM_OP_N;
        problem.op_b = (choice & 2) != 0 ? VKMM_OP_T : VKMM_OP_N;
        problem.layout = (choice & 4) != 0 ? VKMM_COL_MAJOR : VKMM_ROW_MAJOR;
        problem.type = types[choice / 16].in;
        problem.out_type = types[choice / 16].out;
        problem.compute = types[choice / 16].compute;
        problem.batch_count = 3;
        problem.stride_a = 60;
        problem.stride_b = (choice & 8) != 0 ? 0 : 70;
        problem.stride_c = 50;
        problem.alpha = 1;
        problem.beta = (choice & 1) != 0 ? 2 : 0;
        compare(&problem);
    }
}

TEST(batches_differ)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 4, .n = 4, .k = 4, .batch_count = 2, .stride_a = 16, .stride_b = 16,
                                              .stride_c = 16, .alpha = 0, .beta = 1);
    float a[32], b[32], c[32];
    cli_inputs_fill(&inputs, &problem, VKMM_A, a, NULL);
    cli_inputs_fill(&inputs, &problem, VKMM_B, b, NULL);
    cli_inputs_fill(&inputs, &problem, VKMM_C, c, NULL);
    assert_memory_not_equal(a, a + 16, 64);
    assert_memory_not_equal(b, b + 16, 64);
    assert_memory_not_equal(c, c + 16, 64);
    assert_memory_not_equal(a, b, 64);
    assert_memory_not_equal(a, c, 64);
}

/* N of them, of C's type, and not those of anything else. */
TEST(the_bias)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 3, .n = 5, .k = 1, .type = VKMM_F16, .out_type = VKMM_F32,
                                              .compute = VKMM_F32, .has_bias = 1);
    float bias[6] = {0, 0, 0, 0, 0, 77}, other[5];
    cli_inputs_fill(&inputs, &problem, VKMM_BIAS, bias, NULL);
    vkmm_fill(other, 1, 5, VKMM_F32, VKMM_INIT_UNIFORM, vkmm_random_bits(inputs.seed, CLI_SEED_C));
    for (int i = 0; i < 5; i++) assert_true(bias[i] >= -1 && bias[i] < 1 && bias[i] != other[i]);
    assert_true(bias[5] == 77);
}

/* An operand without elements has no memory that could be filled, and costs nothing however many there are. */
TEST(empty_ones_are_left_alone)
{
    const vkmm_problem problem = VKMM_PROBLEM(.m = 0, .n = 3, .k = 0, .lda = 5, .offset_a = 9, .offset_b = 9,
                                              .offset_c = 9, .batch_count = UINT32_MAX, .stride_a = 1, .stride_b = 1);
    for (int o = VKMM_A; o <= VKMM_BIAS; o++) cli_inputs_fill(&inputs, &problem, (vkmm_operand)o, NULL, NULL);
}
