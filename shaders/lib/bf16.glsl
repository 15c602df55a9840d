#ifndef BF16_GLSL
#define BF16_GLSL
// The nearest bf16, ties to even, as bits; a NaN stays one. bf16 is the upper half of f32.
uint bf16_bits(float value)
{
    const uint bits = floatBitsToUint(value);
    return isnan(value) ? bits >> 16 | 0x40 : bits + 0x7fff + (bits >> 16 & 1) >> 16;
}
#endif
