#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// A or B, of f16 or bf16, as bytes: each row of op(A), or column of op(B), times 127 over its largest magnitude,
// rounded to the nearest, ties to even. Lines of bytes lie along K, with zeros beyond the matrix; the largest
// magnitudes lie before them. A workgroup takes whole lines, one at a time, or SIDE where they lie across memory; z
// counts the matrices of a batch.
layout(local_size_x_id = 0) in;       // a power of two, from 32 to 256
layout(constant_id = 47) const uint IN = 1;
const uint IN_F16 = 1, IN_BF16 = 2;

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 3) restrict writeonly buffer Packed { uint packed[]; };

#include "pack_push.glsl"

const uint SIDE = 32, NOT_FINITE = 0x7f800000;
const uint LEAST = 127 - 119 << 23; // 2^-119: with less, remainders may not be normal numbers
shared uint largest[256];
shared uint square[SIDE * (SIDE + 1)];

// The f32 that an element is, as bits.
uint bits_of(uint x)
{
    if (IN == IN_BF16)
        return x << 16;
    const uint size = x & 0x7fff, sign = (x & 0x8000) << 16;
    const uint normal = (size << 13) + (112 << 23), infinite = normal + (112 << 23);
    return sign | (size < 0x400 ? floatBitsToUint(float(size) * (1.0 / 16777216)) : size < 0x7c00 ? normal : infinite);
}

// Element k of a line; 0 beyond the matrix.
uint element(uint line, uint k)
{
    const bool across = TRANSPOSE != 0;
    const uint row = across ? k : line, place = across ? line : k;
    const bool there = row < LINES && place < LENGTH;
    const uint at = OFFSET + gl_WorkGroupID.z * STRIDE + (there ? row * LD + place : 0);
    const uint word = IS_B != 0 ? B[at / 2] : A[at / 2];
    return there ? bits_of(word >> 16 * (at % 2) & 0xffff) : 0;
}

// 127·x/most, rounded, as a byte. All products and remainders are exact: an element has at most 11 bits.
uint quantized(float x, float most)
{
    precise const float high = 127 * x;
    float q = roundEven(high / most); // at most one off: what division rounds to is up to the device
    precise const float first = high - q * most;
    q += 2 * abs(first) > most ? sign(first) : 0;
    precise const float rest = high - q * most;
    q += 2 * abs(rest) == most && int(q) % 2 != 0 ? sign(rest) : 0;
    return uint(int(q)) & 0xff;
}

// The largest of the magnitudes, as bits, that the invocations whose numbers are equal modulo `lines` have.
uint join(uint mine, uint lines)
{
    largest[gl_LocalInvocationID.x] = mine;
    barrier();
    for (uint half_way = gl_WorkGroupSize.x / 2; half_way >= lines; half_way /= 2) {
        if (gl_LocalInvocationID.x < half_way)
            largest[gl_LocalInvocationID.x] =
                max(largest[gl_LocalInvocationID.x], largest[gl_LocalInvocationID.x + half_way]);
        barrier();
    }
    return largest[gl_LocalInvocationID.x % lines];
}

uint word_of(uvec4 bits, uint top)
{
    uint word = 0;
    if (top < NOT_FINITE && top >= LEAST)
        [[unroll]] for (uint e = 0; e < 4; e++)
            word |= quantized(uintBitsToFloat(bits[e]), uintBitsToFloat(top)) << 8 * e;
    return word;
}

// The lines of a group, of which each invocation first looks at a part of one.
void quantize(uint line0, uint at_once, uint count, uint depth)
{
    const uint me = gl_LocalInvocationID.x, own = line0 + me % at_once;
    const uint to = TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE;
    uint most = 0;
    for (uint k = me / at_once; k < depth; k += gl_WorkGroupSize.x / at_once)
        most = max(most, element(own, k) & 0x7fffffff);
    most = join(most, at_once);
    if (me < at_once && own < count)
        packed[EXPONENTS + gl_WorkGroupID.z * count + own] = most;
    if (at_once == 1) {
        for (uint word = me; word < TO_LD; word += gl_WorkGroupSize.x) {
            const uvec4 bits = uvec4(element(own, 4 * word), element(own, 4 * word + 1), element(own, 4 * word + 2),
                                     element(own, 4 * word + 3));
            packed[to + own * TO_LD + word] = word_of(bits, most);
        }
        return;
    }
    for (uint k0 = 0; k0 < 4 * TO_LD; k0 += SIDE) {
        for (uint i = me; i < SIDE * SIDE; i += gl_WorkGroupSize.x)
            square[i % SIDE * (SIDE + 1) + i / SIDE] = element(line0 + i % SIDE, k0 + i / SIDE);
        barrier();
        for (uint i = me; i < SIDE * SIDE / 4; i += gl_WorkGroupSize.x) {
            const uint line = i / (SIDE / 4), word = i % (SIDE / 4), from = line * (SIDE + 1) + 4 * word;
            const uvec4 bits = uvec4(square[from], square[from + 1], square[from + 2], square[from + 3]);
            if (line0 + line < count && k0 / 4 + word < TO_LD)
                packed[to + (line0 + line) * TO_LD + k0 / 4 + word] = word_of(bits, largest[line]);
        }
        barrier();
    }
}

void main()
{
    const bool across = TRANSPOSE != 0;
    const uint count = across ? LENGTH : LINES, depth = across ? LINES : LENGTH, at_once = across ? SIDE : 1;
    for (uint line = gl_WorkGroupID.x * at_once; line < count; line += gl_NumWorkGroups.x * at_once) {
        quantize(line, at_once, count, depth);
        barrier();
    }
}
