#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Splits A or B, of f32, into two f16 parts each, x·2^s = hi + lo/4096, where s puts the largest element of a row of
// op(A), or of a column of op(B), between 2^14 and 2^15 (scale.comp has found its exponent). Along K, PART elements of
// hi are followed by as many of lo. Elements keep the direction in which they lie. Where one is so small that too
// little of it is left, or is infinite or NaN, or where too few are not 0, the product must be computed without parts.
// A workgroup splits a square of SIDE elements, an invocation VECTOR neighbours at a time; z counts the matrices of a
// batch.
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 3) restrict buffer Packed { uvec4 packed[]; };

#include "pack_push.glsl"
#include "decide.glsl"
#include "parts.glsl"

const uint SIDE = 64, VECTOR = 8, VECTORS = SIDE / VECTOR; // elements that an invocation splits at a time
const uint LOST = 6, MOST_DEPTH = 6; // a depth that is too large; of A and B together, the largest that is not

// What scale.comp found of a line of op(A) or op(B).
uint found(uint word) { return packed[word / 4][word % 4]; }

uvec4 scalable(uvec4 e) { return uvec4(largest_of(e.x), largest_of(e.y), largest_of(e.z), largest_of(e.w)); }

// The depth of an element: its octaves below 2^-28 of the line's largest, where hi is subnormal. There hi keeps fewer
// bits, and lo too. The largest depth of four elements; what is no number is LOST, and so are subnormal numbers, for
// which a device may take 0.
uint depth_of(uvec4 values, uvec4 largest)
{
    const uvec4 size = values & 0x7fffffff, exponents = size >> 23, shallow = max(largest, 29) - 28;
    uint depth = any(equal(exponents, uvec4(255))) ? LOST : 0;
    if (any(lessThan(size - 1, (shallow << 23) - 1))) // hardly ever
        [[unroll]] for (uint n = 0; n < 4; n++)
            if (size[n] != 0)
                depth = max(depth, exponents[n] == 0 ? LOST : min(max(shallow[n], exponents[n]) - exponents[n], LOST));
    return depth;
}

uvec2 halves(vec4 values) { return uvec2(packHalf2x16(values.xy), packHalf2x16(values.zw)); }

// Four elements as hi, then lo.
uvec4 parts_of(uvec4 values, uvec4 largest)
{
    const vec4 scaled = uintBitsToFloat(values) * uintBitsToFloat(2 * 127 + TOP - largest << 23);
    // hi by its bits: compilers fold x - float(float16_t(x)) to 0. Subnormal f16 are multiples of 2^-24, as are all f32
    // near 0.75.
    precise const vec4 above = scaled + 0.75, small = above - 0.75;
    vec4 hi = uintBitsToFloat(floatBitsToUint(scaled) + 0x1000 & ~0x1fff);
    hi = mix(hi, small, lessThan(abs(scaled), vec4(1.0 / 16384)));
    return uvec4(halves(hi), halves((scaled - hi) / LO_UNIT));
}

void main()
{
    const bool across = TRANSPOSE != 0;
    const uint extent = across ? LENGTH : LINES, rows = EXPONENTS + gl_WorkGroupID.z * extent;
    const uint next = across ? PART * TO_LD : PART / 2; // from hi to lo
    uint depth = 0;
    [[unroll]] for (uint i = gl_LocalInvocationIndex; i < SIDE * VECTORS; i += gl_WorkGroupSize.x) {
        const uint line = gl_WorkGroupID.y * SIDE + i / VECTORS, place = gl_WorkGroupID.x * SIDE + i % VECTORS * VECTOR;
        const uint to_line = across ? line / PART * (2 * PART) + line % PART : line;
        const uint to_word = across ? place / 2 : place / PART * PART + place % PART / 2;
        const uint count = line < LINES ? LENGTH - min(place, LENGTH) : 0; // elements of the line from here on
        uvec4 values[2] = {four(line, place), four(line, place + 4)}, parts[2];
        if (count < VECTOR)
            [[unroll]] for (uint e = 0; e < VECTOR; e++)
                if (e >= count)
                    values[e / 4][e % 4] = 0;
        uvec4 largest = across ? uvec4(0) : uvec4(found(rows + min(line, extent - 1)));
        [[unroll]] for (uint n = 0; n < 2; n++) {
            const uint first = place + 4 * n;
            if (across && ((rows | extent) & 3) == 0)
                largest = packed[(rows + min(first, extent - 4)) / 4];
            else if (across)
                [[unroll]] for (uint e = 0; e < 4; e++)
                    largest[e] = found(rows + min(first + e, extent - 1));
            const uvec4 as = scalable(largest);
            parts[n] = parts_of(values[n], as);
            depth = max(depth, depth_of(values[n], as));
        }
        const uint at = (TO_OFFSET + gl_WorkGroupID.z * TO_STRIDE + to_line * TO_LD + to_word) / 4;
        if (to_line < TO_LINES && to_word < TO_LD) {
            packed[at] = uvec4(parts[0].xy, parts[1].xy);
            packed[at + next / 4] = uvec4(parts[0].zw, parts[1].zw);
        }
    }
    bool lost = depth >= LOST;
    if (depth > 0 && !lost) {
        const uint bits = (1 << depth) - 1 << 16 * IS_B;
        lost = bitCount(atomicOr(depths, bits) | bits) > MOST_DEPTH;
    }
    if (IS_B == 0 && gl_WorkGroupID == uvec3(0) && gl_LocalInvocationIndex == 0) {
        lost = lost || float(normals[0]) * float(normals[1]) < FEWEST;
        normals[0] = normals[1] = 0; // for the next product
    }
    if (lost)
        decide(false);
}
