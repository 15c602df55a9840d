// How coopmat.comp's sums reach memory: through shared memory, where an invocation knows which element is which.

// 16 bytes of a row of C, or of the workspace; a word of remainders
#define NEIGHBOURS (SPLIT != 0 || OUT == 0 || OUT == OUT_REMAINDERS ? 4 : 8)

struct Passed { S sums[8]; }; // NEIGHBOURS of them

#ifdef PARTS
// A power of two that is a normal number.
S power(int exponent) { return uintBitsToFloat(uint(127 + exponent) << 23); }

// A sum as it is without the scales of its row and column, in two steps: between them it lies between what it was and
// what it becomes.
S unscaled(S sum, uint part, uint i, uint j)
{
    const uint batch = part / SPLITS, row = (STRIDE_A == 0 ? 0 : batch) * M + i,
               col = (STRIDE_B == 0 ? 0 : batch) * N + min(j, N - 1);
    const int exponent = int(largest_of(A[row]) + largest_of(B[col])) - 2 * (127 + int(TOP));
    precise const S first = sum * power(exponent / 2);
    return first * power(exponent - exponent / 2);
}
#else
#define unscaled(sum, part, i, j) (sum)
#endif

// Sums that were passed through shared memory by this subgroup, from a multiple of NEIGHBOURS on.
Passed passed(uint row, uint col)
{
    Passed result;
    const uint at = gl_SubgroupID * PASS + row * PASS_STRIDE;
#ifdef UNIT8
    [[unroll]] for (uint e = 0; e < NEIGHBOURS; e++)
        result.sums[e] = from_word(staged[at + (col + e) / 2][e % 2]);
#elif BYTES_C == 2
    const uvec4 words = staged[at + col / 8];
    [[unroll]] for (uint e = 0; e < NEIGHBOURS; e++)
        result.sums[e] = unpackHalf2x16(words[(col % 8 + e) / 2])[e % 2];
#else
    [[unroll]] for (uint e = 0; e < NEIGHBOURS; e += 4) {
        const uvec4 words = staged[at + (col + e) / 4];
        [[unroll]] for (uint w = 0; w < 4; w++)
            result.sums[e + w] = from_word(words[w]);
    }
#endif
    return result;
}

// What `finish` does, to NEIGHBOURS of a row of C from (i, j) on, all of them inside.
void store_vector(Passed p, uint i, uint j, uint base)
{
    const uint at = (base + i * LDC + j) / NEIGHBOURS;
    [[unroll]] for (uint e = 0; e < NEIGHBOURS; e++)
        p.sums[e] *= scalar(ALPHA);
    if (uses_c()) {
        const uvec4 old = CV[at];
        [[unroll]] for (uint e = 0; e < NEIGHBOURS; e++) {
            const S c = OUT == 0 ? from_word(old[e % 4]) : narrow_element(old[e / 2], e % 2);
            p.sums[e] = FUSED(scalar(BETA), c, p.sums[e]);
        }
    }
    [[unroll]] for (uint e = 0; e < NEIGHBOURS; e++)
        p.sums[e] = add_bias_and_activate(p.sums[e], i, j + e);
    uvec4 words;
    [[unroll]] for (uint w = 0; w < 4; w++)
        words[w] = OUT == 0 ? to_word(p.sums[w]) : narrow_pair(p.sums[2 * w], p.sums[2 * w + 1]);
    CV[at] = words;
}

#if BYTES == 1
#include "remainder.glsl"

// The modulus of a matrix, its inverse, and a multiple of it above 2^31. The bias is the table of lib/modular.glsl.
uvec3 modulus_of(uint batch)
{
    const uint row = batch % max(RUN, 1) * 16;
    return OUT == OUT_REMAINDERS ? uvec3(bias[row], bias[row + 1], bias[row + 4]) : uvec3(1);
}

// Four sums as remainders, in a word.
uint remainders(Passed p, uvec3 modulus)
{
    uint word = 0;
    [[unroll]] for (uint e = 0; e < 4; e++)
        word |= remainder(to_word(p.sums[e]) + modulus.z, modulus.x, modulus.y) << 8 * e;
    return word;
}
#else
#define modulus_of(batch) uvec3(0)
#define remainders(p, modulus) 0
#endif

// One of them.
S passed_sum(uint row, uint col)
{
    const uint at = gl_SubgroupID * PASS + row * PASS_STRIDE;
#ifdef UNIT8
    return from_word(staged[at + col / 2][col % 2]);
#elif BYTES_C == 2
    return unpackHalf2x16(staged[at + col / 8][col % 8 / 2])[col % 2];
#else
    return from_word(staged[at + col / 4][col % 4]);
#endif
}

// The same if C is not aligned: invocations next to each other store elements next to each other, and so whole lines of
// memory. Four are read before the first is stored, so that only one wait is for shared memory.
void store_elements(uint i0, uint j0, uint part, uint base)
{
    for (uint first = gl_SubgroupInvocationID; first < MM * STRIP_COLS; first += 4 * LANES) {
        S sums[4];
        [[unroll]] for (uint n = 0; n < 4; n++) {
            const uint e = min(first + n * LANES, MM * STRIP_COLS - 1);
            sums[n] = passed_sum(e / STRIP_COLS, e % STRIP_COLS);
        }
        [[unroll]] for (uint n = 0; n < 4; n++) {
            const uint e = first + n * LANES, i = i0 + e / STRIP_COLS, j = j0 + e % STRIP_COLS;
            const uint at = base + i * LDC + j;
            if (e < MM * STRIP_COLS && inside(i, M, j, N))
                store_c(at, finish(unscaled(sums[n], part, i, j), at, i, j));
        }
    }
}

// Finishes the strip whose first element is (i0, j0), which this subgroup has passed through shared memory.
void store_passed(uint i0, uint j0, uint part, uint base, uvec3 modulus)
{
    const bool finishes = SPLIT == 0 || i0 < ABOVE;
    if (finishes && !VECTORS_C && OUT != OUT_REMAINDERS) {
        store_elements(i0, j0, part, base);
        return;
    }
    for (uint group = gl_SubgroupInvocationID; group < MM * STRIP_COLS / NEIGHBOURS; group += LANES) {
        const uint row = group / (STRIP_COLS / NEIGHBOURS), col = group % (STRIP_COLS / NEIGHBOURS) * NEIGHBOURS;
        const uint i = i0 + row, j = j0 + col;
        if (!inside(i, M, j, N))
            continue;
        Passed p = passed(row, col);
#ifdef PARTS
        [[unroll]] for (uint e = 0; e < NEIGHBOURS; e++)
            p.sums[e] = unscaled(p.sums[e], part, i, j + e);
#endif
        if (OUT == OUT_REMAINDERS)
            C[(base + i * LDC + j) / 4] = remainders(p, modulus);
        else if (finishes)
            store_vector(p, i, j, base);
        else if (N % 4 == 0)
            partialV[((part * (M - ABOVE) + i - ABOVE) * N + j) / 4] =
                uvec4(to_word(p.sums[0]), to_word(p.sums[1]), to_word(p.sums[2]), to_word(p.sums[3]));
        else
            [[unroll]] for (uint c = 0; c < 4; c++)
                if (j + c < N)
                    partial[(part * (M - ABOVE) + i - ABOVE) * N + j + c] = to_word(p.sums[c]);
    }
}
