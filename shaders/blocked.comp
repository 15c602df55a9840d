#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The fast kernel for matrices large both ways. A workgroup computes a tile of ROWS×COLS elements of C, each invocation
// THREAD_ROWS × THREAD_COLS of them, held in registers. That is what makes it fast: for each k an invocation reads
// THREAD_ROWS + THREAD_COLS values from shared memory and does THREAD_ROWS × THREAD_COLS multiply-adds with them, 16
// values for 64 multiply-adds at 8 × 8, where the kernel with one element for each invocation reads two for each.
//   In a build with DOT8, which multiplies 8-bit integers, an element in shared memory is a word of four neighbours
// along K, and a multiply-add is a dot product of two of these. It needs A and B in vectors: otherwise the host uses
// another build.
#include "gemm.glsl"

layout(constant_id = 9) const uint THREAD_ROWS = 8; // rows and columns of C of an invocation, multiples of VW
layout(constant_id = 10) const uint THREAD_COLS = 8;
layout(constant_id = 11) const uint SWIZZLE = 8;    // rows of tiles that are walked together
layout(constant_id = 12) const uint BUFFERS = 1;    // tiles in shared memory; of 2, one is filled while one is read
layout(constant_id = 13) const uint PAD = 1;        // vectors added to each row of a tile in shared memory
layout(constant_id = 14) const uint SLICES = 1;     // parts of the workgroup that divide each step along K
layout(constant_id = 15) const uint LANE_COLS = 8;  // invocations side by side in a patch of 32, or all there are

#include "walk.glsl"

#include "experts.glsl"

const uint PATCH_COLS = LANE_COLS < COLS / THREAD_COLS ? LANE_COLS : COLS / THREAD_COLS;
const uint PATCH_ROWS = 32 / PATCH_COLS < ROWS / THREAD_ROWS ? 32 / PATCH_COLS : ROWS / THREAD_ROWS;
const uint SLICE = ROWS / THREAD_ROWS * (COLS / THREAD_COLS); // invocations of one part
const uint THREADS = SLICE * SLICES;

#if defined(DOT8)
const uint STEPS = DEPTH / 4; // of a tile's elements along K
#define TERM(x, y, sum) (dotPacked4x8EXT(x, y) + (sum))
const uint ROUNDS_A = ROWS * DEPTH / 16 < THREADS ? 1 : ROWS * DEPTH / 16 / THREADS;
const uint ROUNDS_B = COLS * DEPTH / 16 < THREADS ? 1 : COLS * DEPTH / 16 / THREADS;
uvec4 next_A[ROUNDS_A], next_B[ROUNDS_B]; // what this invocation fetches of the next tiles
#else
const uint STEPS = DEPTH;
#define TERM(x, y, sum) MULTIPLY_ADD(x, y, sum)
RAWV next_A[ROWS * DEPTH / VW / THREADS]; // what this invocation fetches of the next tiles
RAWV next_B[COLS * DEPTH / VW / THREADS];
#endif

shared TV staged_A[BUFFERS * STEPS * (ROWS / VW + PAD)]; // tiles of op(A) and op(B)
shared TV staged_B[BUFFERS * STEPS * (COLS / VW + PAD)];
shared TV passed[SLICES > 1 ? (THREADS - SLICE) * (THREAD_COLS / VW) : 1];

TV sums[THREAD_ROWS * (THREAD_COLS / VW)];

// What differs between the operands while they are loaded into shared memory.
const uint LENGTH_A = ROWS, LENGTH_B = COLS; // rows of op(A), or columns of op(B), in a tile
const bool ALONG_K_A = TRANSPOSE_A == 0, ALONG_K_B = TRANSPOSE_B != 0; // neighbours in memory are neighbours along K
#define LIMIT_A M // rows of op(A), or columns of op(B), in the whole matrix
#define LIMIT_B N
#define LD_A LDA
#define LD_B LDB
#define VECTOR_A(i) AV[i]
#define VECTOR_B(i) BV[i]

