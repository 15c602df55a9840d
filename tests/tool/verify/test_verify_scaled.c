/* α, β and what C was: bounds, integers that wrap, and the ends of the floats' range and beyond: NaN, infinities,
 * subnormals, and sums of nothing. */
#include "scaled.h"

#include <float.h>

/* Ones: α·A·B + β·C₀ = α·K + β, and so is the scale; φ is far below the spacing. */
TEST(test_errors_just_within_and_just_beyond_the_bound)
{
    static const struct {
        vkmm_type type;
        uint64_t k;
        double alpha, beta, factor;
    } cases[] = {{VKMM_F32, 4, 2, 3, 16},
                 {VKMM_F32, 1024, 2, 3, 32},
                 {VKMM_F64, 4, -2, 3, 16},
                 {VKMM_F64, 1024, 0.5, -512, 32},
                 {VKMM_F64, 4, 3, 0, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scaled s = scaled_small(cases[i].type, cases[i].k, cases[i].alpha, cases[i].beta);
        const double want = cases[i].alpha * (double)cases[i].k + cases[i].beta;
        const double scale = fabs(cases[i].alpha) * (double)cases[i].k + fabs(cases[i].beta),
                     epsilon = vkmm_type_of(cases[i].type)->epsilon;
        const double limit = cases[i].factor * epsilon * scale;
        assert_true(passes_with(&s, want + limit) && passes_with(&s, want - limit));
        assert_false(passes_with(&s, want + limit + epsilon * scale));
        assert_false(passes_with(&s, want - limit - epsilon * scale));
        scaled_end(&s);
    }
}

TEST(test_the_sentence_tells_the_unit)
{
    scaled s = scaled_small(VKMM_F32, 4, 2, 3);
    gemm_set(VKMM_F32, s.c, 0, 12);
    assert_string_equal(scaled_verify(&s, CLI_VERIFY_FULL).sentence,
                        "C[0][0] is 12, should be 11: off by 1, 4.8e+04 times the allowed 16·ε·(|α|·Σ|a||b| + |β·c|); "
                        "1 of 9 elements is wrong");
    scaled_end(&s);
    s = scaled_small(VKMM_F32, 4, 2, 0);
    assert_contains(scaled_verify(&s, CLI_VERIFY_FULL).sentence,
                    "all 9 elements agree with the CPU reference within 16·ε·|α|·Σ|a||b|, ");
    scaled_end(&s);
    s = scaled_small(VKMM_F32, 0, 1, 1);
    assert_string_equal(scaled_verify(&s, CLI_VERIFY_FULL).sentence,
                        "all 9 elements agree with the CPU reference exactly");
    scaled_end(&s);
}

TEST(test_integers_wrap)
{
    scaled s = scaled_small(VKMM_U32, 1, -1, 1);
    for (uint64_t i = 0; i < 9; i++) gemm_set(VKMM_U32, s.c, i, 0);
    assert_right(&s, CLI_VERIFY_FULL); /* -1 + 1 */
    assert_true(passes_after(&s, 0, 4294967295.0) && passes_after(&s, 4294967295.0, 4294967294.0));
    assert_false(passes_after(&s, 0, 0));
    s.p.beta = 4294967295.0;
    for (uint64_t i = 0; i < 9; i++) gemm_set(VKMM_U32, s.c, i, 4294967294.0);
    assert_right(&s, CLI_VERIFY_FULL);
    scaled_end(&s);
    s = scaled_small(VKMM_I32, 2, 2147483648.0, -2147483648.0); /* 2^31·2 - 2^31·1, modulo 2^32 */
    for (uint64_t i = 0; i < 9; i++) gemm_set(VKMM_I32, s.c, i, -2147483648.0);
    assert_right(&s, CLI_VERIFY_FULL);
    assert_false(passes_with(&s, 0));
    scaled_end(&s);
    for (int t = VKMM_I32; t <= VKMM_U32; t++) {
        s = scaled_large((vkmm_type)t, -2147483647.0, 4294967291.0, VKMM_INIT_UNIFORM);
        assert_right(&s, verify_methods[0]);
        assert_right(&s, verify_methods[1]);
        assert_caught(&s, verify_methods[1], 0, 99, 299, scaled_get(&s, 0, 99, 299) > 0 ? 0 : 1);
        scaled_end(&s);
    }
}

TEST(test_what_c_was_counts_only_with_beta)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        for (size_t m = 0; m < 2; m++) {
            scaled s = scaled_large((vkmm_type)t, 2, 0, VKMM_INIT_ONES);
            for (uint64_t i = 0; i < s.elements; i++) gemm_set((vkmm_type)t, s.before, i, i % 2 ? NAN : INFINITY);
            assert_right(&s, verify_methods[m]);
            scaled_end(&s);
            s = scaled_large((vkmm_type)t, 2, 1, VKMM_INIT_ONES);
            const uint64_t at = gemm_index(&s.p, VKMM_C, 0, 77, 5);
            gemm_set((vkmm_type)t, s.before, at, NAN);
            assert_false(scaled_verify(&s, verify_methods[m]).passed);
            gemm_set((vkmm_type)t, s.c, at, NAN);
            assert_right(&s, verify_methods[m]);
            assert_caught(&s, verify_methods[m], 0, 77, 6, NAN);
            gemm_set((vkmm_type)t, s.before, at, -INFINITY);
            assert_false(scaled_verify(&s, verify_methods[m]).passed);
            gemm_set((vkmm_type)t, s.c, at, -INFINITY);
            assert_right(&s, verify_methods[m]);
            assert_caught(&s, verify_methods[m], 0, 77, 5, INFINITY);
            scaled_end(&s);
        }
    }
}

