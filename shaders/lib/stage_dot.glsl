// What stage.glsl does, for builds whose elements in shared memory are words of four neighbours along K, in A and B of
// 8 bits; blocked.comp includes this in its place. A piece is a square of 4×4 elements, four words of memory whichever
// way they lie, one vector of shared memory: for each of four rows of op(A), or columns of op(B), its word. Words whose
// neighbours lie across are transposed on the way.

const uint ITS(LINE) = (ITS(ALONG_K) ? DEPTH : ITS(LENGTH)) / 4;
const uint ITS(PIECES) = ITS(LENGTH) * DEPTH / 16; // of a tile
#define PIECE(n) (gl_LocalInvocationIndex % ITS(PIECES) + (n) * THREADS)
#define ACROSS(n) (ITS(ALONG_K) ? PIECE(n) / ITS(LINE) : PIECE(n) % ITS(LINE))
#define DOWN(n) (ITS(ALONG_K) ? PIECE(n) % ITS(LINE) : PIECE(n) / ITS(LINE))

// The index of word r of a piece. What hangs over the edge reads the last row or column once more, for sums that are
// never stored.
uint ITS(word_at)(uint base, uint x0, uint k0, uint n, uint r)
{
    const uint x = x0 + 4 * ACROSS(n), k = k0 + 4 * DOWN(n);
    return base / 4 + (ITS(ALONG_K) ? min(x + r, ITS(LIMIT) - 1) * (ITS(LD) / 4) + k / 4
                                    : (k + r) * (ITS(LD) / 4) + min(x, ITS(LIMIT) - 4) / 4);
}

void ITS(fetch)(uint base, uint x0, uint k0)
{
    [[unroll]] for (uint n = 0; n < ITS(ROUNDS); n++)
        [[unroll]] for (uint r = 0; r < 4; r++)
            ITS(next)[n][r] = ITS(VECTOR)(ITS(word_at)(base, x0, k0, n, r));
}

void ITS(fetch_first)(uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < ITS(ROUNDS); n++)
        [[unroll]] for (uint r = 0; r < 4; r++) {
            ITS(next)[n][r] = 0;
            if (k0 + 4 * DOWN(n) + (ITS(ALONG_K) ? 0 : r) < end)
                ITS(next)[n][r] = ITS(VECTOR)(ITS(word_at)(base, x0, k0, n, r));
        }
}

void ITS(store)(uint tile)
{
    [[unroll]] for (uint n = 0; n < ITS(ROUNDS); n++) {
        uvec4 piece = ITS(next)[n];
        if (!ITS(ALONG_K)) { // byte c of word r becomes byte r of word c: first of neighbours, then of pairs
            const uint even = 0x00ff00ff, odd = 0xff00ff00;
            const uvec4 pairs = uvec4(piece.x & even | (piece.y & even) << 8, piece.x >> 8 & even | piece.y & odd,
                                      piece.z & even | (piece.w & even) << 8, piece.z >> 8 & even | piece.w & odd);
            piece = uvec4(pairs.xy & 0xffff | pairs.zw << 16, pairs.xy >> 16 | pairs.zw & 0xffff0000);
        }
        if (gl_LocalInvocationIndex < ITS(PIECES))
            ITS(staged)[(tile * STEPS + DOWN(n)) * (ITS(LENGTH) / VW + PAD) + ACROSS(n)] = TV(piece);
    }
}