// The staging code, for A and for B: ITS(x) is x_A, then x_B.
#define JOIN(x, operand) x##_##operand
#define OF(x, operand) JOIN(x, operand)
#define ITS(x) OF(x, OPERAND)
#define OPERAND A
#if defined(DOT8)
#include "stage_dot.glsl"
#else
#include "stage.glsl"
#endif
#undef OPERAND
#define OPERAND B
#if defined(DOT8)
#include "stage_dot.glsl"
#else
#include "stage.glsl"
#endif

// Where this invocation's elements lie in the tile. Its rows come in groups of VW neighbours, which are read from
// shared memory at once; the groups of all invocations interleave, so that invocations next to each other read vectors
// next to each other, from different memory banks. Lanes are arranged in a rectangle, not a line, because a group of
// lanes then needs few different rows and columns.
uint slice() { return gl_LocalInvocationIndex / SLICE; }
uint lane() { return gl_LocalInvocationIndex % SLICE % (PATCH_ROWS * PATCH_COLS); }
uint patch_index() { return gl_LocalInvocationIndex % SLICE / (PATCH_ROWS * PATCH_COLS); }
uint group_row() { return patch_index() / (COLS / THREAD_COLS / PATCH_COLS) * PATCH_ROWS + lane() / PATCH_COLS; }
uint group_col() { return patch_index() % (COLS / THREAD_COLS / PATCH_COLS) * PATCH_COLS + lane() % PATCH_COLS; }

// Stores the loaded tiles in shared memory.
void share(uint tile)
{
    if (BUFFERS == 1)
        barrier(); // everyone has read the tiles before anyone overwrites them
    store_A(tile);
    store_B(tile);
}

// Adds to the sums what one pair of tiles in shared memory contributes.
void multiply_tiles(uint tile)
{
    [[unroll]] for (uint step = 0; step < STEPS / SLICES; step++) {
        const uint k = tile * STEPS + slice() * (STEPS / SLICES) + step;
        TV a[THREAD_ROWS / VW], b[THREAD_COLS / VW];
        [[unroll]] for (uint g = 0; g < THREAD_ROWS / VW; g++)
            a[g] = staged_A[k * (ROWS / VW + PAD) + g * (ROWS / THREAD_ROWS) + group_row()];
        [[unroll]] for (uint h = 0; h < THREAD_COLS / VW; h++)
            b[h] = staged_B[k * (COLS / VW + PAD) + h * (COLS / THREAD_COLS) + group_col()];
#if defined(SUM_F16)
        // Vectors of 16-bit floats: the hardware multiplies two at a time.
        [[unroll]] for (uint r = 0; r < THREAD_ROWS; r++)
            [[unroll]] for (uint h = 0; h < THREAD_COLS / VW; h++) {
                const uint s = r * (THREAD_COLS / VW) + h;
                sums[s] = MULTIPLY_ADD(TV(a[r / VW][r % VW]), b[h], sums[s]);
            }
#else
        // Alternately forwards and backwards along the rows: each multiply-add shares an operand with the one before,
        // which the hardware then need not read from the registers a second time.
        [[unroll]] for (uint r = 0; r < THREAD_ROWS; r++)
            [[unroll]] for (uint n = 0; n < THREAD_COLS; n++) {
                const uint c = r % 2 == 0 ? n : THREAD_COLS - 1 - n, s = r * (THREAD_COLS / VW) + c / VW;
                sums[s][c % VW] = TERM(a[r / VW][r % VW], b[c / VW][c % VW], sums[s][c % VW]);
            }
#endif
    }
}

