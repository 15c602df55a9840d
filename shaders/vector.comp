#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// As block, with vectors (lib/vector.glsl): one instruction moves 16 bytes, from memory to shared memory and from
// there into registers, and for each k a block of 4×4 needs two reads instead of eight. With PAD = 1 the lines of A's
// transposed tile begin in different banks of shared memory: stores down one of its columns then meet in fewer.
#include "product.glsl"
#include "block.glsl"
#include "vector.glsl"

void load_tiles(uint row0, uint k0, uint col0)
{
    for (uint i = gl_LocalInvocationIndex; i < ROWS * PIECES_K; i += SIZE)
        store_a(row0, k0, i, piece_a(row0, k0, i));
    for (uint i = gl_LocalInvocationIndex; i < DEPTH * PIECES_X; i += SIZE)
        store_b(k0, col0, i, piece_b(k0, col0, i));
}

#include "block_main.glsl"
