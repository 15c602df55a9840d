/* α, β and what C was: one matrix. */
#include "scaled.h"

#include <math.h>

TEST(test_right_products_pass)
{
    static const double scalars[][2] = {{1, 1}, {-2, 0}, {3, -1}, {0, 4}, {0, 0}, {1, 0}};
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
            scaled s = scaled_large((vkmm_type)t, scalars[i][0], scalars[i][1], VKMM_INIT_UNIFORM);
            assert_right(&s, methods[0]);
            assert_right(&s, methods[1]);
            scaled_end(&s);
        }
    }
    scaled s = scaled_large(VKMM_F32, 0.1, -1e-3, VKMM_INIT_UNIFORM);
    assert_right(&s, methods[0]);
    assert_right(&s, methods[1]);
    scaled_end(&s);
}

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
        assert_right(&s, methods[0]);
        assert_right(&s, methods[1]);
        assert_caught(&s, methods[1], 0, 99, 299, scaled_get(&s, 0, 99, 299) > 0 ? 0 : 1);
        scaled_end(&s);
    }
}
