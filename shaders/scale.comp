#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Finds the largest exponent of each row of op(A), or column of op(B), before these are split into parts of less range
// (split.comp). Works on words of 32 bits: of wider floats, on the upper one. Each workgroup takes LINES_AT_ONCE rows
// or columns; z counts the matrices of a batch.
layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint BYTES = 4; // of a float: 4 or 8

layout(std430, set = 0, binding = 0) restrict readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 3) restrict writeonly buffer Packed { uint packed[]; };

#include "pack_push.glsl"
#include "decide.glsl"

const uint LINES_AT_ONCE = 8, STEPS = gl_WorkGroupSize.x / LINES_AT_ONCE;
shared uint largest[gl_WorkGroupSize.x];

// As it is stored, with its bias.
uint exponent(uint at)
{
    const uint word = BYTES == 8 ? 2 * at + 1 : at, bits = (IS_B != 0 ? B[word] : A[word]) & 0x7fffffff;
    return BYTES == 8 ? bits >> 20 : bits >> 23;
}

void main()
{
    const bool across = TRANSPOSE != 0;
    const uint extent = across ? LENGTH : LINES, depth = across ? LINES : LENGTH, i = gl_LocalInvocationIndex;
    // Neighbours in memory are read by neighbours.
    const uint line = across ? i % LINES_AT_ONCE : i / STEPS, step = across ? i / LINES_AT_ONCE : i % STEPS;
    const uint x = gl_WorkGroupID.x * LINES_AT_ONCE + line, stride = across ? LD : 1, mine = line * STEPS + step;
    const uint first = OFFSET + gl_WorkGroupID.z * STRIDE + min(x, extent - 1) * (across ? 1 : LD);
    uint most = 0;
    for (uint k = step; k < depth; k += 8 * STEPS)
        [[unroll]] for (uint n = 0; n < 8; n++)
            most = max(most, exponent(first + min(k + n * STEPS, depth - 1) * stride));
    largest[mine] = most;
    barrier();
    for (uint half_way = STEPS / 2; half_way > 0; half_way /= 2) {
        if (step < half_way)
            largest[mine] = max(largest[mine], largest[mine + half_way]);
        barrier();
    }
    if (step == 0 && x < extent)
        packed[EXPONENTS + gl_WorkGroupID.z * extent + x] = largest[mine];
    if (IS_B == 0 && gl_WorkGroupID == uvec3(0) && i == 0) {
        for (uint n = 0; n < 9; n++)
            dispatches[n] = 1;
        decide(true); // until split.comp finds that it cannot be so
    }
}
