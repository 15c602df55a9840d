#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Splits A or B, of f32, into two f16 parts each, x·2^s = hi + lo/2048, where s puts the largest element of a row of
// op(A), or of a column of op(B), between 2^14 and 2^15 (scale.comp has found its exponent). Along K, PART elements of
// hi are followed by as many of lo. Elements keep the direction in which they lie. Where one is so small that too
// little of it is left, or is infinite or NaN, the product must be computed without parts.
// A workgroup splits a square of SIDE elements, an invocation VECTOR neighbours at a time; z counts the matrices of a
// batch.
#include "half.glsl"
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 3) restrict buffer Packed { uvec4 packed[]; };

#include "pack_push.glsl"
#include "decide.glsl"
#include "parts.glsl"

uint exponent(uint at) { return largest_of(packed[at / 4][at % 4]); }

const uint SIDE = 64, VECTOR = 8, VECTORS = SIDE / VECTOR; // elements that an invocation splits at a time

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
    const uint extent = across ? LENGTH : LINES, rows = EXPONENTS + gl_WorkGroupID.z * extent;
    const uint next = across ? PART * TO_LD : PART / 2; // from hi to lo
    bool lost = false;
    for (uint i = gl_LocalInvocationIndex; i < SIDE * VECTORS; i += gl_WorkGroupSize.x) {
        const uint line = gl_WorkGroupID.y * SIDE + i / VECTORS, place = gl_WorkGroupID.x * SIDE + i % VECTORS * VECTOR;
        const uint to_line = across ? line / PART * (2 * PART) + line % PART : line;
        const uint to_word = across ? place / 2 : place / PART * PART + place % PART / 2;
        uvec4 values[2] = {four(line, place), four(line, place + 4)}, hi, lo;
        uint largest = exponent(rows + min(line, extent - 1));
        [[unroll]] for (uint w = 0; w < VECTOR / 2; w++) {
            uvec2 parts[2];
            [[unroll]] for (uint n = 0; n < 2; n++) {
                const uint e = 2 * w + n;
                if (across)
                    largest = exponent(rows + min(place + e, extent - 1));
                const uint value = line < LINES && place + e < LENGTH ? values[e / 4][e % 4] : 0;
                parts[n] = parts_of(value, largest);
                lost = lost || is_lost(value, largest);
            }
            hi[w] = parts[0].x | parts[1].x << 16;
            lo[w] = packHalf2x16(uintBitsToFloat(uvec2(parts[0].y, parts[1].y)));
        }
        const uint at = (TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE + to_line * TO_LD + to_word) / 4;
        if (to_line < TO_LINES && to_word < TO_LD) {
            packed[at] = hi;
            packed[at + next / 4] = lo;
        }
    }
    if (lost)
        decide(false);
}
