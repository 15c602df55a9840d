/* A·B alone, by vectors. */
#include "scaled.h"

#include "base/random.h"
#include "verify/check.h"

static const cli_verify_method FREIVALDS = CLI_VERIFY_FREIVALDS;

/* Far more rows and elements than the five whole rows and 64 single elements that are looked at besides the vectors. */
enum { M = 150, N = 310, K = 40 };

static uint64_t pick(uint64_t trial, uint64_t what, uint64_t below)
{
    return vkmm_random_bits(1234 + what, trial) % below;
}

static void assert_finds(scaled *s, uint64_t seed, uint64_t i, uint64_t j, double wrong)
{
    s->seed = seed;
    assert_caught(s, FREIVALDS, 0, i, j, wrong);
}

/* A NaN of C lies in the scratch tile when its row is recomputed, where only K = 5 of the tile's rows are then
 * written. */
TEST(test_nan_does_not_spread)
{
    scaled s = scaled_product(VKMM_F32, 20, 20, 5, VKMM_INIT_UNIFORM, 0);
    for (uint64_t i = 0; i < 20; i++) assert_finds(&s, 1, i, 3, NAN);
    scaled_end(&s);
}

/* Too little for the vectors, but twice the bound: whole rows see it, and count it once although there are fewer
 * rows than picks. */
TEST(test_a_small_error_in_a_whole_row)
{
    scaled s = scaled_product(VKMM_F32, 2, 400, 4, VKMM_INIT_ONES, 0);
    assert_finds(&s, 1, 0, 399, 4.0 + 0x1p-16);
    assert_finds(&s, 1, 1, 0, 4.0 + 0x1p-16);
    scaled_end(&s);
}

/* Off by 2^31: each vector sees it only when x_j is odd. Eight vectors would miss about 7 of these 2,000, 40 none. */
TEST(test_flipped_top_bits_of_integers_are_found)
{
    scaled s = scaled_product(VKMM_U32, 60, 60, 4, VKMM_INIT_INT, 0);
    for (uint64_t trial = 0; trial < 2000; trial++) {
        uint64_t i = pick(trial, 4, 60), j = pick(trial, 5, 60);
        assert_finds(&s, trial, i, j, scaled_get(&s, 0, i, j) + 2147483648.0);
    }
    scaled_end(&s);
}

/* Matrices lie by rows and by columns in turn. */
TEST(test_two_swapped_elements_are_found)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        scaled s = scaled_product((vkmm_type)t, M, N, K, VKMM_INIT_UNIFORM, t % 2);
        double x = scaled_get(&s, 0, 71, 30), y = scaled_get(&s, 0, 71, 201); /* in one row: their sum is right */
        assert_true(x != y);
        scaled_set(&s, VKMM_C, 71, 30, y);
        scaled_set(&s, VKMM_C, 71, 201, x);
        cli_verdict v = scaled_verify(&s, FREIVALDS);
        assert_true(!v.passed && v.has_element && v.row == 71 && v.wrong_count == 2);
        assert_contains(v.sentence, "at least 2 elements are wrong");
        scaled_end(&s);
    }
}

/* Nothing was computed: 8 rows are recomputed, not all. */
TEST(test_a_hopeless_product_is_not_recomputed_whole)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        scaled s = scaled_product((vkmm_type)t, M, N, K, VKMM_INIT_ONES, 0);
        memset(s.c, 0, M * N * vkmm_type_of((vkmm_type)t)->bytes);
        cli_verdict v = scaled_verify(&s, FREIVALDS);
        assert_true(!v.passed && v.got == 0.0 && v.want == K && v.wrong_count == UINT64_C(8) * N);
        scaled_end(&s);
    }
}

/* NaN in B spoils every residual, so that every row is compared element by element. */
TEST(test_nan_in_the_inputs)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        scaled s = scaled_product((vkmm_type)t, M, N, K, VKMM_INIT_ONES, 0);
        scaled_set(&s, VKMM_B, 3, 200, NAN);
        scaled_set(&s, VKMM_A, 77, 5, INFINITY);
        gemm(&s.p, s.a, s.b, s.c);
        assert_true(scaled_verify(&s, FREIVALDS).passed);
        assert_int_equal(scaled_verify(&s, FREIVALDS).nans, M); /* a column */
        assert_int_equal(scaled_verify(&s, FREIVALDS).infinities, N - 1);
        assert_finds(&s, 1, 120, 200, (double)K);
        assert_finds(&s, 1, 120, 201, NAN);
        assert_finds(&s, 1, 77, 9, -INFINITY);
        assert_finds(&s, 1, 77, 9, (double)K);
        assert_finds(&s, 1, 121, 9, K + 1.0);
        scaled_end(&s);
    }
}

