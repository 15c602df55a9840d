#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// As tiled, but each invocation computes BLOCK_ROWS×BLOCK_COLS elements and holds their sums in registers. For each k
// it reads BLOCK_ROWS + BLOCK_COLS elements of shared memory for BLOCK_ROWS × BLOCK_COLS multiply-adds: a strip of 8×1
// needs 1.1 reads for each, a block of 4×4 only 0.5.
#include "product.glsl"
#include "block.glsl"

shared T tileA[HEIGHT][DEPTH];
shared T tileB[DEPTH][WIDTH];

void load_tiles(uint row0, uint k0, uint col0)
{
    for (uint i = gl_LocalInvocationIndex; i < ROWS * DEPTH; i += SIZE) {
        const uint y = i / DEPTH, k = i % DEPTH;
        tileA[y][k] = T(0);
        if (inside(row0 + y, M, k0 + k, K)) {
            tileA[y][k] = A[(row0 + y) * K + k0 + k];
            observe_global_a(row0 + y, k0 + k);
        }
        observe_write(y * DEPTH + k, 1);
        observe_tile_a(row0 + y, col0, k0, y, k, tileA[y][k]);
    }
    for (uint i = gl_LocalInvocationIndex; i < DEPTH * COLS; i += SIZE) {
        const uint k = i / COLS, x = i % COLS;
        tileB[k][x] = T(0);
        if (inside(k0 + k, K, col0 + x, N)) {
            tileB[k][x] = B[(k0 + k) * N + col0 + x];
            observe_global_b(k0 + k, col0 + x);
        }
        observe_write(k * WIDTH + x, 1);
        observe_tile_b(row0, col0 + x, k0, k, x, tileB[k][x]);
    }
}

void multiply_tiles(uint row0, uint k0, uint col0)
{
    for (uint k = 0; k < DEPTH; k++) {
        T b[BLOCK_COLS];
        UNROLL for (uint c = 0; c < BLOCK_COLS; c++) {
            b[c] = tileB[k][BLOCK_COL + c];
            observe_read(k * WIDTH + BLOCK_COL + c, 1);
        }
        UNROLL for (uint r = 0; r < BLOCK_ROWS; r++) {
            const T a = tileA[BLOCK_ROW + r][k];
            observe_read((BLOCK_ROW + r) * DEPTH + k, 1);
            UNROLL for (uint c = 0; c < BLOCK_COLS; c++)
                sum[r * BLOCK_COLS + c] += a * b[c];
        }
        observe_products(row0, k0 + k, col0);
    }
}

#include "block_main.glsl"
