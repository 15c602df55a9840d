#include "product.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>

static const cli_verify_method FULL = CLI_VERIFY_FULL;

TEST(test_right_products_pass)
{
    static const uint64_t shapes[][3] = {{1, 1, 1},   {3, 3, 2},  {2, 6, 4},   {17, 300, 33}, {9, 257, 16},
                                         {8, 256, 4}, {64, 1, 5}, {1, 513, 7}, {5, 5, 1025},  {40, 40, 15}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            for (int columns = 0; columns < 2; columns++) {
                product p = make((vkmm_type)t, shapes[s][0], shapes[s][1], shapes[s][2], VKMM_INIT_UNIFORM, columns);
                cli_verdict v = verify(&p, FULL, 1);
                assert_true(v.passed && v.method == FULL && !v.has_element && v.wrong_count == 0);
                assert_true(v.error <= v.bound);
                discard(&p);
            }
        }
    }
}

/* In every type and both orders: the last element, one inside, and one at a tile's corner. */
TEST(test_one_wrong_element_is_found)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        for (int columns = 0; columns < 2; columns++) {
            product p = make((vkmm_type)t, 21, 259, 35, VKMM_INIT_INT, columns);
            assert_finds(&p, FULL, 1, 20, 258, get(&p.c, 20, 258) + 1);
            assert_finds(&p, FULL, 1, 7, 100, get(&p.c, 7, 100) + 1);
            assert_finds(&p, FULL, 1, 8, 256, get(&p.c, 8, 256) + 1);
            assert_true(passes(&p, FULL));
            discard(&p);
        }
    }
}

TEST(test_wrong_elements_are_counted_and_the_worst_is_named)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        product p = make((vkmm_type)t, 10, 20, 3, VKMM_INIT_ONES, 0);
        set(&p.c, 1, 2, 4);
        set(&p.c, 5, 7, 13);
        set(&p.c, 9, 19, 8);
        cli_verdict v = verify(&p, FULL, 1);
        assert_true(!v.passed && v.wrong_count == 3 && v.row == 5 && v.col == 7 && v.got == 13.0 && v.want == 3.0);
        assert_contains(v.sentence, "C[5][7] is 13, should be 3");
        assert_contains(v.sentence, "3 of 200 elements are wrong");
        discard(&p);
    }
}

/* 1 + 4096·2^-56: a double sum forgets every small term, and would be off by four times the bound of 2^-46. */
TEST(test_the_f64_reference_is_wider_than_f64)
{
    if (LDBL_MANT_DIG == DBL_MANT_DIG) skip();
    product p = make(VKMM_F64, 2, 2, 4097, VKMM_INIT_ONES, 0);
    for (uint64_t k = 1; k < 4097; k++)
        for (uint64_t i = 0; i < 2; i++) set(&p.a, i, k, 0x1p-56);
    for (uint64_t i = 0; i < 2; i++)
        for (uint64_t j = 0; j < 2; j++) set(&p.c, i, j, 1.0 + 0x1p-44);
    assert_true(passes(&p, FULL));
    assert_finds(&p, FULL, 1, 1, 0, 1.0);
    discard(&p);
}

TEST(test_nan_and_infinity_in_a_finite_product_are_wrong)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        product p = make((vkmm_type)t, 12, 300, 20, VKMM_INIT_UNIFORM, 0);
        for (size_t b = 0; b < 3; b++) {
            assert_finds(&p, FULL, 1, 11, 299, bad[b]);
            assert_finds(&p, FULL, 1, 0, 0, bad[b]);
        }
        set(&p.c, 3, 4, NAN);
        assert_contains(verify(&p, FULL, 1).sentence, "C[3][4] is nan, should be ");
        discard(&p);
    }
}

TEST(test_nan_and_infinity_of_the_inputs_must_come_out)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        product p = make((vkmm_type)t, 6, 6, 6, VKMM_INIT_ONES, 0);
        set(&p.a, 1, 2, NAN);       /* row 1: NaN */
        set(&p.a, 3, 2, INFINITY);  /* row 3: infinity */
        set(&p.b, 2, 4, 0.0);       /* C[3][4]: infinity · 0 = NaN */
        set(&p.a, 5, 0, -INFINITY); /* row 5: minus infinity */
        multiply(&p);
        assert_true(isnan(get(&p.c, 3, 4)) && get(&p.c, 5, 5) == (double)-INFINITY);
        assert_true(passes(&p, FULL));
        assert_int_equal(verify(&p, FULL, 1).nans, 7);
        assert_int_equal(verify(&p, FULL, 1).infinities, 11);
        assert_contains(verify(&p, FULL, 1).sentence, "; NaN: 7, infinite: 11");
        assert_finds(&p, FULL, 1, 1, 1, 5.0);
        assert_finds(&p, FULL, 1, 1, 1, INFINITY);
        assert_finds(&p, FULL, 1, 3, 1, NAN);
        assert_finds(&p, FULL, 1, 3, 1, -INFINITY);
        assert_finds(&p, FULL, 1, 3, 1, 7.0);
        assert_finds(&p, FULL, 1, 3, 4, 7.0);
        assert_finds(&p, FULL, 1, 5, 0, INFINITY);
        assert_finds(&p, FULL, 1, 2, 2, NAN);
        discard(&p);
    }
}

