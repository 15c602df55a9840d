#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The fast kernel for products with a short side: few columns (a tall tile, ROWS > COLS) or few rows, down to a matrix
// times a vector. Each element of the large matrix is used only once for each of those few, so only reading it takes
// time. Nothing is staged in shared memory: invocations next to each other read neighbours in memory, whatever op is,
// with many reads in flight at once. Invocations that share an element of C, each with its part of K, add up their sums
// at the end.
#include "gemm.glsl"

layout(constant_id = 9) const uint THREAD_LONG = 4; // an invocation's elements along the long side

#include "experts.glsl"

// The operand along the long side is op(A) if the tile is tall, otherwise op(B). The long side is x, the short one y.
const bool TALL = ROWS >= COLS;
const uint LONG = TALL ? ROWS : COLS, SHORT = TALL ? COLS : ROWS;
const uint LINES = LONG / THREAD_LONG;              // invocations side by side along the long side
const uint LANES = gl_WorkGroupSize.x / LINES;      // and along K
const uint THREAD_DEPTH = DEPTH / LANES;            // elements along K that an invocation takes at a time

// Are neighbours in memory neighbours along K, and can they be read in vectors (the host sees to it: KW along K, VW
// across)?
const bool LONG_ALONG_K = TALL ? TRANSPOSE_A == 0 : TRANSPOSE_B != 0;
const bool SHORT_ALONG_K = TALL ? TRANSPOSE_B != 0 : TRANSPOSE_A == 0;
const bool LONG_VECTORS = TALL ? VECTORS_A : VECTORS_B, SHORT_VECTORS = TALL ? VECTORS_B : VECTORS_A;
#if defined(BLOCKS)
const bool K_VECTORS = true, X_VECTORS = false;
#else
const bool K_VECTORS = LONG_ALONG_K && LONG_VECTORS, X_VECTORS = !LONG_ALONG_K && LONG_VECTORS;
#endif

// How many elements along the long side are added up at a time: more need fewer barriers, but more shared memory, so an
// invocation stores at most four sums, or those of one element. The lanes of each are added up in groups, and then the
// groups.
const uint MOST = SHORT >= 4 ? 1 : 4 / SHORT, TOGETHER = THREAD_LONG < MOST ? THREAD_LONG : MOST;
const uint SHARES = TOGETHER * SHORT, GROUPS = LANES >= 64 ? 16 : LANES >= 16 ? 4 : 1;
shared T shares[SHARES * gl_WorkGroupSize.x], groups[SHARES * LINES * GROUPS];

#if !defined(BLOCKS)
T values[THREAD_LONG * THREAD_DEPTH]; // of the long operand
#endif
T sums[THREAD_LONG * SHORT];
#if defined(NARROW)
// Elements of the long operand as they are read, and whether those of the next step are. Bytes are not: twice as many
// values take the registers, and it was no faster.
RAWQ raws[(THREAD_LONG * THREAD_DEPTH + KW - 1) / KW];
const bool AHEAD = KW == 8;
#endif

// Neighbouring invocations follow the direction of neighbours in memory. Those that read blocks read different lines:
// they share elements of the short operand, which have more bytes than the blocks.
#if defined(BLOCKS)
const bool LANES_FIRST = false;
#else
const bool LANES_FIRST = LONG_ALONG_K;
#endif
uint lane() { return LANES_FIRST ? gl_LocalInvocationID.x % LANES : gl_LocalInvocationID.x / LINES; }
uint line() { return LANES_FIRST ? gl_LocalInvocationID.x / LANES : gl_LocalInvocationID.x % LINES; }
// A line's r-th place along the long side of the tile and the invocation's d-th along K: in groups of VW and KW if they
// are read that way.
uint across(uint r, uint line) { return X_VECTORS ? (r / VW * LINES + line) * VW + r % VW : r * LINES + line; }
uint across(uint r) { return across(r, line()); }
uint along(uint d) { return K_VECTORS ? (d / KW * LANES + lane()) * KW + d % KW : d * LANES + lane(); }

// Where elements lie: (x, k) of the long operand, (k, y) of the short one.
uint long_at(uint base, uint x, uint k)
{
    const uint ld = TALL ? LDA : LDB;
    return base + (LONG_ALONG_K ? x * ld + k : k * ld + x);
}
uint short_at(uint base, uint k, uint y)
{
    const uint ld = TALL ? LDB : LDA;
    return base + (SHORT_ALONG_K ? y * ld + k : k * ld + y);
}

