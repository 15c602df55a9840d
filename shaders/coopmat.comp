#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#ifdef IN_BF16
#extension GL_EXT_bfloat16 : require
#endif
// The kernel of matrix operations. A workgroup computes a tile of ROWS×COLS elements of C, each of its subgroups
// THREAD_ROWS×THREAD_COLS of them, held as fragments of MM×MN sums. Both operands go through shared memory, where a
// subgroup reads THREAD_ROWS + THREAD_COLS elements for THREAD_ROWS × THREAD_COLS multiply-adds: how large that block
// is decides whether shared memory keeps up with the matrix cores.
// While a tile is multiplied, the next one is loaded from memory into registers. From there it is stored in shared
// memory as soon as all invocations have read the last fragments of the tile before; those are multiplied meanwhile.
// Sums are stored through shared memory as well, so that memory is written in whole lines.
//
// The build defines MM, MN, MK, the shape of one operation, because some drivers need it as literals; TA, the operands'
// type, and BYTES, its size; TC, the sums', and BYTES_C; MEMORY_BYTES, the size of an element of A and B in memory (4
// if f32 is rounded to f16 while loading); UNIT8 if fragments begin at multiples of 8 bytes, not 16; BLOCKS if A or B
// is in blocks. See lib/matrix.glsl for more.
#include "matrix.glsl"

layout(constant_id = 9) const uint THREAD_ROWS = 16; // rows and columns of C of a subgroup, multiples of MM and MN
layout(constant_id = 10) const uint THREAD_COLS = 16;
layout(constant_id = 11) const uint SWIZZLE = 8;     // rows of tiles that are walked together
layout(constant_id = 12) const uint PAD = 1;         // times 16 bytes, added to each line in shared memory
layout(constant_id = 13) const uint LANES = 32;      // invocations of a subgroup, which the host asks for

#include "walk.glsl"

#include "experts.glsl"
#ifdef PARTS
#include "parts.glsl"
#define HELD 2
#define ABOVE WHOLE_ROWS
#else
#define HELD 1
#define ABOVE 0
#endif

const uint ACROSS = COLS / THREAD_COLS; // subgroups side by side
const uint SUBGROUPS = ROWS / THREAD_ROWS * ACROSS, THREADS = SUBGROUPS * LANES;
const uint FRAGMENT_ROWS = THREAD_ROWS / MM, FRAGMENT_COLS = THREAD_COLS / MN, SLICES = DEPTH / (HELD * MK);

#ifdef UNIT8
#define UNIT uvec2
#define UNIT_BYTES 8
#else
#define UNIT uvec4
#define UNIT_BYTES 16
#endif
const uint MEMORY_VECTOR = 16 / MEMORY_BYTES; // elements of 16 bytes of memory

// Lines of shared memory run along K, or across it if the operand is stored that way; bytes always run along K.
const bool LINES_A = TRANSPOSE_A == 0 || BYTES == 1, LINES_B = TRANSPOSE_B != 0 || BYTES == 1;
const uint STRIDE_UNITS_A = (LINES_A ? DEPTH : ROWS) * BYTES / UNIT_BYTES + PAD * (16 / UNIT_BYTES);
const uint STRIDE_UNITS_B = (LINES_B ? DEPTH : COLS) * BYTES / UNIT_BYTES + PAD * (16 / UNIT_BYTES);
const uint UNITS_A = (LINES_A ? ROWS : DEPTH) * STRIDE_UNITS_A;
const uint TILE = UNITS_A + (LINES_B ? COLS : DEPTH) * STRIDE_UNITS_B;

// Sums are stored in strips of adjacent fragments, of 256 bytes if that divides what a subgroup has.
const uint WIDE = 256 / (MN * BYTES_C), STRIP = FRAGMENT_COLS % WIDE == 0 ? WIDE : FRAGMENT_COLS % 2 == 0 ? 2 : 1;
const uint STRIP_COLS = STRIP * MN, PASS_STRIDE = (STRIP_COLS * BYTES_C + 16) / UNIT_BYTES, PASS = MM * PASS_STRIDE;

shared UNIT staged[TILE > SUBGROUPS * PASS ? TILE : SUBGROUPS * PASS];

