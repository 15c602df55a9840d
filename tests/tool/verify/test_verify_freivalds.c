#include "product.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>

static const cli_verify_method FREIVALDS = CLI_VERIFY_FREIVALDS;

/* Far more rows and elements than the five whole rows and 64 single elements that are looked at besides the vectors. */
enum { M = 150, N = 310, K = 40 };

static uint64_t pick(uint64_t trial, uint64_t what, uint64_t below)
{
    return vkmm_random_bits(1234 + what, trial) % below;
}

TEST(test_right_products_pass)
{
    static const uint64_t shapes[][3] = {{1, 1, 1}, {M, N, K}, {5, 700, 3}, {700, 5, 3}, {20, 20, 1500}, {17, 257, 33}};
    static const vkmm_init inits[] = {VKMM_INIT_UNIFORM, VKMM_INIT_ONES, VKMM_INIT_ZEROS, VKMM_INIT_INDEX};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            for (int i = 0; i < 4; i++) {
                product p = make((vkmm_type)t, shapes[s][0], shapes[s][1], shapes[s][2], inits[i], i % 2);
                cli_verdict v = verify(&p, FREIVALDS, 3);
                assert_true(v.passed && v.method == FREIVALDS && !v.has_element && v.wrong_count == 0 &&
                            v.error <= v.bound);
                discard(&p);
            }
        }
    }
}

/* A float error is seen when it exceeds its own bound by the root of the row's length; two more powers of two make
 * x_j near zero harmless. */
static double visible(const product *p, uint64_t i, uint64_t j)
{
    double scale = 0.0;
    for (uint64_t k = 0; k < p->a.cols; k++) scale += fabs(get(&p->a, i, k) * get(&p->b, k, j));
    return 8.0 * sqrt((double)p->c.cols) * cli_tolerance(p->a.cols, CLI_NUMBERS_RANDOM) *
           vkmm_type_of(p->c.type)->epsilon * scale;
}

TEST(test_one_wrong_element_is_found_anywhere)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        for (int columns = 0; columns < 2; columns++) {
            product p = make((vkmm_type)t, M, N, K, VKMM_INIT_UNIFORM, columns);
            for (uint64_t trial = 0; trial < 100; trial++) {
                uint64_t i = pick(trial, 0, M), j = pick(trial, 1, N);
                double off = visible(&p, i, j);
                assert_finds(&p, FREIVALDS, trial, i, j, get(&p.c, i, j) + (trial % 2 ? off : -off));
            }
            discard(&p);
        }
    }
}

/* A NaN of C lies in the scratch tile when its row is recomputed, where only K = 5 of the tile's rows are then
 * written. */
TEST(test_nan_does_not_spread)
{
    product p = make(VKMM_F32, 20, 20, 5, VKMM_INIT_UNIFORM, 0);
    for (uint64_t i = 0; i < 20; i++) assert_finds(&p, FREIVALDS, 1, i, 3, NAN);
    discard(&p);
}

/* Too little for the vectors, but twice the bound: whole rows see it, and count it once although there are fewer
 * rows than picks. */
TEST(test_a_small_error_in_a_whole_row)
{
    product p = make(VKMM_F32, 2, 400, 4, VKMM_INIT_ONES, 0);
    assert_finds(&p, FREIVALDS, 1, 0, 399, 4.0 + 0x1p-16);
    assert_finds(&p, FREIVALDS, 1, 1, 0, 4.0 + 0x1p-16);
    discard(&p);
}

/* Off by 2^31: each vector sees it only when x_j is odd. Eight vectors would miss about 7 of these 2,000, 40 none. */
TEST(test_flipped_top_bits_of_integers_are_found)
{
    product p = make(VKMM_U32, 60, 60, 4, VKMM_INIT_INT, 0);
    for (uint64_t trial = 0; trial < 2000; trial++) {
        uint64_t i = pick(trial, 4, 60), j = pick(trial, 5, 60);
        assert_finds(&p, FREIVALDS, trial, i, j, get(&p.c, i, j) + 2147483648.0);
    }
    discard(&p);
}

TEST(test_integer_errors_are_found)
{
    for (int columns = 0; columns < 2; columns++) {
        product p = make(VKMM_I32, M, N, K, VKMM_INIT_UNIFORM, columns);
        for (uint64_t trial = 0; trial < 40; trial++) {
            uint64_t i = pick(trial, 6, M), j = pick(trial, 7, N);
            double right = get(&p.c, i, j);
            assert_finds(&p, FREIVALDS, trial, i, j,
                         right > 0 ? right - (double)(1 << trial % 31) : right + (double)(1 << trial % 31));
        }
        discard(&p);
    }
}

TEST(test_two_swapped_elements_are_found)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        product p = make((vkmm_type)t, M, N, K, VKMM_INIT_UNIFORM, 0);
        double x = get(&p.c, 71, 30), y = get(&p.c, 71, 201); /* in one row: their sum is right */
        assert_true(x != y);
        set(&p.c, 71, 30, y);
        set(&p.c, 71, 201, x);
        cli_verdict v = verify(&p, FREIVALDS, 1);
        assert_true(!v.passed && v.has_element && v.row == 71 && v.wrong_count == 2);
        assert_contains(v.sentence, "at least 2 elements are wrong");
        discard(&p);
    }
}

/* Nothing was computed: 8 rows are recomputed, not all. */
TEST(test_a_hopeless_product_is_not_recomputed_whole)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        product p = make((vkmm_type)t, M, N, K, VKMM_INIT_ONES, 0);
        memset(p.data[2], 0, M * N * vkmm_type_of((vkmm_type)t)->bytes);
        cli_verdict v = verify(&p, FREIVALDS, 1);
        assert_true(!v.passed && v.got == 0.0 && v.want == K && v.wrong_count == UINT64_C(8) * N);
        discard(&p);
    }
}

