#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_ballot : require
// For Vulkan drivers that run on CPUs. They give each invocation of a subgroup one lane of the CPU's vector registers:
// a variable is a whole register, and multiplying two is almost free. The costs are
//   a load: each lane has its own address, checked against the buffer's bounds; as slow as ten to a hundred
//   multiplications;
//   a barrier: the CPU saves all registers of a subgroup in memory and loads another subgroup's;
//   an `if`, and each iteration of a loop: lanes might differ, so new values are blended with the old ones.
// So there is no shared memory here and no barrier, edges cost a min() ahead of the loop instead of an `if` inside, and
// each load serves many multiplications: an invocation computes THREAD_ROWS rows of 4 columns. Few loads also give
// short machine code, which compiles quickly: older lavapipes expand a load lane by lane, with a branch for each.
#include "gemm.glsl"
layout(constant_id = 9) const uint THREAD_ROWS = 16; // a multiple of LANES
layout(constant_id = 10) const uint LANES = 8;       // how many of a subgroup's lanes read op(A): 4 or 8

#if defined(TYPE_F64)
#define T4 dvec4
#else
#define T4 TV
#endif
#define A_AT(i) value_of(ELEMENT_A(i))
#define B_AT(i) value_of(ELEMENT_B(i))

struct Part {
    uint k, end;                     // what is summed
    uint row, base_a;                // the first row, and where op(A) begins
    uint across_a, along_a, along_b; // from a row of op(A) to the next; from one k to the next
    uvec4 col_at;                    // where the columns of op(B) begin
};

T4 result[THREAD_ROWS];

// Where a row of op(A) begins. One beyond the edge is the last row again: its sums are not stored.
uint row_at(Part part, uint row)
{
    return part.base_a + min(row, M - 1) * part.across_a;
}

// A row's next four elements.
T4 four_of_a(Part part, uint at)
{
    return T4(A_AT(at), A_AT(at + part.along_a), A_AT(at + 2 * part.along_a), A_AT(at + 3 * part.along_a));
}

// Four columns' next element.
T4 four_of_b(Part part, uint k)
{
    const uvec4 at = part.col_at + k * part.along_b;
    return T4(B_AT(at.x), B_AT(at.y), B_AT(at.z), B_AT(at.w));
}

#if !defined(WRITTEN_OUT)
// Each of LANES lanes reads four elements of its own row. In turn, subgroupBroadcast gives each to all lanes: that
// shuffles registers, while a load would access memory. It needs the lane as a literal, hence a line for each instead
// of a loop. There are more sums than registers: a row's four leave memory once for four elements along K.
void compute(Part part)
{
    const uint groups = THREAD_ROWS / LANES, lane = gl_SubgroupInvocationID % LANES;
    uint at[groups];
    T4 sum[THREAD_ROWS];
    [[unroll]] for (uint g = 0; g < groups; g++)
        at[g] = row_at(part, part.row + g * LANES + lane);
    [[unroll]] for (uint i = 0; i < THREAD_ROWS; i++)
        sum[i] = T4(0);

#define FOR_ALL_LANES(line)             \
    line(0) line(1) line(2) line(3)     \
    if (LANES > 4) {                    \
        line(4) line(5) line(6) line(7) \
    }
#define ADD_FOUR(l)                                                \
    {                                                              \
        T4 s = sum[g * LANES + l];                                 \
        s = MULTIPLY_ADD(T4(subgroupBroadcast(a[g].x, l)), b0, s); \
        s = MULTIPLY_ADD(T4(subgroupBroadcast(a[g].y, l)), b1, s); \
        s = MULTIPLY_ADD(T4(subgroupBroadcast(a[g].z, l)), b2, s); \
        s = MULTIPLY_ADD(T4(subgroupBroadcast(a[g].w, l)), b3, s); \
        sum[g * LANES + l] = s;                                    \
    }
    uint k = part.k;
    for (; k + DEPTH <= part.end; k += DEPTH) {
        [[unroll]] for (uint ahead = 0; ahead < DEPTH; ahead += 4) {
            T4 a[groups];
            [[unroll]] for (uint g = 0; g < groups; g++)
                a[g] = four_of_a(part, at[g] + (k + ahead) * part.along_a);
            const T4 b0 = four_of_b(part, k + ahead), b1 = four_of_b(part, k + ahead + 1);
            const T4 b2 = four_of_b(part, k + ahead + 2), b3 = four_of_b(part, k + ahead + 3);
            [[unroll]] for (uint g = 0; g < groups; g++) {
                FOR_ALL_LANES(ADD_FOUR)
            }
        }
    }
#define ADD_ONE(l) sum[g * LANES + l] = MULTIPLY_ADD(T4(subgroupBroadcast(a, l)), b, sum[g * LANES + l]);
    for (; k < part.end; k++) { // what DEPTH does not divide
        const T4 b = four_of_b(part, k);
        [[unroll]] for (uint g = 0; g < groups; g++) {
            const T a = A_AT(at[g] + k * part.along_a);
            FOR_ALL_LANES(ADD_ONE)
        }
    }
    [[unroll]] for (uint i = 0; i < THREAD_ROWS; i++)
        result[i] = sum[i];
}

