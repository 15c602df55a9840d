/* Bias and activation. */
#include "scaled.h"

/* Every combination, layout and batch, with a bias and an activation. */
TEST(test_right_epilogues_pass)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        const vkmm_types types = *vkmm_types_at(t);
        for (unsigned way = 0; way < 3 * GEMM_WAYS; way += 5) {
            vkmm_problem p = scaled_by(gemm_way(way % GEMM_WAYS, 5, 7, 4, types.in), 3, way % 2 ? -2 : 0);
            p.out_type = types.out;
            p.compute = types.compute;
            p.activation = (vkmm_activation)(way / GEMM_WAYS);
            p.has_bias = way % 3 > 0;
            if (p.activation == VKMM_GELU && !vkmm_type_of(types.in)->is_float) continue;
            scaled s = scaled_make(&p, VKMM_INIT_UNIFORM);
            assert_right(&s, CLI_VERIFY_FULL);
            assert_caught(&s, CLI_VERIFY_FULL, gemm_batches(&p) - 1, 2, 3,
                          scaled_get(&s, gemm_batches(&p) - 1, 2, 3) + 50);
            scaled_end(&s);
        }
    }
}

static scaled large(vkmm_types types, vkmm_activation activation)
{
    vkmm_problem p = scaled_by(scaled_typed(LARGE_M, LARGE_N, LARGE_K, types), 2, 3);
    p.has_bias = 1;
    p.activation = activation;
    return scaled_make(&p, VKMM_INIT_UNIFORM);
}

/* The bias of one column, missing or doubled, and that of the neighbour. */
TEST(test_a_wrong_bias_is_found)
{
    static const vkmm_types kinds[] = {{VKMM_F32, VKMM_F32, VKMM_F32},
                                       {VKMM_F64, VKMM_F64, VKMM_F64},
                                       {VKMM_I8, VKMM_I32, VKMM_I32},
                                       {VKMM_F16, VKMM_F32, VKMM_F32},
                                       {VKMM_F16, VKMM_F16, VKMM_F16}};
    for (size_t t = 0; t < sizeof kinds / sizeof kinds[0]; t++) {
        scaled s = large(kinds[t], VKMM_ACTIVATION_NONE);
        void *right = s.bias, *none = calloc(LARGE_N, 8), *turned = calloc(LARGE_N, 8);
        const size_t size = vkmm_type_of(kinds[t].out)->bytes;
        memcpy(turned, (char *)right + size, (LARGE_N - 1) * size);
        for (int m = 0; m < 2; m++) {
            assert_right(&s, verify_methods[m]);
            s.bias = none;
            assert_false(scaled_verify(&s, verify_methods[m]).passed);
            s.bias = turned;
            assert_false(scaled_verify(&s, verify_methods[m]).passed);
            s.bias = right;
        }
        free(none);
        free(turned);
        scaled_end(&s);
    }
}

TEST(test_the_bias_must_be_there)
{
    cli_verdict v;
    vkmm_problem p = VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .has_bias = 1);
    const float one = 1.0F;
    assert_int_equal(
        vkmm_verify_problem(NULL, &p, &one, &one, NULL, NULL, &one, CLI_NUMBERS_ANY, CLI_VERIFY_FULL, 1, &v),
        VKMM_INVALID);
    assert_string_equal(vkmm_last_error(), "the bias is needed to verify the product");
}

/* What is not linear is sampled without A·B: a wrong row, a wrong column and a product without its activation are
 * found, and the sentence tells what was done. */