/* A's and B's NaN must not leak into C: they are not looked at. */
TEST(test_nothing_is_summed_where_alpha_is_0)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        for (double beta = 0.0; beta < 3.0; beta++) {
            scaled s = scaled_large((vkmm_type)t, 0, beta, VKMM_INIT_UNIFORM);
            gemm_set((vkmm_type)t, s.a, 17, NAN);
            gemm_set((vkmm_type)t, s.b, 18, INFINITY);
            assert_right(&s, verify_methods[0]);
            assert_right(&s, verify_methods[1]);
            assert_caught(&s, verify_methods[1], 0, 60, 60, NAN);
            scaled_end(&s);
        }
    }
}

/* An α that is no number has no sum to spoil. */
TEST(test_nothing_is_summed_where_k_is_0)
{
    static const double alphas[] = {1, NAN, INFINITY, 0};
    for (size_t i = 0; i < 4; i++) {
        for (int t = VKMM_F32; t <= VKMM_F64; t++) {
            scaled s = scaled_small((vkmm_type)t, 0, 0, 3);
            s.p.alpha = alphas[i];
            assert_right(&s, CLI_VERIFY_FULL);
            assert_caught(&s, CLI_VERIFY_FULL, 0, 1, 2, NAN);
            assert_true(passes_after(&s, NAN, NAN) && passes_after(&s, -INFINITY, -INFINITY));
            assert_false(passes_after(&s, NAN, 3) || passes_after(&s, -INFINITY, INFINITY) ||
                         passes_after(&s, INFINITY, 3));
            scaled_end(&s);
        }
    }
}

static double next(vkmm_type type, double value, double toward)
{
    return type == VKMM_F32 ? (double)nextafterf((float)value, (float)toward) : nextafter(value, toward);
}

/* Nothing summed: C is β·c₀ to the last bit, or one of the two values around it where the type has none there. */
TEST(test_scaling_is_exact)
{
    for (int type = VKMM_F32; type <= VKMM_F64; type++) {
        const vkmm_type t = (vkmm_type)type;
        scaled s = scaled_small(t, 0, 1, 1);
        assert_false(passes_with(&s, next(t, 1, 2)) || passes_with(&s, next(t, 1, 0)));
        scaled_end(&s);
        s = scaled_small(t, 0, 1, 1.5);
        assert_true(passes_with(&s, 1.5)); /* 1.5·1 */
        assert_false(passes_with(&s, next(t, 1.5, 2)) || passes_with(&s, next(t, 1.5, 0)));
        const double odd = next(t, 1, 2); /* 1.5·(1 + ε) = 1.5 + 1.5·ε lies between 1.5 + ε and 1.5 + 2·ε */
        const double below = next(t, 1.5, 2), above = next(t, below, 2);
        assert_true(passes_after(&s, odd, below) && passes_after(&s, odd, above));
        assert_false(passes_after(&s, odd, 1.5) || passes_after(&s, odd, next(t, above, 2)));
        assert_true(passes_after(&s, -odd, -below) && passes_after(&s, -odd, -above));
        assert_false(passes_after(&s, -odd, -1.5) || passes_after(&s, -odd, below));
        scaled_end(&s);
    }
}

