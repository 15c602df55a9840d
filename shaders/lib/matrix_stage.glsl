// Loads an operand from global memory through registers into shared memory, for coopmat.comp. It has the same layout
// there: matrix loads transpose it, except for bytes, which are transposed here.

// One of the two operands, as a parameter of the functions that load it into shared memory. All but `limit` and `ld` is
// known when the pipeline is built: the compiler inlines these functions and folds it away. It does so late: loops over
// pieces, and the conditions in them that choose how, are outside these functions, once for A and once for B, with
// constants that the compiler sees directly (doc/coopmat.md).
struct Operand {
    bool is_a;
    uint across;     // rows of op(A), or columns of op(B), in a tile
    uint limit;      // and in the whole matrix
    uint ld;         // elements from one stored row to the next
    bool along_k;    // neighbours in memory are neighbours along K
    bool in_vectors; // all rows of the matrix begin and end at whole vectors, or are padded until they do
};

Operand operand_a() { return Operand(true, ROWS, M, LDA, TRANSPOSE_A == 0, VECTORS_A); }
Operand operand_b() { return Operand(false, COLS, N, LDB, TRANSPOSE_B != 0, VECTORS_B); }

const uint WHOLE = 0xffffffffu; // no end along K: all of a tile is there

uint first_unit(const Operand o) { return o.is_a ? 0 : UNITS_A; } // of its tile, in shared memory
uint stride_units(const Operand o) { return o.is_a ? STRIDE_UNITS_A : STRIDE_UNITS_B; } // from line to line there

// What this invocation has loaded of the next tiles: of op(A), then of op(B).
uvec4 next[ROUNDS_A * WORDS_A + ROUNDS_B * WORDS_B];
uint first_register(const Operand o) { return o.is_a ? 0 : ROUNDS_A * WORDS_A; }

// A piece is what an invocation fetches at once, 16 bytes of a line of memory. The numbers of pieces in a line, and of
// lines loaded in one round of all invocations.
uint pieces_in_line(const Operand o) { return (o.along_k ? DEPTH : o.across) / MEMORY_VECTOR; }
uint lines_of_round(const Operand o) { return THREADS / pieces_in_line(o); }
bool is_even(const Operand o) { return THREADS % pieces_in_line(o) == 0; } // whole lines

// Where piece n of this invocation lies: its first element across the tile, and along K. Invocations next to each other
// take pieces next to each other along a line of memory.
uvec2 place_of(const Operand o, uint n)
{
    const uint piece = gl_LocalInvocationIndex + n * THREADS, in_line = pieces_in_line(o);
    uint line = piece / in_line, place = piece % in_line;
    if (is_even(o)) { // known to the compiler only so
        line = gl_LocalInvocationIndex / in_line;
        place = gl_LocalInvocationIndex % in_line;
        // Eight invocations store 128 bytes at once. Of padded lines of 64 bytes, two that lie four lines apart have
        // all banks between them.
        if (lines_of_round(o) % 8 == 0)
            line = line / 8 * 8 + line % 2 * 4 + line / 2 % 4;
        line += n * lines_of_round(o);
    }
    return o.along_k ? uvec2(line, place * MEMORY_VECTOR) : uvec2(place * MEMORY_VECTOR, line);
}

// The same for four pieces, neighbours along K, that are transposed. Invocations next to each other take only two next
// to each other along a line, because what they store lies 16 lines apart, perhaps in the same memory banks.
uvec2 place_of_four(const Operand o, uint n)
{
    const uint piece = gl_LocalInvocationIndex + n * THREADS;
    const uint width = pieces_in_line(o) % 2 == 0 ? 2 : 1, groups = DEPTH / 4;
    return uvec2((piece % width + piece / (width * groups) * width) * 16, piece / width % groups * 4);
}

// Where element (x, k) lies, in vectors of 16 bytes.
uint vector_at(const Operand o, uint x, uint k)
{
    const uint ld = o.ld / MEMORY_VECTOR;
    return o.along_k ? x * ld + k / MEMORY_VECTOR : k * ld + x / MEMORY_VECTOR;
}

// Where the last vector begins. A tile that extends beyond the edge reads it again, for sums that are never stored.
uint last_x(const Operand o)
{
    return o.along_k ? o.limit - 1 : (o.limit - 1) / MEMORY_VECTOR * MEMORY_VECTOR;
}

