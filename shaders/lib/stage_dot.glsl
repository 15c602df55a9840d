// What stage.glsl does, for builds whose elements in shared memory are words of four neighbours along K, in A and B of
// 8 bits. A piece is a square of 4×4 elements, four words of memory whichever way they lie, one vector of shared
// memory: for each of four rows of op(A), or columns of op(B), its word. Words whose neighbours lie across are
// transposed by store_tile.

uint pieces_in_tile(const Operand o) { return o.across * DEPTH / 16; }

// How many pieces an invocation fetches. Of a tile with fewer pieces than invocations, some fetch the same and do not
// store it.
#define ROUNDS(across) (across * DEPTH / 16 < THREADS ? 1 : across * DEPTH / 16 / THREADS)
uvec4 next[ROUNDS(ROWS) + ROUNDS(COLS)]; // what this invocation has fetched of the next tiles: of op(A), then of op(B)
uint first_register(const Operand o) { return o.is_a ? 0 : ROUNDS(ROWS); }

// Where this invocation's piece n lies in the tile, across it and along K, counted in pieces.
uvec2 place(const Operand o, uint n)
{
    const uint piece = gl_LocalInvocationIndex % pieces_in_tile(o) + n * THREADS;
    const uint in_line = (o.along_k ? DEPTH : o.across) / 4;
    return o.along_k ? uvec2(piece / in_line, piece % in_line) : uvec2(piece % in_line, piece / in_line);
}

// The index of word r of a piece. What hangs over the edge reads the last row or column once more, for sums that are
// never stored.
uint word_at(const Operand o, uint base, uint x0, uint k0, uint n, uint r)
{
    const uint x = x0 + 4 * place(o, n).x, k = k0 + 4 * place(o, n).y;
    const uint ld = o.ld / 4;
    return base / 4 + (o.along_k ? min(x + r, o.limit - 1) * ld + k / 4 : (k + r) * ld + min(x, o.limit - 4) / 4);
}

void fetch(const Operand o, uint base, uint x0, uint k0)
{
    [[unroll]] for (uint n = 0; n < ROUNDS(o.across); n++)
        [[unroll]] for (uint r = 0; r < 4; r++)
            next[first_register(o) + n][r] = read_vector(o, word_at(o, base, x0, k0, n, r));
}

void fetch_first(const Operand o, uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < ROUNDS(o.across); n++)
        [[unroll]] for (uint r = 0; r < 4; r++) {
            next[first_register(o) + n][r] = 0;
            if (k0 + 4 * place(o, n).y + (o.along_k ? 0 : r) < end)
                next[first_register(o) + n][r] = read_vector(o, word_at(o, base, x0, k0, n, r));
        }
}

void store_tile(const Operand o, uint tile)
{
    [[unroll]] for (uint n = 0; n < ROUNDS(o.across); n++) {
        uvec4 piece = next[first_register(o) + n];
        if (!o.along_k) { // byte c of word r becomes byte r of word c: first of neighbours, then of pairs
            const uint even = 0x00ff00ff, odd = 0xff00ff00;
            const uvec4 pairs = uvec4(piece.x & even | (piece.y & even) << 8, piece.x >> 8 & even | piece.y & odd,
                                      piece.z & even | (piece.w & even) << 8, piece.z >> 8 & even | piece.w & odd);
            piece = uvec4(pairs.xy & 0xffff | pairs.zw << 16, pairs.xy >> 16 | pairs.zw & 0xffff0000);
        }
        if (gl_LocalInvocationIndex < pieces_in_tile(o))
            stage(o, (tile * STEPS + place(o, n).y) * (o.across / VW + PAD) + place(o, n).x, TV(piece));
    }
}