#if defined(BLOCKS)
// The same of the long operand's blocks. An invocation takes two neighbouring parts (lib/blocks.glsl) of each of its
// lines, whose places in a step are the same in each: DEPTH consists of whole blocks, and of whole words of them. They
// are read one step ahead.
const uint STEP_WORDS = DEPTH / BLOCK * BLOCK_BYTES / 4;
Place places[THREAD_LONG]; // in the first step
Words words[THREAD_LONG * 2], ahead[THREAD_LONG * 2];
bool is_there(uint k0, uint end) { return k0 + lane() * 2 * PART < end; }

// Lines and parts that are not there are others of this step.
void find(uint base, uint x0, uint begin, uint end)
{
    const uint part = is_there(begin, end) ? lane() * 2 : 0;
    [[unroll]] for (uint r = 0; r < THREAD_LONG; r++) {
        const uint x = min(x0 + across(r), (TALL ? M : N) - 1), first = long_at(base, x, begin) / BLOCK;
        places[r] = place_of((first + part / PARTS) * BLOCK_BYTES, part % PARTS);
    }
}

// Parts beyond `end` are those of the first step.
void fetch(uint k0, uint further, uint end)
{
    const uint by = is_there(k0, end) ? further : 0;
    [[unroll]] for (uint r = 0; r < THREAD_LONG; r++)
        read_two(places[r], by, ahead[r * 2], ahead[r * 2 + 1]);
}

// Eight elements of the short operand, `further` ones after element (k, y).
vec4[2] short8(uint base, uint k, uint further, uint y)
{
    if (SHORT_ALONG_K && SHORT_VECTORS)
        return plain8(short_at(base, k, y), further);
    vec4 read[2];
    [[unroll]] for (uint c = 0; c < 8; c++)
        read[c / 4][c % 4] = plain(short_at(base, k + further + c, y));
    return read;
}

// In most formats the two parts have the same scales, which are found once. With one column, the products of both are
// summed before they are scaled.
const bool ONE_SCALE = FORMAT != NVFP4 && FORMAT != Q6_K, JOINED = ONE_SCALE && SHORT == 1;

// A part is unpacked once for all columns of the short operand, and scaled after its products are summed. Sums of lines
// that are not there are not stored. With many columns, each part has a condition of its own: without it, compilers
// read the short operand for both parts at once, and spill.
void multiply(uint base, uint y0, uint k0, uint end)
{
    const uint part = lane() * 2, k = k0 + part / PARTS * BLOCK + part_at(part % PARTS);
    vec4 scales[THREAD_LONG];
    float halves[THREAD_LONG * 2], ones[2]; // sums of products, and of the short operand
    [[unroll]] for (uint which = 0; which < 2; which++) {
        if (SHORT > 4 && k0 + (part + which) * PART >= end)
            continue;
        const uint further = which * (part_at(1) - part_at(0));
        const bool begins = which == 0 || !JOINED;
        vec4 values[THREAD_LONG * 4];
        [[unroll]] for (uint r = 0; r < THREAD_LONG; r++) {
            const Place place = which == 0 ? places[r] : place_after(places[r]);
            const Part read = part_of_words(words[r * 2 + which], place);
            if (which == 0 || !ONE_SCALE)
                scales[r] = read.scale;
            [[unroll]] for (uint q = 0; q < 4; q++)
                values[r * 4 + q] = elements(read, q);
        }
        [[unroll]] for (uint y = 0; y < SHORT; y++) {
            const uint line = min(y0 + y, (TALL ? N : M) - 1);
            const vec4 low[2] = short8(base, k, further, line), high[2] = short8(base, k, further + STEP, line);
            const vec4 read[4] = vec4[](low[0], low[1], high[0], high[1]);
            [[unroll]] for (uint h = 0; h < 2; h++)
                ones[h] = (begins ? 0.0 : ones[h]) + dot(read[2 * h] + read[2 * h + 1], vec4(1));
            [[unroll]] for (uint r = 0; r < THREAD_LONG; r++) {
                if (begins)
                    halves[2 * r] = halves[2 * r + 1] = 0;
                [[unroll]] for (uint q = 0; q < 4; q++)
                    [[unroll]] for (uint c = 0; c < 4; c++)
                        halves[2 * r + q / 2] = fma(values[r * 4 + q][c], read[q][c], halves[2 * r + q / 2]);
                if (JOINED && which == 0)
                    continue;
                const vec4 scale = scales[r];
                const float low = halves[2 * r], high = halves[2 * r + 1];
                float sum = sums[r * SHORT + y];
                if (TWO_SCALES)
                    sum = fma(scale.x, low, fma(scale.z, high, sum));
                else
                    sum = fma(scale.x, float(TIMES) * (low + high), sum);
                if (HAS_OFFSETS)
                    sum = fma(-scale.y, ones[0], fma(-scale.w, ones[1], sum));
                sums[r * SHORT + y] = sum;
            }
        }
    }
}
#else
void fetch(uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint r = 0; r < THREAD_LONG; r += X_VECTORS ? VW : 1)
        [[unroll]] for (uint d = 0; d < THREAD_DEPTH; d += K_VECTORS ? KW : 1) {
            const uint x = x0 + across(r), k = k0 + along(d), at = long_at(base, x, k);
            const bool there = inside(x, TALL ? M : N, k, end);
            if (LONG_VECTORS) {
                RAWV read = RAWV(0);
                if (there)
                    read = TALL ? AV[at / VW] : BV[at / VW];
                [[unroll]] for (uint c = 0; c < VW; c++)
                    values[K_VECTORS ? r * THREAD_DEPTH + d + c : (r + c) * THREAD_DEPTH + d] = values_of(read)[c];
            } else {
                values[r * THREAD_DEPTH + d] = T(0);
                if (there)
                    values[r * THREAD_DEPTH + d] = value_of(TALL ? ELEMENT_A(at) : ELEMENT_B(at));
            }
        }
}