TEST(test_activations_are_sampled)
{
    static const vkmm_types kinds[] = {
        {VKMM_F32, VKMM_F32, VKMM_F32}, {VKMM_BF16, VKMM_BF16, VKMM_F32}, {VKMM_I8, VKMM_I32, VKMM_I32}};
    for (size_t t = 0; t < sizeof kinds / sizeof kinds[0]; t++) {
        for (int a = VKMM_RELU; a <= (t < 2 ? VKMM_GELU : VKMM_RELU); a++) {
            scaled s = large(kinds[t], (vkmm_activation)a);
            const cli_verdict v = scaled_verify(&s, CLI_VERIFY_FREIVALDS);
            if (!v.passed) fail_msg("%s", v.sentence);
            assert_true(v.method == CLI_VERIFY_SAMPLES);
            assert_string_equal(cli_verify_method_name(v.method), "samples");
            assert_contains(v.sentence, "elements: 5 rows, 5 columns and 512 others agree");
            for (uint64_t i = 0; i < LARGE_M; i += 17) assert_caught(&s, CLI_VERIFY_FREIVALDS, 0, i, LARGE_N - 1, 1e4);
            for (uint64_t j = 0; j < LARGE_N; j += 17) assert_caught(&s, CLI_VERIFY_FREIVALDS, 0, LARGE_M - 1, j, -1e4);
            s.p.activation = VKMM_ACTIVATION_NONE;
            assert_false(scaled_verify(&s, CLI_VERIFY_FREIVALDS).passed);
            scaled_end(&s);
        }
    }
}

/* The exact gelu, x·Φ(x), is not the formula; and a value at which it is steep shows an error as any. */
TEST(test_gelu_is_the_formula)
{
    vkmm_problem p = scaled_typed(1, 1, 1, (vkmm_types){VKMM_F32, VKMM_F32, VKMM_F32});
    p.activation = VKMM_GELU;
    for (float x = -6.0F; x < 6.0F; x += 0.37F) {
        scaled s = scaled_make(&p, VKMM_INIT_ONES);
        gemm_set(VKMM_F32, s.a, 0, (double)x);
        const double want = gemm_activate(&p, (double)x),
                     exact = 0.5 * (double)x * (1.0 + erf((double)x * 0.70710678118654752));
        assert_true(accepts(&s, want));
        assert_int_equal(accepts(&s, exact), fabs(exact - want) < 60 * 0x1p-23 * fabs((double)x));
        assert_false(accepts(&s, want + 80 * 0x1p-23 * fabs((double)x)));
        scaled_end(&s);
    }
}

TEST(test_activations_of_nan_and_infinity)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        const vkmm_types types = *vkmm_types_at(t);
        if (!vkmm_type_of(types.in)->is_float || types.in == VKMM_E4M3) continue; /* e4m3 has no infinities */
        for (int a = VKMM_ACTIVATION_NONE; a <= VKMM_GELU; a++) {
            const vkmm_activation activation = (vkmm_activation)a;
            assert_true(scaled_accepts(types, activation, NAN, NAN) &&
                        scaled_accepts(types, activation, INFINITY, INFINITY));
            assert_false(scaled_accepts(types, activation, NAN, 0) || scaled_accepts(types, activation, NAN, INFINITY));
            assert_false(scaled_accepts(types, activation, INFINITY, NAN) ||
                         scaled_accepts(types, activation, INFINITY, 1));
            assert_int_equal(scaled_accepts(types, activation, -INFINITY, -INFINITY), a == VKMM_ACTIVATION_NONE);
            assert_int_equal(scaled_accepts(types, activation, -INFINITY, 0), a != VKMM_ACTIVATION_NONE);
            assert_int_equal(scaled_accepts(types, activation, -INFINITY, NAN), a == VKMM_GELU);
            assert_false(scaled_accepts(types, activation, -INFINITY, 5) ||
                         scaled_accepts(types, activation, -INFINITY, INFINITY));
        }
    }
}

/* Nothing is summed: β·c₀ + bias alone, and A's and B's NaN count for nothing. */
TEST(test_nothing_is_summed)
{
    for (uint32_t t = 0; vkmm_types_at(t) != NULL; t++) {
        const vkmm_types types = *vkmm_types_at(t);
        for (int biased = 0; biased < 2; biased++) {
            vkmm_problem p = scaled_by(scaled_typed(3, 4, 5, types), 0, 3);
            p.has_bias = biased;
            scaled s = scaled_make(&p, VKMM_INIT_UNIFORM);
            if (vkmm_type_of(types.in)->is_float) gemm_set(types.in, s.a, 2, NAN);
            assert_right(&s, CLI_VERIFY_FULL);
            const double right = scaled_get(&s, 0, 1, 2), epsilon = vkmm_type_of(types.out)->epsilon;
            assert_caught(&s, CLI_VERIFY_FULL, 0, 1, 2, right + (epsilon > 0.0 ? 128 * epsilon : 1));
            scaled_end(&s);
        }
    }
}
