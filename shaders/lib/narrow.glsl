// How A and B are read. Types narrower than 32 bits are bound as 32-bit words and unpacked here, so that it works on
// any Vulkan device; if it can read 16 bits at a time, odd positions take one read and no shift. The build defines one
// of
//   IN_F16, IN_BF16, IN_I8, IN_U8   A and B are of this type, narrower than T
//   IN_F8                           A and B are floats of 8 bits (float8.glsl)
//   IN_F32                          A and B are f32, and rounded to f16
//   BLOCKS                          one of A and B is in blocks (blocks.glsl), the other of the type IN
// and, with these:
//   SUM_F16     T is float16_t: sums are made in the device's own 16-bit floats
//   ROUND_F16   T is float, and each sum is rounded to f16, for devices that have none
//   STORAGE16   the device can load and store 16 bits
// and none of these where A and B are of type T.
//
// A piece of A is fetched raw (RAW an element, RAWV VW neighbours, RAWQ the KW neighbours of 16 bytes), and only later
// converted to T, so that no invocation waits for memory before the values are needed.

#include "half.glsl"

// A sum rounded to f16, but for subnormal ones, which keep more.
#if defined(ROUND_F16) || defined(ROUND_SUMS)
float round_f16(float value)
{
    const uint bits = floatBitsToUint(value), rounded = bits + 0xfff + (bits >> 13 & 1) & 0xffffe000;
    const float infinite = mix(uintBitsToFloat(bits & 0x80000000 | 0x7f800000), value, isnan(value));
    return mix(infinite, uintBitsToFloat(rounded), abs(value) < 65520.0);
}

vec4 round_f16(vec4 value)
{
    const uvec4 bits = floatBitsToUint(value), rounded = bits + 0xfff + (bits >> 13 & 1) & 0xffffe000;
    const vec4 infinite = mix(uintBitsToFloat(bits & 0x80000000 | 0x7f800000), value, isnan(value));
    return mix(infinite, uintBitsToFloat(rounded), lessThan(abs(value), vec4(65520.0)));
}
#endif

// T of one f16, and of four.
#if defined(SUM_F16)
T half_of(uint bits) { return unpackFloat2x16(bits).x; }
TV halves_of(uvec2 bits) { return TV(unpackFloat2x16(bits.x), unpackFloat2x16(bits.y)); }
#elif defined(TYPE_F32)
T half_of(uint bits) { return unpackHalf2x16(bits).x; }
TV halves_of(uvec2 bits) { return TV(unpackHalf2x16(bits.x), unpackHalf2x16(bits.y)); }
#endif

#if defined(IN_F16) || defined(IN_BF16)
#define NARROW
#define KW 8
#define RAW uint
#define RAWV uvec2
#define RAWQ uvec4
#if defined(STORAGE16)
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint16_t A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint16_t B[]; };
#define ELEMENT_A(i) uint(A[i])
#define ELEMENT_B(i) uint(B[i])
#else
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
#define ELEMENT_A(i) (A[(i) / 2] >> 16 * ((i) % 2) & 0xffff)
#define ELEMENT_B(i) (B[(i) / 2] >> 16 * ((i) % 2) & 0xffff)
#endif
#define SET(vector, c, raw) vector[(c) / 2] = bitfieldInsert(vector[(c) / 2], raw, int(16 * ((c) % 2)), 16)
#if defined(IN_F16)
T value_of(RAW raw) { return half_of(raw); }
TV values_of(RAWV raw) { return halves_of(raw); }
#else
T value_of(RAW raw) { return uintBitsToFloat(raw << 16); }
TV values_of(RAWV raw)
{
    return uintBitsToFloat(uvec4(raw.x << 16, raw.x & 0xffff0000, raw.y << 16, raw.y & 0xffff0000));
}
#endif
TV values_of(RAWQ raw, uint c) { return values_of(c == 0 ? raw.xy : raw.zw); } // the c-th VW of them

