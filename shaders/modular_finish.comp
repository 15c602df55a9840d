#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The last pass of a modular product: from the sums of products of residues, one for each modulus, to elements of C.
// With r_n the sum modulo m_n, whose A-residues were multiplied by the inverse of Π/m_n, the product of the integers is
// Σ r_n·(Π/m_n) modulo Π (the Chinese remainder theorem), and lies between -Π/2 and Π/2. An invocation computes four
// elements of a row.
#include "modular.glsl"
#include "soft64.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint SUM_BYTES = 4;   // 1: the product stored remainders instead of sums
layout(constant_id = 4) const uint MODULI = MOST_MODULI;
layout(constant_id = 41) const uint BIAS = 0;       // 1: an element for each column of C; 2: for each row
layout(constant_id = 42) const uint ACTIVATION = 0; // 1: max(x, 0), which keeps a NaN

layout(std430, set = 0, binding = 0) restrict readonly buffer Lines { uvec4 lines[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer Bias { Element bias[]; };
layout(std430, set = 0, binding = 2) restrict buffer MatrixC { Element C[]; };
layout(std430, set = 0, binding = 2) restrict writeonly buffer VectorsC { uvec4 VC[]; };
layout(std430, set = 0, binding = 3) restrict readonly buffer Sums { uvec4 sums[]; };
layout(std430, set = 0, binding = 3) restrict readonly buffer Remainders { uint remainders[]; }; // four in each

layout(push_constant) uniform Work {
    uvec2 ALPHA, BETA;                // F32: the first word
    uint M, N, LDC, OFFSET_C, STRIDE_C; // of C, or of some rows of it
    uint SUMS_LD;                     // vectors of a row of sums
    uint FROM_A, FROM_B, FROM_STRIDE; // where the lines are, in vectors
    uint FIRST, END;                  // work items: as many vectors of one matrix as a workgroup has invocations
};

// The element nearest to an integer of 160 bits, two's complement, times 2^exponent.
Element nearest(uvec4 x, uint top, int exponent)
{
    const uint sign = top;
    uint by;
    if (sign >> 31 != 0) {
        x = ~x;
        x.x++;
        x.y += uint(x.x == 0);
        x.z += uint((x.x | x.y) == 0);
        x.w += uint((x.x | x.y | x.z) == 0);
        top = ~top + uint(x == uvec4(0));
    }
    if (top != 0) {
        x = uvec4(x.y | uint(x.x != 0), x.zw, top);
        exponent += 32;
    }
    if (x == uvec4(0))
        return ZERO;
    x = normal_128(x, by);
    return rounded(sign, 127 - int(by) + exponent, x);
}

#if defined(WORDS) // without a barrier: for CPUs
#define table lines

// A number of 10 limbs between -2^31 and 2^31: the even ones of 8, the odd ones, and the last two. By name, because
// SwiftShader keeps in memory what a loop indexes.
struct Wide { ivec4 even, odd; ivec2 last; };

void add(inout Wide x, int factor, uvec4 words, uint last)
{
    x.even += factor * ivec4(words & 0xffff);
    x.odd += factor * ivec4(words >> 16);
    x.last += factor * ivec2(last & 0xffff, last >> 16);
}

uint word_of(int even, int odd, inout int carry)
{
    even += carry;
    odd += even >> 16;
    carry = odd >> 16;
    return odd << 16 | even & 0xffff;
}

Element from_limbs(Wide number, int exponent)
{
    int carry = 0;
    uvec4 x;
    x.x = word_of(number.even.x, number.odd.x, carry);
    x.y = word_of(number.even.y, number.odd.y, carry);
    x.z = word_of(number.even.z, number.odd.z, carry);
    x.w = word_of(number.even.w, number.odd.w, carry);
    return nearest(x, word_of(number.last.x, number.last.y, carry), exponent);
}

void store_four(uint batch, uint i, uint column)
{
    Wide x = Wide(ivec4(0), ivec4(0), ivec2(0)), y = x, z = x, w = x;
    uvec4 count = uvec4(0);
    for (uint n = 0; n < MODULI; n++) {
        const uvec4 row = table[n * ROW], words = table[n * ROW + 2];
        const uint last = table[n * ROW + 3].x;
        const uvec4 r = remainder(sums[((batch * MODULI + n) * M + i) * SUMS_LD + column] + row.z, row);
        count += r * row.w;
        add(x, int(r.x), words, last);
        add(y, int(r.y), words, last);
        add(z, int(r.z), words, last);
        add(w, int(r.w), words, last);
    }
    const ivec4 times = -ivec4(count + (1 << 23) >> 24); // how often Π is too much
    const uvec4 words = table[MOST_MODULI * ROW], row = lines[FROM_A + batch * FROM_STRIDE + i];
    const uint last = table[MOST_MODULI * ROW + 1].x;
    add(x, times.x, words, last);
    add(y, times.y, words, last);
    add(z, times.z, words, last);
    add(w, times.w, words, last);
    const uint at = OFFSET_C + batch * STRIDE_C + i * LDC + 4 * column, count_4 = min(4, N - 4 * column);
    const Wide four[4] = Wide[](x, y, z, w);
    Element value[4];
    for (uint e = 0; e < count_4; e++) {
        const uvec4 col = lines[FROM_B + batch * FROM_STRIDE + 4 * column + e];
        const bool finite = max(row.w, col.w) >> 16 != NOT_FINITE;
        value[e] = finite ? from_limbs(four[e], -int(row.x) - int(col.x)) : NAN;
    }
    // α·x, β·C + x, bias + x: in a loop, which ends at once if there are none. SwiftShader executes what an `if` skips.
    const Element alpha = scalar(ALPHA), beta = scalar(BETA);
    const bool steps[3] = bool[](alpha != ONE, !is_zero(beta), BIAS != 0);
    for (uint t = steps[0] || steps[1] || steps[2] ? 0 : 12; t < 3 * count_4; t++) {
        const uint e = t / 3, step = t % 3;
        if (!steps[step])
            continue;
        Element factor = ONE, other = value[e], more = ZERO;
        if (step == 0)
            factor = alpha;
        else if (step == 1)
            factor = beta, other = C[at + e], more = value[e];
        else
            other = bias[BIAS == 1 ? 4 * column + e : FROM_A - LINES_AT + i], more = value[e];
        value[e] = step == 0 && is_zero(alpha) ? ZERO : fused(factor, other, more);
    }
    for (uint e = 0; e < count_4; e++) {
        const bool off = ACTIVATION != 0 && top(value[e]) >> 31 != 0; // a NaN has no sign here
        C[at + e] = off ? ZERO : value[e];
    }
}
#else
#include "soft64_finish.glsl"

shared uvec4 table[LINES_AT];

#if defined(F32)
const uint MOST_USED = 5; // 11 moduli of 8 bits have a product of 88 bits
#else
const uint MOST_USED = LIMBS;
#endif
const uint USED = (8 * (MODULI - 1) + LIMB_BITS - 1) / LIMB_BITS; // limbs of Π/m
const uint AT_ONCE = 8; // sums are read, which do not wait for each other
const uint IN_VECTOR = MOST_FIELD == 0xff ? 4 : 2; // elements of 16 bytes

// Limbs below 2^32, less `times` Π, times 2^exponent, as an element.
Element from_limbs(uint limbs[MOST_USED], uint times, int exponent)
{
    int carry = 0;
    uint words[5] = uint[](0, 0, 0, 0, 0);
    [[unroll]] for (uint l = 0; l < MOST_USED; l++) {
        const uint mask = (1 << LIMB_BITS) - 1, at = l * LIMB_BITS, word = at / 32, shift = at % 32;
        const uint product = l > USED ? 0 : times * table[MOST_MODULI * ROW + l / 4][l % 4];
        carry += int(limbs[l] & mask) - int(product);
        const uint limb = carry & mask;
        carry = (carry >> LIMB_BITS) + int(limbs[l] >> LIMB_BITS);
        words[word] |= limb << shift;
        if (shift + LIMB_BITS > 32)
            words[word + 1] |= limb >> 32 - shift;
    }
    const uint word = MOST_USED * LIMB_BITS / 32, shift = MOST_USED * LIMB_BITS % 32;
    words[word] |= carry << shift;
    [[unroll]] for (uint w = word + 1; w < 5; w++)
        words[w] = carry >> (w == word + 1 ? 32 - shift : 31);
    return nearest(uvec4(words[0], words[1], words[2], words[3]), words[4], exponent);
}

void store_four(uint batch, uint i, uint column)
{
    uvec4 limbs[MOST_USED], count = uvec4(0);
    [[unroll]] for (uint l = 0; l < MOST_USED; l++)
        limbs[l] = uvec4(0);
    const uint from = (batch * MODULI * M + i) * SUMS_LD + column;
    for (uint first = 0; first < MODULI; first += AT_ONCE) {
        uvec4 read[AT_ONCE];
        [[unroll]] for (uint t = 0; t < AT_ONCE; t++) {
            const uint at = from + min(first + t, MODULI - 1) * M * SUMS_LD;
            if (SUM_BYTES == 1)
                read[t].x = remainders[at];
            else
                read[t] = sums[at];
        }
        [[unroll]] for (uint t = 0; t < AT_ONCE; t++) {
            const uint n = first + t;
            if (n == MODULI)
                break;
            const uvec4 row = table[n * ROW], next = table[n * ROW + 1];
            uvec4 r;
            [[unroll]] for (uint e = 0; e < 4; e++)
                r[e] = SUM_BYTES == 1 ? read[t].x >> 8 * e & 0xff : remainder(read[t][e] + next.x, row.x, row.y);
            count += r * next.y;
            [[unroll]] for (uint l = 0; l < MOST_USED; l++)
                if (l < USED)
                    limbs[l] += r * table[n * ROW + 2 + l / 4][l % 4];
        }
    }
    count = count + (1 << 23) >> 24; // how many times Π is too much
    const uvec4 row = lines[FROM_A + batch * FROM_STRIDE + i];
    const uint at = OFFSET_C + batch * STRIDE_C + i * LDC + 4 * column, count_4 = min(4, N - 4 * column);
    Element value[4];
    [[unroll]] for (uint e = 0; e < 4; e++) {
        if (e >= count_4)
            break;
        uint own[MOST_USED];
        [[unroll]] for (uint l = 0; l < MOST_USED; l++)
            own[l] = limbs[l][e];
        const uvec4 col = lines[FROM_B + batch * FROM_STRIDE + 4 * column + e];
        const bool finite = max(row.w, col.w) >> 16 != NOT_FINITE;
        const Element sum = finite ? from_limbs(own, count[e], -int(row.x) - int(col.x)) : NAN;
        value[e] = finish(sum, scalar(ALPHA), scalar(BETA), at + e, FROM_A - LINES_AT + i, 4 * column + e);
    }
    if (count_4 == 4 && at % IN_VECTOR == 0) { // a row's elements in whole sectors of memory, or half of one
#if defined(F32)
        VC[at / 4] = uvec4(value[0], value[1], value[2], value[3]);
#else
        VC[at / 2] = uvec4(value[0], value[1]);
        VC[at / 2 + 1] = uvec4(value[2], value[3]);
#endif
    } else
        for (uint e = 0; e < count_4; e++)
            C[at + e] = value[e];
}
#endif

void main()
{
#if !defined(WORDS)
    for (uint i = gl_LocalInvocationID.x; i < LINES_AT; i += gl_WorkGroupSize.x)
        table[i] = lines[i];
    barrier();
#endif
    const uint groups = (M * SUMS_LD + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; // of one matrix
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint place = item % groups * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        if (place < M * SUMS_LD)
            store_four(item / groups, place / SUMS_LD, place % SUMS_LD);
    }
}
