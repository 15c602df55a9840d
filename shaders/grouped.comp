#version 450
#extension GL_GOOGLE_include_directive : require
// Tutorial step 2b: explicit workgroups of ROWS×COLS, still straight from global memory. Neighbours in a workgroup now
// share rows of A and columns of B, which caches notice.
#include "product.glsl"
#include "observe.glsl"
#include "dot.glsl"

void main()
{
    // Devices limit the number of workgroups: each takes every gl_NumWorkGroups-th tile.
    for (uint row0 = gl_WorkGroupID.y * ROWS; row0 < M; row0 += gl_NumWorkGroups.y * ROWS) {
        for (uint col0 = gl_WorkGroupID.x * COLS; col0 < N; col0 += gl_NumWorkGroups.x * COLS) {
            uint row = row0 + gl_LocalInvocationID.y, col = col0 + gl_LocalInvocationID.x;
            observe_visit(row, col);
            if (inside(row, M, col, N))
                C[row * N + col] = dot_product(row, col);
        }
    }
}
