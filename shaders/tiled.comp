#version 450
#extension GL_GOOGLE_include_directive : require
// Tutorial steps 1c and 2c: workgroups of ROWS×COLS that read through shared memory (lib/tile.glsl).
#include "product.glsl"
#include "observe.glsl"
#include "tile.glsl"

void main()
{
    // Devices limit the number of workgroups: each takes every gl_NumWorkGroups-th tile.
    for (uint row0 = gl_WorkGroupID.y * ROWS; row0 < M; row0 += gl_NumWorkGroups.y * ROWS) {
        for (uint col0 = gl_WorkGroupID.x * COLS; col0 < N; col0 += gl_NumWorkGroups.x * COLS) {
            uint row = row0 + gl_LocalInvocationID.y, col = col0 + gl_LocalInvocationID.x;
            observe_visit(row, col);
            T sum = tiled_product(row, col);
            if (inside(row, M, col, N))
                C[row * N + col] = sum;
        }
    }
}
