/* A·B alone: every element against the reference, and against vectors where both must say the same. */
#include "scaled.h"

#include <float.h>

static const cli_verify_method FULL = CLI_VERIFY_FULL;

static void assert_finds(const scaled *s, uint64_t i, uint64_t j, double wrong)
{
    assert_caught(s, FULL, 0, i, j, wrong);
}

TEST(test_right_products_pass)
{
    static const uint64_t shapes[][3] = {{1, 1, 1},      {3, 3, 2},   {2, 6, 4},   {17, 300, 33}, {9, 257, 16},
                                         {8, 256, 4},    {64, 1, 5},  {1, 513, 7}, {5, 5, 1025},  {40, 40, 15},
                                         {150, 310, 40}, {700, 5, 3}, {5, 700, 3}};
    static const vkmm_init inits[] = {VKMM_INIT_UNIFORM, VKMM_INIT_ONES, VKMM_INIT_ZEROS, VKMM_INIT_INDEX};
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++)
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++)
            for (int i = 0; i < 8; i++) {
                scaled s = scaled_product((vkmm_type)t, shapes[n][0], shapes[n][1], shapes[n][2], inits[i / 2], i % 2);
                for (size_t m = 0; m < 2; m++) {
                    assert_right(&s, verify_methods[m]);
                    assert_int_equal(scaled_verify(&s, verify_methods[m]).method, verify_methods[m]);
                }
                scaled_end(&s);
            }
}

/* In every type and both orders: the last element, one inside, and one at a tile's corner. */
TEST(test_one_wrong_element_is_found)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        for (int columns = 0; columns < 2; columns++) {
            scaled s = scaled_product((vkmm_type)t, 21, 259, 35, VKMM_INIT_INT, columns);
            assert_finds(&s, 20, 258, scaled_get(&s, 0, 20, 258) + 1);
            assert_finds(&s, 7, 100, scaled_get(&s, 0, 7, 100) + 1);
            assert_finds(&s, 8, 256, scaled_get(&s, 0, 8, 256) + 1);
            assert_true(scaled_verify(&s, FULL).passed);
            scaled_end(&s);
        }
    }
}

TEST(test_wrong_elements_are_counted_and_the_worst_is_named)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        scaled s = scaled_product((vkmm_type)t, 10, 20, 3, VKMM_INIT_ONES, 0);
        scaled_set(&s, VKMM_C, 1, 2, 4);
        scaled_set(&s, VKMM_C, 5, 7, 13);
        scaled_set(&s, VKMM_C, 9, 19, 8);
        cli_verdict v = scaled_verify(&s, FULL);
        assert_true(!v.passed && v.wrong_count == 3 && v.row == 5 && v.col == 7 && v.got == 13.0 && v.want == 3.0);
        assert_contains(v.sentence, "C[5][7] is 13, should be 3");
        assert_contains(v.sentence, "3 of 200 elements are wrong");
        scaled_end(&s);
    }
}

/* 1 + 4096·2^-56: a double sum forgets every small term, and would be off by four times the bound of 2^-46. */
TEST(test_the_f64_reference_is_wider_than_f64)
{
    if (LDBL_MANT_DIG == DBL_MANT_DIG) skip();
    scaled s = scaled_product(VKMM_F64, 2, 2, 4097, VKMM_INIT_ONES, 0);
    for (uint64_t k = 1; k < 4097; k++)
        for (uint64_t i = 0; i < 2; i++) scaled_set(&s, VKMM_A, i, k, 0x1p-56);
    for (uint64_t i = 0; i < 2; i++)
        for (uint64_t j = 0; j < 2; j++) scaled_set(&s, VKMM_C, i, j, 1.0 + 0x1p-44);
    assert_true(scaled_verify(&s, FULL).passed);
    assert_finds(&s, 1, 0, 1.0);
    scaled_end(&s);
}

