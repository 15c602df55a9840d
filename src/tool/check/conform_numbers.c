/* Arithmetic and conversions of single numbers. What Vulkan leaves to the device is right either way: sums, products
 * and conversions are rounded to the nearest or toward zero, and subnormal numbers may become zero (Vulkan's "Precision
 * and Operation of SPIR-V Instructions"). */
#include "check/conform.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/half.h"

enum { PAIRS = 4096, HALVES = 65536, SPECIALS = 64, SEED = 38 };
enum { ADD, MULTIPLY, TO_HALF, FROM_HALF, FROM_INT, TO_INT, SIGN_EXTEND };
enum { HALF_ADD, HALF_MULTIPLY, HALF_CONVERT };

#define LEAST_HALF 0x1p-14 /* normal */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The i-th of SPECIALS numbers, whose products a double holds. */
static float special(uint32_t i)
{
    static const float some[] = {
        0,        1,       FLT_MIN,    FLT_MIN / 2, FLT_TRUE_MIN,  FLT_MAX, INFINITY,   NAN,
        0x1p-12F, 3,       0x1p24F,    16777215,    1 + 0x1p-23F,  1.5F,    0x1p-24F,   0x1p12F,
        0.1F,     1 / 3.F, 0x1.8p-24F, 65504,       2147483520.0F, -5.75F,  8388607.5F, 0.49999997F};
    const uint64_t random = vkmm_random_bits(SEED, i);
    const float made = ldexpf(1 + (float)(random & 0x7fffff) * 0x1p-23F, (int)(random >> 32) % 13);
    const float value = i / 2 < VKMM_COUNT(some) ? some[i / 2] : made;
    return i % 2 == 0 ? value : -value;
}

static float flushed(float value, double least)
{
    return fabs((double)value) < least ? copysignf(0, value) : value;
}

/* Whether a result, as a double, is what `exact` rounds to, either way. nearest: that to the nearest; inward: the next
 * value of the type toward zero. */
static int is_rounded(double got, double exact, double nearest, double inward, double least)
{
    if (isnan(exact)) return isnan(got);
    if (got == nearest) return 1;
    if (fabs(nearest) > fabs(exact) && got == inward) return 1;
    return fabs(nearest) <= least && got == 0;
}

/* A sum of which a double may not hold all: the next double on its other side then, which rounds as it does (Knuth, The
 * Art of Computer Programming, volume 2, 4.2.2, theorem B). */
static double sum_of(double x, double y)
{
    const double sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
    return rest == 0 || isnan(rest) ? sum : nextafter(sum, rest > 0 ? INFINITY : -INFINITY);
}

static int is_float(double got, double exact)
{
    const float nearest = (float)exact;
    return is_rounded(got, exact, nearest, nextafterf(nearest, 0), FLT_MIN);
}

static int is_half(double got, double exact)
{
    const uint16_t nearest = vkmm_f16_bits(exact);
    const uint16_t inward = (nearest & 0x7fff) > 0 ? (uint16_t)(nearest - 1) : nearest;
    return is_rounded(got, exact, vkmm_f16_value(nearest), vkmm_f16_value(inward), LEAST_HALF);
}

/* ---- f32 and integers ---- */

/* A finite f16 and a part of the step to the next. */
static float near_half(uint32_t i)
{
    const uint16_t half = (uint16_t)(i % 0x7c00);
    const double low = vkmm_f16_value(half), high = half == 0x7bff ? 65536 : vkmm_f16_value((uint16_t)(half + 1));
    const float value = (float)(low + (high - low) * (i / 0x7c00 == 0 ? 0.5 : 0.51));
    return i % 3 == 0 ? -value : value;
}

static void make(cli_trial *trial, uint32_t operation)
{
    const uint32_t count = operation == TO_HALF || operation == FROM_HALF ? HALVES : PAIRS;

    cli_trial_spread(trial, 128, count, operation);
    trial->probe.in_words = 2 * count;
    trial->probe.out_words = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t random = (uint32_t)vkmm_random_bits(SEED, SPECIALS + i);
        uint32_t *pair = &trial->in[2 * i];
        pair[0] = bits_of(special(i / SPECIALS % SPECIALS));
        pair[1] = bits_of(special(i % SPECIALS));
        if (operation == TO_HALF) pair[0] = bits_of(near_half(i));
        if (operation == FROM_HALF) pair[0] = i;
        if (operation == FROM_INT || operation == SIGN_EXTEND) pair[0] = random >> (i % 32);
    }
}