#else
// The same for SwiftShader, in a module of its own. It does not unroll loops, keeps what they index in memory, and
// compiles and executes both sides of an `if`, even if specialization constants decide it. So all sums have names: 8
// rows, the upper four read by lanes 0 to 3, and the lower four; DEPTH is 4.
void compute(Part part)
{
    const uint lane = gl_SubgroupInvocationID % 4;
    const uint upper_at = row_at(part, part.row + lane), lower_at = row_at(part, part.row + 4 + lane);
    T4 sum0 = T4(0), sum1 = sum0, sum2 = sum0, sum3 = sum0, sum4 = sum0, sum5 = sum0, sum6 = sum0, sum7 = sum0;
#define NAMED_ROW(sum, a, l) sum = MULTIPLY_ADD(T4(subgroupBroadcast(a, l)), b, sum);
#define NAMED_ROWS(upper, lower)                                                                            \
    NAMED_ROW(sum0, upper, 0) NAMED_ROW(sum1, upper, 1) NAMED_ROW(sum2, upper, 2) NAMED_ROW(sum3, upper, 3) \
    NAMED_ROW(sum4, lower, 0) NAMED_ROW(sum5, lower, 1) NAMED_ROW(sum6, lower, 2) NAMED_ROW(sum7, lower, 3)
    uint k = part.k;
    for (; k + 4 <= part.end; k += 4) {
        const T4 upper = four_of_a(part, upper_at + k * part.along_a);
        const T4 lower = four_of_a(part, lower_at + k * part.along_a);
        T4 b = four_of_b(part, k);
        NAMED_ROWS(upper.x, lower.x)
        b = four_of_b(part, k + 1);
        NAMED_ROWS(upper.y, lower.y)
        b = four_of_b(part, k + 2);
        NAMED_ROWS(upper.z, lower.z)
        b = four_of_b(part, k + 3);
        NAMED_ROWS(upper.w, lower.w)
    }
    for (; k < part.end; k++) {
        const T upper = A_AT(upper_at + k * part.along_a), lower = A_AT(lower_at + k * part.along_a);
        const T4 b = four_of_b(part, k);
        NAMED_ROWS(upper, lower)
    }
    result[0] = sum0, result[1] = sum1, result[2] = sum2, result[3] = sum3;
    result[4] = sum4, result[5] = sum5, result[6] = sum6, result[7] = sum7;
}
#endif

void main()
{
    const uint tiles_down = (M + ROWS - 1) / ROWS, tiles = tiles_down * ((N + COLS - 1) / COLS);
    const uint parts = SPLIT != 0 ? SPLITS : 1;
    // An invocation's columns are WORKGROUP_X apart, so that the lanes of each load and store are adjacent.
    const uint column = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    const uvec4 columns = uvec4(0, 1, 2, 3) * gl_WorkGroupSize.x + column;
    Part part;
    part.across_a = TRANSPOSE_A != 0 ? 1 : LDA;
    part.along_a = TRANSPOSE_A != 0 ? LDA : 1;
    part.along_b = TRANSPOSE_B != 0 ? 1 : LDB;

    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        // Down the columns of tiles: one after another reads the same columns of op(B), which stay in the cache. Across
        // the rows, all of op(B) would pass through it for each row.
        const uint tile = item % tiles, number = item / tiles % parts, matrix = item / tiles / parts;
        const uvec4 cols = tile / tiles_down * COLS + columns;
        part.row = tile % tiles_down * ROWS;
        part.k = SPLIT != 0 ? number * SPLIT_DEPTH : 0;
        part.end = SPLIT != 0 ? min(K, part.k + SPLIT_DEPTH) : K;
        part.base_a = OFFSET_A + matrix * STRIDE_A;
        part.col_at = OFFSET_B + matrix * STRIDE_B + min(cols, N - 1) * (TRANSPOSE_B != 0 ? LDB : 1);
        compute(part);

        const uint base_c = SPLIT != 0 ? (matrix * parts + number) * M * N : OFFSET_C + matrix * STRIDE_C;
        const uint ldc = SPLIT != 0 ? N : LDC;
        // Unrolled, this loop would take longer to compile than all the rest.
        [[dont_unroll]] for (uint i = 0; i < THREAD_ROWS; i++) {
            const uint row = part.row + i;
            const T4 sum = result[i];
            [[unroll]] for (uint j = 0; j < 4; j++) {
                const uint at = base_c + row * ldc + cols[j];
                if (inside(row, M, cols[j], N)) {
                    if (SPLIT != 0)
                        partial[at] = sum[j];
                    else
                        store(at, finish(sum[j], at, row, cols[j]));
                }
            }
        }
    }
}