// Adds up the sums of all slices in the last, in the order of the slices.
void gather_slices()
{
    const uint place = gl_LocalInvocationIndex % SLICE;
    [[unroll]] for (uint r = 0; r < THREAD_ROWS; r++) {
        if (slice() < SLICES - 1)
            [[unroll]] for (uint h = 0; h < THREAD_COLS / VW; h++)
                passed[(slice() * (THREAD_COLS / VW) + h) * SLICE + place] = sums[r * (THREAD_COLS / VW) + h];
        barrier(); // all slices have passed this row on
        if (slice() == SLICES - 1)
            [[unroll]] for (uint n = 0; n < SLICES - 1; n++)
                [[unroll]] for (uint h = 0; h < THREAD_COLS / VW; h++)
                    sums[r * (THREAD_COLS / VW) + h] =
                        ADD(sums[r * (THREAD_COLS / VW) + h], passed[(n * (THREAD_COLS / VW) + h) * SLICE + place]);
        barrier(); // the row is added up before the next takes its place
    }
}

// Stores VW neighbours of a row of C, or of the workspace, where rows lie packed.
void put(uint i, uint j, uint part, uint base, TV sum)
{
    const uint at = SPLIT != 0 ? (part * M + i) * N + j : base + i * LDC + j;
    if (VECTORS_C) {
        if (inside(i, M, j, N)) {
            if (SPLIT != 0)
                VP[at / VW] = SV(sum);
            else
                store(at, finish(SV(sum), at, i, j));
        }
        return;
    }
    [[unroll]] for (uint c = 0; c < VW; c++)
        if (inside(i, M, j + c, N)) {
            if (SPLIT != 0)
                partial[at + c] = S(sum[c]);
            else
                store(at + c, finish(S(sum[c]), at + c, i, j + c));
        }
}

void main()
{
    const uint tileRows = (M + ROWS - 1) / ROWS, tileCols = (N + COLS - 1) / COLS, tiles = tileRows * tileCols;
    uint full = 0; // which of the BUFFERS tiles in shared memory is to be read
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uvec2 origin = tile_origin(item % tiles, tileRows, tileCols);
        const uint row0 = origin.x, col0 = origin.y;
        const uint part = item / tiles, batch = part / SPLITS;
        const uint begin = part % SPLITS * SPLIT_DEPTH, end = min(K, begin + SPLIT_DEPTH);
        const uint matrixB = matrix_of_b(row0, batch);
        if (EXPERTS != 0 && matrixB == NO_EXPERT)
            continue;
        const uint baseA = OFFSET_A + batch * STRIDE_A, baseB = OFFSET_B + matrixB * STRIDE_B;

        [[unroll]] for (uint n = 0; n < THREAD_ROWS * (THREAD_COLS / VW); n++)
            sums[n] = TV(0);
        // The first step takes the remainder of K / DEPTH, so that all others are whole and need no checks.
        const uint first = end > begin ? (end - begin - 1) % DEPTH + 1 : 0;
#if defined(AIMED)
        aim_A(baseA, row0);
        aim_B(baseB, col0);
#endif
        fetch_first_A(baseA, row0, begin, begin + first);
        fetch_first_B(baseB, col0, begin, begin + first);
        for (uint next = begin + first; next < end; next += DEPTH) {
            share(full);
            barrier(); // both tiles are complete before anyone reads them
            fetch_A(baseA, row0, next);
            fetch_B(baseB, col0, next);
            multiply_tiles(full);
            // With two buffers the next tiles are stored where no invocation reads any more: all have passed the
            // barrier above since.
            full = (full + 1) % BUFFERS;
        }
        share(full);
        barrier(); // the last tiles are complete
        multiply_tiles(full);
        full = (full + 1) % BUFFERS;
        if (SLICES > 1)
            gather_slices();
        // An invocation wholly below the edge has nothing to store. The branch also keeps the compiler from preparing
        // all stores early.
        if (slice() == SLICES - 1 && row0 + group_row() * VW < M)
            [[unroll]] for (uint r = 0; r < THREAD_ROWS; r++)
                [[unroll]] for (uint h = 0; h < THREAD_COLS / VW; h++)
                    put(row0 + (r / VW * (ROWS / THREAD_ROWS) + group_row()) * VW + r % VW,
                        col0 + (h * (COLS / THREAD_COLS) + group_col()) * VW, part, OFFSET_C + batch * STRIDE_C,
                        sums[r * (THREAD_COLS / VW) + h]);
    }
}