// Where this invocation's first piece of a tile lies, in vectors, for k0 = 0, and which of the following ones, at even
// distances, is the last before the matrix ends. Computed once per tile: in each step it would take too long.
struct Aim { uint base, x0, from, last; };
Aim aim(const Operand o, uint base, uint x0)
{
    const uvec2 place = place_of(o, 0);
    const uint last = last_x(o), x = min(x0 + place.x, last);
    return Aim(base, x0, base / MEMORY_VECTOR + vector_at(o, x, place.y),
               o.along_k ? (last - x) / max(lines_of_round(o), 1) : WHOLE);
}

// 16 bytes of memory, which lie at a vector, and from element (x, k) on. Nothing is read from `end` on along K: zeros,
// which add nothing; WHOLE, a constant, avoids that check in whole steps.
uvec4 read(const Operand o, uint at, uint base, uint x, uint k, uint end)
{
    uvec4 value = uvec4(0);
    if (o.in_vectors) {
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

// Starts reading piece n of the tile that begins at k0 into a register. Nothing waits for the values before they are
// stored: they are loaded while the workgroup multiplies.
void fetch_piece(const Operand o, const Aim aim, uint n, uint k0, uint end)
{
    const uvec2 place = place_of(o, n);
    const uint ld = o.ld / MEMORY_VECTOR, x = aim.x0 + place.x, k = k0 + place.y;
    uint at = aim.from + min(n, aim.last) * (lines_of_round(o) * ld) + (o.along_k ? k0 / MEMORY_VECTOR : k0 * ld);
    if (!is_even(o))
        at = aim.base / MEMORY_VECTOR + vector_at(o, min(x, last_x(o)), k);
    next[first_register(o) + n] = read(o, at, aim.base, x, k, end);
}

// The same for four pieces that will be transposed.
void fetch_four(const Operand o, const Aim aim, uint n, uint k0, uint end)
{
    const uvec2 place = place_of_four(o, n);
    const uint x = aim.x0 + place.x, r = first_register(o) + 4 * n;
    [[unroll]] for (uint c = 0; c < 4; c++) {
        const uint k = k0 + place.y + c, at = aim.base / MEMORY_VECTOR + vector_at(o, min(x, last_x(o)), k);
        next[r + c] = read(o, at, aim.base, x, k, end);
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

// Stores piece n in shared memory; as 8 bytes if f32 is converted to f16.
void store_piece(const Operand o, uint n)
{
    const uvec2 place = place_of(o, n);
    const uint line = o.along_k ? place.x : place.y, byte = (o.along_k ? place.y : place.x) * BYTES;
    const uint at = first_unit(o) + line * stride_units(o) + byte / UNIT_BYTES;
    const uvec4 value = next[first_register(o) + n];
#if MEMORY_BYTES == 4
    const vec4 wide = uintBitsToFloat(value);
    staged[at][byte % UNIT_BYTES / 4] = packFloat2x16(f16vec2(wide.xy));
    staged[at][byte % UNIT_BYTES / 4 + 1] = packFloat2x16(f16vec2(wide.zw));
#elif defined(UNIT8)
    staged[at] = value.xy;
    staged[at + 1] = value.zw;
#else
    staged[at] = value;
#endif
}

// Stores four pieces in shared memory, transposed.
void store_four(const Operand o, uint n)
{
    const uvec2 place = place_of_four(o, n);
    const uint at = first_unit(o) + place.x * stride_units(o) + place.y / UNIT_BYTES, r = first_register(o) + 4 * n;
    [[unroll]] for (uint c = 0; c < 4; c++) {
        const uvec4 words = transpose_bytes(uvec4(next[r][c], next[r + 1][c], next[r + 2][c], next[r + 3][c]));
        [[unroll]] for (uint b = 0; b < 4; b++)
            staged[at + (4 * c + b) * stride_units(o)][place.y % UNIT_BYTES / 4] = words[b];
    }
}

#ifdef BLOCKS
// The same of an operand in blocks (lib/blocks.glsl), which lies along K: a piece is a part of a block, as it is read.
// If a step does not have all of the elements whose codes share bytes, which are 64 of Q4_K, it is 16 neighbours.
const bool NEIGHBOURS_ONLY = DEPTH % (2 * STEP) != 0;
const uint ROUNDS = WHICH == 0 ? ROUNDS_A : ROUNDS_B;
Words words[ROUNDS];
Place places[ROUNDS]; // of what was read, or of what is as far from it as a step from the first whole one
uint part_of_piece(uint n) { return (gl_LocalInvocationIndex + n * THREADS) % (DEPTH / PART); }
uint line_of_piece(uint n) { return (gl_LocalInvocationIndex + n * THREADS) / (DEPTH / PART); }
bool has_part(uint n, uint k0, uint end) { return end == WHOLE || k0 + part_of_piece(n) * PART < end; }
// A part that is not there is the first of its line.
Place place_of_part(const Operand o, const Aim aim, uint n, uint k0, uint end)
{
    const uint x = min(aim.x0 + line_of_piece(n), o.limit - 1), first = (aim.base + x * o.ld) / PART;
    const uint part = first + (has_part(n, k0, end) ? k0 / PART + part_of_piece(n) : 0);
    if (NEIGHBOURS_ONLY) {
        const uint block = part / PARTS * (BLOCK_BYTES / 4), i = part % PARTS * PART;
        return Place(block + (HEAD + i / 64 * 32 + i % 32) / 4, i / 32 % 2 * 4, block, i / 32 * 8);
    }
    return place_of(part / PARTS * BLOCK_BYTES, part % PARTS);
}

// 0: places are the same in all whole steps, but for whole words between these.
const uint STEP_BYTES = DEPTH / BLOCK * BLOCK_BYTES;
const uint UNEVEN = DEPTH % BLOCK + STEP_BYTES % 4;
void aim_parts(const Operand o, const Aim aim, uint first)
{
    if (UNEVEN == 0)
        [[unroll]] for (uint n = 0; n < ROUNDS; n++)
            places[n] = place_of_part(o, aim, n, first, WHOLE);
}

void fetch_part(const Operand o, const Aim aim, uint n, uint k0, uint first, uint end)
{
    if (UNEVEN != 0 || end != WHOLE)
        places[n] = place_of_part(o, aim, n, k0, end);
    if (NEIGHBOURS_ONLY)
        words[n] = Words(CODES4(places[n].codes / 4), 0, CODES4(places[n].scale / 4));
    else
        words[n] = read_words(places[n], UNEVEN == 0 && end == WHOLE ? (k0 - first) / DEPTH * (STEP_BYTES / 4) : 0);
}

#ifdef IN_BF16
const bool IN_HALVES = false;
#define PAIR(v) (bf16_bits((v).x) | bf16_bits((v).y) << 16)
#else
const bool IN_HALVES = FORMAT == Q8_0 || FORMAT == Q4_0 || IS_E2M1; // f16 arithmetic rounds them once, as f32 does
#define PAIR(v) packFloat2x16(f16vec2(v))
// Elements from the lowest bits of each half of a word, without their scale, as in field(): here integers are added to
// 1024, and g has e2m1's magnitude where that is at least 1, times 2^power, at no cost.
f16vec2 two(uint codes, int power)
{
    if (FORMAT == Q8_0 || FORMAT == Q4_0) {
        const uint mask = FORMAT == Q8_0 ? 0x00ff00ff : 0x000f000f;
        return unpackFloat2x16(codes & mask | 0x64006400 + ZERO) - float16_t(FORMAT == Q8_0 ? 1152 : 1032);
    }
    const f16vec2 g = unpackFloat2x16(((codes & 0x00070007) << 9) + 0x38003800 + power * 0x04000400);
    const f16vec2 size = min(g, g * float16_t(2) - unpackFloat2x16(0x3c003c00 + power * 0x04000400));
    return unpackFloat2x16(packFloat2x16(size) | (codes & 0x00080008) << 12);
}

// A scale: a factor of what two() returns for a power. All numbers before the product are normal or 0, and it is
// rounded once. Below 2^-27, no product exceeds half the least number; above 2^27, all are infinite.
struct Scale { float16_t factor; int power; };
Scale scale_of_part(Words read, const Part part, uint scale_shift)
{
    if (FORMAT != MXFP4)
        return Scale(float16_t(part.scale.x), 0);
    const int x = int(read.scale.x >> scale_shift & 255) - 127, power = clamp(x, -13, 12);
    const uint rest = uint(15 + min(x - power, 15) << 10);
    return Scale(unpackFloat2x16(x == 128 ? 0x7e00 : x < -27 ? 0 : rest).x, power);
}
#endif

void store_part(const Operand o, uint n, uint k0, uint end)
{
    const Part part = part_of_words(words[n], places[n]);
    const uint in_line = NEIGHBOURS_ONLY ? part_of_piece(n) * PART : part_at(part_of_piece(n));
    const uint at = first_unit(o) + line_of_piece(n) * stride_units(o) + in_line * BYTES / UNIT_BYTES;
    uvec4 eight[2];
    if (!IN_HALVES) {
        const vec2 scale = NEIGHBOURS_ONLY ? scales_of_groups(words[n].scale, places[n].scale_shift).xy : vec2(0);
        [[unroll]] for (uint q = 0; q < 4; q++) { // both terms are exact
            vec4 v = float(TIMES) * elements(part, q) * part.scale[q / 2 * 2] - part.scale[q / 2 * 2 + 1];
            if (NEIGHBOURS_ONLY)
                v = fields(words[n].codes[q] >> places[n].shift, 0) * scale.x - scale.y;
            eight[q / 2][q % 2 * 2] = PAIR(v.xy);
            eight[q / 2][q % 2 * 2 + 1] = PAIR(v.zw);
        }
    }
#ifndef IN_BF16
    else {
        const Scale scale = scale_of_part(words[n], part, places[n].scale_shift);
        [[unroll]] for (uint q = 0; q < 4; q++) {
            const uint codes = FORMAT == Q8_0 ? part.words[q] : part.words[q % 2] >> q / 2 * 4;
            const f16vec2 even = two(codes, scale.power) * scale.factor;
            const f16vec2 odd = two(codes >> 8, scale.power) * scale.factor;
            eight[q / 2][q % 2 * 2] = packFloat2x16(f16vec2(even.x, odd.x));
            eight[q / 2][q % 2 * 2 + 1] = packFloat2x16(f16vec2(even.y, odd.y));
        }
    }
#endif
    [[unroll]] for (uint h = 0; h < 2; h++)
        staged[at + h * (NEIGHBOURS_ONLY ? 8 : STEP) * BYTES / UNIT_BYTES] = has_part(n, k0, end) ? eight[h] : uvec4(0);
}
#endif

// Whether this invocation has a piece n of this many. If a tile's pieces are not a multiple of the invocations, the
// last round has some only for the first invocations.
#define HAS_PIECE(n, pieces) (pieces % THREADS == 0 || gl_LocalInvocationIndex + n * THREADS < pieces)

#ifdef BLOCKS
#define FETCH_PART(in_blocks, o, aim) \
    if (in_blocks) \
        fetch_part(o, aim, n, k0, first, end); \
    else
#define STORE_PART(in_blocks, o) \
    if (in_blocks) \
        store_part(o, n, k0, end); \
    else
#else
#define FETCH_PART(in_blocks, o, aim)
#define STORE_PART(in_blocks, o)
#endif

// Both operands' tiles, from memory into registers, and from there into shared memory.
void fetch_tiles(const Aim aimA, const Aim aimB, uint k0, uint first, uint end)
{
    [[unroll]] for (uint n = 0; n < ROUNDS_A; n++)
        if (HAS_PIECE(n, PIECES_A)) {
            FETCH_PART(WHICH == 0, operand_a(), aimA)
            if (WORDS_A == 4)
                fetch_four(operand_a(), aimA, n, k0, end);
            else
                fetch_piece(operand_a(), aimA, n, k0, end);
        }
    [[unroll]] for (uint n = 0; n < ROUNDS_B; n++)
        if (HAS_PIECE(n, PIECES_B)) {
            FETCH_PART(WHICH != 0, operand_b(), aimB)
            if (WORDS_B == 4)
                fetch_four(operand_b(), aimB, n, k0, end);
            else
                fetch_piece(operand_b(), aimB, n, k0, end);
        }
}

void store_tiles(uint k0, uint end)
{
    [[unroll]] for (uint n = 0; n < ROUNDS_A; n++)
        if (HAS_PIECE(n, PIECES_A)) {
            STORE_PART(WHICH == 0, operand_a())
            if (WORDS_A == 4)
                store_four(operand_a(), n);
            else
                store_piece(operand_a(), n);
        }
    [[unroll]] for (uint n = 0; n < ROUNDS_B; n++)
        if (HAS_PIECE(n, PIECES_B)) {
            STORE_PART(WHICH != 0, operand_b())
            if (WORDS_B == 4)
                store_four(operand_b(), n);
            else
                store_piece(operand_b(), n);
        }
}