/* Whether a result is right; *want is what it should be, as bits. */
static int is_right(uint32_t operation, const uint32_t *pair, uint32_t got, uint32_t *want)
{
    const float x = value_of(pair[0]), y = value_of(pair[1]);
    const float fx = flushed(x, FLT_MIN), fy = flushed(y, FLT_MIN);
    const double value = value_of(got);
    double exact = 0, other = 0; /* with subnormal factors as zeros */

    switch (operation) {
    case ADD:
        exact = sum_of(x, y), other = sum_of(fx, fy);
        break;
    case MULTIPLY:
        exact = (double)x * y, other = (double)fx * fy;
        break;
    case FROM_INT:
        exact = other = (int32_t)pair[0];
        break;
    case FROM_HALF:
        exact = vkmm_f16_value((uint16_t)pair[0]), other = flushed((float)exact, LEAST_HALF);
        break;
    case TO_HALF:
        *want = vkmm_f16_bits(x);
        return is_half(vkmm_f16_value((uint16_t)got), x) && got >> 16 == 0;
    case TO_INT:
        *want = fabsf(x) < 0x1p31F ? (uint32_t)(int32_t)x : got; /* beyond that, any */
        return got == *want;
    default:
        *want = (uint32_t)(int8_t)(pair[0] >> 8) + pair[1];
        return got == *want;
    }
    *want = bits_of((float)exact);
    return is_float(value, exact) || is_float(value, other);
}

static int judge(cli_trial *trial, uint32_t operation)
{
    for (uint32_t i = 0; i < trial->probe.out_words; i++) {
        const uint32_t *pair = &trial->in[2 * i], got = trial->probe.out[i];
        uint32_t want;
        if (is_right(operation, pair, got, &want)) continue;
        trial->first = 2 * i;
        trial->count = 2;
        return cli_trial_wrong(trial, "of 0x%08x and 0x%08x it makes 0x%08x, should be 0x%08x (word %u)", pair[0],
                               pair[1], got, want, i);
    }
    return 1;
}

/* ---- f16 ---- */

static void make_half(cli_trial *trial, uint32_t operation)
{
    cli_trial_spread(trial, 128, HALVES, operation);
    trial->probe.in_words = trial->probe.out_words = HALVES;
    for (uint32_t i = 0; i < HALVES; i++)
        trial->in[i] = operation == HALF_CONVERT ? bits_of(near_half(i)) : (uint32_t)vkmm_random_bits(SEED, i);
}

static int judge_half(cli_trial *trial, uint32_t operation)
{
    for (uint32_t i = 0; i < HALVES; i++) {
        const uint32_t in = trial->in[i], got = trial->probe.out[i];
        const float x = vkmm_f16_value((uint16_t)in), y = vkmm_f16_value((uint16_t)(in >> 16));
        const float fx = flushed(x, LEAST_HALF), fy = flushed(y, LEAST_HALF);
        double exact = value_of(in), other = exact;
        if (operation == HALF_ADD) exact = (double)x + y, other = (double)fx + fy;
        if (operation == HALF_MULTIPLY) exact = (double)x * y, other = (double)fx * fy;
        if (is_half(vkmm_f16_value((uint16_t)got), exact) || is_half(vkmm_f16_value((uint16_t)got), other)) continue;
        trial->first = i;
        trial->count = 1;
        return cli_trial_wrong(trial, "of 0x%08x it makes 0x%04x, should be 0x%04x (word %u)", in, got,
                               vkmm_f16_bits(exact), i);
    }
    return 1;
}

CLI_KNOWN(has_f16, vkmm_device_info, features.f16)

static const cli_trial_kind kinds[] = {
    {"sums of f32", NULL, "check_numbers", ADD, make, judge},
    {"products of f32", NULL, "check_numbers", MULTIPLY, make, judge},
    {"f32 to f16, packHalf2x16", NULL, "check_numbers", TO_HALF, make, judge},
    {"f16 to f32, unpackHalf2x16", NULL, "check_numbers", FROM_HALF, make, judge},
    {"i32 to f32", NULL, "check_numbers", FROM_INT, make, judge},
    {"f32 to i32", NULL, "check_numbers", TO_INT, make, judge},
    {"signed bit fields", NULL, "check_numbers", SIGN_EXTEND, make, judge},
    {"sums of f16", has_f16, "check_half", HALF_ADD, make_half, judge_half},
    {"products of f16", has_f16, "check_half", HALF_MULTIPLY, make_half, judge_half},
    {"f32 to f16", has_f16, "check_half", HALF_CONVERT, make_half, judge_half},
};

const cli_case_part cli_numbers_part = {"numbers", CLI_TRIALS(kinds)};
