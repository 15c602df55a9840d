/* f16 and bf16 at the ends of their range: the rounding of C, sums and elements that overflow, subnormals, NaN and
 * infinity. */
#include "scaled.h"

/* C is rounded to nearest, once. */
TEST(test_rounding_of_c)
{
    const vkmm_types to_half = {VKMM_F16, VKMM_F16, VKMM_F32}, to_bf16 = {VKMM_BF16, VKMM_BF16, VKMM_F32};
    const vkmm_types *const kinds[] = {&to_half, &to_bf16};
    for (size_t t = 0; t < 2; t++) {
        const double epsilon = vkmm_type_of(kinds[t]->out)->epsilon;
        vkmm_problem p = scaled_by(scaled_typed(1, 1, 1, *kinds[t]), 1, 0);
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int step = 1; step < 16;
                 step++) {               /* between 1 and the next number, and from 2 on, where spacings double */
                if (step == 8) continue; /* a tie: both are as near */
                scaled s = scaled_make(&p, VKMM_INIT_ONES);
                s.p.alpha = sign * (1 + epsilon * step / 16);
                for (int up = 0; up < 3; up++)
                    assert_int_equal(accepts(&s, sign * (1 + epsilon * (up - 1))), up == 1 + (step > 8));
                s.p.alpha = sign * (2 - epsilon * step / 16);
                for (int up = 0; up < 2; up++)
                    assert_int_equal(accepts(&s, sign * (2 - epsilon * up)), up == (step > 8));
                scaled_end(&s);
            }
        }
    }
}

/* α·1: at the edges of f16 and bf16. */
TEST(test_c_beyond_the_range)
{
    const struct {
        vkmm_types types;
        double edge, most; /* infinite from `edge` on */
    } cases[] = {{{VKMM_F16, VKMM_F16, VKMM_F32}, 65520.0, 65504.0},
                 {{VKMM_BF16, VKMM_BF16, VKMM_F32}, 0x1.ffp127, 0x1.fep127}};
    for (size_t i = 0; i < 2; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct {
                double value;
                int finite, infinite;
            } values[] = {{cases[i].edge * (1 - 0x1p-16), 1, 0},
                          {cases[i].edge, 1, 1},
                          {cases[i].edge * (1 + 0x1p-16), 0, 1},
                          {0x1.ffffp127, 0, 1}};
            for (size_t v = 0; v < 4; v++) {
                const vkmm_problem p = scaled_by(scaled_typed(1, 1, 1, cases[i].types), sign * values[v].value, 0);
                scaled s = scaled_make(&p, VKMM_INIT_ONES);
                assert_int_equal(accepts(&s, sign * cases[i].most), values[v].finite);
                assert_int_equal(accepts(&s, (double)sign * INFINITY), values[v].infinite);
                assert_false(accepts(&s, -(double)sign * INFINITY));
                assert_false(accepts(&s, NAN));
                scaled_end(&s);
            }
        }
    }
}

/* 600 terms of 16·16: 153,600. In f16 sums that is infinite and said to be; in f32 sums finite, and infinite where C
 * is f16. */
TEST(test_sums_that_overflow)
{
    const vkmm_types kinds[] = {{VKMM_F16, VKMM_F16, VKMM_F16},
                                {VKMM_F16, VKMM_F32, VKMM_F16},
                                {VKMM_F32, VKMM_F32, VKMM_F16},
                                {VKMM_F16, VKMM_F32, VKMM_F32},
                                {VKMM_F16, VKMM_F16, VKMM_F32}};
    for (int t = 0; t < 5; t++) {
        const vkmm_problem p = scaled_typed(30, 40, 600, kinds[t]);
        for (int m = 0; m < 2; m++) {
            scaled s = scaled_make(&p, VKMM_INIT_ONES);
            for (uint64_t at = 0; at < 30 * 600; at++) gemm_set(p.type, s.a, at, 16);
            for (uint64_t at = 0; at < 40 * 600; at++) gemm_set(p.type, s.b, at, 16);
            gemm(&p, s.a, s.b, s.c);
            assert_int_equal(isinf(scaled_get(&s, 0, 3, 4)) != 0, t != 3);
            assert_right(&s, verify_methods[m]);
            const cli_verdict v = scaled_verify(&s, verify_methods[m]);
            assert_int_equal(strstr(v.sentence, "overflowed, for f16 ends at 65504") != NULL, t != 3);
            if (m == 0 && t != 3) assert_contains(v.sentence, "; 1200 of them overflowed");
            if (t == 3) assert_caught(&s, verify_methods[m], 0, 3, 4, INFINITY);
            if (t == 4) assert_caught(&s, verify_methods[m], 0, 3, 4, 65504);
            scaled_end(&s);
        }
    }
}