TEST(test_overflow_of_the_type_is_infinity)
{
    static const double half[] = {[VKMM_F32] = 1e30, [VKMM_F64] = 1e200},
                        top[] = {[VKMM_F32] = FLT_MAX, [VKMM_F64] = DBL_MAX};
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        product p = make((vkmm_type)t, 1, 1, 1, VKMM_INIT_ONES, 0);
        set(&p.a, 0, 0, half[t]);
        set(&p.b, 0, 0, half[t]);
        set(&p.c, 0, 0, INFINITY);
        assert_true(passes(&p, FULL));
        assert_finds(&p, FULL, 1, 0, 0, 5.0);
        assert_finds(&p, FULL, 1, 0, 0, -5.0);
        set(&p.a, 0, 0, top[t]); /* the last finite value: rounding may reach infinity, but not minus infinity */
        set(&p.b, 0, 0, 1.0);
        assert_true(passes(&p, FULL));
        assert_finds(&p, FULL, 1, 0, 0, -INFINITY);
        assert_finds(&p, FULL, 1, 0, 0, NAN);
        discard(&p);
    }
}

/* huge − huge: a kernel in the type's arithmetic gets infinity − infinity. But where no partial sum can overflow,
 * NaN is wrong. */
TEST(test_overflow_of_partial_sums)
{
    static const double huge[] = {[VKMM_F32] = 1e30, [VKMM_F64] = 1e200};
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        product p = make((vkmm_type)t, 1, 1, 2, VKMM_INIT_ONES, 0);
        set(&p.a, 0, 0, huge[t]);
        set(&p.a, 0, 1, -huge[t]);
        set(&p.c, 0, 0, 0.0);
        assert_true(passes(&p, FULL));
        assert_finds(&p, FULL, 1, 0, 0, NAN);
        set(&p.b, 0, 0, huge[t]);
        set(&p.b, 1, 0, huge[t]);
        set(&p.c, 0, 0, NAN);
        assert_true(passes(&p, FULL));
        discard(&p);
    }
}

TEST(test_empty_products)
{
    static const cli_verify_method methods[] = {CLI_VERIFY_AUTO, CLI_VERIFY_FULL, CLI_VERIFY_FREIVALDS};
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        for (size_t m = 0; m < 3; m++) {
            product no_rows = make((vkmm_type)t, 0, 5, 3, VKMM_INIT_ONES, 0),
                    no_cols = make((vkmm_type)t, 5, 0, 3, VKMM_INIT_ONES, 0);
            product no_terms = make((vkmm_type)t, 5, 7, 0, VKMM_INIT_ONES, 0);
            assert_true(passes(&no_rows, methods[m]) && passes(&no_cols, methods[m]) && passes(&no_terms, methods[m]));
            assert_contains(verify(&no_rows, methods[m], 1).sentence, "empty");
            assert_finds(&no_terms, methods[m], 1, 4, 6, 1.0);
            if (t <= VKMM_F64) assert_finds(&no_terms, methods[m], 1, 4, 6, NAN);
            discard(&no_rows);
            discard(&no_cols);
            discard(&no_terms);
        }
    }
}

TEST(test_arguments_and_methods)
{
    heard h;
    vkmm_log log = hear_with(&h);
    cli_verdict v = {.wrong_count = 77};
    product p = make(VKMM_F32, 4, 5, 6, VKMM_INIT_ONES, 0), q = make(VKMM_F64, 4, 5, 6, VKMM_INIT_ONES, 0);
    assert_int_equal(vkmm_verify(&log, &p.b, &p.a, &p.c, FULL, 1, &v), VKMM_INVALID);
    assert_contains(h.last, "A is 6×5, B is 4×6, C is 4×5");
    assert_int_equal(vkmm_verify(&log, &p.a, &q.b, &p.c, FULL, 1, &v), VKMM_INVALID);
    assert_contains(h.last, "A (f32), B (f64) and C (f32)");
    assert_true(v.wrong_count == 77);
    v = verify(&p, CLI_VERIFY_NONE, 1);
    assert_true(!v.passed && v.method == CLI_VERIFY_NONE && !v.has_element);
    vkmm_alloc_fail_after(1);
    assert_int_equal(vkmm_verify(&log, &p.a, &p.b, &p.c, FULL, 1, &v), VKMM_OUT_OF_MEMORY);
    vkmm_alloc_fail_after(0);
    assert_string_equal(cli_verify_method_name(CLI_VERIFY_FREIVALDS), "freivalds");
    discard(&p);
    discard(&q);
}
