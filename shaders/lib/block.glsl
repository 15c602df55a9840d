// What kernels share in which an invocation computes a block of BLOCK_ROWS×BLOCK_COLS elements of its workgroup's
// tile. Tiles need not be whole blocks: sums beyond the tile are computed from what lies there, and never stored.
#define BLOCKS
// Observing builds are long enough without copies: drivers for processors would take seconds to compile them.
#if defined(COUNT) || defined(TRACE)
#define UNROLL [[dont_unroll]]
#endif
#ifndef UNROLL
#define UNROLL [[unroll]]
#endif
layout(constant_id = 8) const uint BLOCK_ROWS = 4;
layout(constant_id = 9) const uint BLOCK_COLS = 4;
#include "observe.glsl"

const uint HEIGHT = (ROWS + BLOCK_ROWS - 1) / BLOCK_ROWS * BLOCK_ROWS;
const uint WIDTH = (COLS + BLOCK_COLS - 1) / BLOCK_COLS * BLOCK_COLS;
const uint SIZE = gl_WorkGroupSize.x * gl_WorkGroupSize.y;

T sum[BLOCK_ROWS * BLOCK_COLS];

// The block's place in the tile.
#define BLOCK_ROW (gl_LocalInvocationID.y * BLOCK_ROWS)
#define BLOCK_COL (gl_LocalInvocationID.x * BLOCK_COLS)

void clear_sums()
{
    UNROLL for (uint n = 0; n < BLOCK_ROWS * BLOCK_COLS; n++)
        sum[n] = T(0);
}

// What all builds report after the products of one k.
void observe_products(uint row0, uint k, uint col0)
{
    UNROLL for (uint r = 0; r < BLOCK_ROWS; r++)
        if (BLOCK_ROW + r < ROWS)
            observe_shared_a(row0 + BLOCK_ROW + r, k);
    UNROLL for (uint c = 0; c < BLOCK_COLS; c++)
        if (BLOCK_COL + c < COLS)
            observe_shared_b(k, col0 + BLOCK_COL + c);
    UNROLL for (uint n = 0; n < BLOCK_ROWS * BLOCK_COLS; n++)
        if (BLOCK_ROW + n / BLOCK_COLS < ROWS && BLOCK_COL + n % BLOCK_COLS < COLS)
            observe_sum(row0 + BLOCK_ROW + n / BLOCK_COLS, col0 + BLOCK_COL + n % BLOCK_COLS, k, sum[n]);
}

void store_sums(uint row0, uint col0)
{
    UNROLL for (uint n = 0; n < BLOCK_ROWS * BLOCK_COLS; n++) {
        const uint y = BLOCK_ROW + n / BLOCK_COLS, x = BLOCK_COL + n % BLOCK_COLS;
        if (y < ROWS && x < COLS && inside(row0 + y, M, col0 + x, N))
            C[(row0 + y) * N + col0 + x] = sum[n];
    }
}