TEST(test_scaling_at_the_ends_of_the_range)
{
    for (int type = VKMM_F32; type <= VKMM_F64; type++) {
        const vkmm_type t = (vkmm_type)type;
        const double least = vkmm_type_of(t)->min_normal, most = t == VKMM_F32 ? (double)FLT_MAX : DBL_MAX;
        scaled s = scaled_small(t, 0, 1, 2);
        assert_true(passes_after(&s, most, INFINITY) &&
                    passes_after(&s, most, most)); /* rounded to nearest, or toward zero */
        assert_false(passes_after(&s, most, -INFINITY) || passes_after(&s, most, NAN) ||
                     passes_after(&s, most, most / 2));
        assert_true(passes_after(&s, least / 8, least / 4) && passes_after(&s, least / 8, 0)); /* kept, or flushed */
        assert_false(passes_after(&s, least / 8, least / 8) || passes_after(&s, least, 0));
        scaled_end(&s);
        s = scaled_small(t, 0, 1, 0.25);
        assert_true(passes_after(&s, least, least / 4) && passes_after(&s, least, 0)); /* the result flushed */
        assert_false(passes_after(&s, 8 * least, 0));
        scaled_end(&s);
        s = scaled_small(t, 0, 1, 64);
        assert_true(passes_after(&s, least / 8, 8 * least) && passes_after(&s, least / 8, 0)); /* c₀ flushed */
        assert_false(passes_after(&s, least / 8, 4 * least) || passes_after(&s, least, 0));
        s.p.beta = least / 8;
        for (uint64_t i = 0; i < 9; i++) gemm_set(t, s.c, i, least / 8);
        assert_true(passes_after(&s, 64, 8 * least) && passes_after(&s, 64, 0)); /* β flushed */
        assert_false(passes_after(&s, 64, 4 * least));
        scaled_end(&s);
    }
}

TEST(test_scalars_that_are_no_numbers)
{
    for (size_t m = 0; m < 2; m++) {
        scaled s = scaled_large(VKMM_F32, NAN, 0, VKMM_INIT_ONES);
        assert_right(&s, verify_methods[m]);
        assert_caught(&s, verify_methods[m], 0, 70, 5, 30);
        scaled_end(&s);
        s = scaled_large(VKMM_F64, 1, NAN, VKMM_INIT_ONES);
        assert_right(&s, verify_methods[m]);
        assert_caught(&s, verify_methods[m], 0, 70, 5, 30);
        scaled_end(&s);
        s = scaled_large(VKMM_F64, 1, -INFINITY, VKMM_INIT_ONES);
        assert_right(&s, verify_methods[m]);
        assert_caught(&s, verify_methods[m], 0, 70, 5, INFINITY);
        scaled_end(&s);
        s = scaled_large(VKMM_F32, INFINITY, 0, VKMM_INIT_UNIFORM);
        assert_right(&s, verify_methods[m]);
        assert_caught(&s, verify_methods[m], 0, 70, 5, 30);
        scaled_end(&s);
    }
}

/* 1·1 - 1·1 is 0, and ∞·0 a NaN; a sum that rounding left a little above or below makes an infinity of either sign. */
TEST(test_infinite_alpha_and_a_sum_near_0)
{
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        scaled s = scaled_small((vkmm_type)t, 2, INFINITY, 1);
        for (uint64_t i = 0; i < 3; i++) gemm_set((vkmm_type)t, s.a, 2 * i, -1);
        for (uint64_t i = 0; i < 9; i++) gemm_set((vkmm_type)t, s.c, i, NAN);
        assert_right(&s, CLI_VERIFY_FULL);
        assert_true(passes_with(&s, INFINITY) && passes_with(&s, -INFINITY));
        assert_false(passes_with(&s, 1) || passes_with(&s, 0));
        scaled_end(&s);
    }
}

