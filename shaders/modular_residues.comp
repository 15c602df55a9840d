#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The second pass of a modular product: A or B as integers, and these as a matrix of bytes for each modulus, with
// lines along K that end at a multiple of 16 bytes. What is beyond the matrix is filled with zeros. A workgroup takes
// a square of SIDE elements; z counts the matrices of a batch.
#include "modular.glsl"

layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { uvec2 A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { uvec2 B[]; };
layout(std430, set = 0, binding = 2) restrict readonly buffer Lines { uvec4 lines[]; };
layout(std430, set = 0, binding = 3) restrict writeonly buffer Residues { uint residues[]; };

layout(push_constant) uniform Work {
    uint COUNT, DEPTH;                          // lines of the matrix, and their length
    uint LINE_STEP, DEPTH_STEP, OFFSET, STRIDE; // elements
    uint FROM, FROM_STRIDE;                     // where the lines are, in vectors
    uint IS_B, MODULI;
    uint TO, TO_LD, TO_PLANE;                   // the residues: words of 32 bits; a plane for each modulus
};

const uint SIDE = 32, WORD_ROW = SIDE / 4;
shared uvec2 square[SIDE * (SIDE + 1)];
shared uvec4 rows[MOST_MODULI];

uvec2 read(uint base, uint line, uint k)
{
    const bool there = line < COUNT && k < DEPTH;
    const uint at = there ? base + line * LINE_STEP + k * DEPTH_STEP : base;
    const uvec2 bits = IS_B != 0 ? B[at] : A[at];
    return there ? bits : uvec2(0);
}

// |x·2^shift|, rounded to an integer, in limbs.
uvec4 limbs_of(uvec2 bits, int shift)
{
    uint exponent;
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
    const uint mask = (1 << ELEMENT_BITS) - 1;
    return uvec4(words.x, words.x >> 22 | words.y << 10, words.y >> 12 | words.z << 20, words.z >> 2) & mask;
}

void main()
{
    const uint line0 = gl_WorkGroupID.y * SIDE, k0 = gl_WorkGroupID.x * SIDE, batch = gl_WorkGroupID.z;
    const uint base = OFFSET + batch * STRIDE;
    const bool along = DEPTH_STEP == 1;
    for (uint i = gl_LocalInvocationID.x; i < MODULI; i += gl_WorkGroupSize.x)
        rows[i] = lines[i * ROW];
    if (!along)
        for (uint i = gl_LocalInvocationID.x; i < SIDE * SIDE; i += gl_WorkGroupSize.x)
            square[i % SIDE * (SIDE + 1) + i / SIDE] = read(base, line0 + i % SIDE, k0 + i / SIDE);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < SIDE * WORD_ROW; i += gl_WorkGroupSize.x) {
        const uint line = i / WORD_ROW, k = i % WORD_ROW * 4, word = k0 / 4 + i % WORD_ROW;
        if (line0 + line >= COUNT || word >= TO_LD)
            continue;
        const uvec4 known = lines[FROM + batch * FROM_STRIDE + line0 + line];
        const bool finite = known.w >> 16 != NOT_FINITE;
        uvec4 limbs[4];
        bvec4 negative;
        [[unroll]] for (uint e = 0; e < 4; e++) {
            const uvec2 bits =
                along ? read(base, line0 + line, k0 + k + e) : square[line * (SIDE + 1) + k + e];
            limbs[e] = finite ? limbs_of(bits, int(known.x)) : uvec4(0);
            negative[e] = bits.y >> 31 != 0;
        }
        uint to = TO + batch * MODULI * TO_PLANE + (line0 + line) * TO_LD + word;
        for (uint n = 0; n < MODULI; n++) {
            const uvec4 row = rows[n];
            const uint bytes = IS_B != 0 ? row.w : row.z;
            const uvec4 counts = uvec4(bytes & 0xff, bytes >> 8 & 0xff, bytes >> 16 & 0xff, bytes >> 24);
            uint all = 0;
            [[unroll]] for (uint e = 0; e < 4; e++) {
                const uvec4 x = limbs[e] * counts;
                uint r = remainder(x.x + x.y + x.z + x.w, row);
                r = negative[e] ? row.x - r : r;
                r = r > 127 ? r - row.x : r; // a byte with a sign
                all |= (r & 0xff) << 8 * e;
            }
            residues[to] = all;
            to += TO_PLANE;
        }
    }
}
