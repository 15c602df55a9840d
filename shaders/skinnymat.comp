#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifndef PLAYED
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
// For a matrix in blocks times up to eight columns (or rows) of f16: skinny.comp with matrix operations. Each subgroup
// multiplies 16 lines of the long operand by all of the short one, 16 elements along K at a time, and unpacks codes to
// f16 in the registers that the operation reads. Only codes go through shared memory.
//
// That takes a layout which Vulkan leaves to drivers: which elements of a matrix an invocation holds. The one here is
// that of PTX's mma.m16n8k16. Every subgroup tries it first, and if it differs, the workgroup multiplies without matrix
// operations. K, and where lines of codes begin, are multiples of 256 elements, lines of the short operand of 8, and
// neighbours of both are neighbours along K.
//
// Tests define PLAYED: matrix operations through shared memory, in f32, on any device
// (tests/harness/played_matrix.glsl).
#include "gemm.glsl"

const bool TALL = ROWS >= COLS;
const uint LINES = TALL ? ROWS : COLS, MATRICES = LINES / 16; // of the long operand; matrix operations down the tile
const uint SIDE = TALL ? COLS : ROWS, SHORT = 8; // of the short one: 1 or SHORT
const uint LANES = 32, SUBGROUPS = gl_WorkGroupSize.x / LANES;
const uint LEAP = 256, GROUP = 32, GROUPS = LEAP / GROUP; // elements that a subgroup takes at a time; that have a scale

// An invocation holds lines `high` and `high` + 8 of the long operand, column `high` of the short one, and columns
// 2 * low and 2 * low + 1 of sums; along K, elements 2 * low and 2 * low + 1, and both of these 8 further.
uint lane() { return gl_LocalInvocationID.x % LANES; }
uint subgroup() { return gl_LocalInvocationID.x / LANES; }
uint high() { return lane() / 4; }
uint low() { return lane() % 4; }

#if defined(PLAYED)
#include "played_matrix.glsl"
#else
#define UNROLL [[unroll]]
#define FragmentA coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define FragmentB coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseB>
#define Sums coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseAccumulator>
#define ONES_A FragmentA(1)
#define NO_SUMS Sums(0)
bool is_subgroup() { return gl_SubgroupSize == LANES && gl_SubgroupInvocationID == lane(); }
#endif

shared uint differs; // 1: the layout does

// Whether an invocation holds these, and subnormal numbers count. A sum of i * i is larger than any of i * j where j is
// i in another order: so a wrong place along K is found, like one across it.
bool is_known()
{
    const uint two_of_a = 0x10000 + 0x20002 * (high() + low()), two_of_b = 0x10000 + 0x10001 * (high() + 2 * low());
    FragmentA a;
    UNROLL for (uint i = 0; i < 8; i++) // 2 * line + k, times 2^-24
        a[i] = unpackFloat2x16(two_of_a + 0x80008 * (i / 2 % 2) + 0x100010 * (i / 4))[i % 2];
    FragmentB b;
    UNROLL for (uint i = 0; i < 4; i++) // column + k, likewise
        b[i] = unpackFloat2x16(two_of_b + 0x80008 * (i / 2))[i % 2];
    const Sums product = coopMatMulAdd(a, b, NO_SUMS);
    uint wrong = is_subgroup() ? 0 : 1; // bits: conditions would be branches
    UNROLL for (uint i = 0; i < 4; i++) {
        const uint x = high() + i / 2 * 8, y = 2 * low() + i % 2;
        const float right = float(32 * x * y + 240 * x + 120 * y + 1240) * 3.552713678800501e-15; // 2^-48
        wrong |= floatBitsToUint(product[i]) ^ floatBitsToUint(right);
    }
    return wrong == 0;
}

// The codes of a leap, in pairs of words: as they are read, a leap ahead, and in shared memory, where each subgroup has
// its own. There lines are padded, so that four words of each of eight lines are in different banks.
const uint PAIRS = LEAP / BLOCK * BLOCK_BYTES / 8, STRIDE = PAIRS + (6 - PAIRS % 4) % 4;
const uint READS = (LINES * PAIRS + LANES - 1) / LANES; // of an invocation
uint places[READS];
uvec2 codes[READS];
shared uvec2 staged[SUBGROUPS * LINES * STRIDE];

// A single line of the short operand goes through shared memory as well: an invocation reads two fours of a leap, and
// writes them as pairs.
uvec4 eight;
shared uvec4 single[SIDE == 1 ? SUBGROUPS * LEAP / 8 : 1];