// What an invocation loads of a tile, 16 bytes per register. If bytes must be transposed, a piece is four registers.
const uint WORDS_A = BYTES == 1 && TRANSPOSE_A != 0 ? 4 : 1, WORDS_B = BYTES == 1 && TRANSPOSE_B == 0 ? 4 : 1;
#ifdef BLOCKS
layout(std430, set = 0, binding = 0) readonly buffer PairsA { uvec2 A2[]; };
layout(std430, set = 0, binding = 1) readonly buffer PairsB { uvec2 B2[]; };
layout(constant_id = 49) const uint WHICH = 0; // is in blocks: 0: A; 1: B
#define CODES(i) (WHICH != 0 ? B[i] : A[i])
#define CODES2(i) (WHICH != 0 ? B2[i] : A2[i])
#define CODES4(i) (WHICH != 0 ? BV[i] : AV[i])
#define ZERO (K >> 31)
#include "blocks.glsl"
const uint PIECE_A = WHICH == 0 ? PART : MEMORY_VECTOR, PIECE_B = WHICH == 0 ? MEMORY_VECTOR : PART;
#else
const uint PIECE_A = MEMORY_VECTOR, PIECE_B = MEMORY_VECTOR;
#endif
const uint PIECES_A = ROWS * DEPTH / PIECE_A / WORDS_A, PIECES_B = COLS * DEPTH / PIECE_B / WORDS_B;
const uint ROUNDS_A = (PIECES_A + THREADS - 1) / THREADS, ROUNDS_B = (PIECES_B + THREADS - 1) / THREADS;

#include "matrix_stage.glsl"

#define FragmentA coopmat<TA, gl_ScopeSubgroup, MM, MK, gl_MatrixUseA>
#define FragmentB coopmat<TA, gl_ScopeSubgroup, MK, MN, gl_MatrixUseB>
#define Sums coopmat<TC, gl_ScopeSubgroup, MM, MN, gl_MatrixUseAccumulator>

uint subgroup_row() { return gl_SubgroupID / ACROSS * THREAD_ROWS; }
uint subgroup_col() { return gl_SubgroupID % ACROSS * THREAD_COLS; }

FragmentA fragment_a(uint row, uint k)
{
    FragmentA fragment;
    const uint line = LINES_A ? row : k, place = LINES_A ? k : row;
    const uint at = line * STRIDE_UNITS_A + place * BYTES / UNIT_BYTES;
    if (LINES_A)
        coopMatLoad(fragment, staged, at, STRIDE_UNITS_A, gl_CooperativeMatrixLayoutRowMajor);
    else
        coopMatLoad(fragment, staged, at, STRIDE_UNITS_A, gl_CooperativeMatrixLayoutColumnMajor);
    return fragment;
}

FragmentB fragment_b(uint k, uint col)
{
    FragmentB fragment;
    const uint line = LINES_B ? col : k, place = LINES_B ? k : col;
    const uint at = UNITS_A + line * STRIDE_UNITS_B + place * BYTES / UNIT_BYTES;
    if (LINES_B)
        coopMatLoad(fragment, staged, at, STRIDE_UNITS_B, gl_CooperativeMatrixLayoutColumnMajor);
    else
        coopMatLoad(fragment, staged, at, STRIDE_UNITS_B, gl_CooperativeMatrixLayoutRowMajor);
    return fragment;
}

#ifdef PARTS
// A slice has MK elements of hi and MK of lo (split.comp). Each pair of fragments has three products. Each of these is
// computed for all pairs before the next, while other fragments are loaded: hi of A and lo of B in the slice before.
// Some devices round toward zero in between, and the longer they sum, the more they lose. So the products of hi leave
// the matrix operations after RUN elements, and are added in f32 (doc/precision.md). What the small products lose does
// not matter.
#define PLACE(slice, part) (((slice) * MK / PART * 2 + (part)) * PART + (slice) * MK % PART)
#define LOAD_A(slice, part) \
    [[unroll]] for (uint r = 0; r < FRAGMENT_ROWS; r++) \
        a[(part) * FRAGMENT_ROWS + r] = fragment_a(subgroup_row() + r * MM, PLACE(slice, part));