#if defined(NARROW)
// The same in vectors of 16 bytes along K, in two halves: reads, and values.
void read_vectors(uint base, uint x0, uint k0, uint end)
{
    [[unroll]] for (uint r = 0; r < THREAD_LONG; r++)
        [[unroll]] for (uint d = 0; d < THREAD_DEPTH; d += KW) {
            const uint x = x0 + across(r), k = k0 + along(d), at = long_at(base, x, k) / KW;
            RAWQ read = RAWQ(0);
            if (inside(x, TALL ? M : N, k, end))
                read = TALL ? AQ[at] : BQ[at];
            raws[(r * THREAD_DEPTH + d) / KW] = read;
        }
}
void unpack_vectors()
{
    [[unroll]] for (uint n = 0; n < THREAD_LONG * THREAD_DEPTH; n++)
        values[n] = values_of(raws[n / KW], n % KW / VW)[n % VW];
}
#endif

void multiply_by(uint d, uint y, T value)
{
    [[unroll]] for (uint r = 0; r < THREAD_LONG; r++)
        sums[r * SHORT + y] = MULTIPLY_ADD(values[r * THREAD_DEPTH + d], value, sums[r * SHORT + y]);
}

#if defined(NARROW)
// The same as multiply below, by vectors of the short operand, if it has them: 16 bytes of the long one have more
// elements than reads of single elements can keep up with.
void multiply_vectors(uint base, uint y0, uint k0, uint end)
{
    [[unroll]] for (uint d = 0; d < THREAD_DEPTH; d += SHORT_ALONG_K ? VW : 1)
        [[unroll]] for (uint y = 0; y < SHORT; y += SHORT_ALONG_K ? 1 : VW) {
            const uint k = k0 + along(d);
            RAWV read = RAWV(0);
            if (inside(k, end, y0 + y, TALL ? N : M))
                read = TALL ? BV[short_at(base, k, y0 + y) / VW] : AV[short_at(base, k, y0 + y) / VW];
            const TV values = values_of(read);
            [[unroll]] for (uint c = 0; c < VW; c++)
                multiply_by(SHORT_ALONG_K ? d + c : d, SHORT_ALONG_K ? y : y + c, values[c]);
        }
}
#endif

void multiply(uint base, uint y0, uint k0, uint end)
{
#if defined(NARROW)
    if (SHORT_VECTORS && (SHORT_ALONG_K ? K_VECTORS : SHORT % VW == 0)) {
        multiply_vectors(base, y0, k0, end);
        return;
    }
#endif
    [[unroll]] for (uint d = 0; d < THREAD_DEPTH; d++)
        [[unroll]] for (uint y = 0; y < SHORT; y++) {
            const uint k = k0 + along(d);
            T value = T(0);
            if (inside(k, end, y0 + y, TALL ? N : M))
                value = value_of(TALL ? ELEMENT_B(short_at(base, k, y0 + y)) : ELEMENT_A(short_at(base, k, y0 + y)));
            multiply_by(d, y, value);
        }
}

