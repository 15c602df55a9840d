#version 450
#extension GL_GOOGLE_include_directive : require
// Tutorial steps 1b and 2a: one invocation per element of C. No workgroup shape is chosen: the elements are counted row
// by row.
#include "product.glsl"
#include "observe.glsl"
#include "dot.glsl"

void main()
{
    const uint size = gl_WorkGroupSize.x, groups = (M * N + size - 1) / size;

    // Devices limit the number of workgroups: each takes every gl_NumWorkGroups.x-th share of the elements.
    for (uint group = gl_WorkGroupID.x; group < groups; group += gl_NumWorkGroups.x) {
        uint element = group * size + gl_LocalInvocationID.x;
        uint row = element / N, col = element % N;
        observe_visit(row, col);
        if (inside(row, M, col, N))
            C[row * N + col] = dot_product(row, col);
    }
}