/* NaN in B spoils every residual, so that every row is compared element by element. */
TEST(test_nan_in_the_inputs)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        product p = make((vkmm_type)t, M, N, K, VKMM_INIT_ONES, 0);
        set(&p.b, 3, 200, NAN);
        set(&p.a, 77, 5, INFINITY);
        multiply(&p);
        assert_true(passes(&p, FREIVALDS));
        assert_int_equal(verify(&p, FREIVALDS, 1).nans, M); /* a column */
        assert_int_equal(verify(&p, FREIVALDS, 1).infinities, N - 1);
        assert_finds(&p, FREIVALDS, 1, 120, 200, (double)K);
        assert_finds(&p, FREIVALDS, 1, 120, 201, NAN);
        assert_finds(&p, FREIVALDS, 1, 77, 9, -INFINITY);
        assert_finds(&p, FREIVALDS, 1, 77, 9, (double)K);
        assert_finds(&p, FREIVALDS, 1, 121, 9, K + 1.0);
        discard(&p);
    }
}

/* f64 squares overflow in the row norms from 1e154 on: the check must not believe a bound of infinity. */
TEST(test_huge_values)
{
    product p = make(VKMM_F64, M, N, K, VKMM_INIT_UNIFORM, 0);
    for (uint64_t k = 0; k < K; k++)
        for (uint64_t j = 0; j < N; j++) set(&p.b, k, j, get(&p.b, k, j) * 1e200);
    multiply(&p);
    assert_true(passes(&p, FREIVALDS));
    assert_finds(&p, FREIVALDS, 1, 100, 100, 0.0);
    discard(&p);
}

static int passes_as(const product *p, cli_numbers numbers, cli_verify_method method)
{
    const cli_claim claim = {.a = p->a, .b = p->b, .c = p->c, .alpha = 1.0, .numbers = numbers};
    cli_verdict v;
    assert_int_equal(vkmm_verify_claim(NULL, &claim, method, 1, &v), VKMM_OK);
    assert_true(v.bound == cli_tolerance(p->a.cols, numbers) && (!v.passed || v.error <= v.bound));
    return v.passed;
}

/* 4096 times 0.7: each addition within a power of two rounds the same way, and the right sum is off by five times
 * √K. What no roundings explain is still wrong. */
TEST(test_numbers_with_a_pattern)
{
    product p = make(VKMM_F32, 20, 20, 4096, VKMM_INIT_ONES, 0);
    for (uint64_t i = 0; i < 20; i++)
        for (uint64_t k = 0; k < 4096; k++) set(&p.a, i, k, 0.7);
    multiply(&p);
    assert_true(!passes_as(&p, CLI_NUMBERS_RANDOM, CLI_VERIFY_FULL));
    assert_true(passes_as(&p, CLI_NUMBERS_ANY, CLI_VERIFY_FULL));
    assert_true(passes_as(&p, CLI_NUMBERS_ANY, FREIVALDS));
    const double right = get(&p.c, 19, 19);
    set(&p.c, 19, 19, right - 4 * 0.7); /* four terms are missing */
    assert_true(!passes_as(&p, CLI_NUMBERS_ANY, CLI_VERIFY_FULL));
    assert_true(!passes_as(&p, CLI_NUMBERS_ANY, FREIVALDS));
    discard(&p);
}

TEST(test_tolerances)
{
    assert_true(cli_tolerance(28, CLI_NUMBERS_ANY) == 16.0 && cli_tolerance(256, CLI_NUMBERS_RANDOM) == 16.0);
    assert_true(cli_tolerance(256, CLI_NUMBERS_ANY) == 130.0 && cli_tolerance(4096, CLI_NUMBERS_ANY) == 2050.0);
}

TEST(test_auto_chooses)
{
    product p = make(VKMM_F32, 17, 1000, 1000, VKMM_INIT_ONES, 0);
    cli_verdict v = verify(&p, CLI_VERIFY_AUTO, 1);
    assert_true(v.passed && v.method == FREIVALDS); /* 17 million products */
    assert_contains(v.sentence, "4 random vectors and 3 whole rows agree");
    p.a.rows = p.c.rows = 16;
    assert_int_equal(verify(&p, CLI_VERIFY_AUTO, 1).method, CLI_VERIFY_FULL);
    discard(&p);
    p = make(VKMM_I32, 17, 1000, 1000, VKMM_INIT_ONES, 0);
    assert_int_equal(verify(&p, CLI_VERIFY_AUTO, 1).method, CLI_VERIFY_FULL);
    assert_contains(verify(&p, FREIVALDS, 1).sentence, "40 random vectors and 3 whole rows agree");
    discard(&p);
}

/* Nothing makes a row of a right product stand out: recomputing it costs time. */
TEST(test_few_rows_are_recomputed)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        product p = make((vkmm_type)t, M, N, K, VKMM_INIT_UNIFORM, 0);
        const cli_claim claim = {.a = p.a, .b = p.b, .c = p.c, .alpha = 1.0};
        uint64_t rows = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            cli_verdict found = {0}, verdict;
            vkmm_check check;
            assert_int_equal(cli_check_begin(&check, NULL, &claim, 1, FREIVALDS, seed, &found), VKMM_OK);
            const vkmm_status status = cli_check_matrix(&check, &claim, 0);
            rows += check.effort.recomputed;
            assert_int_equal(cli_check_end(&check, status, &verdict), VKMM_OK);
            assert_true(verdict.passed);
        }
        assert_true(rows < 10); /* of 3,000 */
        discard(&p);
    }
}
