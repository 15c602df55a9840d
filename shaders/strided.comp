#version 450
#extension GL_GOOGLE_include_directive : require
// The first step of the ladder: as naive, but the elements of C are counted column by column. Invocations next to each
// other then read elements of A that lie K apart, each in a line of memory of its own, and one element of B together.
#include "product.glsl"
#include "observe.glsl"
#include "dot.glsl"

void main()
{
    const uint size = gl_WorkGroupSize.x, groups = (M * N + size - 1) / size;

    // Devices limit the number of workgroups: each takes every gl_NumWorkGroups.x-th share of the elements.
    for (uint group = gl_WorkGroupID.x; group < groups; group += gl_NumWorkGroups.x) {
        uint element = group * size + gl_LocalInvocationID.x;
        uint row = element % M, col = element / M;
        observe_visit(row, col);
        if (inside(row, M, col, N))
            C[row * N + col] = dot_product(row, col);
    }
}
