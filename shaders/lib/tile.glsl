// The same sum by tiles: the workgroup copies a ROWS×DEPTH tile of A and a DEPTH×COLS tile of B into shared memory
// together, then every invocation reads its row and column from there. Each element of A is fetched from global memory
// once for COLS uses, each element of B once for ROWS uses: that is why tiling pays.
shared T tileA[ROWS][DEPTH];
shared T tileB[DEPTH][COLS];

// The element (row, col) of the product. Every invocation of the workgroup must call this, those beyond the edges of C
// too, because barrier() waits for all of them.
T tiled_product(uint row, uint col)
{
    const uint y = gl_LocalInvocationID.y, x = gl_LocalInvocationID.x;
    T sum = T(0);
    for (uint k0 = 0; k0 < K; k0 += DEPTH) {
        for (uint k = x; k < DEPTH; k += COLS) {
            tileA[y][k] = T(0);
            if (inside(row, M, k0 + k, K)) {
                tileA[y][k] = A[row * K + k0 + k];
                observe_global_a(row, k0 + k);
            }
            observe_write(y * DEPTH + k, 1);
            observe_tile_a(row, col, k0, y, k, tileA[y][k]);
        }
        for (uint k = y; k < DEPTH; k += ROWS) {
            tileB[k][x] = T(0);
            if (inside(k0 + k, K, col, N)) {
                tileB[k][x] = B[(k0 + k) * N + col];
                observe_global_b(k0 + k, col);
            }
            observe_write(k * COLS + x, 1);
            observe_tile_b(row, col, k0, k, x, tileB[k][x]);
        }
        observe_barrier();
        barrier(); // both tiles are complete before anyone reads them

        for (uint k = 0; k < DEPTH; k++) {
            sum += tileA[y][k] * tileB[k][x];
            observe_shared(row, k0 + k, col);
            observe_read(y * DEPTH + k, 1);
            observe_read(k * COLS + x, 1);
            observe_sum(row, col, k0 + k, sum);
        }
        observe_barrier();
        barrier(); // everyone has read them before anyone overwrites them
    }
    return sum;
}