TEST(test_nan_and_infinity_of_the_inputs_must_come_out)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        scaled s = scaled_product((vkmm_type)t, 6, 6, 6, VKMM_INIT_ONES, 0);
        scaled_set(&s, VKMM_A, 1, 2, NAN);       /* row 1: NaN */
        scaled_set(&s, VKMM_A, 3, 2, INFINITY);  /* row 3: infinity */
        scaled_set(&s, VKMM_B, 2, 4, 0.0);       /* C[3][4]: infinity · 0 = NaN */
        scaled_set(&s, VKMM_A, 5, 0, -INFINITY); /* row 5: minus infinity */
        gemm(&s.p, s.a, s.b, s.c);
        assert_true(isnan(scaled_get(&s, 0, 3, 4)) && scaled_get(&s, 0, 5, 5) == (double)-INFINITY);
        assert_true(scaled_verify(&s, FULL).passed);
        assert_int_equal(scaled_verify(&s, FULL).nans, 7);
        assert_int_equal(scaled_verify(&s, FULL).infinities, 11);
        assert_contains(scaled_verify(&s, FULL).sentence, "; NaN: 7, infinite: 11");
        assert_finds(&s, 1, 1, 5.0);
        assert_finds(&s, 1, 1, INFINITY);
        assert_finds(&s, 3, 1, NAN);
        assert_finds(&s, 3, 1, -INFINITY);
        assert_finds(&s, 3, 1, 7.0);
        assert_finds(&s, 3, 4, 7.0);
        assert_finds(&s, 5, 0, INFINITY);
        assert_finds(&s, 2, 2, NAN);
        assert_finds(&s, 2, 2, INFINITY);
        scaled_set(&s, VKMM_C, 2, 2, NAN);
        assert_contains(scaled_verify(&s, FULL).sentence, "C[2][2] is nan, should be 6");
        scaled_end(&s);
    }
}

TEST(test_overflow_of_the_type_is_infinity)
{
    static const double half[] = {[VKMM_F32] = 1e30, [VKMM_F64] = 1e200},
                        top[] = {[VKMM_F32] = FLT_MAX, [VKMM_F64] = DBL_MAX};
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        scaled s = scaled_product((vkmm_type)t, 1, 1, 1, VKMM_INIT_ONES, 0);
        scaled_set(&s, VKMM_A, 0, 0, half[t]);
        scaled_set(&s, VKMM_B, 0, 0, half[t]);
        scaled_set(&s, VKMM_C, 0, 0, INFINITY);
        assert_true(scaled_verify(&s, FULL).passed);
        assert_finds(&s, 0, 0, 5.0);
        assert_finds(&s, 0, 0, -5.0);
        scaled_set(&s, VKMM_A, 0, 0,
                   top[t]); /* the last finite value: rounding may reach infinity, but not minus infinity */
        scaled_set(&s, VKMM_B, 0, 0, 1.0);
        assert_true(scaled_verify(&s, FULL).passed);
        assert_finds(&s, 0, 0, -INFINITY);
        assert_finds(&s, 0, 0, NAN);
        scaled_end(&s);
    }
}

/* huge − huge: a kernel in the type's arithmetic gets infinity − infinity. But where no partial sum can overflow,
 * NaN is wrong. */
TEST(test_overflow_of_partial_sums)
{
    static const double huge[] = {[VKMM_F32] = 1e30, [VKMM_F64] = 1e200};
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        scaled s = scaled_product((vkmm_type)t, 1, 1, 2, VKMM_INIT_ONES, 0);
        scaled_set(&s, VKMM_A, 0, 0, huge[t]);
        scaled_set(&s, VKMM_A, 0, 1, -huge[t]);
        scaled_set(&s, VKMM_C, 0, 0, 0.0);
        assert_true(scaled_verify(&s, FULL).passed);
        assert_finds(&s, 0, 0, NAN);
        scaled_set(&s, VKMM_B, 0, 0, huge[t]);
        scaled_set(&s, VKMM_B, 1, 0, huge[t]);
        scaled_set(&s, VKMM_C, 0, 0, NAN);
        assert_true(scaled_verify(&s, FULL).passed);
        scaled_end(&s);
    }
}

TEST(test_empty_products)
{
    static const cli_verify_method all[] = {CLI_VERIFY_AUTO, CLI_VERIFY_FULL, CLI_VERIFY_FREIVALDS};
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++)
        for (size_t m = 0; m < 3; m++) {
            scaled no_rows = scaled_product((vkmm_type)t, 0, 5, 3, VKMM_INIT_ONES, 0),
                   no_cols = scaled_product((vkmm_type)t, 5, 0, 3, VKMM_INIT_ONES, 0),
                   no_terms = scaled_product((vkmm_type)t, 5, 7, 0, VKMM_INIT_ONES, 0);
            assert_contains(scaled_verify(&no_rows, all[m]).sentence, "empty");
            assert_right(&no_rows, all[m]);
            assert_right(&no_cols, all[m]);
            assert_right(&no_terms, all[m]);
            assert_caught(&no_terms, all[m], 0, 4, 6, 1.0);
            if (t <= VKMM_F64) assert_caught(&no_terms, all[m], 0, 4, 6, NAN);
            scaled_end(&no_rows);
            scaled_end(&no_cols);
            scaled_end(&no_terms);
        }
}
