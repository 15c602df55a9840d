// One operand's way from global memory through registers into shared memory, as stored: matrix loads do the
// transposing, but not that of bytes. coopmat.comp includes this for op(A) and for op(B), with these names defined:
// PLACE_OF, AIM, READ, FETCH, STORE (functions), NEXT, FROM, LAST (registers), WORDS, VECTORS (the matrix), LENGTH
// (rows of op(A) or columns of op(B) in a tile), LIMIT (how many there are), LD, OFFSET (where the tile lies among
// staged units), STRIDE (units from line to line), and the constants ALONG_K (neighbours in memory are neighbours along
// K), BY_VECTOR (the matrix can be read 16 bytes at a time) and TURNED (bytes, not along K: turned round while they are
// staged).

// A piece is what an invocation fetches at once: 16 bytes of memory, or 4 times 16 bytes of neighbours along K, which
// it turns round.
#define LINE ((ALONG_K ? DEPTH : LENGTH) / MEMORY_VECTOR)
#define PIECES (LENGTH * DEPTH / MEMORY_VECTOR / (TURNED ? 4 : 1))
#define ROUNDS ((PIECES + THREADS - 1) / THREADS)
// Do the pieces of an invocation lie at even distances? Not those that are turned.
#define EVEN (THREADS % LINE == (TURNED ? THREADS : 0))
#define LD_VECTORS (LD / MEMORY_VECTOR)
// Where element (x, k) lies, in vectors of 16 bytes.
#define VECTOR_AT(x, k) (ALONG_K ? x * LD_VECTORS + k / MEMORY_VECTOR : k * LD_VECTORS + x / MEMORY_VECTOR)

// Where piece n of this invocation lies: its first element across the tile, and along K. Invocations next to each other
// take pieces next to each other along a line of memory; of those that are turned round, two, because what they store
// lies 16 lines apart, perhaps in the same memory banks.
uvec2 PLACE_OF(uint n)
{
    const uint piece = gl_LocalInvocationIndex + n * THREADS;
    if (TURNED) {
        const uint width = LINE % 2 == 0 ? 2 : 1, groups = DEPTH / 4;
        return uvec2((piece % width + piece / (width * groups) * width) * 16, piece / width % groups * 4);
    }
    uint line = piece / LINE, place = piece % LINE;
    if (THREADS % LINE == 0) { // known to the compiler only so
        line = gl_LocalInvocationIndex / LINE;
        place = gl_LocalInvocationIndex % LINE;
        // Eight invocations store 128 bytes at once. Of padded lines of 64 bytes, two that lie four lines apart have
        // all banks between them.
        if (THREADS / LINE % 8 == 0)
            line = line / 8 * 8 + line % 2 * 4 + line / 2 % 4;
        line += n * (THREADS / LINE);
    }
    return ALONG_K ? uvec2(line, place * MEMORY_VECTOR) : uvec2(place * MEMORY_VECTOR, line);
}

// Finds where this invocation's pieces lie, once a tile: a step has no time for it. Not for pieces that are turned
// round: these lie unevenly.
void AIM(uint base, uint x0)
{
    const uvec2 place = PLACE_OF(0);
    const uint last = LIMIT - (ALONG_K ? 1 : min(LIMIT, MEMORY_VECTOR)), x = min(x0 + place.x, last);
    FROM = base / MEMORY_VECTOR + VECTOR_AT(x, place.y);
    LAST = ALONG_K ? (last - x) / max(THREADS / LINE, 1) : ROUNDS;
}

// Piece n of the tile that begins at k0: 16 bytes of memory from element (x, k) on. A tile may hang over the edge
// across: it then reads once more what is there, for sums that are never stored. Nothing is read from `end` on along K:
// zeros, which add nothing; WHOLE, a constant, spares whole steps the question.
uvec4 READ(uint n, uint base, uint x, uint k0, uint k, uint end)
{
    uvec4 value = uvec4(0);
    if (BY_VECTOR) {
        uint at = FROM + min(n, LAST) * (THREADS / LINE * LD_VECTORS) +
                  (ALONG_K ? k0 / MEMORY_VECTOR : k0 * LD_VECTORS);
        if (!EVEN) {
            x = min(x, LIMIT - (ALONG_K ? 1 : min(LIMIT, MEMORY_VECTOR)));
            at = base / MEMORY_VECTOR + VECTOR_AT(x, k);
        }
        if (end == WHOLE || k < end)
            value = VECTORS[at];
        return value;
    }
    const uint bits = 128 / MEMORY_VECTOR, per_word = MEMORY_VECTOR / 4;
    [[unroll]] for (uint e = 0; e < MEMORY_VECTOR; e++) {
        const uint ex = min(ALONG_K ? x : x + e, LIMIT - 1), ek = ALONG_K ? k + e : k;
        const uint at = base + (ALONG_K ? ex * LD + ek : ek * LD + ex);
        if (end == WHOLE || ek < end)
            value[e / per_word] |= bitfieldExtract(WORDS[at / per_word], int(at % per_word * bits), int(bits))
                                   << e % per_word * bits;
    }
    return value;
}

// Starts reading a tile into registers. Nothing waits for the values before STORE: they travel while the workgroup
// multiplies.
void FETCH(uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < ROUNDS; n++) {
        const uvec2 place = PLACE_OF(n);
        if (PIECES % THREADS == 0 || gl_LocalInvocationIndex + n * THREADS < PIECES) {
            if (TURNED)
                [[unroll]] for (uint k = 0; k < 4; k++)
                    NEXT[4 * n + k] = READ(n, base, x0 + place.x, k0 + k, k0 + place.y + k, end);
            else
                NEXT[n] = READ(n, base, x0 + place.x, k0, k0 + place.y, end);
        }
    }
}

// Puts what was fetched into shared memory.
void STORE()
{
    [[unroll]] for (uint n = 0; n < ROUNDS; n++) {
        const uvec2 place = PLACE_OF(n);
        if (PIECES % THREADS == 0 || gl_LocalInvocationIndex + n * THREADS < PIECES) {
            const uint line = ALONG_K || TURNED ? place.x : place.y, along = ALONG_K || TURNED ? place.y : place.x;
            const uint byte = along * BYTES, at = OFFSET + line * STRIDE + byte / UNIT_BYTES;
            if (TURNED)
                [[unroll]] for (uint c = 0; c < 4; c++) {
                    const uint s = 4 * n;
                    const uvec4 words = turn(uvec4(NEXT[s][c], NEXT[s + 1][c], NEXT[s + 2][c], NEXT[s + 3][c]));
                    [[unroll]] for (uint b = 0; b < 4; b++)
                        staged[at + (4 * c + b) * STRIDE][byte % UNIT_BYTES / 4] = words[b];
                }
            else
                put(at, byte % UNIT_BYTES / 4, NEXT[n]);
        }
    }
}

#undef LINE
#undef PIECES
#undef ROUNDS
#undef PLACE_OF
#undef AIM
#undef FROM
#undef LAST
#undef EVEN
#undef LD_VECTORS
#undef VECTOR_AT
#undef READ
#undef FETCH
#undef STORE
#undef NEXT
#undef WORDS
#undef VECTORS
#undef LENGTH
#undef LIMIT
#undef LD
#undef OFFSET
#undef STRIDE
#undef ALONG_K
#undef BY_VECTOR
#undef TURNED
