// The same sum by tiles: the workgroup copies a ROWS×DEPTH tile of A and a DEPTH×COLS tile of B into shared memory together, then
// every invocation reads its row and column from there. Each element of A is fetched from global memory once for COLS uses,
// each element of B once for ROWS uses: that is why tiling pays.
shared T tileA[ROWS][DEPTH];
shared T tileB[DEPTH][COLS];

// The element (row, col) of the product. Every invocation of the workgroup must call this, those beyond the edges of C too,
// because barrier() waits for all of them.
T tiled_product(uint row, uint col)
{
    const uint y = gl_LocalInvocationID.y, x = gl_LocalInvocationID.x;
    T sum = T(0);
    for (uint k0 = 0; k0 < K; k0 += DEPTH) {
        for (uint k = x; k < DEPTH; k += COLS)
            tileA[y][k] = inside(row, M, k0 + k, K) ? A[row * K + k0 + k] : T(0);
        for (uint k = y; k < DEPTH; k += ROWS)
            tileB[k][x] = inside(k0 + k, K, col, N) ? B[(k0 + k) * N + col] : T(0);
        barrier(); // both tiles are complete before anyone reads them

        for (uint k = 0; k < DEPTH; k++)
            sum += tileA[y][k] * tileB[k][x];
        barrier(); // everyone has read them before anyone overwrites them
    }
    return sum;
}
