// What stage.glsl does, for builds whose elements in shared memory are words of four neighbours along K, in A and B of
// 8 bits; blocked.comp includes this in its place. A piece is a square of 4×4 elements, four words of memory whichever
// way they lie, one vector of shared memory: for each of four rows of op(A), or columns of op(B), its word. Words whose
// neighbours lie across are turned by STORE.

#define LINE ((ALONG_K ? DEPTH : LENGTH) / 4)
#define PIECES (LENGTH * DEPTH / 16)
#define PIECE(n) (gl_LocalInvocationIndex % PIECES + (n) * THREADS)
#define ACROSS(n) (ALONG_K ? PIECE(n) / LINE : PIECE(n) % LINE)
#define DOWN(n) (ALONG_K ? PIECE(n) % LINE : PIECE(n) / LINE)

// The index of word r of a piece. What hangs over the edge reads the last row or column once more, for sums that are
// never stored.
uint AT(uint base, uint x0, uint k0, uint n, uint r)
{
    const uint x = x0 + 4 * ACROSS(n), k = k0 + 4 * DOWN(n);
    return base / 4 + (ALONG_K ? min(x + r, LIMIT - 1) * (LD / 4) + k / 4 : (k + r) * (LD / 4) + min(x, LIMIT - 4) / 4);
}

void FETCH(uint base, uint x0, uint k0)
{
    [[unroll]] for (uint n = 0; n < LOADS(LENGTH); n++)
        [[unroll]] for (uint r = 0; r < 4; r++)
            NEXT[n][r] = VECTORS[AT(base, x0, k0, n, r)];
}

void FETCH_FIRST(uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < LOADS(LENGTH); n++)
        [[unroll]] for (uint r = 0; r < 4; r++) {
            NEXT[n][r] = 0;
            if (k0 + 4 * DOWN(n) + (ALONG_K ? 0 : r) < end)
                NEXT[n][r] = VECTORS[AT(base, x0, k0, n, r)];
        }
}

void STORE(uint tile)
{
    [[unroll]] for (uint n = 0; n < LOADS(LENGTH); n++) {
        uvec4 piece = NEXT[n];
        if (!ALONG_K) { // byte c of word r becomes byte r of word c: first of bytes that are neighbours, then of pairs
            const uint even = 0x00ff00ff, odd = 0xff00ff00;
            const uvec4 pairs = uvec4(piece.x & even | (piece.y & even) << 8, piece.x >> 8 & even | piece.y & odd,
                                      piece.z & even | (piece.w & even) << 8, piece.z >> 8 & even | piece.w & odd);
            piece = uvec4(pairs.xy & 0xffff | pairs.zw << 16, pairs.xy >> 16 | pairs.zw & 0xffff0000);
        }
        if (gl_LocalInvocationIndex < PIECES)
            STAGED[(tile * STEPS + DOWN(n)) * (LENGTH / VW + PAD) + ACROSS(n)] = TV(piece);
    }
}

#undef LINE
#undef PIECES
#undef PIECE
#undef ACROSS
#undef DOWN
#undef AT
#undef FETCH
#undef FETCH_FIRST
#undef STORE
#undef NEXT
#undef STAGED
#undef ELEMENT
#undef VECTORS
#undef LENGTH
#undef LIMIT
#undef LD
#undef ALONG_K
#undef BY_VECTOR