/* f64 squares overflow in the row norms from 1e154 on: the check must not believe a bound of infinity. */
TEST(test_huge_values)
{
    scaled s = scaled_product(VKMM_F64, M, N, K, VKMM_INIT_UNIFORM, 0);
    for (uint64_t k = 0; k < K; k++)
        for (uint64_t j = 0; j < N; j++) scaled_set(&s, VKMM_B, k, j, gemm_get(VKMM_F64, s.b, k * N + j) * 1e200);
    gemm(&s.p, s.a, s.b, s.c);
    assert_true(scaled_verify(&s, FREIVALDS).passed);
    assert_finds(&s, 1, 100, 100, 0.0);
    scaled_end(&s);
}

static int passes_as(scaled *s, cli_numbers numbers, cli_verify_method method)
{
    s->numbers = numbers;
    const cli_verdict v = scaled_verify(s, method);
    assert_true(v.bound == (numbers == CLI_NUMBERS_RANDOM ? 64 : 2050)); /* √4096; 4096/2 + 2 */
    return v.passed;
}

/* 4096 times 0.7: each addition within a power of two rounds the same way, and the right sum is off by five times
 * √K. What no roundings explain is still wrong. */
TEST(test_numbers_with_a_pattern)
{
    scaled s = scaled_product(VKMM_F32, 20, 20, 4096, VKMM_INIT_ONES, 0);
    for (uint64_t i = 0; i < 20; i++)
        for (uint64_t k = 0; k < 4096; k++) scaled_set(&s, VKMM_A, i, k, 0.7);
    gemm(&s.p, s.a, s.b, s.c);
    assert_true(!passes_as(&s, CLI_NUMBERS_RANDOM, CLI_VERIFY_FULL));
    assert_true(passes_as(&s, CLI_NUMBERS_ANY, CLI_VERIFY_FULL));
    assert_true(passes_as(&s, CLI_NUMBERS_ANY, FREIVALDS));
    const double right = scaled_get(&s, 0, 19, 19);
    scaled_set(&s, VKMM_C, 19, 19, right - 4 * 0.7); /* four terms are missing */
    assert_true(!passes_as(&s, CLI_NUMBERS_ANY, CLI_VERIFY_FULL));
    assert_true(!passes_as(&s, CLI_NUMBERS_ANY, FREIVALDS));
    scaled_end(&s);
}

TEST(test_integers_need_more_vectors)
{
    static const char *const words[] = {[VKMM_F32] = "4 random vectors and 3 whole rows agree",
                                        [VKMM_I32] = "40 random vectors and 3 whole rows agree"};
    for (int t = VKMM_F32; t <= VKMM_I32; t += VKMM_I32 - VKMM_F32) {
        scaled s = scaled_product((vkmm_type)t, 17, 100, 100, VKMM_INIT_ONES, 0);
        assert_contains(scaled_verify(&s, FREIVALDS).sentence, words[t]);
        scaled_end(&s);
    }
}

/* Nothing makes a row of a right product stand out: recomputing it costs time. */
TEST(test_few_rows_are_recomputed)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        scaled s = scaled_product((vkmm_type)t, M, N, K, VKMM_INIT_UNIFORM, 0);
        const cli_claim claim = {.a = vkmm_operand_view(&s.p, VKMM_A, s.a, 0),
                                 .b = vkmm_operand_view(&s.p, VKMM_B, s.b, 0),
                                 .c = vkmm_operand_view(&s.p, VKMM_C, s.c, 0),
                                 .alpha = 1.0};
        uint64_t rows = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            cli_verdict found = {0}, verdict;
            vkmm_check check;
            assert_ok(cli_check_begin(&check, &claim, 1, FREIVALDS, seed, &found));
            const vkmm_status status = cli_check_matrix(&check, &claim, 0);
            rows += check.effort.recomputed;
            assert_ok(cli_check_end(&check, status, &verdict));
            assert_true(verdict.passed);
        }
        assert_true(rows < 10); /* of 3,000 */
        scaled_end(&s);
    }
}
