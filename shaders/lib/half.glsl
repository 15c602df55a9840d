// An f32's nearest f16, ties to even, as bits: what packHalf2x16 rounds to is up to the device. Without branches,
// because some compilers inline each use of a function.
uint f16_bits(float value)
{
    const uint bits = floatBitsToUint(value), size = bits & 0x7fffffff;
    const uint normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    const uint shift = clamp(126 - int(size >> 23), 14, 25);
    const uint significand = size & 0x7fffff | 0x800000, whole = significand >> shift;
    const bool up = (significand & (1u << shift) - 1) + (whole & 1) > 1u << shift - 1;
    const uint finite = mix(whole + uint(up), normal, size >= 0x38800000);
    const uint special = mix(0x7c00, 0x7e00 | size >> 13 & 0x1ff, size > 0x7f800000); // infinite from 65520 on; or NaN
    return bits >> 16 & 0x8000 | mix(finite, special, size >= 0x477ff000);
}