/* f32 is rounded to f16 before it is multiplied: to infinity, to nothing, to the nearest. */
TEST(test_f32_goes_through_f16_when_told)
{
    const vkmm_types types = {VKMM_F32, VKMM_F32, VKMM_F16}, plain = {VKMM_F32, VKMM_F32, VKMM_F32};
    assert_true(scaled_accepts(types, VKMM_ACTIVATION_NONE, 1e6, INFINITY) &&
                !scaled_accepts(types, VKMM_ACTIVATION_NONE, 1e6, 1e6));
    assert_true(scaled_accepts(types, VKMM_ACTIVATION_NONE, 1e-9, 0) &&
                scaled_accepts(plain, VKMM_ACTIVATION_NONE, 1e6, 1e6));
    assert_true(scaled_accepts(types, VKMM_ACTIVATION_NONE, 1.0 + 0x1p-12, 1.0) &&
                !scaled_accepts(plain, VKMM_ACTIVATION_NONE, 1.0 + 0x1p-12, 1.0));
    assert_false(scaled_accepts(plain, VKMM_ACTIVATION_NONE, 1e6, INFINITY));
}

/* Vulkan lets devices flush subnormal factors and results, and nothing else. */
TEST(test_subnormals_may_be_flushed)
{
    const vkmm_types half = {VKMM_F16, VKMM_F16, VKMM_F32}, wide = {VKMM_F16, VKMM_F32, VKMM_F32};
    for (double x = 0x1p-24; x < 0x1p-13; x *= 2) {
        assert_true(scaled_accepts(half, VKMM_ACTIVATION_NONE, x, x) &&
                    scaled_accepts(wide, VKMM_ACTIVATION_NONE, x, x));
        assert_int_equal(scaled_accepts(half, VKMM_ACTIVATION_NONE, x, 0),
                         x <= 0x1p-14); /* at 2^-14 a device may have come from below */
        assert_int_equal(scaled_accepts(wide, VKMM_ACTIVATION_NONE, x, 0), x < 0x1p-14);
        assert_false(scaled_accepts(wide, VKMM_ACTIVATION_NONE, x, 2.5 * x) ||
                     scaled_accepts(wide, VKMM_ACTIVATION_NONE, x, -1.5 * x));
    }
    /* 5·2^-16 + 3·1: the first may be missing, the second not. */
    const vkmm_problem p = scaled_typed(1, 1, 2, wide);
    scaled s = scaled_make(&p, VKMM_INIT_ONES);
    gemm_set(VKMM_F16, s.a, 0, 0x1p-16);
    gemm_set(VKMM_F16, s.b, 0, 5);
    gemm_set(VKMM_F16, s.a, 1, 3);
    const double values[] = {3 + 0x5p-16, 3, 0x5p-16, 0, 3 + 0xbp-16};
    for (int i = 0; i < 5; i++) assert_int_equal(accepts(&s, values[i]), i < 2);
    scaled_end(&s);
}

