#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Unpacks A or B, whose lines consist of blocks (lib/blocks.glsl), to elements that the product reads: f32, or rounded
// to one of the neighbours in f16 or bf16. What is beyond the matrix is filled with zeros. Each invocation unpacks a
// part of a block at a time; y counts the matrices of a batch.
layout(local_size_x_id = 0) in;
layout(constant_id = 47) const uint TO = 0; // 0: f32; or TO_…
const uint TO_F16 = 1, TO_BF16 = 2;

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 0) restrict readonly buffer PairsA { uvec2 A2[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer PairsB { uvec2 B2[]; };
layout(std430, set = 0, binding = 0) restrict readonly buffer QuadsA { uvec4 A4[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer QuadsB { uvec4 B4[]; };
layout(std430, set = 0, binding = 3) restrict writeonly buffer Pairs { uvec2 pairs[]; };
layout(std430, set = 0, binding = 3) restrict writeonly buffer Quads { vec4 quads[]; };

#include "pack_push.glsl"
#define CODES(i) (IS_B != 0 ? B[i] : A[i])
#define CODES2(i) (IS_B != 0 ? B2[i] : A2[i])
#define CODES4(i) (IS_B != 0 ? B4[i] : A4[i])
#define ZERO (LINES >> 31)
#include "blocks.glsl"
#include "bf16.glsl"

void store(uint at, vec4 v)
{
    const uint word = TO_OFFSET + gl_WorkGroupID.y * TO_STRIDE;
    if (TO == TO_F16)
        pairs[word / 2 + at / 4] = uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw));
    else if (TO == TO_BF16)
        pairs[word / 2 + at / 4] = uvec2(bf16_bits(v.x) | bf16_bits(v.y) << 16, bf16_bits(v.z) | bf16_bits(v.w) << 16);
    else
        quads[word / 4 + at / 4] = v;
}

void main()
{
    const uint length = TO == 0 ? TO_LD : 2 * TO_LD, all = length / PART; // of a line
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationID.x; i < TO_LINES * all; i += step) {
        const uint line = i / all, place = i % all, block = place / PARTS, part = place % PARTS;
        const bool there = line < LINES && place * PART < LENGTH;
        const uint first = (OFFSET + gl_WorkGroupID.y * STRIDE + line * LD) / BLOCK;
        // Beyond the matrix there is no block, and the zeros are in any order.
        const uint to = line * length + (there ? block * BLOCK + part_at(part) : place * PART);
        vec4 v[4] = vec4[](vec4(0), vec4(0), vec4(0), vec4(0));
        if (there) {
            const Place at = place_of((first + block) * BLOCK_BYTES, part);
            const Part read = part_of_words(read_words(at, 0), at);
            [[unroll]] for (uint q = 0; q < 4; q++) // both terms are exact
                v[q] = float(TIMES) * elements(read, q) * read.scale[q / 2 * 2] - read.scale[q / 2 * 2 + 1];
        }
        [[unroll]] for (uint q = 0; q < 4; q++)
            store(to + q % 2 * 4 + q / 2 * (there ? STEP : 8), v[q]);
    }
}
