#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#ifdef IN_BF16
#extension GL_EXT_bfloat16 : require
#endif
// The product with matrices as large as a workgroup's tile (or a subgroup's part of it), each one object of the
// language: the driver decides how they are kept in registers and loaded. The contract with the host is that of
// gemm.glsl: lib/contract.glsl.
//
// The build defines TA (the type of A and B), TS (of the sums), S (of α, β, the epilogue and the workspace), VW
// (elements of A in 16 bytes), and either TENSOR: matrices are read and written as parts of a tensor, by its strides
// and bounds; or nothing: by pointers if a matrix is inside, element by element if it extends beyond an edge. The
// latter needs fewer features.
// What makes it fast, on the drivers that have it. Reads without bounds checks: only those can the driver turn into
// wide asynchronous copies, so whole tiles have a separate loop, and the last step along K another. Addresses known to
// be multiples of 16 bytes, at compile time: hence the divisions and multiplications by VW and DEPTH below, which look
// useless. Large matrices, since each is read once for as many multiply-adds as its other side is long. (Both are what
// others do too: llama.cpp's mul_mm_cm2.comp, NVIDIA's vk_cooperative_matrix_perf.)

#include "contract.glsl"

layout(constant_id = 9) const uint MATRIX_ROWS = 16;  // of a matrix of sums: ROWS and COLS where the workgroup owns it
layout(constant_id = 10) const uint MATRIX_COLS = 16;
layout(constant_id = 11) const uint SWIZZLE = 8;      // rows of tiles that are walked together
layout(constant_id = 12) const uint SCOPE = 3;        // who owns a matrix: gl_ScopeWorkgroup = 2, gl_ScopeSubgroup = 3
layout(constant_id = 13) const uint WHOLE = 1;        // 1: whole tiles are read without bounds
layout(constant_id = 14) const uint PREFETCH = 0;     // 1: operands are read a step before they are multiplied
layout(constant_id = 15) const uint UNROLL = 1;       // steps along K of one round of the loop
#include "walk.glsl"

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { TA A[]; };
layout(std430, set = 0, binding = 0) readonly buffer VectorsA { uvec4 AV[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { TA B[]; };
layout(std430, set = 0, binding = 1) readonly buffer VectorsB { uvec4 BV[]; };
layout(std430, set = 0, binding = 2) buffer MatrixC { S C[]; };
layout(std430, set = 0, binding = 3) buffer Workspace { S partial[]; };
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer Bias { S bias[]; };
#if defined(IN_F16) || defined(IN_BF16)
#define HAS_NARROW // C, and then the bias, can have the type of A and B
layout(std430, set = 0, binding = 2) buffer NarrowC { TA CN[]; };
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer NarrowBias { TA biasN[]; };
#endif

#include "epilogue.glsl"

#define MatrixOfA coopmat<TA, SCOPE, MATRIX_ROWS, DEPTH, gl_MatrixUseA>
#define MatrixOfB coopmat<TA, SCOPE, DEPTH, MATRIX_COLS, gl_MatrixUseB>
#define Sums(type) coopmat<type, SCOPE, MATRIX_ROWS, MATRIX_COLS, gl_MatrixUseAccumulator>

S read_c(uint at)
{
#ifdef HAS_NARROW
    if (OUT != 0)
        return S(CN[at]);
#endif
    return C[at];
}

S read_bias(uint at)
{
#ifdef HAS_NARROW
    if (OUT != 0)
        return S(biasN[at]);
#endif
    return bias[at];
}

// To the nearest bf16, ties to even, as a float: drivers may choose how a conversion rounds.
S round_bf16(S x)
{
#ifdef IN_BF16
    return uintBitsToFloat(bf16_bits(x) << 16);
#else
    return x;
#endif
}

// Finishes one element of the matrix at (row, col). Elements beyond an edge are not used.
S finish_element(const in uint r, const in uint c, const in S sum, const in uint row, const in uint col,
                 const in uint base)
{
    const uint i = row + r, j = col + c;
    if (!inside(i, M, j, N))
        return sum;
    const S result = finish(sum, base + i * LDC + j, i, j);
    return OUT == OUT_BF16 ? round_bf16(result) : result;
}

bool is_plain()
{
    return scalar(ALPHA) == S(1) && !uses_c() && BIAS == 0 && ACTIVATION == 0 && OUT != OUT_BF16;
}

// How matrices are read and stored; FAST_A and FAST_B: whether READ_A and READ_B may be used. In the scope of use: row
// and col, where the matrix of sums begins; baseA, baseB; begin and end, along K. All are the same for all invocations
// that own the matrix.
#ifdef TENSOR
#include "tensor_access.glsl"
#else
#include "pointer_access.glsl"
#endif

void main()
{
    const uint tileRows = (M + ROWS - 1) / ROWS, tileCols = (N + COLS - 1) / COLS, tiles = tileRows * tileCols;
    const uint owner = SCOPE == gl_ScopeWorkgroup ? 0 : gl_SubgroupID, across = COLS / MATRIX_COLS;
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uvec2 origin = tile_origin(item % tiles, tileRows, tileCols);
        const uint row = origin.x + owner / across * MATRIX_ROWS, col = origin.y + owner % across * MATRIX_COLS;
        const uint part = item / tiles, batch = part / SPLITS;
        const uint begin = part % SPLITS * SPLIT_DEPTH / DEPTH * DEPTH, end = min(K, begin + SPLIT_DEPTH);
        const uint baseA = OFFSET_A + batch * STRIDE_A, baseB = OFFSET_B + batch * STRIDE_B;
        const uint baseC = OFFSET_C + batch * STRIDE_C;
        if (row >= M || col >= N)
            continue; // a subgroup's matrix can lie outside altogether
        const bool whole = WHOLE != 0 && row + MATRIX_ROWS <= M && col + MATRIX_COLS <= N;
        PREPARE

        Sums(TS) sums = Sums(TS)(TS(0));
        uint k = begin;
        uint steps = whole && FAST_A && FAST_B && end > begin ? (end - begin) / DEPTH : 0; // those that need no bounds
        if (PREFETCH != 0 && FAST_A && FAST_B && steps > 1) {
            MatrixOfA a, nextA;
            MatrixOfB b, nextB;
            READ_A(a, k)
            READ_B(b, k)
            [[dont_unroll]] for (; steps > UNROLL; steps -= UNROLL)
                [[unroll]] for (uint u = 0; u < UNROLL; u++) {
                    k += DEPTH;
                    READ_A(nextA, k)
                    READ_B(nextB, k)
                    sums = coopMatMulAdd(a, b, sums);
                    a = nextA;
                    b = nextB;
                }
            sums = coopMatMulAdd(a, b, sums);
            k += DEPTH;
            steps--;
        } else if (FAST_A && FAST_B) {
            [[dont_unroll]] for (; steps >= UNROLL; steps -= UNROLL)
                [[unroll]] for (uint u = 0; u < UNROLL; u++) {
                    MatrixOfA a;
                    MatrixOfB b;
                    READ_A(a, k)
                    READ_B(b, k)
                    sums = coopMatMulAdd(a, b, sums);
                    k += DEPTH;
                }
        }
        // The rest: whole steps that do not fill a round, and all that extends beyond an edge, where values are zero.
        [[dont_unroll]] for (; k < end; k += DEPTH) {
            MatrixOfA a = MatrixOfA(TA(0));
            MatrixOfB b = MatrixOfB(TA(0));
            if (FAST_A && row + MATRIX_ROWS <= M && k + DEPTH <= end)
                READ_A(a, k)
            else
                READ_A_BOUNDED(a, k)
            if (FAST_B && col + MATRIX_COLS <= N && k + DEPTH <= end)
                READ_B(b, k)
            else
                READ_B_BOUNDED(b, k)
            sums = coopMatMulAdd(a, b, sums);
        }

        if (SPLIT != 0) {
            STORE(Sums(S)(sums), partial, part * M * N, N)
            continue;
        }
#ifdef SUMS_F16
        if (OUT == OUT_F16 && is_plain()) {
            STORE(sums, CN, baseC, LDC)
            continue;
        }
#endif
        Sums(S) result = Sums(S)(sums);
        if (!is_plain())
            coopMatPerElementNV(result, result, finish_element, row, col, baseC);
        if (OUT == 0)
            STORE(result, C, baseC, LDC)
#ifdef HAS_NARROW
        else
            STORE_NARROW(result, CN, baseC, LDC)
#endif
    }
}
