/* f16 (IEEE 754 binary16) and bf16 (the upper 16 bits of an f32): from and to wider types, rounded to the nearest,
 * ties to even, beyond the largest finite value to infinity, with subnormals and signed zeros. A NaN stays a NaN,
 * with its sign and the upper bits of its payload. */
#ifndef VKMM_MATH_HALF_H
#define VKMM_MATH_HALF_H

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

static inline float vkmm_f16_value(uint16_t bits)
{
    const uint32_t magnitude = (uint32_t)(bits & 0x7fffU) << 13;
    /* As an f32: with its exponent moved; that of infinities and NaNs further still; subnormals as fractions of
     * 2^-14, less 2^-14. */
    uint32_t wide = magnitude + UINT32_C(0x38000000) + (magnitude >= UINT32_C(0x0f800000) ? UINT32_C(0x38000000) : 0);
    const uint32_t above = magnitude | UINT32_C(0x38800000);
    float small, value;
    memcpy(&small, &above, sizeof small);
    small -= 0x1p-14F;
    uint32_t small_bits;
    memcpy(&small_bits, &small, sizeof small_bits);
    wide = magnitude < UINT32_C(0x00800000) ? small_bits : wide;
    wide |= (uint32_t)(bits & 0x8000U) << 16;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Rounded once, straight from the double. */
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

#endif
