#include "math/half.h"

#include <string.h>

/* A double as `fraction_bits` of fraction with `exponent_bits` of exponent below the sign, in 16 bits. */
static uint16_t narrow(double value, int fraction_bits, int exponent_bits)
{
    uint64_t wide;
    memcpy(&wide, &value, sizeof wide);
    const uint16_t sign = (uint16_t)(wide >> 48 & 0x8000U);
    const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    const int exponent = (int)(wide >> 52 & 2047U);
    const uint64_t fraction = wide & ((UINT64_C(1) << 52) - 1);
    const uint32_t infinity = (uint32_t)top << fraction_bits;
    if (exponent ==
        2047) /* the highest bit of a NaN's fraction makes it a quiet one, and keeps it from becoming an infinity */
        return (
            uint16_t)(sign | infinity |
                      (fraction != 0 ? 1U << (fraction_bits - 1) | (uint32_t)(fraction >> (52 - fraction_bits)) : 0));
    int scaled = exponent - 1023 + bias, drop = 52 - fraction_bits;
    uint64_t significand = fraction | (exponent != 0 ? UINT64_C(1) << 52 : 0);
    if (scaled >= top) return (uint16_t)(sign | infinity);
    if (scaled <
        1) { /* subnormal: the exponent is that of the smallest normal number, and the fraction loses more bits */
        drop += 1 - scaled;
        scaled = 1;
    }
    if (drop > 54) return sign; /* less than half of the smallest */
    const uint64_t half = UINT64_C(1) << (drop - 1), rest = significand & ((UINT64_C(1) << drop) - 1);
    uint64_t kept = significand >> drop;
    kept += rest > half || (rest == half && (kept & 1U)) ? 1 : 0;
    /* The leading one of a normal number adds to the exponent, and so does a carry into it. */
    return (uint16_t)(sign | (uint32_t)(((uint64_t)(scaled - 1) << fraction_bits) + kept));
}

uint16_t vkmm_f16_bits(double value)
{
    return narrow(value, 10, 5);
}

uint16_t vkmm_bf16_bits(double value)
{
    return narrow(value, 7, 8);
}
