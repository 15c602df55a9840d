/* Floats of 16 and 8 bits (vkmm_type): from and to wider types, rounded to the nearest,
 * ties to even, beyond the largest finite value to infinity, with subnormals and signed zeros. A NaN stays a NaN,
 * with its sign and the upper bits of its payload. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Exact. In the header and without branches, so that loops over them vectorise. */
static inline float vkmm_bf16_value(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* A float of `1 + exponent_bits + fraction_bits` bits, 16 at most, whose exponent has the usual bias. Without
 * infinities, the code of all ones is the only NaN, and the other codes of the highest exponent are finite. */
static inline float vkmm_narrow_value(uint32_t bits, int exponent_bits, int fraction_bits, int has_infinity)
{
    const uint32_t sign = bits >> (exponent_bits + fraction_bits), ones = (1U << (exponent_bits + fraction_bits)) - 1;
    const uint32_t code = bits & ones, magnitude = code << (23 - fraction_bits);
    const uint32_t bias = (1U << (exponent_bits - 1)) - 1, moved = (127 - bias) << 23, least = (128 - bias) << 23;
    const uint32_t infinity = ones >> fraction_bits << fraction_bits;
    /* As an f32: with its exponent moved; that of infinities and NaNs further still; subnormals as fractions of the
     * smallest normal number, less that number. */
    uint32_t wide = magnitude + moved, small_bits = magnitude | least;
    wide += has_infinity && code >= infinity ? moved : 0;
    wide = !has_infinity && code == ones ? UINT32_C(0x7fc00000) : wide;
    float small, normal, value;
    memcpy(&small, &small_bits, sizeof small);
    memcpy(&normal, &least, sizeof normal);
    small -= normal;
    memcpy(&small_bits, &small, sizeof small_bits);
    wide = magnitude < UINT32_C(0x00800000) ? small_bits : wide;
    wide |= sign << 31;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static inline float vkmm_f16_value(uint16_t bits)
{
    return vkmm_narrow_value(bits, 5, 10, 1);
}

static inline float vkmm_e4m3_value(uint8_t bits)
{
    return vkmm_narrow_value(bits, 4, 3, 0);
}

static inline float vkmm_e5m2_value(uint8_t bits)
{
    return vkmm_narrow_value(bits, 5, 2, 1);
}

/* Rounded once, straight from the double. Without infinities, NaN takes their place. */
uint16_t vkmm_narrow_bits(double value, int exponent_bits, int fraction_bits, int has_infinity);
uint16_t vkmm_f16_bits(double value);
uint16_t vkmm_bf16_bits(double value);

/* value rounded to f16: as vkmm_f16_value(vkmm_f16_bits(value)), but for NaNs, which stay as they are. Vectorises. */
static inline float vkmm_f16_rounded(float value)
{
    uint32_t bits, kept;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t magnitude = bits & UINT32_C(0x7fffffff), sign = bits & UINT32_C(0x80000000);
    /* To a multiple of 2^13 of the bits, ties to even. Below 2^-14, adding 1/2 rounds to multiples of 2^-24. */
    kept = (magnitude + UINT32_C(0xfff) + (magnitude >> 13 & 1U)) & ~UINT32_C(0x1fff);
    float small;
    memcpy(&small, &magnitude, sizeof small);
    small = (magnitude < UINT32_C(0x38800000) ? small : 0.0F) + 0.5F;
    small -= 0.5F;
    uint32_t small_bits;
    memcpy(&small_bits, &small, sizeof small_bits);
    kept = magnitude < UINT32_C(0x38800000) ? small_bits : kept;
    kept = magnitude >= UINT32_C(0x477ff000) ? UINT32_C(0x7f800000) : kept; /* 65520 */
    kept = magnitude > UINT32_C(0x7f800000) ? magnitude : kept;
    kept |= sign;
    memcpy(&value, &kept, sizeof value);
    return value;
}
