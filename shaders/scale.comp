#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Finds the largest exponent of each row of op(A), or column of op(B), of f32, before these are split into parts of
// less range (split.comp), and counts the normal numbers in all of them: neither 0 nor subnormal. Each workgroup takes
// LINES_AT_ONCE rows or columns; z counts the matrices of a batch.
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 3) restrict writeonly buffer Packed { uint packed[]; };

#include "pack_push.glsl"
#include "decide.glsl"

const uint LINES_AT_ONCE = 8;
shared uvec4 largest[gl_WorkGroupSize.x];
shared uint normal[gl_WorkGroupSize.x];

// The loop of main, for one way to read. A branch in it would make each load wait for the one before.
#define FIND(FOUR) \
    for (uint k = step; k * (across ? 1 : 4) < depth; k += 8 * steps) \
        [[unroll]] for (uint n = 0; n < 8; n++) { \
            const uint at = k + n * steps; \
            const uvec4 exponents = FOUR(across ? at : x, across ? x : 4 * at) >> 23 & 0xff; \
            most = max(most, exponents); \
            count += min(exponents, uvec4(at < end)); \
        }

void main()
{
    const bool across = TRANSPOSE != 0;
    const uint extent = across ? LENGTH : LINES, depth = across ? LINES : LENGTH, i = gl_LocalInvocationIndex;
    // Neighbours in memory, of which an invocation reads four, are read by neighbours.
    const uint groups = across ? LINES_AT_ONCE / 4 : LINES_AT_ONCE, steps = gl_WorkGroupSize.x / groups;
    const uint group = across ? i % groups : i / steps, step = across ? i / groups : i % steps;
    const uint x = gl_WorkGroupID.x * LINES_AT_ONCE + group * (across ? 4 : 1), mine = group * steps + step;
    const uint end = across ? depth : (depth + 3) / 4;
    uvec4 most = uvec4(0), count = uvec4(0);
    if (!in_vectors())
        FIND(four_elements)
    else if (IS_B != 0)
        FIND(four_of_b)
    else
        FIND(four_of_a)
    largest[mine] = most;
    count *= uvec4(lessThan(x + (across ? uvec4(0, 1, 2, 3) : uvec4(0)), uvec4(extent)));
    normal[mine] = count.x + count.y + count.z + count.w;
    barrier();
    for (uint half_way = steps / 2; half_way > 0; half_way /= 2) {
        if (step < half_way) {
            largest[mine] = max(largest[mine], largest[mine + half_way]);
            normal[mine] += normal[mine + half_way];
        }
        barrier();
    }
    most = largest[mine];
    const uint to = EXPONENTS + gl_WorkGroupID.z * extent;
    if (step == 0 && !across && x < extent)
        packed[to + x] = max(max(most.x, most.y), max(most.z, most.w));
    if (step == 0 && across)
        for (uint n = 0; n < 4 && x + n < extent; n++)
            packed[to + x + n] = most[n];
    if (i == 0) {
        uint all = 0;
        for (uint n = 0; n < groups; n++)
            all += normal[n * steps];
        atomicAdd(normals[IS_B], all);
    }
    if (IS_B == 0 && gl_WorkGroupID == uvec3(0) && i == 0) {
        for (uint n = 0; n < 9; n++)
            dispatches[n] = 1;
        decide(true); // until split.comp finds that it cannot be so
        depths = 0;
    }
}
