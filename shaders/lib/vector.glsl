// Tiles that are read and stored in vectors of VW elements, and the products of blocks of VW×VW. A's tile is
// transposed: what an invocation needs of it for one k are then neighbours. PAD: vectors added to each line of both
// tiles.
layout(constant_id = 10) const uint PAD = 0;
layout(std430, set = 0, binding = 0) readonly buffer VectorsA { TV vectorsA[]; };
layout(std430, set = 0, binding = 1) readonly buffer VectorsB { TV vectorsB[]; };

const uint LINE_A = HEIGHT / VW + PAD, LINE_B = WIDTH / VW + PAD; // vectors
const uint PIECES_K = (DEPTH + VW - 1) / VW, PIECES_X = (COLS + VW - 1) / VW;
shared TV tileA[DEPTH * LINE_A];
shared TV tileB[DEPTH * LINE_B];

// The i-th piece of a tile: VW elements of a row of the matrix, zeros beyond the tile and the edges. Rows that are not
// whole vectors are read element by element.
TV piece_a(uint row0, uint k0, uint i)
{
    const uint row = row0 + i / PIECES_K, slot = i % PIECES_K * VW;
    TV piece = TV(0);
    if (DEPTH % VW == 0 && K % VW == 0) {
        if (inside(row, M, k0 + slot, K)) {
            piece = vectorsA[(row * K + k0 + slot) / VW];
            observe_vector_a(row, k0 + slot);
        }
        return piece;
    }
    [[dont_unroll]] for (uint c = 0; c < VW && slot + c < DEPTH; c++) {
        if (inside(row, M, k0 + slot + c, K)) {
            piece[c] = A[row * K + k0 + slot + c];
            observe_global_a(row, k0 + slot + c);
        }
    }
    return piece;
}

TV piece_b(uint k0, uint col0, uint i)
{
    const uint k = k0 + i / PIECES_X, slot = i % PIECES_X * VW;
    TV piece = TV(0);
    if (COLS % VW == 0 && N % VW == 0) {
        if (inside(k, K, col0 + slot, N)) {
            piece = vectorsB[(k * N + col0 + slot) / VW];
            observe_vector_b(k, col0 + slot);
        }
        return piece;
    }
    [[dont_unroll]] for (uint c = 0; c < VW && slot + c < COLS; c++) {
        if (inside(k, K, col0 + slot + c, N)) {
            piece[c] = B[k * N + col0 + slot + c];
            observe_global_b(k, col0 + slot + c);
        }
    }
    return piece;
}

void store_a(uint row0, uint k0, uint i, TV piece)
{
    const uint y = i / PIECES_K, slot = i % PIECES_K * VW;
    UNROLL for (uint c = 0; c < VW; c++) {
        if (slot + c < DEPTH) {
            tileA[(slot + c) * LINE_A + y / VW][y % VW] = piece[c];
            observe_write((slot + c) * LINE_A * VW + y, 1);
            observe_tile_a(row0 + y, 0, k0, y, slot + c, piece[c]);
        }
    }
}

void store_b(uint k0, uint col0, uint i, TV piece)
{
    const uint k = i / PIECES_X, x = i % PIECES_X;
    tileB[k * LINE_B + x] = piece;
    observe_write((k * LINE_B + x) * VW, VW);
    [[dont_unroll]] for (uint c = 0; c < VW && x * VW + c < COLS; c++)
        observe_tile_b(0, col0 + x * VW + c, k0, k, x * VW + c, piece[c]);
}

void multiply_tiles(uint row0, uint k0, uint col0)
{
    for (uint k = 0; k < DEPTH; k++) {
        TV a[BLOCK_ROWS / VW], b[BLOCK_COLS / VW];
        UNROLL for (uint n = 0; n < BLOCK_ROWS / VW; n++) {
            a[n] = tileA[k * LINE_A + BLOCK_ROW / VW + n];
            observe_read((k * LINE_A + n) * VW + BLOCK_ROW, VW);
        }
        UNROLL for (uint n = 0; n < BLOCK_COLS / VW; n++) {
            b[n] = tileB[k * LINE_B + BLOCK_COL / VW + n];
            observe_read((k * LINE_B + n) * VW + BLOCK_COL, VW);
        }
        UNROLL for (uint r = 0; r < BLOCK_ROWS; r++)
            UNROLL for (uint c = 0; c < BLOCK_COLS; c++)
                sum[r * BLOCK_COLS + c] += a[r / VW][r % VW] * b[c / VW][c % VW];
        observe_products(row0, k0 + k, col0);
    }
}
