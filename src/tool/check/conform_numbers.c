/* Arithmetic and conversions of single numbers. What Vulkan leaves to the device is right either way: sums, products
 * and conversions are rounded to the nearest or toward zero, and subnormal numbers may become zero (Vulkan's "Precision
 * and Operation of SPIR-V Instructions"). */
#include "check/conform.h"

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "math/half.h"
#include "math/type.h"

enum { PAIRS = 4096, HALVES = 65536, SPECIALS = 64, SEED = 38 };

/* Those of check_numbers.comp, of two words each, then those of check_half.comp, of one. */
enum { ADD, MULTIPLY, TO_HALF, FROM_HALF, FROM_INT, TO_INT, SIGN_EXTEND, HALF_ADD, HALF_MULTIPLY, HALF_CONVERT };

/* ---- inputs ---- */

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

/* A finite f16 and a part of the step to the next. */
static float near_half(uint32_t i)
{
    const uint16_t half = (uint16_t)(i % 0x7c00);
    const double low = vkmm_f16_value(half), high = half == 0x7bff ? 65536 : vkmm_f16_value((uint16_t)(half + 1));
    const float value = (float)(low + (high - low) * (i / 0x7c00 == 0 ? 0.5 : 0.51));
    return i % 3 == 0 ? -value : value;
}

static uint32_t bits_of(vkmm_type type, double value)
{
    uint32_t bits = 0;
    vkmm_type_put(type, &bits, value);
    return bits;
}

static double value_of(vkmm_type type, uint32_t bits)
{
    return vkmm_type_get(type, &bits);
}

static void make(cli_trial *trial, uint32_t operation)
{
    const int is_half = operation >= HALF_ADD;
    const uint32_t words = is_half ? 1 : 2;
    const uint32_t count = is_half || operation == TO_HALF || operation == FROM_HALF ? HALVES : PAIRS;
    cli_trial_spread(trial, 128, count, operation % HALF_ADD);
    trial->probe.in_words = words * count;
    trial->probe.out_words = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t random = (uint32_t)vkmm_random_bits(SEED, SPECIALS + i);
        uint32_t *in = &trial->in[words * i];
        in[0] = bits_of(VKMM_F32, special(i / SPECIALS % SPECIALS));
        if (!is_half) in[1] = bits_of(VKMM_F32, special(i % SPECIALS));
        if (operation == TO_HALF || operation == HALF_CONVERT) in[0] = bits_of(VKMM_F32, near_half(i));
        if (operation == FROM_HALF) in[0] = i;
        if (operation == FROM_INT || operation == SIGN_EXTEND) in[0] = random >> (i % 32);
        if (operation == HALF_ADD || operation == HALF_MULTIPLY) in[0] = random;
    }
}

/* ---- results ---- */

/* The smallest normal number. */
static double least(vkmm_type type)
{
    return type == VKMM_F16 ? 0x1p-14 : FLT_MIN;
}

static double flushed(vkmm_type type, double value)
{
    return fabs(value) < least(type) ? copysign(0, value) : value;
}

/* A sum of which a double may not hold all: the next double on its other side then, which rounds as it does (Knuth, The
 * Art of Computer Programming, volume 2, 4.2.2, theorem B). */
static double sum_of(double x, double y)
{
    const double sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
    return rest == 0 || isnan(rest) ? sum : nextafter(sum, rest > 0 ? INFINITY : -INFINITY);
}

/* Whether a result is what `exact` rounds to: the nearest number, or the next one toward zero. */
static int is_rounded(vkmm_type type, uint32_t got, double exact)
{
    const uint32_t bits = bits_of(type, exact);
    const double nearest = value_of(type, bits), result = value_of(type, got);
    if (isnan(exact)) return isnan(result);
    if (result == nearest) return 1;
    if (fabs(nearest) > fabs(exact) && result == value_of(type, bits - 1)) return 1;
    return fabs(nearest) <= least(type) && result == 0;
}

/* Whether a result is right; *want is what it should be, as bits. */
static int is_right(uint32_t operation, const uint32_t *in, uint32_t got, uint32_t *want)
{
    const int of_halves = operation == HALF_ADD || operation == HALF_MULTIPLY;
    const vkmm_type from = of_halves ? VKMM_F16 : VKMM_F32;
    const vkmm_type to = operation == TO_HALF || operation >= HALF_ADD ? VKMM_F16 : VKMM_F32;
    const double x = value_of(from, in[0]), y = value_of(from, of_halves ? in[0] >> 16 : in[1]);
    const double fx = flushed(from, x), fy = flushed(from, y);
    double exact = x, other = x; /* with subnormal factors as zeros */
    switch (operation) {
    case ADD:
    case HALF_ADD:
        exact = sum_of(x, y), other = sum_of(fx, fy);
        break;
    case MULTIPLY:
    case HALF_MULTIPLY:
        exact = x * y, other = fx * fy;
        break;
    case FROM_INT:
        exact = other = (int32_t)in[0];
        break;
    case FROM_HALF:
        exact = value_of(VKMM_F16, in[0]), other = flushed(VKMM_F16, exact);
        break;
    case TO_INT:
        *want = fabs(x) < 0x1p31 ? (uint32_t)(int32_t)x : got; /* beyond that, any */
        return got == *want;
    case SIGN_EXTEND:
        *want = (uint32_t)(int8_t)(in[0] >> 8) + in[1];
        return got == *want;
    default: /* f32 to f16 */
        break;
    }
    *want = bits_of(to, exact);
    return (to == VKMM_F32 || got >> 16 == 0) && (is_rounded(to, got, exact) || is_rounded(to, got, other));
}

static int judge(cli_trial *trial, uint32_t operation)
{
    const uint32_t words = trial->probe.in_words / trial->probe.out_words;
    for (uint32_t i = 0; i < trial->probe.out_words; i++) {
        const uint32_t *in = &trial->in[words * i], got = trial->probe.out[i];
        char second[24] = "";
        uint32_t want;
        if (is_right(operation, in, got, &want)) continue;
        trial->first = words * i;
        trial->count = words;
        if (words > 1) VKMM_PUT(second, " and 0x%08x", in[1]);
        return cli_trial_wrong(trial, "of 0x%08x%s it makes 0x%08x, should be 0x%08x (word %u)", in[0], second, got,
                               want, i);
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
    {"sums of f16", has_f16, "check_half", HALF_ADD, make, judge},
    {"products of f16", has_f16, "check_half", HALF_MULTIPLY, make, judge},
    {"f32 to f16", has_f16, "check_half", HALF_CONVERT, make, judge},
};

const cli_case_part cli_numbers_part = {"numbers", CLI_TRIALS(kinds)};