uint long_line(uint base, uint x) { return base + min(x, (TALL ? M : N) - 1) * (TALL ? LDA : LDB); }
uint short_line(uint base, uint y) { return base + min(y, (TALL ? N : M) - 1) * (TALL ? LDB : LDA); }

void find(uint base, uint x0)
{
    UNROLL for (uint i = 0; i < READS; i++) {
        const uint n = min(i * LANES + lane(), LINES * PAIRS - 1);
        places[i] = long_line(base, x0 + n / PAIRS) / LEAP * PAIRS + n % PAIRS;
    }
}

// Reads a leap of codes from element k on, and a single line of the short operand.
void fetch(uint k, uint line)
{
    UNROLL for (uint i = 0; i < READS; i++)
        codes[i] = CODES2(places[i] + k / LEAP * PAIRS);
    const uint at = (line + k) / 8 + lane();
    if (SIDE == 1)
        eight = B_IS_PLAIN ? B4[at] : A4[at];
}

// Elements 0 and 2 of a four, and 1 and 3: those of codes that lie at the same place in both halves of a word.
uvec2 paired(uvec2 four)
{
    const f16vec2 first = unpackFloat2x16(four.x), second = unpackFloat2x16(four.y);
    return uvec2(packFloat2x16(f16vec2(first.x, second.x)), packFloat2x16(f16vec2(first.y, second.y)));
}

void stage()
{
    subgroupBarrier(); // the last ones are read
    UNROLL for (uint i = 0; i < READS; i++) {
        const uint n = i * LANES + lane(), at = STRIDE == PAIRS ? n : n / PAIRS * STRIDE + n % PAIRS;
        if (READS * LANES == LINES * PAIRS || n < LINES * PAIRS)
            staged[subgroup() * LINES * STRIDE + at] = codes[i];
    }
    if (SIDE == 1) { // the fours are the first ones, or the second, of invocations `owner` and `owner` + 1 of a group
        const uint owner = FORMAT == NVFP4 ? low() & 2 : low() % 2 * 2, four = FORMAT == NVFP4 ? low() % 2 : low() / 2;
        const uint at = subgroup() * LEAP / 8 + high() * 4 + owner;
        const uvec2 first = paired(eight.xy), second = paired(eight.zw);
        single[at][2 * four] = first.x;
        single[at][2 * four + 1] = first.y;
        single[at + 1][2 * four] = second.x;
        single[at + 1][2 * four + 1] = second.y;
    }
    subgroupMemoryBarrierShared();
    subgroupBarrier(); // and these are there
}

// A word of a line, and the one `low` words further.
uint word_at(uint line, uint i) { return staged[(subgroup() * LINES + line) * STRIDE + i / 2][i % 2]; }
uint own_word_at(uint line, uint i)
{
    const uint at = (subgroup() * LINES + line) * STRIDE, other = low() + i % 2;
    return staged[at + other / 2 + i / 2][other % 2];
}

// An invocation takes eight elements of a group, in two fours: where they are in the group, and the word with a line's
// codes of them.
const uint FURTHER = FORMAT == NVFP4 ? 8 : 16; // from one four to the other
uint first_four() { return FORMAT == NVFP4 ? low() / 2 * 16 + low() % 2 * 4 : 4 * low(); }
uint word_of(uint line, uint group, uint four)
{
    if (FORMAT == Q4_K)
        return own_word_at(line, 4 + group / 2 * 8 + 4 * four);
    if (FORMAT == NVFP4)
        return own_word_at(line, group / 2 * 9 + 1 + group % 2 * 4);
    const uint byte = group * BLOCK_BYTES + HEAD + (WIDTH == 8 ? 16 * four : 0), shift = byte % 4 * 8;
    const uint word = own_word_at(line, byte / 4);
    return shift == 0 ? word : word >> shift | own_word_at(line, byte / 4 + 1) << (32 - shift) % 32;
}

// The scale of a line's group, times what two_of() divides by, and what is added to its elements.
vec2 scale_of_group(uint line, uint group)
{
    if (FORMAT == NVFP4)
        return vec2(16384.0, 0);
    if (FORMAT == Q4_K) {
        const uvec4 head = uvec4(word_at(line, 0), word_at(line, 1), word_at(line, 2), word_at(line, 3));
        const vec4 two = scales_of_groups(head, group / 2 * 16);
        return group % 2 == 0 ? two.xy * vec2(16777216.0, -1) : two.zw * vec2(1048576.0, -1);
    }
    const uint byte = group * BLOCK_BYTES, word = word_at(line, byte / 4);
    if (FORMAT == Q4_1)
        return unpackHalf2x16(word) * vec2(16777216.0, 1);
    return vec2(scale_of(word >> byte % 4 * 8), 0);
}

