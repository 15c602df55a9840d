#version 450
#extension GL_GOOGLE_include_directive : require
// Tutorial step 3a: a one-dimensional dispatch. Each workgroup owns a band of ROWS rows of C and walks along its
// columns, COLS at a time, straight from global memory.
#include "product.glsl"
#include "observe.glsl"
#include "dot.glsl"

void main()
{
    for (uint row0 = gl_WorkGroupID.x * ROWS; row0 < M; row0 += gl_NumWorkGroups.x * ROWS) {
        for (uint col0 = 0; col0 < N; col0 += COLS) {
            uint row = row0 + gl_LocalInvocationID.y, col = col0 + gl_LocalInvocationID.x;
            observe_visit(row, col);
            if (inside(row, M, col, N))
                C[row * N + col] = dot_product(row, col);
        }
    }
}
