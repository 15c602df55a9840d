// Loads one operand from global memory through registers into shared memory. blocked.comp includes this for op(A), with
// OPERAND defined as A, and for op(B): ITS(x) is x_A, then x_B. Each operand has its own copy, because some compilers
// make slow code of functions that take an operand (doc/coopmat.md).
// In shared memory, the tile has K as its slowest dimension for any op, because the sum goes along K and needs the
// elements of one k next to each other. Each row of it is longer by PAD vectors, so that storing neighbours along K
// does not hit the same memory bank repeatedly.

// A tile is fetched in pieces, vectors or single elements, of which so many lie in one line of memory. Invocations next
// to each other take pieces next to each other, so that the hardware joins their reads into few wide ones.
const uint ITS(WIDTH) = ITS(VECTORS) ? VW : 1;
const uint ITS(LINE) = (ITS(ALONG_K) ? DEPTH : ITS(LENGTH)) / ITS(WIDTH);
const uint ITS(PIECES) = ITS(LENGTH) * DEPTH / THREADS / ITS(WIDTH); // of an invocation
// Piece n of this invocation lies at PLACE + PLACE_MORE(n) of line ROW + ROW_MORE(n).
#define PLACE (gl_LocalInvocationIndex % ITS(LINE) * ITS(WIDTH))
#define PLACE_MORE(n) ((n) * THREADS % ITS(LINE) * ITS(WIDTH))
#define ROW (gl_LocalInvocationIndex / ITS(LINE))
#define ROW_MORE(n) ((n) * THREADS / ITS(LINE))
// Across the tile and along K: what depends on the invocation, and what depends on n, a constant once the loop is
// unrolled.
#define ACROSS (ITS(ALONG_K) ? ROW : PLACE)
#define ACROSS_MORE(n) (ITS(ALONG_K) ? ROW_MORE(n) : PLACE_MORE(n))
#define DOWN (ITS(ALONG_K) ? PLACE : ROW)
#define DOWN_MORE(n) (ITS(ALONG_K) ? PLACE_MORE(n) : ROW_MORE(n))

// Where a piece lies in the matrix, counted in pieces. A tile may hang over the edge: it then reads the last row or
// column once more, for sums that are never stored, which is cheaper than a check.
uint ITS(piece_at)(uint base, uint x0, uint k0, uint n)
{
    const uint x = min(x0 + ACROSS + ACROSS_MORE(n), ITS(LIMIT) - (ITS(ALONG_K) ? 1 : ITS(WIDTH)));
    const uint k = k0 + DOWN + DOWN_MORE(n);
    return base / ITS(WIDTH) + (ITS(ALONG_K) ? x * (ITS(LD) / ITS(WIDTH)) + k / ITS(WIDTH)
                                             : k * (ITS(LD) / ITS(WIDTH)) + x / ITS(WIDTH));
}

#ifdef AIMED
// What of it depends on neither k0 nor n, computed once per tile where the compiler makes that faster: where the first
// piece lies for k0 = 0, and which of the following ones, at even distances, is the last before the matrix ends.
uint ITS(from), ITS(last);
void ITS(aim)(uint base, uint x0)
{
    const uint most = ITS(LIMIT) - (ITS(ALONG_K) ? 1 : ITS(WIDTH)), x = min(x0 + ACROSS, most);
    ITS(from) = base / ITS(WIDTH) + (ITS(ALONG_K) ? x * (ITS(LD) / ITS(WIDTH)) + DOWN / ITS(WIDTH)
                                                  : DOWN * (ITS(LD) / ITS(WIDTH)) + x / ITS(WIDTH));
    ITS(last) = (most - x) / max(THREADS / ITS(LINE), 1);
}

uint ITS(aimed_at)(uint base, uint x0, uint k0, uint n)
{
    const uint ld = ITS(LD) / ITS(WIDTH);
    if (LANE_COLS < 16 || THREADS % ITS(LINE) != 0)
        return ITS(piece_at)(base, x0, k0, n);
    return ITS(from) + (ITS(ALONG_K) ? min(n, ITS(last)) * (THREADS / ITS(LINE) * ld) + k0 / ITS(WIDTH)
                                     : (k0 + ROW_MORE(n)) * ld);
}
#else
#define aimed_at_A piece_at_A
#define aimed_at_B piece_at_B
#endif

// Starts reading a tile into registers. Nothing waits for the values before they are stored: they travel while the
// workgroup multiplies the tile before. That needs a straight run of reads; after a branch around them the compiler
// would wait for them on the spot.
void ITS(fetch)(uint base, uint x0, uint k0)
{
    [[unroll]] for (uint n = 0; n < ITS(PIECES); n++) {
        if (ITS(VECTORS))
            ITS(next)[n] = ITS(VECTOR)(ITS(aimed_at)(base, x0, k0, n));
        else
            SET(ITS(next)[n / VW], n % VW, ITS(ELEMENT)(ITS(aimed_at)(base, x0, k0, n)));
    }
}

// The same for the first step along K, which takes what is left over when the others are whole: beyond `end` lie zeros,
// which add nothing to the sums.
void ITS(fetch_first)(uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < ITS(PIECES); n++) {
        const bool there = inside(0, 1, k0 + DOWN + DOWN_MORE(n), end); // across the tile piece_at has seen to it
        if (ITS(VECTORS)) {
            ITS(next)[n] = RAWV(0);
            if (there)
                ITS(next)[n] = ITS(VECTOR)(ITS(piece_at)(base, x0, k0, n));
        } else {
            SET(ITS(next)[n / VW], n % VW, RAW(0));
            if (there)
                SET(ITS(next)[n / VW], n % VW, ITS(ELEMENT)(ITS(piece_at)(base, x0, k0, n)));
        }
    }
}

// Puts what was fetched into shared memory, as elements of T, into the given one of the BUFFERS tiles.
void ITS(store)(uint tile)
{
    const uint row = ITS(LENGTH) / VW + PAD, first = (tile * DEPTH + DOWN) * row + ACROSS / VW;
    [[unroll]] for (uint n = 0; n < ITS(PIECES); n++) {
        const uint more = DOWN_MORE(n) * row + ACROSS_MORE(n) / VW;
        if (!ITS(VECTORS))
            ITS(staged)[first + more][ACROSS % VW] = values_of(ITS(next)[n / VW])[n % VW];
        else if (ITS(ALONG_K))
            [[unroll]] for (uint c = 0; c < VW; c++)
                ITS(staged)[first + more + c * row][ACROSS % VW] = values_of(ITS(next)[n])[c];
        else
            ITS(staged)[first + more] = values_of(ITS(next)[n]);
    }
}