#define LOAD_B(slice, part) \
    [[unroll]] for (uint c = 0; c < FRAGMENT_COLS; c++) \
        b[(part) * FRAGMENT_COLS + c] = fragment_b(PLACE(slice, part), subgroup_col() + c * MN);
#define LOAD(slice) LOAD_A(slice, 0) LOAD_B(slice, 1)

#define MULTIPLY_PARTS(of, part_a, part_b) \
    [[unroll]] for (uint r = 0; r < FRAGMENT_ROWS; r++) \
        [[unroll]] for (uint c = 0; c < FRAGMENT_COLS; c++) { \
            const uint s = r * FRAGMENT_COLS + c; \
            of[s] = coopMatMulAdd(a[(part_a) * FRAGMENT_ROWS + r], b[(part_b) * FRAGMENT_COLS + c], of[s]); \
        }
#define BEGIN(slice) LOAD_B(slice, 0) LOAD_A(slice, 1) MULTIPLY_PARTS(low, 0, 1)
#define MULTIPLY(slice) MULTIPLY_PARTS(sums, 0, 0)
#define REST MULTIPLY_PARTS(low, 1, 0)

#define BEGIN_RUN \
    for (;;) { \
        const uint stop = min(next + RUN, end);
#define RUN_END stop
#define END_RUN \
        if (next >= end) \
            break; \
        [[unroll]] for (uint n = 0; n < FRAGMENT_ROWS * FRAGMENT_COLS; n++) { \
            total[n] += sums[n]; \
            sums[n] = Sums(0); \
        } \
    }
#define MULTIPLY_ALL_BUT_LAST \
    [[unroll]] for (uint slice = 0; slice + 1 < SLICES; slice++) \
        { BEGIN(slice) MULTIPLY(slice) LOAD(slice + 1) REST } \
    BEGIN(SLICES - 1)
#else
// A slice of a tile is MK deep. There is space for the fragments of two slices: one is loaded while the other is
// multiplied. No functions, because compilers might copy the arrays.
#define LOAD(slice)                                                                                 \
    {                                                                                               \
        [[unroll]] for (uint r = 0; r < FRAGMENT_ROWS; r++)                                         \
            a[(slice) % 2 * FRAGMENT_ROWS + r] = fragment_a(subgroup_row() + r * MM, (slice) * MK); \
        [[unroll]] for (uint c = 0; c < FRAGMENT_COLS; c++)                                         \
            b[(slice) % 2 * FRAGMENT_COLS + c] = fragment_b((slice) * MK, subgroup_col() + c * MN); \
    }

#define MULTIPLY(slice) \
    [[unroll]] for (uint r = 0; r < FRAGMENT_ROWS; r++) \
        [[unroll]] for (uint c = 0; c < FRAGMENT_COLS; c++) { \
            const uint s = r * FRAGMENT_COLS + c; \
            sums[s] = coopMatMulAdd(a[(slice) % 2 * FRAGMENT_ROWS + r], b[(slice) % 2 * FRAGMENT_COLS + c], sums[s]); \
        }
#define REST
#define BEGIN_RUN
#define RUN_END end
#define END_RUN

// All slices but the last, whose fragments are loaded at the end.
#define MULTIPLY_ALL_BUT_LAST                                    \
    [[unroll]] for (uint slice = 0; slice + 1 < SLICES; slice++) \
        { LOAD(slice + 1) MULTIPLY(slice) }
#endif

#include "matrix_store.glsl"

