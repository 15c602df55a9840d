#include "math/half.h"

#include <string.h>

uint16_t vkmm_narrow_bits(double value, int exponent_bits, int fraction_bits, int has_infinity)
{
    uint64_t wide;
    memcpy(&wide, &value, sizeof wide);
    const uint32_t sign = (uint32_t)(wide >> 63) << (exponent_bits + fraction_bits);
    const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    const int exponent = (int)(wide >> 52 & 2047U);
    const uint64_t fraction = wide & ((UINT64_C(1) << 52) - 1);
    const uint32_t beyond = has_infinity ? (uint32_t)top << fraction_bits : (1U << (exponent_bits + fraction_bits)) - 1;
    /* The highest bit of a NaN's fraction makes it a quiet one, and keeps it from becoming an infinity. */
    const uint32_t payload = 1U << (fraction_bits - 1) | (uint32_t)(fraction >> (52 - fraction_bits));
    if (exponent == 2047) return (uint16_t)(sign | beyond | (fraction != 0 ? payload : 0));
    int scaled = exponent - 1023 + bias, drop = 52 - fraction_bits;
    uint64_t significand = fraction | (exponent != 0 ? UINT64_C(1) << 52 : 0);
    if (scaled > top) return (uint16_t)(sign | beyond);
    if (scaled < 1) {
        /* Subnormal: the exponent is that of the smallest normal number, and the fraction loses more bits. */
        drop += 1 - scaled;
        scaled = 1;
    }
    if (drop > 54) return (uint16_t)sign; /* less than half of the smallest */
    const uint64_t half = UINT64_C(1) << (drop - 1), rest = significand & ((UINT64_C(1) << drop) - 1);
    uint64_t kept = significand >> drop;
    kept += rest > half || (rest == half && (kept & 1U)) ? 1 : 0;
    /* The leading one of a normal number adds to the exponent, and so does a carry into it. */
    kept += (uint64_t)(scaled - 1) << fraction_bits;
    return (uint16_t)(sign | (kept < beyond ? (uint32_t)kept : beyond));
}

uint16_t vkmm_f16_bits(double value)
{
    return vkmm_narrow_bits(value, 5, 10, 1);
}

uint16_t vkmm_bf16_bits(double value)
{
    return vkmm_narrow_bits(value, 8, 7, 1);
}
