// An operand's way from global memory through registers into shared memory, for blocked.comp.
//
// The tile lies in shared memory with K slowest whatever op says, because the sum walks along K and wants the elements
// of one k side by side. Each row of it is longer by PAD vectors, so that storing neighbours along K does not hit one
// memory bank again and again.

// What this invocation has fetched of the next tiles: of op(A), then of op(B).
RAWV next[(ROWS * DEPTH / VW / THREADS) + (COLS * DEPTH / VW / THREADS)];
uint first_register(const Operand o) { return o.is_a ? 0 : ROWS * DEPTH / VW / THREADS; }

// A tile is fetched in pieces, vectors or single elements. Invocations next to each other take pieces next to each
// other along a line of memory, so that the hardware joins their reads into few wide ones. This invocation's piece n is
// the tile's piece gl_LocalInvocationIndex + n * THREADS.
uint width(const Operand o) { return o.in_vectors ? VW : 1; }
uint pieces_of(const Operand o) { return o.across * DEPTH / THREADS / width(o); }

// Where a piece of the tile lies: across it, and along K. THREADS pieces are whole lines, or a part of one, so the
// place of a sum of two numbers is the sum of their places: one of them depends on the invocation, the other is a
// constant once the loop over n is unrolled.
uvec2 place(const Operand o, uint piece)
{
    const uint in_line = (o.along_k ? DEPTH : o.across) / width(o);
    const uint line = piece / in_line, along = piece % in_line * width(o);
    return o.along_k ? uvec2(line, along) : uvec2(along, line);
}

// Where piece n lies in the matrix, counted in pieces. A tile may hang over the edge: it then reads the last row or
// column once more, for sums that are never stored, which is cheaper than asking.
uint piece_at(const Operand o, uint base, uint x0, uint k0, uint n)
{
    const uvec2 first = place(o, gl_LocalInvocationIndex), more = place(o, n * THREADS);
    const uint w = width(o), ld = o.ld / w, k = k0 + first.y + more.y;
    const uint x = min(x0 + first.x + more.x, o.limit - (o.along_k ? 1 : w));
    return base / w + (o.along_k ? x * ld + k / w : k * ld + x / w);
}

// Starts reading a tile into registers. Nothing waits for the values before store_tile: they travel while the workgroup
// multiplies the tile before. That needs a straight run of reads; after a branch around them the compiler would wait
// for them on the spot.
void fetch(const Operand o, uint base, uint x0, uint k0)
{
    const uint r = first_register(o);
    [[unroll]] for (uint n = 0; n < pieces_of(o); n++) {
        const uint at = piece_at(o, base, x0, k0, n);
        if (o.in_vectors)
            next[r + n] = read_vector(o, at);
        else
            SET(next[r + n / VW], n % VW, read_element(o, at));
    }
}

// The same for the first step along K, which takes what is left over when the others are whole: beyond `end` lie zeros,
// which add nothing to the sums.
void fetch_first(const Operand o, uint base, uint x0, uint k0, uint end)
{
    const uint r = first_register(o);
    [[unroll]] for (uint n = 0; n < pieces_of(o); n++) {
        const uint k = k0 + place(o, gl_LocalInvocationIndex).y + place(o, n * THREADS).y;
        const bool there = inside(0, 1, k, end); // across the tile piece_at has seen to it
        if (o.in_vectors) {
            next[r + n] = RAWV(0);
            if (there)
                next[r + n] = read_vector(o, piece_at(o, base, x0, k0, n));
        } else {
            SET(next[r + n / VW], n % VW, RAW(0));
            if (there)
                SET(next[r + n / VW], n % VW, read_element(o, piece_at(o, base, x0, k0, n)));
        }
    }
}

// Puts what was fetched into shared memory, as elements of T, into the given one of the BUFFERS tiles.
void store_tile(const Operand o, uint tile)
{
    const uint r = first_register(o), row = o.across / VW + PAD;
    const uvec2 first = place(o, gl_LocalInvocationIndex);
    [[unroll]] for (uint n = 0; n < pieces_of(o); n++) {
        const uvec2 more = place(o, n * THREADS);
        const uint at = (tile * DEPTH + first.y) * row + first.x / VW + more.y * row + more.x / VW;
        if (!o.in_vectors)
            stage(o, at, first.x % VW, values_of(next[r + n / VW])[n % VW]);
        else if (o.along_k)
            [[unroll]] for (uint c = 0; c < VW; c++)
                stage(o, at + c * row, first.x % VW, values_of(next[r + n])[c]);
        else
            stage(o, at, values_of(next[r + n]));
    }
}