#endif

#include "put.glsl"

void main()
{
    const uint tileCols = (N + COLS - 1) / COLS, tiles = (M + ROWS - 1) / ROWS * tileCols, me = gl_LocalInvocationID.x;
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint part = quotient(item, tiles), tile = item - part * tiles;
        const uint row = tileCols == 1 ? tile : quotient(tile, tileCols), row0 = row * ROWS;
        const uint col0 = (tile - row * tileCols) * COLS, batch = SPLIT == 0 ? part : part / SPLITS;
        const uint begin = (part - batch * SPLITS) * SPLIT_DEPTH, end = min(K, begin + SPLIT_DEPTH);
        const uint matrixB = matrix_of_b(row0, batch);
        if (EXPERTS != 0 && matrixB == NO_EXPERT)
            continue;
        const uint baseA = OFFSET_A + batch * STRIDE_A, baseB = OFFSET_B + matrixB * STRIDE_B;
        const uint x0 = TALL ? row0 : col0, y0 = TALL ? col0 : row0;

        [[unroll]] for (uint n = 0; n < THREAD_LONG * SHORT; n++)
            sums[n] = T(0);
        const uint base = TALL ? baseA : baseB;
#if defined(BLOCKS)
        find(base, x0, begin, end);
        fetch(begin, 0, end);
        uint further = 0;
        for (uint k0 = begin; SHORT > 4 ? k0 < end : is_there(k0, end); k0 += DEPTH) {
            [[unroll]] for (uint n = 0; n < THREAD_LONG * 2; n++)
                words[n] = ahead[n];
            further += STEP_WORDS;
            fetch(k0 + DEPTH, further, end);
            multiply(TALL ? baseB : baseA, y0, k0, end);
        }
#else
#if defined(NARROW)
        if (K_VECTORS && AHEAD)
            read_vectors(base, x0, begin, end);
#endif
        for (uint k0 = begin; k0 < end; k0 += DEPTH) {
#if defined(NARROW)
            if (K_VECTORS) {
                if (!AHEAD)
                    read_vectors(base, x0, k0, end);
                unpack_vectors();
                if (AHEAD)
                    read_vectors(base, x0, k0 + DEPTH, end);
            } else
#endif
                fetch(base, x0, k0, end);
            multiply(TALL ? baseB : baseA, y0, k0, end);
        }
#endif

        // The lanes' sums are added up in the same order in every run: the same bits come out. Before an invocation
        // stores sums again, it has passed a barrier after which nobody reads the last ones.
        [[unroll]] for (uint r0 = 0; r0 < THREAD_LONG; r0 += TOGETHER) {
            [[unroll]] for (uint n = 0; n < SHARES; n++)
                shares[n * gl_WorkGroupSize.x + me] = sums[r0 * SHORT + n];
            barrier(); // the lanes' sums are there
            for (uint at = me; at < SHARES * LINES * GROUPS; at += gl_WorkGroupSize.x) {
                const uint n = at / (LINES * GROUPS), rest = at % (LINES * GROUPS);
                const uint from = n * gl_WorkGroupSize.x + (LANES_FIRST ? rest / GROUPS * LANES + rest % GROUPS : rest);
                T sum = shares[from];
                [[unroll]] for (uint i = 1; i < LANES / GROUPS; i++)
                    sum = ADD(sum, shares[from + i * GROUPS * (LANES_FIRST ? 1 : LINES)]);
                groups[at] = sum;
            }
            barrier(); // and those of groups
            for (uint at = me; at < SHARES * LINES; at += gl_WorkGroupSize.x) {
                const uint n = at / LINES, line = at % LINES;
                const uint from = n * LINES * GROUPS + (LANES_FIRST ? line * GROUPS : line);
                T sum = groups[from];
                [[unroll]] for (uint g = 1; g < GROUPS; g++)
                    sum = ADD(sum, groups[from + g * (LANES_FIRST ? 1 : LINES)]);
                put(x0 + across(r0 + n / SHORT, line), y0 + n % SHORT, part, OFFSET_C + batch * STRIDE_C, sum);
            }
        }
    }
}
