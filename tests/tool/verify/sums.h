/* Products of narrow types as devices make them, for tests of the verification: with sums in f32, one term after the
 * other or in blocks that matrix units cut off, and with sums in f16. Plain: M×K times K×N, packed rows, α = 1, β =
 * 0. */
#pragma once

#include "unit.h"

#include "math/half.h"
#include "verify_problem.h"

typedef enum way { SEQUENTIAL, BLOCKS_CUT, LONG_BLOCKS_CUT, HALVES, WAYS } way;

typedef struct sums {
    vkmm_problem p;
    void *memory[3];
    double *a, *b; /* the same numbers */
    vkmm_types types;
} sums;

/* value cut off at a multiple of `unit`, toward zero. */
static inline double cut(double value, double unit)
{
    return unit > 0.0 ? trunc(value / unit) * unit : value;
}

static inline double last_bit(double largest, int bits)
{
    int exponent;
    if (largest == 0.0) return 0.0;
    frexp(largest, &exponent);
    return ldexp(1.0, exponent - bits);
}

/* The running sum and `count` exact products, each cut off at the last of 24 bits of the largest of them, added, and
 * cut off to 24 bits. */
static inline double add_block(double sum, const double *terms, uint64_t count)
{
    double largest = fabs(sum), total;
    for (uint64_t t = 0; t < count; t++) largest = fmax(largest, fabs(terms[t]));
    const double unit = last_bit(largest, 24);
    total = cut(sum, unit);
    for (uint64_t t = 0; t < count; t++) total += cut(terms[t], unit);
    return cut(total, last_bit(fabs(total), 24));
}

static inline double half(double value)
{
    return (double)vkmm_f16_value(vkmm_f16_bits(value));
}

/* One sum of K terms; those from `end` on are left out, and so is `missing`. */
static inline double sum_of(const sums *s, uint64_t i, uint64_t j, way how, uint64_t end, uint64_t missing)
{
    double terms[16], sum = 0.0;
    uint64_t count = 0;
    float single = 0.0F;
    const uint64_t depth = how == BLOCKS_CUT ? 4 : 16;
    for (uint64_t k = 0; k < end; k++) {
        const double product = k == missing ? 0.0 : s->a[i * s->p.k + k] * s->b[k * s->p.n + j];
        if (s->types.compute == VKMM_I32 || s->types.compute == VKMM_U32) {
            sum += product;
        } else if (s->types.compute == VKMM_F16) {
            terms[count++] = product;
            if (how != HALVES && count < 8 && k + 1 < end) continue; /* of eight products at a time, or of each */
            for (uint64_t t = 0; t < count; t++) sum += terms[t];
            sum = half(sum);
            count = 0;
        } else if (how == SEQUENTIAL || how == HALVES) {
            single += (float)product;
            sum = (double)single;
        } else {
            terms[count++] = product;
            if (count < depth && k + 1 < end) continue;
            sum = add_block(sum, terms, count);
            count = 0;
        }
    }
    return sum;
}

static inline double *numbers_of(const sums *s, int operand, uint64_t count)
{
    double *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
    assert_non_null(numbers);
    for (uint64_t at = 0; at < count; at++) {
        numbers[at] = vkmm_type_get(s->types.in, (char *)s->memory[operand] + at * vkmm_type_of(s->types.in)->bytes);
        if (s->types.compute == VKMM_F16) numbers[at] = half(numbers[at]);
    }
    return numbers;
}

static inline void put(sums *s, uint64_t i, uint64_t j, double value)
{
    vkmm_type_put(s->types.out, (char *)s->memory[2] + (i * s->p.n + j) * vkmm_type_of(s->types.out)->bytes, value);
}

static inline double got(const sums *s, uint64_t i, uint64_t j)
{
    return vkmm_type_get(s->types.out, (char *)s->memory[2] + (i * s->p.n + j) * vkmm_type_of(s->types.out)->bytes);
}

static inline void sums_multiply(sums *s, way how, uint64_t end)
{
    for (uint64_t i = 0; i < s->p.m; i++)
        for (uint64_t j = 0; j < s->p.n; j++) put(s, i, j, sum_of(s, i, j, how, end, UINT64_MAX));
}

/* Random numbers, by their distribution: like init, or normal ones. C is not made yet. */
static inline sums sums_make(vkmm_types types, uint64_t m, uint64_t n, uint64_t k, vkmm_init init)
{
    sums s = {
        .p = VKMM_PROBLEM(.m = m, .n = n, .k = k, .type = types.in, .out_type = types.out, .compute = types.compute),
        .types = types};
    const uint64_t counts[] = {m * k, k * n, m * n};
    for (int o = 0; o < 3; o++) {
        s.memory[o] = calloc((size_t)counts[o] + 1, 8);
        assert_non_null(s.memory[o]);
        if (o < 2) vkmm_fill(s.memory[o], 1, counts[o], types.in, init, 70 + (uint64_t)o);
    }
    s.a = numbers_of(&s, 0, counts[0]);
    s.b = numbers_of(&s, 1, counts[1]);
    return s;
}

static inline void sums_end(sums *s)
{
    for (int o = 0; o < 3; o++) free(s->memory[o]);
    free(s->a);
    free(s->b);
}

static inline cli_verdict sums_verify(const sums *s, cli_verify_method method, cli_numbers numbers)
{
    cli_verdict v;
    assert_ok(
        vkmm_verify_problem(NULL, &s->p, s->memory[0], s->memory[1], NULL, NULL, s->memory[2], numbers, method, 1, &v));
    assert_true(strlen(v.sentence) > 0 && strlen(v.sentence) < sizeof v.sentence - 1);
    assert_true(v.passed ? !v.has_element && v.wrong_count == 0 && v.error <= v.bound
                         : v.wrong_count > 0 && !(v.error <= v.bound));
    return v;
}