// Elements of nvfp4 are multiplied by their scale before, which is exact in f16.
float16_t scale_of_four(uint line, uint group)
{
    const uint code = word_at(line, group / 2 * 9) >> group % 2 * 16 + low() / 2 * 8;
    const float16_t scale = unpackFloat2x16((code & 128) << 8 | (code & 127) << 7).x;
    return (code & 127) == 127 ? unpackFloat2x16(0x7e00).x : scale * float16_t(256);
}

// The short operand of half a leap, two fours of each group: as it is read, half a leap ahead, and as it is multiplied.
const uint HALF = GROUPS / 2;
uvec4 fours[HALF], pairs[HALF];

// at: the invocation's first four, over 4.
void fetch_short(uint at)
{
    UNROLL for (uint group = 0; SIDE > 1 && group < HALF; group++) {
        const uint i = at + group * (GROUP / 4), j = i + FURTHER / 4;
        fours[group] = B_IS_PLAIN ? uvec4(B2[i], B2[j]) : uvec4(A2[i], A2[j]);
    }
}

void pair_short(uint begin)
{
    UNROLL for (uint group = 0; group < HALF; group++) {
        if (SIDE == 1)
            pairs[group] = single[subgroup() * LEAP / 8 + (begin + group) * 4 + low()];
        else
            pairs[group] = uvec4(paired(fours[group].xy), paired(fours[group].zw));
    }
}

// Elements 0 and 2, or 1 and 3 (odd), of a four, over a power of two: those of integers without an offset are subnormal
// numbers, their codes times 2^-24 or 2^-20, and of e2m1 times 2^-14.
f16vec2 two_of(uint word, uint odd, bool upper)
{
    const uint from = 8 * odd + (upper ? 4 : 0);
    if (IS_E2M1) {
        const uint size = from < 12 ? word << 9 - min(from, 9) : word >> 3;
        return unpackFloat2x16(word << 12 - from & 0x80008000 | size & 0x0e000e00);
    }
    if (FORMAT == Q8_0)
        return unpackFloat2x16(word >> 8 * odd & 0x00ff00ff ^ 0x64806480) - float16_t(1152);
    if (FORMAT == Q4_1)
        return unpackFloat2x16(word >> from & 0x000f000f);
    const uint two = word >> 8 * odd & (upper ? 0x00f000f0 : 0x000f000f);
    if (FORMAT == Q4_K)
        return unpackFloat2x16(two);
    const f16vec2 more = unpackFloat2x16(two | 0x64006400 + ZERO); // 1024 + code, or 1024 + 16 * code
    return upper ? fma(more, f16vec2(0.0625), f16vec2(-72)) : more - float16_t(1032);
}

float sums[MATRICES * 4]; // of two columns of each line that the invocation holds

// Half a leap.
void multiply(uint begin)
{
    UNROLL for (uint g = 0; g < HALF; g++) {
        const uint group = begin + g;
        FragmentB b[2];
        UNROLL for (uint i = 0; i < 8; i++)
            b[i / 4][i % 4] = unpackFloat2x16(pairs[g][i / 2])[i % 2];
        Sums ones = NO_SUMS;
        if (HAS_OFFSETS)
            ones = coopMatMulAdd(ONES_A, b[1], coopMatMulAdd(ONES_A, b[0], NO_SUMS));
        UNROLL for (uint m = 0; m < MATRICES; m++) {
            const uint line = 16 * m + high();
            Sums product = NO_SUMS;
            UNROLL for (uint four = 0; four < 2; four++) {
                FragmentA a;
                UNROLL for (uint i = 0; i < 4; i++) { // of one line and the other, even elements and odd ones
                    const bool upper = FORMAT == Q4_K ? group % 2 != 0 : four != 0;
                    f16vec2 two = two_of(word_of(line + i / 2 * 8, group, four), i % 2, upper);
                    if (FORMAT == NVFP4)
                        two *= scale_of_four(line + i / 2 * 8, group);
                    a[2 * i] = two.x;
                    a[2 * i + 1] = two.y;
                }
                product = coopMatMulAdd(a, b[four], product);
            }
            UNROLL for (uint i = 0; i < 4; i += SIDE == 1 ? 2 : 1) { // all columns are the single one
                const vec2 scale = scale_of_group(line + i / 2 * 8, group);
                float sum = sums[4 * m + i];
                sum = fma(scale.x, FORMAT == MXFP4 ? product[i] * 16384.0 : product[i], sum);
                if (HAS_OFFSETS)
                    sum = fma(scale.y, ones[i], sum);
                sums[4 * m + i] = sum;
            }
        }
    }
}

