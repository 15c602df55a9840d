// Floats of 8 bits, four in a word, as f32: E4M3 and E5M2 of the OCP 8-bit Floating Point Specification. Only integers
// and normal f32 are computed with, because a device may flush others to zero.
layout(constant_id = 45) const uint FRACTION = 3; // bits of fraction: 3: E4M3; 2: E5M2

vec4 values_of_float8(uint word)
{
    const bool e4m3 = FRACTION == 3;
    const uint moved = e4m3 ? 127 - 7 << 23 : 127 - 15 << 23, least = moved + (1 << 23); // by the bias; 2^(1 - bias)
    const uvec4 codes = uvec4(word, word >> 8, word >> 16, word >> 24), magnitudes = codes & 0x7f;
    const uvec4 shifted = magnitudes << 23 - FRACTION;
    // A subnormal counts fractions of the smallest normal number, which is added and subtracted again.
    const uvec4 small = floatBitsToUint(uintBitsToFloat(shifted | least) - uintBitsToFloat(least));
    // E4M3 has a NaN in place of the infinity, and finite numbers in place of the other NaNs. mix(), because `?:` is a
    // branch, with which SwiftShader compiles some kernels for 18 s.
    const uvec4 special = mix(shifted + 2 * moved, uvec4(0x7fc00000), bvec4(e4m3));
    uvec4 bits = mix(small, shifted + moved, greaterThanEqual(shifted, uvec4(1 << 23)));
    bits = mix(bits, special, greaterThanEqual(magnitudes, uvec4(e4m3 ? 0x7f : 0x7c)));
    return uintBitsToFloat(bits | (codes & 0x80) << 24);
}