/* The same of α times a product, of c₀ and of the bias: each alone is all that C is. */
TEST(test_what_is_added_may_be_flushed)
{
    const vkmm_types half = {VKMM_F16, VKMM_F16, VKMM_F32};
    vkmm_problem p = scaled_by(scaled_typed(1, 1, 1, half), 512, 1024);
    p.has_bias = 1;
    for (int which = 0; which < 3; which++) {
        scaled s = scaled_make(&p, VKMM_INIT_ZEROS);
        gemm_set(VKMM_F16, s.b, 0, 1);
        gemm_set(VKMM_F16, which == 0 ? s.a : which == 1 ? s.before : s.bias, 0, 0x1p-15);
        const double right = which == 0 ? 0x1p-6 : which == 1 ? 0x1p-5 : 0x1p-15;
        assert_true(accepts(&s, right));
        assert_true(accepts(&s, 0));
        assert_false(accepts(&s, right * 2.5));
        scaled_end(&s);
    }
    /* Beside what C holds anyway, the bias alone may be missing. */
    p = scaled_typed(1, 1, 1, half);
    p.has_bias = 1;
    scaled s = scaled_make(&p, VKMM_INIT_ONES);
    gemm_set(VKMM_F16, s.a, 0, 0x1p-13);
    gemm_set(VKMM_F16, s.bias, 0, 0x1p-15);
    for (int parts = 0; parts < 3; parts++)
        assert_int_equal(accepts(&s, parts == 0 ? 0x1p-13 : parts == 1 ? 0x1.4p-13 : 0x1p-15), parts < 2);
    scaled_end(&s);
    p = scaled_by(VKMM_PROBLEM(.m = 1, .n = 1, .k = 0, .has_bias = 1), 1, 0);
    s = scaled_make(&p, VKMM_INIT_ONES);
    gemm_set(VKMM_F32, s.bias, 0, 0x1p-127);
    assert_true(accepts(&s, 0));
    scaled_end(&s);
}

/* 300·300 - 300·290 = 3000: in f16 the first is infinite, with a sign that the order of the terms decides; relu then
 * makes 0 of it, but never -∞. */
TEST(test_relu_of_sums_that_overflow)
{
    vkmm_problem p = scaled_typed(1, 1, 2, (vkmm_types){VKMM_F16, VKMM_F32, VKMM_F16});
    for (int a = VKMM_ACTIVATION_NONE; a <= VKMM_RELU; a++) {
        p.activation = (vkmm_activation)a;
        scaled s = scaled_make(&p, VKMM_INIT_ONES);
        const double numbers[] = {300, -300, 300, 290}, values[] = {INFINITY, NAN, 3000, 0, -INFINITY, 500};
        for (uint64_t at = 0; at < 4; at++) gemm_set(VKMM_F16, at < 2 ? s.a : s.b, at % 2, numbers[at]);
        for (int v = 0; v < 6; v++) {
            gemm_set(VKMM_F32, s.c, 0, values[v]);
            const int right = v < 3 || (v == 3 && a == VKMM_RELU) || (v == 4 && a == VKMM_ACTIVATION_NONE);
            assert_int_equal(scaled_verify(&s, CLI_VERIFY_FULL).passed, right);
        }
        scaled_end(&s);
    }
}

TEST(test_nan_and_infinity_propagate)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        const vkmm_types types = *vkmm_types_at(t);
        if (!vkmm_type_of(types.in)->is_float || types.in == VKMM_E4M3) continue; /* e4m3 has no infinities */
        for (int m = 0; m < 2; m++) {
            const vkmm_problem p = scaled_typed(80, 90, 40, types);
            scaled s = scaled_make(&p, VKMM_INIT_UNIFORM);
            gemm_set(types.in, s.a, gemm_index(&p, VKMM_A, 0, 33, 7), NAN);
            gemm_set(types.in, s.a, gemm_index(&p, VKMM_A, 0, 34, 7), 0.5); /* not 0, whose product is a NaN */
            gemm_set(types.in, s.b, gemm_index(&p, VKMM_B, 0, 7, 55), INFINITY);
            assert_false(scaled_verify(&s, verify_methods[m]).passed);
            gemm(&p, s.a, s.b, s.c);
            assert_right(&s, verify_methods[m]);
            assert_caught(&s, verify_methods[m], 0, 33, 3, 1);
            assert_caught(&s, verify_methods[m], 0, 34, 55, -scaled_get(&s, 0, 34, 55));
            scaled_end(&s);
        }
    }
}