void main()
{
    const uint tileRows = (M + ROWS - 1) / ROWS, tileCols = (N + COLS - 1) / COLS, tiles = tileRows * tileCols;
    const uint wholeTiles = ABOVE / ROWS * tileCols;
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const bool whole = item < wholeTiles;
        const uint rest = whole ? item : item - wholeTiles, left = whole ? wholeTiles : tiles - wholeTiles;
        const uvec2 origin = tile_origin(rest % left, whole ? ABOVE / ROWS : tileRows - ABOVE / ROWS, tileCols);
        const uint row0 = origin.x + (whole ? 0 : ABOVE), col0 = origin.y;
        const uint part = rest / left, batch = part / SPLITS;
        const uint begin = part % SPLITS * SPLIT_DEPTH, end = whole ? K : min(K, begin + SPLIT_DEPTH);
        const uint matrixB = matrix_of_b(row0, batch);
        if (EXPERTS != 0 && matrixB == NO_EXPERT)
            continue;
        const uint baseA = OFFSET_A + batch * STRIDE_A, baseB = OFFSET_B + matrixB * STRIDE_B;
        const uint baseC = OFFSET_C + batch * STRIDE_C;

        FragmentA a[2 * FRAGMENT_ROWS];
        FragmentB b[2 * FRAGMENT_COLS];
        Sums sums[FRAGMENT_ROWS * FRAGMENT_COLS];
        [[unroll]] for (uint n = 0; n < FRAGMENT_ROWS * FRAGMENT_COLS; n++)
            sums[n] = Sums(0);
#ifdef PARTS
        Sums low[FRAGMENT_ROWS * FRAGMENT_COLS];   // of hi·lo and lo·hi
        Sums total[FRAGMENT_ROWS * FRAGMENT_COLS]; // of what has left the matrix operations
        [[unroll]] for (uint n = 0; n < FRAGMENT_ROWS * FRAGMENT_COLS; n++)
            low[n] = total[n] = Sums(0);
#endif
        // The first step takes the remainder of K / DEPTH, so that all others are whole and need no checks.
        uint next = begin + (end > begin ? (end - begin - 1) % DEPTH + 1 : 0);
        const Aim aimA = aim(operand_a(), baseA, row0), aimB = aim(operand_b(), baseB, col0);
        const uint first = next; // whole step
        fetch_tiles(aimA, aimB, begin, first, next);
        store_tiles(begin, next);
#ifdef BLOCKS
        if (WHICH == 0)
            aim_parts(operand_a(), aimA, first);
        else
            aim_parts(operand_b(), aimB, first);
#endif
        if (next < end)
            fetch_tiles(aimA, aimB, next, first, WHOLE);
        barrier(); // the tiles are complete
        LOAD(0)
        BEGIN_RUN
        for (; next < RUN_END; next += DEPTH) {
            MULTIPLY_ALL_BUT_LAST
            barrier(); // everyone has all that is left of the tiles in registers
            store_tiles(next, WHOLE);
            // A branch around the last, unneeded load would make it wait immediately.
            fetch_tiles(aimA, aimB, min(next + DEPTH, end - DEPTH), first, WHOLE);
            MULTIPLY(SLICES - 1)
            barrier(); // the next tiles are complete
            LOAD(0)
            REST
        }
        END_RUN
        MULTIPLY_ALL_BUT_LAST
        MULTIPLY(SLICES - 1)
        REST

#ifdef PARTS
        [[unroll]] for (uint n = 0; n < FRAGMENT_ROWS * FRAGMENT_COLS; n++)
            sums[n] = total[n] + (sums[n] + low[n] * TC(LO_UNIT));
#endif
        const uvec3 modulus = modulus_of(part);
        barrier(); // sums take the place of tiles that everyone has read
        for (uint s = 0; s < FRAGMENT_ROWS * FRAGMENT_COLS / STRIP; s++) { // not unrolled: what finishes sums is long
            const uint i = row0 + subgroup_row() + s / (FRAGMENT_COLS / STRIP) * MM;
            const uint j = col0 + subgroup_col() + s % (FRAGMENT_COLS / STRIP) * STRIP_COLS;
            const bool stores = inside(i, M, j, N);
            if (stores)
                [[unroll]] for (uint n = 0; n < FRAGMENT_ROWS * FRAGMENT_COLS; n++)
                    if (n / STRIP == s)
                        coopMatStore(sums[n], staged, gl_SubgroupID * PASS + n % STRIP * MN * BYTES_C / UNIT_BYTES,
                                     PASS_STRIDE, gl_CooperativeMatrixLayoutRowMajor);
            // A barrier of the subgroup would be enough, but lavapipe handles it wrongly if some subgroups have nothing
            // to store.
            barrier(); // every sum has been passed
            if (stores)
                store_passed(i, j, part, baseC, modulus);
            barrier(); // every sum has been taken: others, or tiles, take their place
        }
    }
}