/* 1e-30·(1e30·1e30): the exact result is no problem, but the sum in the type's arithmetic is infinite before α makes
 * it small. */
TEST(test_overflow_of_the_sum_before_alpha)
{
    const double huge[] = {[VKMM_F32] = 1e30, [VKMM_F64] = 1e200}, tiny[] = {[VKMM_F32] = 1e-30, [VKMM_F64] = 1e-200};
    for (int t = VKMM_F32; t <= VKMM_F64; t++) {
        scaled s = scaled_small((vkmm_type)t, 1, tiny[t], 1);
        for (uint64_t i = 0; i < 3; i++) gemm_set((vkmm_type)t, s.a, i, huge[t]);
        for (uint64_t i = 0; i < 3; i++) gemm_set((vkmm_type)t, s.b, i, huge[t]);
        for (uint64_t i = 0; i < 9; i++) gemm_set((vkmm_type)t, s.c, i, huge[t]);
        assert_right(&s, CLI_VERIFY_FULL);
        assert_true(passes_with(&s, INFINITY));
        if (t == VKMM_F32)
            assert_false(passes_with(&s, 0) ||
                         passes_with(&s, -huge[t])); /* f64: nothing wider is at hand to scale with */
        scaled_end(&s);
    }
}

/* β·c₀ beyond the type's range, brought back by the sum. */
TEST(test_overflow_of_beta_times_c)
{
    scaled s = scaled_small(VKMM_F32, 1, 1, 1);
    for (uint64_t i = 0; i < 3; i++) gemm_set(VKMM_F32, s.a, i, -3e38);
    for (uint64_t i = 0; i < 9; i++) gemm_set(VKMM_F32, s.before, i, 3e38);
    s.p.beta = 2;
    for (uint64_t i = 0; i < 9; i++) gemm_set(VKMM_F32, s.c, i, 3e38);
    assert_true(passes_with(&s, (double)(2 * 3e38F - 3e38F)) || passes_with(&s, 3e38));
    assert_true(passes_with(&s, INFINITY));
    assert_false(passes_with(&s, 1e38));
    s.p.beta = 1;
    for (uint64_t i = 0; i < 9; i++) gemm_set(VKMM_F32, s.c, i, 0);
    assert_true(passes_with(
        &s, INFINITY)); /* |a·b| + |c₀| is beyond the range, too: whoever adds the magnitudes first may overflow */
    scaled_end(&s);
}

/* In each of these the bound without φ is next to nothing. */
TEST(test_flushed_subnormals_pass)
{
    static const struct {
        double alpha, a, beta, before, want, wrong;
    } cases[] = {
        {0x1p-100, 0x1p-27, 0, 0, 0x1p-127, 0x1p-123}, /* α times the sum is subnormal: φ = 1·min_normal */
        {1, 0, 4, 0x1p-127, 0x1p-125, 0x1p-122},       /* c₀ is: φ = (1 + 1 + 4)·min_normal */
        {1, 0, 0x1p-100, 0x1p-27, 0x1p-127, 0x1p-123}, /* β times c₀ is: φ = (1 + 1)·min_normal */
        {1, 0x1p-127, 0, 0, 0x1p-127, 0x1p-123},       /* a product is: φ = 1·min_normal */
        {4, 0x1p-127, 0, 0, 0x1p-125, 0x1p-122},       /* and α lets it grow: φ = (4 + 1)·min_normal */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scaled s = scaled_small(VKMM_F32, 1, cases[i].alpha, cases[i].beta);
        for (uint64_t e = 0; e < 3; e++) gemm_set(VKMM_F32, s.a, e, cases[i].a);
        for (uint64_t e = 0; e < 9; e++) gemm_set(VKMM_F32, s.before, e, cases[i].before);
        for (uint64_t e = 0; e < 9; e++) gemm_set(VKMM_F32, s.c, e, cases[i].want);
        assert_right(&s, CLI_VERIFY_FULL);
        assert_true(passes_with(&s, 0));
        assert_false(passes_with(&s, cases[i].wrong));
        scaled_end(&s);
    }
}
