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
const float LARGE = 1.329227995784916e36; // 2^120
shared uint largest[256];
shared uint square[SIDE * (SIDE + 1)];

// The f32 that an element is.
float value_of(uint x)
{
    if (IN == IN_BF16)
        return uintBitsToFloat(x << 16);
    const uint size = x & 0x7fff, sign = (x & 0x8000) << 16;
    const uint normal = (size << 13) + (112 << 23), infinite = normal + (112 << 23);
    const uint small = floatBitsToUint(float(size) * (1.0 / 16777216));
    return uintBitsToFloat(sign | (size < 0x400 ? small : size < 0x7c00 ? normal : infinite));
}

uint read(uint at)
{
    return IS_B != 0 ? B[at] : A[at];
}

// The 16 bits of element k of a line that lies across memory; 0 beyond the matrix.
uint across_at(uint line, uint k)
{
    const bool there = k < LINES && line < LENGTH;
    const uint at = OFFSET + gl_WorkGroupID.z * STRIDE + (there ? k * LD + line : 0);
    return there ? read(at / 2) >> 16 * (at % 2) & 0xffff : 0;
}

// Elements k and k + 1 of another line, in the lower and the upper half; 0 beyond the matrix.
uint along_at(uint line, uint k)
{
    const uint first = OFFSET + gl_WorkGroupID.z * STRIDE + line * LD, at = first + k;
    const bool there = k < LENGTH, both = k + 1 < LENGTH;
    const uint word = read((there ? at : first) / 2);
    if (first % 2 == 0)
        return there ? word & (both ? 0xffffffff : 0xffff) : 0;
    return there ? word >> 16 | (both ? read(at / 2 + 1) << 16 : 0) : 0;
}

// 127·x/most, rounded, as a byte. All products and remainders are exact: an element has at most 11 bits. The quotient
// is off by less than a thousandth before it is rounded, so q is at most one off.
uint quantized(float x, float most, float inverse)
{
    precise const float high = 127 * x;
    float q = roundEven(high * inverse);
    precise const float first = high - q * most;
    q += 2 * abs(first) > most ? sign(first) : 0;
    precise const float rest = high - q * most;
    q += 2 * abs(rest) == most && int(q) % 2 != 0 ? sign(rest) : 0;
    return uint(int(q)) & 0xff;
}

// The largest of the magnitudes, as 16 bits, that the invocations whose numbers are equal modulo `lines` have.
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

// Four elements, of which two share a word.
uint word_of(uvec2 pairs, float most)
{
    uint word = 0;
    if (floatBitsToUint(most) >= NOT_FINITE || floatBitsToUint(most) < LEAST)
        return 0;
    const float unit = most < LARGE ? 1 : 1 / LARGE, inverse = 1 / (most * unit); // 127 times an element is finite
    [[unroll]] for (uint e = 0; e < 4; e++)
        word |= quantized(value_of(pairs[e / 2] >> 16 * (e % 2) & 0xffff) * unit, most * unit, inverse) << 8 * e;
    return word;
}

uint larger(uint most, uint pair)
{
    return max(most, max(pair & 0x7fff, pair >> 16 & 0x7fff));
}

// A line that lies along memory.
void quantize_along(uint line, uint to)
{
    const uint me = gl_LocalInvocationID.x;
    uint mine = 0;
    for (uint k = 2 * me; k < LENGTH; k += 2 * gl_WorkGroupSize.x)
        mine = larger(mine, along_at(line, k));
    const float most = value_of(join(mine, 1));
    if (me == 0)
        packed[EXPONENTS + gl_WorkGroupID.z * LINES + line] = floatBitsToUint(most);
    for (uint word = me; word < TO_LD; word += gl_WorkGroupSize.x)
        packed[to + line * TO_LD + word] = word_of(uvec2(along_at(line, 4 * word), along_at(line, 4 * word + 2)), most);
}

// SIDE lines that lie across memory.
void quantize_across(uint line0, uint to)
{
    const uint me = gl_LocalInvocationID.x, own = line0 + me % SIDE;
    uint mine = 0;
    for (uint k = me / SIDE; k < LINES; k += gl_WorkGroupSize.x / SIDE)
        mine = larger(mine, across_at(own, k));
    mine = join(mine, SIDE);
    if (me < SIDE && own < LENGTH)
        packed[EXPONENTS + gl_WorkGroupID.z * LENGTH + own] = floatBitsToUint(value_of(mine));
    for (uint k0 = 0; k0 < 4 * TO_LD; k0 += SIDE) {
        for (uint i = me; i < SIDE * SIDE; i += gl_WorkGroupSize.x)
            square[i % SIDE * (SIDE + 1) + i / SIDE] = across_at(line0 + i % SIDE, k0 + i / SIDE);
        barrier();
        for (uint i = me; i < SIDE * SIDE / 4; i += gl_WorkGroupSize.x) {
            const uint line = i / (SIDE / 4), word = i % (SIDE / 4), from = line * (SIDE + 1) + 4 * word;
            const uvec2 pairs =
                uvec2(square[from] | square[from + 1] << 16, square[from + 2] | square[from + 3] << 16);
            if (line0 + line < LENGTH && k0 / 4 + word < TO_LD)
                packed[to + (line0 + line) * TO_LD + k0 / 4 + word] = word_of(pairs, value_of(largest[line]));
        }
        barrier();
    }
}

void main()
{
    const bool across = TRANSPOSE != 0;
    const uint count = across ? LENGTH : LINES, at_once = across ? SIDE : 1;
    for (uint line = gl_WorkGroupID.x * at_once; line < count; line += gl_NumWorkGroups.x * at_once) {
        if (across)
            quantize_across(line, TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE);
        else
            quantize_along(line, TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE);
        barrier();
    }
}
