// An operand's way from global memory through registers into shared memory, for coopmat.comp. It lies there as it is
// stored: matrix loads do the transposing, but not that of bytes, which are transposed here.

bool transposes(const Operand o) { return BYTES == 1 && !o.along_k; }

// A piece is what an invocation fetches at once: 16 bytes of memory, or 4 times 16 bytes of neighbours along K, which
// it transposes.
uint pieces_in_line(const Operand o) { return (o.along_k ? DEPTH : o.across) / MEMORY_VECTOR; }
uint pieces_in_tile(const Operand o) { return o.is_a ? PIECES_A : PIECES_B; }
uint rounds(const Operand o) { return (pieces_in_tile(o) + THREADS - 1) / THREADS; } // pieces of an invocation

// Do the pieces of an invocation lie at even distances?
bool is_even(const Operand o) { return !transposes(o) && THREADS % pieces_in_line(o) == 0; }

uvec4 next[REGISTERS_A + REGISTERS_B]; // what this invocation has fetched of the next tiles: of op(A), then of op(B)
uint first_register(const Operand o) { return o.is_a ? 0 : REGISTERS_A; }

// Does this invocation have a piece n? A tile may have fewer pieces than the last round has invocations.
bool has_piece(const Operand o, uint n)
{
    return pieces_in_tile(o) % THREADS == 0 || gl_LocalInvocationIndex + n * THREADS < pieces_in_tile(o);
}

// Where piece n of this invocation lies: its first element across the tile, and along K. Invocations next to each other
// take pieces next to each other along a line of memory; of those that are transposed, two, because what they store
// lies 16 lines apart, perhaps in the same memory banks.
uvec2 place_of(const Operand o, uint n)
{
    const uint piece = gl_LocalInvocationIndex + n * THREADS, in_line = pieces_in_line(o);
    if (transposes(o)) {
        const uint width = in_line % 2 == 0 ? 2 : 1, groups = DEPTH / 4;
        return uvec2((piece % width + piece / (width * groups) * width) * 16, piece / width % groups * 4);
    }
    uint line = piece / in_line, place = piece % in_line;
    if (THREADS % in_line == 0) { // known to the compiler only so
        line = gl_LocalInvocationIndex / in_line;
        place = gl_LocalInvocationIndex % in_line;
        // Eight invocations store 128 bytes at once. Of padded lines of 64 bytes, two that lie four lines apart have
        // all banks between them.
        if (THREADS / in_line % 8 == 0)
            line = line / 8 * 8 + line % 2 * 4 + line / 2 % 4;
        line += n * (THREADS / in_line);
    }
    return o.along_k ? uvec2(line, place * MEMORY_VECTOR) : uvec2(place * MEMORY_VECTOR, line);
}

// Where element (x, k) lies, in vectors of 16 bytes.
uint vector_at(const Operand o, uint x, uint k)
{
    const uint ld = o.ld / MEMORY_VECTOR;
    return o.along_k ? x * ld + k / MEMORY_VECTOR : k * ld + x / MEMORY_VECTOR;
}

// The last x from which a whole vector can be read. A tile that hangs over the edge reads from there once more, for
// sums that are never stored.
uint last_x(const Operand o) { return o.limit - (o.along_k ? 1 : min(o.limit, MEMORY_VECTOR)); }

// Where this invocation's first piece of a tile lies, in vectors, for k0 = 0, and which of the following ones is the
// last before the matrix ends. Found once a tile: a step has no time for it. Not for pieces that lie unevenly.
struct Aim { uint from, last; };
Aim aim(const Operand o, uint base, uint x0)
{
    const uvec2 place = place_of(o, 0);
    const uint last = last_x(o), x = min(x0 + place.x, last);
    const uint lines = max(THREADS / pieces_in_line(o), 1); // of one round
    return Aim(base / MEMORY_VECTOR + vector_at(o, x, place.y), o.along_k ? (last - x) / lines : rounds(o));
}

