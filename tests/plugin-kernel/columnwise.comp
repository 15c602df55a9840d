#version 450
#extension GL_GOOGLE_include_directive : require
// As tiled, but invocations are counted down the columns of a tile: neighbours read neighbouring rows of A.
#include "product.glsl"
#include "observe.glsl"

shared T tileA[ROWS][DEPTH];
shared T tileB[DEPTH][COLS];

T tiled_product(uint y, uint x, uint row, uint col)
{
    T sum = T(0);
    for (uint k0 = 0; k0 < K; k0 += DEPTH) {
        for (uint k = x; k < DEPTH; k += COLS) {
            tileA[y][k] = T(0);
            if (inside(row, M, k0 + k, K)) {
                tileA[y][k] = A[row * K + k0 + k];
                observe_global_a(row, k0 + k);
            }
            observe_tile_a(row, col, k0, y, k, tileA[y][k]);
        }
        for (uint k = y; k < DEPTH; k += ROWS) {
            tileB[k][x] = T(0);
            if (inside(k0 + k, K, col, N)) {
                tileB[k][x] = B[(k0 + k) * N + col];
                observe_global_b(k0 + k, col);
            }
            observe_tile_b(row, col, k0, k, x, tileB[k][x]);
        }
        barrier();
        for (uint k = 0; k < DEPTH; k++) {
            sum += tileA[y][k] * tileB[k][x];
            observe_shared(row, k0 + k, col);
            observe_sum(row, col, k0 + k, sum);
        }
        barrier();
    }
    return sum;
}

void main()
{
    const uint y = gl_LocalInvocationIndex % ROWS, x = gl_LocalInvocationIndex / ROWS;
    for (uint row0 = gl_WorkGroupID.y * ROWS; row0 < M; row0 += gl_NumWorkGroups.y * ROWS) {
        for (uint col0 = gl_WorkGroupID.x * COLS; col0 < N; col0 += gl_NumWorkGroups.x * COLS) {
            const uint row = row0 + y, col = col0 + x;
            observe_visit(row, col);
            const T sum = tiled_product(y, x, row, col);
            if (inside(row, M, col, N))
                C[row * N + col] = sum;
        }
    }
}
