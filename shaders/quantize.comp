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

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 3) restrict writeonly buffer Packed { uint packed[]; };

layout(std430, set = 0, binding = 0) readonly buffer QuadsA { uvec4 A4[]; };
layout(std430, set = 0, binding = 1) readonly buffer QuadsB { uvec4 B4[]; };

#include "pack_push.glsl"

const uint SIDE = 32, NOT_FINITE = 0x7f800000;
const uint LEAST = 127 - 119 << 23; // 2^-119: with less, remainders may not be normal numbers
const float ROUND = 12582912; // 1.5·2^23: whole numbers added to it are its last bits
const float LARGE = 1.329227995784916e36; // 2^120
shared uint largest[256];
shared uint square[SIDE * (SIDE + 1)];

// The f32 that an element is, if it is finite. Its exponent and fraction make a float g; of a subnormal f16, twice g
// less the smallest normal one is its magnitude.
float value_of(uint x)
{
    if (IN == IN_BF16)
        return uintBitsToFloat(x << 16);
    const float g = uintBitsToFloat(((x & 0x7fff) << 13) + (112 << 23)), size = min(g, fma(2, g, -0.00006103515625));
    return uintBitsToFloat(floatBitsToUint(size) | (x & 0x8000) << 16);
}

// The same of the largest magnitude of a line, which may be none.
float largest_of(uint x)
{
    return x < (IN == IN_BF16 ? 0x7f80 : 0x7c00) ? value_of(x) : uintBitsToFloat(NOT_FINITE);
}

// Where a line of the matrix in memory begins.
uint start_of(uint line) { return OFFSET + gl_WorkGroupID.z * STRIDE + line * LD; }

uint read(uint at)
{
    return IS_B != 0 ? B[at] : A[at];
}

// The 16 bits of element k of a line that lies across memory; 0 beyond the matrix.
uint across_at(uint line, uint k)
{
    const bool there = k < LINES && line < LENGTH;
    const uint at = there ? start_of(k) + line : start_of(0), word = read(at / 2);
    return there ? word >> 16 * (at % 2) & 0xffff : 0;
}

// Elements k and k + 1 of another line, in the lower and the upper half; 0 beyond the matrix.
uint along_at(uint line, uint k)
{
    const uint first = start_of(line), at = first + k;
    const bool there = k < LENGTH, both = k + 1 < LENGTH;
    const uint word = read((there ? at : first) / 2);
    if (first % 2 == 0)
        return there ? word & (both ? 0xffffffff : 0xffff) : 0;
    return there ? word >> 16 | (both ? read(at / 2 + 1) << 16 : 0) : 0;
}

// Eight of them from a multiple of eight on: a line has too few invocations to read less at a time.
uvec4 along8(uint line, uint k)
{
    const uint first = start_of(line);
    if (first % 8 == 0 && k + 8 <= LENGTH)
        return IS_B != 0 ? B4[(first + k) / 8] : A4[(first + k) / 8];
    return uvec4(along_at(line, k), along_at(line, k + 2), along_at(line, k + 4), along_at(line, k + 6));
}

// 127·x/most, rounded to the nearest, ties to even, as a byte, which is the last one of q + ROUND. All products and
// remainders are exact: an element has at most 11 bits. The quotient is off by less than a thousandth before it is
// rounded, so q is at most one off.
uint quantized(float x, float most, float inverse)
{
    precise const float high = 127 * x, q = roundEven(high * inverse), rest = high - q * most;
    const float twice = 2 * abs(rest);
    const uint code = floatBitsToUint(q + ROUND);
    const bool tie_to_odd = twice == most && (code & 1) != 0;
    return (twice > most || tie_to_odd ? code + (rest > 0 ? 1 : -1) : code) & 0xff;
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
    for (uint k = 8 * me; k < LENGTH; k += 8 * gl_WorkGroupSize.x) {
        const uvec4 pairs = along8(line, k);
        mine = larger(larger(larger(larger(mine, pairs.x), pairs.y), pairs.z), pairs.w);
    }
    const float most = largest_of(join(mine, 1));
    if (me == 0)
        packed[EXPONENTS + gl_WorkGroupID.z * LINES + line] = floatBitsToUint(most);
    for (uint word = 2 * me; word < TO_LD; word += 2 * gl_WorkGroupSize.x) { // lines have an even number of words
        const uvec4 pairs = along8(line, 4 * word);
        packed[to + line * TO_LD + word] = word_of(pairs.xy, most);
        packed[to + line * TO_LD + word + 1] = word_of(pairs.zw, most);
    }
}

// SIDE lines that lie across memory.
void quantize_across(uint line0, uint to)
{
    const uint me = gl_LocalInvocationID.x, own = line0 + me % SIDE;
    const uint deep = gl_WorkGroupSize.x / SIDE; // invocations of a line
    uint mine = 0;
    for (uint k = me / SIDE; k < LINES; k += 4 * deep) {
        const uint first = across_at(own, k) | across_at(own, k + deep) << 16,
                   second = across_at(own, k + 2 * deep) | across_at(own, k + 3 * deep) << 16;
        mine = larger(larger(mine, first), second);
    }
    mine = join(mine, SIDE);
    if (me < SIDE && own < LENGTH)
        packed[EXPONENTS + gl_WorkGroupID.z * LENGTH + own] = floatBitsToUint(largest_of(mine));
    for (uint k0 = 0; k0 < 4 * TO_LD; k0 += SIDE) {
        for (uint i = me; i < SIDE * SIDE; i += gl_WorkGroupSize.x)
            square[i % SIDE * (SIDE + 1) + i / SIDE] = across_at(line0 + i % SIDE, k0 + i / SIDE);
        barrier();
        for (uint i = me; i < SIDE * SIDE / 4; i += gl_WorkGroupSize.x) {
            const uint line = i / (SIDE / 4), word = i % (SIDE / 4), from = line * (SIDE + 1) + 4 * word;
            const uvec2 pairs =
                uvec2(square[from] | square[from + 1] << 16, square[from + 2] | square[from + 3] << 16);
            if (line0 + line < LENGTH && k0 / 4 + word < TO_LD)
                packed[to + (line0 + line) * TO_LD + k0 / 4 + word] = word_of(pairs, largest_of(largest[line]));
        }
        barrier();
    }
}

void main()
{
    const bool across = TRANSPOSE != 0;
    const uint count = across ? LENGTH : LINES, at_once = across ? SIDE : 1;
    const uint to = TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE;
    for (uint line = gl_WorkGroupID.x * at_once; line < count; line += gl_NumWorkGroups.x * at_once) {
        if (across)
            quantize_across(line, to);
        else
            quantize_along(line, to);
        barrier();
    }
}
