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

// What a line is divided by. unit: 127 times an element of it is finite. inverse: 0 if all its bytes are zeros.
struct Divisor {
    float most, unit, inverse;
};
Divisor divisor_of(float most)
{
    const float unit = IN == IN_F16 || most < LARGE ? 1 : 1 / LARGE;
    const bool zeros = floatBitsToUint(most) >= NOT_FINITE || floatBitsToUint(most) < LEAST;
    return Divisor(most * unit, unit, zeros ? 0 : 1 / (most * unit));
}

// Four elements x, of which two share a word, as 127·x/most, rounded to the nearest, ties to even: the last bytes of
// q + ROUND. All products and remainders are exact: an element has at most 11 bits. The quotient is off by less than a
// thousandth before it is rounded, so q is at most one off, and only near a tie.
uint word_of(uvec2 pairs, Divisor by)
{
    const uvec4 bits = uvec4(pairs.x & 0xffff, pairs.x >> 16, pairs.y & 0xffff, pairs.y >> 16);
    vec4 x = vec4(value_of(bits.x), value_of(bits.y), value_of(bits.z), value_of(bits.w));
    if (IN != IN_F16)
        x *= by.unit;
    precise const vec4 high = 127 * x, sum = fma(high, vec4(by.inverse), vec4(ROUND)),
                       rest = fma(ROUND - sum, vec4(by.most), high);
    const vec4 size = abs(rest);
    const float half_way = by.most / 2;
    uvec4 codes = floatBitsToUint(sum);
    if (max(max(size.x, size.y), max(size.z, size.w)) >= half_way)
        [[unroll]] for (uint e = 0; e < 4; e++)
            if (size[e] > half_way || size[e] == half_way && (codes[e] & 1) != 0)
                codes[e] += rest[e] > 0 ? 1 : -1;
    codes = (codes & 255) << uvec4(0, 8, 16, 24);
    return by.inverse == 0 ? 0 : codes.x | codes.y | codes.z | codes.w;
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
    const Divisor by = divisor_of(most);
    for (uint word = 2 * me; word < TO_LD; word += 2 * gl_WorkGroupSize.x) { // lines have an even number of words
        const uvec4 pairs = along8(line, 4 * word);
        packed[to + line * TO_LD + word] = word_of(pairs.xy, by);
        packed[to + line * TO_LD + word + 1] = word_of(pairs.zw, by);
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
            const Divisor by = divisor_of(largest_of(largest[line]));
            if (line0 + line < LENGTH && k0 / 4 + word < TO_LD)
                packed[to + (line0 + line) * TO_LD + k0 / 4 + word] = word_of(pairs, by);
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
