#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Splits A or B, of f32, into two f16 parts each, x·2^s = hi + lo/2048, where s puts the largest element of a row of
// op(A), or of a column of op(B), between 2^14 and 2^15 (scale.comp has found its exponent). Along K, PART elements of
// hi are followed by as many of lo. Elements keep the direction in which they lie. Where one is so small that too
// little of it is left, or is infinite or NaN, the product must be computed without parts.
// A workgroup splits a square of SIDE elements; z counts the matrices of a batch.
#include "half.glsl"
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 3) restrict buffer Packed { uint packed[]; };

#include "pack_push.glsl"
#include "decide.glsl"
#include "parts.glsl"

const uint SIDE = 64, PAIRS = SIDE / 2, ROUNDS = (SIDE * PAIRS + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x;
uint values[2 * ROUNDS];
uint exponents[2 * ROUNDS];

// The parts of an element: the bits of hi as f16, and of lo as f32.
uvec2 parts_of(uint value, uint largest)
{
    const float scaled = uintBitsToFloat(value) * uintBitsToFloat(2 * 127 + TOP - largest << 23);
    const uint bits = floatBitsToUint(scaled), exponent = bits >> 23 & 0xff;
    // hi by its bits: compilers fold x - float(float16_t(x)) to 0. Of subnormal f16, fewer are left.
    uint hi = bits + 0x1000 & ~0x1fff, half_hi = bits >> 16 & 0x8000 | (hi & 0x7fffffff) - 0x38000000 >> 13;
    if (exponent < 113) {
        const uint drop = 13 + min(113 - exponent, 10);
        hi = exponent < 103 ? 0 : bits + (1u << drop - 1) & ~0u << drop;
        half_hi = f16_bits(uintBitsToFloat(hi));
    }
    return uvec2(half_hi, floatBitsToUint((scaled - uintBitsToFloat(hi)) / LO_UNIT));
}

// Whether what the parts lose of an element is more than K roundings of f32, or it is no number.
bool is_lost(uint value, uint largest)
{
    const uint exponent = value >> 23 & 0xff;
    return (value & 0x7fffffff) != 0 && (exponent == 0xff || exponent + 127 + TOP < LEAST + largest);
}

void main()
{
    const bool across = TRANSPOSE != 0;
    const uint extent = across ? LENGTH : LINES, line0 = gl_WorkGroupID.y * SIDE, pair0 = gl_WorkGroupID.x * PAIRS;
    const uint base = OFFSET + gl_WorkGroupID.z * STRIDE, rows = EXPONENTS + gl_WorkGroupID.z * extent;
    bool lost = false;
    [[unroll]] for (uint n = 0; n < 2 * ROUNDS; n++) {
        const uint i = gl_LocalInvocationIndex + n / 2 * gl_WorkGroupSize.x;
        const uint line = line0 + i / PAIRS, place = 2 * (pair0 + i % PAIRS) + n % 2;
        const uint at = base + min(line, LINES - 1) * LD + min(place, LENGTH - 1);
        const uint value = IS_B != 0 ? B[at] : A[at];
        values[n] = line < LINES && place < LENGTH ? value : 0;
        exponents[n] = largest_of(packed[rows + min(across ? place : line, extent - 1)]);
    }
    [[unroll]] for (uint n = 0; n < ROUNDS; n++) {
        const uint i = gl_LocalInvocationIndex + n * gl_WorkGroupSize.x, line = line0 + i / PAIRS,
                   pair = pair0 + i % PAIRS;
        const uvec2 first = parts_of(values[2 * n], exponents[2 * n]);
        const uvec2 second = parts_of(values[2 * n + 1], exponents[2 * n + 1]);
        const uint to_line = across ? line / PART * (2 * PART) + line % PART : line;
        const uint to_word = across ? pair : pair / (PART / 2) * PART + pair % (PART / 2);
        const uint next = across ? PART * TO_LD : PART / 2; // from hi to lo
        const uint at = TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE + to_line * TO_LD + to_word;
        lost = lost || is_lost(values[2 * n], exponents[2 * n]) || is_lost(values[2 * n + 1], exponents[2 * n + 1]);
        if (i < SIDE * PAIRS && to_line < TO_LINES && to_word < TO_LD) {
            packed[at] = first.x | second.x << 16;
            packed[at + next] = packHalf2x16(uintBitsToFloat(uvec2(first.y, second.y)));
        }
    }
    if (lost)
        decide(false);
}