// Piece n of the tile that begins at k0: 16 bytes of memory from element (x, k) on. Nothing is read from `end` on along
// K: zeros, which add nothing; WHOLE, a constant, spares whole steps the question.
uvec4 read(const Operand o, const Aim aim, uint n, uint base, uint x, uint k0, uint k, uint end)
{
    uvec4 value = uvec4(0);
    if (o.in_vectors) {
        const uint ld = o.ld / MEMORY_VECTOR, steps = o.along_k ? k0 / MEMORY_VECTOR : k0 * ld;
        uint at = aim.from + min(n, aim.last) * (THREADS / pieces_in_line(o) * ld) + steps;
        if (!is_even(o))
            at = base / MEMORY_VECTOR + vector_at(o, min(x, last_x(o)), k);
        if (end == WHOLE || k < end)
            value = o.is_a ? AV[at] : BV[at];
        return value;
    }
    const uint bits = 128 / MEMORY_VECTOR, per_word = MEMORY_VECTOR / 4;
    [[unroll]] for (uint e = 0; e < MEMORY_VECTOR; e++) {
        const uint ex = min(o.along_k ? x : x + e, o.limit - 1), ek = o.along_k ? k + e : k;
        const uint at = base + (o.along_k ? ex * o.ld + ek : ek * o.ld + ex);
        if (end == WHOLE || ek < end) {
            const uint word = o.is_a ? A[at / per_word] : B[at / per_word];
            value[e / per_word] |= bitfieldExtract(word, int(at % per_word * bits), int(bits)) << e % per_word * bits;
        }
    }
    return value;
}

// Starts reading a tile into registers. Nothing waits for the values before store_tile: they travel while the workgroup
// multiplies.
void fetch(const Operand o, const Aim aim, uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < rounds(o); n++) {
        const uvec2 place = place_of(o, n);
        if (has_piece(o, n)) {
            const uint r = first_register(o), x = x0 + place.x, k = k0 + place.y;
            if (transposes(o))
                [[unroll]] for (uint c = 0; c < 4; c++)
                    next[r + 4 * n + c] = read(o, aim, n, base, x, k0 + c, k + c, end);
            else
                next[r + n] = read(o, aim, n, base, x, k0, k, end);
        }
    }
}

// Four words of four neighbours across become four words of four neighbours along K.
uvec4 transpose_bytes(uvec4 w)
{
    const uint even = 0x00ff00ffu, low = 0x0000ffffu;
    const uvec2 t0 = (w.xz & even) | (w.yw & even) << 8, t1 = (w.xz >> 8 & even) | (w.yw & ~even);
    return uvec4((t0.x & low) | t0.y << 16, (t1.x & low) | t1.y << 16,
                 t0.x >> 16 | (t0.y & ~low), t1.x >> 16 | (t1.y & ~low));
}

// Stages 16 bytes of memory, from a word of a unit on where they become 8.
void put(uint at, uint word, uvec4 value)
{
#if MEMORY_BYTES == 4
    const vec4 wide = uintBitsToFloat(value);
    staged[at][word] = packFloat2x16(f16vec2(wide.xy));
    staged[at][word + 1] = packFloat2x16(f16vec2(wide.zw));
#elif defined(UNIT8)
    staged[at] = value.xy;
    staged[at + 1] = value.zw;
#else
    staged[at] = value;
#endif
}

// Puts what was fetched into shared memory.
void store_tile(const Operand o)
{
    const uint tile = o.is_a ? 0 : UNITS_A, stride = o.is_a ? STRIDE_UNITS_A : STRIDE_UNITS_B;
    [[unroll]] for (uint n = 0; n < rounds(o); n++) {
        const uvec2 place = place_of(o, n);
        if (has_piece(o, n)) {
            const bool lines_along_k = o.along_k || transposes(o);
            const uint line = lines_along_k ? place.x : place.y, along = lines_along_k ? place.y : place.x;
            const uint byte = along * BYTES, at = tile + line * stride + byte / UNIT_BYTES, r = first_register(o);
            if (transposes(o))
                [[unroll]] for (uint c = 0; c < 4; c++) {
                    const uint s = r + 4 * n;
                    const uvec4 column = uvec4(next[s][c], next[s + 1][c], next[s + 2][c], next[s + 3][c]);
                    const uvec4 words = transpose_bytes(column);
                    [[unroll]] for (uint b = 0; b < 4; b++)
                        staged[at + (4 * c + b) * stride][byte % UNIT_BYTES / 4] = words[b];
                }
            else
                put(at, byte % UNIT_BYTES / 4, next[r + n]);
        }
    }
}
