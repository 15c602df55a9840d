#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#if defined(DOT8)
#extension GL_EXT_integer_dot_product : require
#endif
// The second pass of a modular product: A or B as integers, and these as a matrix of bytes for each modulus, with
// lines along K that end at a multiple of 16 bytes. What is beyond the matrix is filled with zeros. A workgroup takes
// a square of SIDE elements, or where lines lie along K, a quarter as many lines and four times as much of each, to
// write whole cache lines. z counts the matrices of a batch.
//   In a build with WORDS, residues are words, and lines lie across memory, which suits the kernel for CPUs. There is
// no barrier there, and nothing is indexed by a loop: on CPUs a barrier costs more than all else here, and SwiftShader
// does not unroll loops and keeps in memory what they index.
#include "modular.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 4) const uint MODULI = MOST_MODULI;

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { Element A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { Element B[]; };
layout(std430, set = 0, binding = 2) restrict readonly buffer Lines { uvec4 lines[]; };
#if defined(WORDS)
layout(std430, set = 0, binding = 3) restrict writeonly buffer Residues { uvec4 residues[]; };
#else
layout(std430, set = 0, binding = 3) restrict writeonly buffer Residues { uint residues[]; };
#endif

layout(push_constant) uniform Work {
    uint COUNT, DEPTH;                          // lines of the matrix, and their length
    uint LINE_STEP, DEPTH_STEP, OFFSET, STRIDE; // elements
    uint FROM, FROM_STRIDE;                     // where the lines are, in vectors
    uint IS_B;
    uint TO, TO_LD, TO_PLANE; // the residues: words of 32 bits, or vectors of WORDS; a plane for each modulus
};

const uint SIDE = 32;
#if defined(WORDS)
const uint WORD_ROW = SIDE / 4;
#else
layout(constant_id = 3) const uint ALONG = 0; // 1: the lines of A and of B lie along K in memory
const uint LINES = ALONG != 0 ? SIDE / 4 : SIDE, DEEP = ALONG != 0 ? SIDE * 4 : SIDE; // of a workgroup
shared Element square[ALONG != 0 ? 1 : SIDE * (SIDE + 1)]; // which leaves room for more workgroups
shared uvec4 rows[MOST_MODULI]; // m, as a float 1 / m, and what eight bytes count for,
shared int ninths[MOST_MODULI]; // and a ninth
const float ROUND = 12582912;   // 1.5·2^23: whole numbers below 2^22 added to it are its last bits
const uint MOST_OF_64_BITS = 16; // moduli, whose integers are at most 2^62.2; those of reproducible products always are
#endif

Element read(uint base, uint line, uint k)
{
    const bool there = line < COUNT && k < DEPTH;
    const uint at = there ? base + line * LINE_STEP + k * DEPTH_STEP : base;
    const Element bits = IS_B != 0 ? B[at] : A[at];
    return there ? bits : Element(0);
}

// |x·2^shift|, rounded to an integer. The shift of a line that is not finite makes all its elements 0.
uvec3 integer_of(Element bits, int shift)
{
    uint exponent;
#if defined(F32) // at most 32 bits: fewer than 24 are kept of what is rounded
    const uint whole = fraction(bits, exponent).x;
    const int left = int(exponent) - 1075 + shift;
    const uint half_less = left < -25 ? 0 : whole >> uint(max(-left - 1, 0)),
               word = left < 0 ? (half_less >> 1) + (half_less & 1) : whole << min(left, 31);
    return uvec3(word, 0, 0);
#else
    uvec2 x = fraction(bits, exponent);
    const int by = int(exponent) - 1075 + shift;
    uvec3 words = uvec3(0);
    if (by < 0) {
        const uvec2 all = by < -54 ? uvec2(0) : x, once = shift_right(all, uint(-by - 1));
        uint carry;
        x = shift_right(once, 1);
        x.x = uaddCarry(x.x, once.x & 1, carry); // half rounds up
        words = uvec3(x.x, x.y + carry, 0);
    } else if (by < 44) // the bits that move out of 64 are those that a shift to the right leaves
        words = uvec3(shift_left(x, uint(by)), shift_right(x, uint(64 - by)).x);
    else // the element has few bits
        words.yz = shift_left(x, uint(min(by, 95) - 32));
    return words;
#endif
}

#if defined(WORDS)
uvec4 limbs_of(Element bits, int shift)
{
    const uvec3 words = integer_of(bits, shift);
    const uint mask = (1 << ELEMENT_BITS) - 1;
    return uvec4(words.x, words.x >> 18 | words.y << 14, words.y >> 4, words.y >> 22 | words.z << 10) & mask;
}

void main()
{
    const uint line0 = gl_WorkGroupID.x * SIDE, k0 = gl_WorkGroupID.y * SIDE, batch = gl_WorkGroupID.z;
    for (uint i = gl_LocalInvocationID.x; i < SIDE * WORD_ROW; i += gl_WorkGroupSize.x) {
        const uint k = k0 + i / WORD_ROW, own = line0 + i % WORD_ROW * 4;
        if (k >= DEPTH || own >= COUNT)
            continue;
        // Four lines at a time. Beyond the last are zeros, whatever the shift.
        const uint base = OFFSET + batch * STRIDE, line = FROM + batch * FROM_STRIDE, last = COUNT - 1;
        const Element x = read(base, own, k), y = read(base, own + 1, k), z = read(base, own + 2, k),
                      w = read(base, own + 3, k);
        const uvec4 lx = limbs_of(x, int(lines[line + own].x)),
                    ly = limbs_of(y, int(lines[line + min(own + 1, last)].x)),
                    lz = limbs_of(z, int(lines[line + min(own + 2, last)].x)),
                    lw = limbs_of(w, int(lines[line + min(own + 3, last)].x));
        const uvec4 limb0 = uvec4(lx.x, ly.x, lz.x, lw.x), limb1 = uvec4(lx.y, ly.y, lz.y, lw.y),
                    limb2 = uvec4(lx.z, ly.z, lz.z, lw.z), limb3 = uvec4(lx.w, ly.w, lz.w, lw.w);
        const bvec4 negative = notEqual(uvec4(top(x), top(y), top(z), top(w)) >> 31, uvec4(0));
        uint to = TO + batch * MODULI * TO_PLANE + k * TO_LD + own / 4;
        for (uint n = 0; n < MODULI; n++) {
            const uvec4 row = lines[n * ROW], both = lines[n * ROW + 1];
            const uvec2 counts = IS_B != 0 ? both.zw : both.xy;
            uvec4 r = limb0 * (counts.x & 0xffff) + limb1 * (counts.x >> 16);
#if !defined(F32)
            r += limb2 * (counts.y & 0xffff) + limb3 * (counts.y >> 16);
#endif
            r = remainder(r, row);
            r = mix(r, row.x - r, negative);
            residues[to] = mix(r, r - row.x, greaterThan(r, uvec4(row.x / 2))); // with a sign
            to += TO_PLANE;
        }
    }
}
#else
#if defined(DOT8)
#define dot_4(x, y) dotPacked4x8EXT(x, y)
#else
ivec4 bytes_of(int word) { return ivec4(word << 24, word << 16, word << 8, word) >> 24; }

// The sum of the products of four bytes with a sign.
int dot_4(int x, int y)
{
    const ivec4 products = bytes_of(x) * bytes_of(y);
    return products.x + products.y + products.z + products.w;
}
#endif

// A magnitude below 2^70 and its sign as nine bytes with a sign each, the last in a word of its own: 128 is added to
// each byte of the number, with carries, and taken from the bytes of the sum. Eight hold a magnitude below 2^62.9.
ivec3 bytes_of(uvec3 magnitude, bool negative)
{
    const uint sign = negative ? 0xffffffff : 0;
    uvec3 carry;
    const uvec3 x = magnitude ^ sign;
    uvec3 sum;
    sum.x = uaddCarry(x.x, 0x80808080 - sign, carry.x); // 1 more if it is negative
    sum.y = uaddCarry(x.y, 0x80808080, carry.y);
    sum.y = uaddCarry(sum.y, carry.x, carry.z);
    sum.z = x.z + 0x80 + carry.y + carry.z;
    return ivec3(sum.xy ^ 0x80808080, bitfieldExtract(int(sum.z) ^ 0x80, 0, 8));
}

// A modulus, as `rows` has it, and what a ninth byte counts for: as the fifth, times 256^4.
uvec4 row_of(uvec4 row, uvec4 next, out int ninth)
{
    const int fifth = bitfieldExtract(int(IS_B != 0 ? next.w : next.z), 0, 8);
    const int power = bitfieldExtract(int(next.w), 0, 8); // 256^4
    ninth = int(uint(fifth * power + 128 * int(row.x)) % row.x);
    const uint inverse = floatBitsToUint(float((0x80000000u + row.x / 2) / row.x) * 4.656612873077393e-10);
    return uvec4(row.x, inverse, IS_B != 0 ? row.w : row.z, IS_B != 0 ? next.w : next.z);
}

// A byte with a sign, equal modulo m to s, the sum of an element's bytes times what they count for. q, the integer
// nearest to s / m, is right: |s| is less than 2^18, so that the quotient's error is below 2^-12, and s / m at least
// 1 / (2·m) from halfway between two integers (where m is even, both are as good). So s - q·m is between -m / 2 and
// m / 2, and its last byte follows from the last ones of s and q.
uint residue(ivec3 bytes, uvec4 row, int ninth)
{
    int s = dot_4(bytes.x, int(row.z)) + dot_4(bytes.y, int(row.w));
#if !defined(F32)
    if (MODULI > MOST_OF_64_BITS)
        s += bytes.z * ninth;
#endif
    const uint sum = floatBitsToUint(ROUND) + s; // as a float, it is ROUND + s
    const float quotient = fma(uintBitsToFloat(sum) - ROUND, uintBitsToFloat(row.y), ROUND);
    return sum - floatBitsToUint(quotient) * row.x & 0xff;
}

void main()
{
    // x counts lines, because more workgroups are allowed along x; but those that run together share lines.
    const uint index = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, batch = gl_WorkGroupID.z;
    const uint line0 = index / gl_NumWorkGroups.y * LINES, k0 = index % gl_NumWorkGroups.y * DEEP;
    const uint base = OFFSET + batch * STRIDE;
    const bool along = ALONG != 0 || DEPTH_STEP == 1;
    for (uint i = gl_LocalInvocationID.x; i < MODULI; i += gl_WorkGroupSize.x)
        rows[i] = row_of(lines[i * ROW], lines[i * ROW + 1], ninths[i]);
    if (!along)
        for (uint i = gl_LocalInvocationID.x; i < SIDE * SIDE; i += gl_WorkGroupSize.x)
            square[i % SIDE * (SIDE + 1) + i / SIDE] = read(base, line0 + i % SIDE, k0 + i / SIDE);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < LINES * DEEP / 4; i += gl_WorkGroupSize.x) {
        const uint line = i / (DEEP / 4), k = i % (DEEP / 4) * 4, word = k0 / 4 + i % (DEEP / 4);
        if (line0 + line >= COUNT || word >= TO_LD)
            continue;
        const int shift = int(lines[FROM + batch * FROM_STRIDE + line0 + line].x);
        ivec3 bytes[4];
        [[unroll]] for (uint e = 0; e < 4; e++) {
            const Element bits =
                along ? read(base, line0 + line, k0 + k + e) : square[line * (SIDE + 1) + k + e];
            bytes[e] = bytes_of(integer_of(bits, shift), top(bits) >> 31 != 0);
        }
        uint to = TO + batch * MODULI * TO_PLANE + (line0 + line) * TO_LD + word;
        for (uint n = 0; n < MODULI; n++) {
            const uvec4 row = rows[n];
            const int ninth = ninths[n];
            uint all = 0;
            [[unroll]] for (uint e = 0; e < 4; e++)
                all |= residue(bytes[e], row, ninth) << 8 * e;
            residues[to] = all;
            to += TO_PLANE;
        }
    }
}
#endif