#elif defined(IN_I8) || defined(IN_U8) || defined(IN_F8)
#define NARROW
#define KW 16
#define RAW uint
#define RAWV uint
#define RAWQ uvec4
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
#define ELEMENT_A(i) (A[(i) / 4] >> 8 * ((i) % 4) & 0xff)
#define ELEMENT_B(i) (B[(i) / 4] >> 8 * ((i) % 4) & 0xff)
#define SET(vector, c, raw) vector = bitfieldInsert(vector, raw, int(8 * (c)), 8)
#if defined(IN_F8)
#include "float8.glsl"
T value_of(RAW raw) { return values_of_float8(raw).x; }
TV values_of(RAWV raw) { return values_of_float8(raw); }
#else
T value_of(RAW raw) { return bitfieldExtract(T(raw), 0, 8); } // with the sign, where T has one
TV values_of(RAWV raw)
{
    return TV(bitfieldExtract(T(raw), 0, 8), bitfieldExtract(T(raw), 8, 8),
              bitfieldExtract(T(raw), 16, 8), bitfieldExtract(T(raw), 24, 8));
}
#endif
TV values_of(RAWQ raw, uint c) { return values_of(raw[c]); }

#elif defined(BLOCKS)
layout(constant_id = 47) const uint IN = 0; // 0: f32; or IN_…
const uint IN_F16 = 1, IN_BF16 = 2;
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 0) readonly buffer PairsA { uvec2 A2[]; };
layout(std430, set = 0, binding = 1) readonly buffer PairsB { uvec2 B2[]; };
layout(std430, set = 0, binding = 0) readonly buffer QuadsA { uvec4 A4[]; };
layout(std430, set = 0, binding = 1) readonly buffer QuadsB { uvec4 B4[]; };
#define KW PART
const bool B_IS_PLAIN = ROWS >= COLS; // the tile's longer side is that in blocks
#define CODES(i) (B_IS_PLAIN ? A[i] : B[i])
#define CODES2(i) (B_IS_PLAIN ? A2[i] : B2[i])
#define CODES4(i) (B_IS_PLAIN ? A4[i] : B4[i])
#define ZERO (K >> 31)
#include "blocks.glsl"
vec2 values_of(uint word)
{
    return IN == IN_F16 ? unpackHalf2x16(word) : uintBitsToFloat(uvec2(word << 16, word & 0xffff0000));
}
// Element i of the plain operand; and eight, `further` ones after it, both being multiples of eight.
float plain(uint i)
{
    const uint word = B_IS_PLAIN ? B[IN == 0 ? i : i / 2] : A[IN == 0 ? i : i / 2];
    return IN == 0 ? uintBitsToFloat(word) : values_of(word)[i % 2];
}
vec4[2] plain8(uint i, uint further)
{
    const uint at = IN == 0 ? i / 4 + further / 4 : i / 8 + further / 8;
    const uvec4 words = B_IS_PLAIN ? B4[at] : A4[at];
    if (IN == 0)
        return vec4[](uintBitsToFloat(words), uintBitsToFloat(B_IS_PLAIN ? B4[at + 1] : A4[at + 1]));
    return vec4[](vec4(values_of(words.x), values_of(words.y)), vec4(values_of(words.z), values_of(words.w)));
}

#else
#define KW VW
#if defined(IN_F32)
#define RAW float
#define RAWV vec4
T value_of(RAW raw) { return half_of(f16_bits(raw)); }
TV values_of(RAWV raw)
{
    return halves_of(uvec2(f16_bits(raw.x) | f16_bits(raw.y) << 16, f16_bits(raw.z) | f16_bits(raw.w) << 16));
}
#else
#define RAW T
#define RAWV TV
#define value_of(raw) (raw)
#define values_of(raw) (raw)
#endif
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { RAW A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { RAW B[]; };
#define ELEMENT_A(i) A[i]
#define ELEMENT_B(i) B[i]
#define SET(vector, c, raw) vector[c] = raw
#endif
#if !defined(BLOCKS)
layout(std430, set = 0, binding = 0) readonly buffer VectorsA { RAWV AV[]; };
layout(std430, set = 0, binding = 1) readonly buffer VectorsB { RAWV BV[]; };
#endif
#if defined(NARROW)
layout(std430, set = 0, binding = 0) readonly buffer QuadsA { RAWQ AQ[]; };
layout(std430, set = 0, binding = 1) readonly buffer QuadsB { RAWQ BQ[]; };
#endif
