// One operand's way from global memory through registers into shared memory. blocked.comp includes this twice, for
// op(A) and for op(B), with these names defined: AT, FETCH, FETCH_FIRST, STORE (functions), NEXT (registers), STAGED
// (shared memory), ELEMENT, VECTORS (the matrix), LENGTH (rows of op(A) or columns of op(B) in a tile), LIMIT (how many
// there are), LD, and the constants ALONG_K (neighbours in memory are neighbours along K) and BY_VECTOR (the matrix can
// be read VW elements at a time).
//
// The tile lies in shared memory with K slowest whatever op says, because the sum walks along K and wants the LENGTH
// elements of one k side by side. Each row of it is longer by PAD vectors, so that storing neighbours along K does not
// hit one memory bank again and again.

// A tile is fetched in pieces, vectors or single elements, of which so many lie in one line of memory. Invocations next
// to each other take pieces next to each other, so that the hardware joins their reads into few wide ones. Piece n of
// this invocation:
#define WIDTH (BY_VECTOR ? VW : 1)
#define LINE ((ALONG_K ? DEPTH : LENGTH) / WIDTH)
#define PLACE (gl_LocalInvocationIndex % LINE * WIDTH)
#define PLACE_MORE(n) ((n) * THREADS % LINE * WIDTH)
#define ROW (gl_LocalInvocationIndex / LINE)
#define ROW_MORE(n) ((n) * THREADS / LINE)
// Across the tile and along K: what depends on the invocation, and what depends on n, a constant once the loop is
// unrolled.
#define ACROSS (ALONG_K ? ROW : PLACE)
#define ACROSS_MORE(n) (ALONG_K ? ROW_MORE(n) : PLACE_MORE(n))
#define DOWN (ALONG_K ? PLACE : ROW)
#define DOWN_MORE(n) (ALONG_K ? PLACE_MORE(n) : ROW_MORE(n))

// Where a piece lies in the matrix, counted in pieces. A tile may hang over the edge: it then reads the last row or
// column once more, for sums that are never stored, which is cheaper than asking.
uint AT(uint base, uint x0, uint k0, uint n)
{
    const uint x = min(x0 + ACROSS + ACROSS_MORE(n), LIMIT - (ALONG_K ? 1 : WIDTH)), k = k0 + DOWN + DOWN_MORE(n);
    return base / WIDTH + (ALONG_K ? x * (LD / WIDTH) + k / WIDTH : k * (LD / WIDTH) + x / WIDTH);
}

// Starts reading a tile into registers. Nothing waits for the values before STORE: they travel while the workgroup
// multiplies the tile before. That needs a straight run of reads; after a branch around them the compiler would wait
// for them on the spot.
void FETCH(uint base, uint x0, uint k0)
{
    [[unroll]] for (uint n = 0; n < LENGTH * DEPTH / THREADS / WIDTH; n++) {
        if (BY_VECTOR)
            NEXT[n] = VECTORS[AT(base, x0, k0, n)];
        else
            SET(NEXT[n / VW], n % VW, ELEMENT(AT(base, x0, k0, n)));
    }
}

// The same for the first step along K, which takes what is left over when the others are whole: beyond `end` lie zeros,
// which add nothing to the sums.
void FETCH_FIRST(uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < LENGTH * DEPTH / THREADS / WIDTH; n++) {
        const bool there = inside(0, 1, k0 + DOWN + DOWN_MORE(n), end); // across the tile AT has seen to it
        if (BY_VECTOR) {
            NEXT[n] = RAWV(0);
            if (there)
                NEXT[n] = VECTORS[AT(base, x0, k0, n)];
        } else {
            SET(NEXT[n / VW], n % VW, RAW(0));
            if (there)
                SET(NEXT[n / VW], n % VW, ELEMENT(AT(base, x0, k0, n)));
        }
    }
}

// Puts what was fetched into shared memory, as elements of T, into the given one of the BUFFERS tiles.
void STORE(uint tile)
{
    const uint row = LENGTH / VW + PAD, first = (tile * DEPTH + DOWN) * row + ACROSS / VW;
    [[unroll]] for (uint n = 0; n < LENGTH * DEPTH / THREADS / WIDTH; n++) {
        const uint more = DOWN_MORE(n) * row + ACROSS_MORE(n) / VW;
        if (!BY_VECTOR)
            STAGED[first + more][ACROSS % VW] = values_of(NEXT[n / VW])[n % VW];
        else if (ALONG_K)
            [[unroll]] for (uint c = 0; c < VW; c++)
                STAGED[first + more + c * row][ACROSS % VW] = values_of(NEXT[n])[c];
        else
            STAGED[first + more] = values_of(NEXT[n]);
    }
}

#undef WIDTH
#undef LINE
#undef PLACE
#undef PLACE_MORE
#undef ROW
#undef ROW_MORE
#undef ACROSS
#undef ACROSS_MORE
#undef DOWN
#undef DOWN_MORE
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
