#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// As vector, but the next tiles are read from memory into registers while these are multiplied. A read from memory
// takes hundreds of cycles; nothing waits for it until its value is stored in shared memory, a whole step later.
#include "product.glsl"
#include "block.glsl"
#include "vector.glsl"
#define PREFETCHES

const uint ROUNDS_A = (ROWS * PIECES_K + SIZE - 1) / SIZE, ROUNDS_B = (DEPTH * PIECES_X + SIZE - 1) / SIZE;
TV nextA[ROUNDS_A], nextB[ROUNDS_B];

void fetch_tiles(uint row0, uint k0, uint col0)
{
    UNROLL for (uint n = 0; n < ROUNDS_A; n++)
        if (n * SIZE + gl_LocalInvocationIndex < ROWS * PIECES_K)
            nextA[n] = piece_a(row0, k0, n * SIZE + gl_LocalInvocationIndex);
    UNROLL for (uint n = 0; n < ROUNDS_B; n++)
        if (n * SIZE + gl_LocalInvocationIndex < DEPTH * PIECES_X)
            nextB[n] = piece_b(k0, col0, n * SIZE + gl_LocalInvocationIndex);
}

void load_tiles(uint row0, uint k0, uint col0)
{
    UNROLL for (uint n = 0; n < ROUNDS_A; n++)
        if (n * SIZE + gl_LocalInvocationIndex < ROWS * PIECES_K)
            store_a(row0, k0, n * SIZE + gl_LocalInvocationIndex, nextA[n]);
    UNROLL for (uint n = 0; n < ROUNDS_B; n++)
        if (n * SIZE + gl_LocalInvocationIndex < DEPTH * PIECES_X)
            store_b(k0, col0, n * SIZE + gl_LocalInvocationIndex, nextB[n]);
}

#include "block_main.glsl"