// The same without matrix operations, a whole leap, for the same sums.
void multiply_plainly(uint long_base, uint x0, uint short_base, uint y0, uint k)
{
    UNROLL for (uint n = 0; n < MATRICES * 4; n++) {
        const uint from = short_line(short_base, y0 + 2 * low() + n % 2) + k;
        const uint line = (long_line(long_base, x0 + n / 2 * 8 + high()) + k) / LEAP * PAIRS * 8;
        [[dont_unroll]] for (uint p = 0; p < LEAP / PART; p++) {
            const Place place = place_of(line + p / PARTS * BLOCK_BYTES, p % PARTS);
            const Part part = part_of_words(read_words(place, 0), place);
            UNROLL for (uint q = 0; q < 4; q++) {
                const vec2 scale = q < 2 ? part.scale.xy : part.scale.zw;
                const vec4 values = elements(part, q) * float(TIMES) * scale.x - scale.y;
                const uint first = from + p / PARTS * BLOCK + part_at(p % PARTS) + q / 2 * STEP + q % 2 * 4;
                UNROLL for (uint c = 0; c < 4; c++)
                    sums[n] = fma(values[c], plain(first + c), sums[n]);
            }
        }
    }
}

#include "put.glsl"

void main()
{
    const uint tileCols = (N + COLS - 1) / COLS, tiles = (M + ROWS - 1) / ROWS * tileCols, me = gl_LocalInvocationID.x;
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint part = quotient(item, tiles), tile = item - part * tiles;
        const uint row = tileCols == 1 ? tile : quotient(tile, tileCols), row0 = row * ROWS;
        const uint col0 = (tile - row * tileCols) * COLS, batch = SPLIT == 0 ? part : part / SPLITS;
        const uint begin = (part - batch * SPLITS) * SPLIT_DEPTH, end = min(K, begin + SPLIT_DEPTH);
        const uint baseA = OFFSET_A + batch * STRIDE_A, baseB = OFFSET_B + batch * STRIDE_B;
        const uint x0 = TALL ? row0 : col0, y0 = TALL ? col0 : row0;
        const uint long_base = TALL ? baseA : baseB, short_base = TALL ? baseB : baseA;
        const uint mine = begin + subgroup() * LEAP, first = mine < end ? mine : begin;
        const uint line = short_line(short_base, y0), own = (short_line(short_base, y0 + high()) + first_four()) / 4;
        UNROLL for (uint n = 0; n < MATRICES * 4; n++)
            sums[n] = 0;
        find(long_base, x0);
        fetch(first, line);
        fetch_short(own + first / 4);
        if (me == 0)
            differs = 0;
        barrier();
        if (!is_known())
            differs = 1;
        barrier();
        const bool known = differs == 0;
        for (uint k = mine; k < end; k += SUBGROUPS * LEAP) {
            if (known) {
                const uint next = k + SUBGROUPS * LEAP < end ? k + SUBGROUPS * LEAP : first;
                stage();
                fetch(next, line);
                pair_short(0);
                fetch_short(own + k / 4 + LEAP / 8);
                multiply(0);
                pair_short(HALF);
                fetch_short(own + next / 4);
                multiply(HALF);
            } else {
                multiply_plainly(long_base, x0, short_base, y0, k);
            }
        }
        barrier(); // all codes are read
        UNROLL for (uint n = 0; n < MATRICES * 4; n += 2)
            staged[(subgroup() * LINES + n / 2 * 8 + high()) * (SHORT / 2) + low()] =
                floatBitsToUint(vec2(sums[n], sums[n + 1]));
        barrier(); // the sums of all subgroups are there
        for (uint s = me; s < LINES * SHORT; s += gl_WorkGroupSize.x) {
            float sum = 0;
            UNROLL for (uint i = 0; i < SUBGROUPS; i++)
                sum += uintBitsToFloat(staged[i * LINES * (SHORT / 2) + s / 2][s % 2]);
            if (s % SHORT < SIDE)
                put(x0 + s / SHORT, y0 + s % SHORT, part, OFFSET_C + batch * STRIDE_C, sum);
        }
        barrier(); // and added up
    }
}
