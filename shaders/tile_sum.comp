#version 450
#extension GL_GOOGLE_include_directive : require
// Why barriers are needed. Every element becomes the sum of its tile: each invocation stores its own element in shared
// memory, then adds up what all of them stored. A is read, C is written; B and K are not used. Built only for int: a
// race does not depend on the type.
//
//   -DNO_BARRIER   leaves out the barrier between the store and the sum. Nothing then makes an invocation wait for the
//                  others, and its sum lacks what has not arrived yet: a race. It stays within the tile, so it is wrong
//                  but harmless.
#include "product.glsl"

shared T tile[ROWS][COLS];

#if defined(NO_BARRIER)
#define STORED_BY_ALL()
#else
#define STORED_BY_ALL() barrier()
#endif

void sum_tile(uint row, uint col)
{
    const uint y = gl_LocalInvocationID.y, x = gl_LocalInvocationID.x;
    tile[y][x] = T(0);
    barrier(); // what an early sum misses counts 0, whatever lay in shared memory before

    if (inside(row, M, col, N))
        tile[y][x] = A[row * N + col];
    STORED_BY_ALL();

    T sum = T(0);
    for (uint i = ROWS; i-- > 0;) // backwards: the first to arrive look first for those who come last
        for (uint j = COLS; j-- > 0;)
            sum += tile[i][j];
    if (inside(row, M, col, N))
        C[row * N + col] = sum;
    barrier(); // everyone has read the tile before the next one overwrites it
}

void main()
{
    // Devices limit the number of workgroups: each takes every gl_NumWorkGroups-th tile.
    for (uint row0 = gl_WorkGroupID.y * ROWS; row0 < M; row0 += gl_NumWorkGroups.y * ROWS)
        for (uint col0 = gl_WorkGroupID.x * COLS; col0 < N; col0 += gl_NumWorkGroups.x * COLS)
            sum_tile(row0 + gl_LocalInvocationID.y, col0 + gl_LocalInvocationID.x);
}
