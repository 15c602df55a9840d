#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// Matrix operations in their simplest form. A workgroup is one subgroup, and computes a matrix of MM×MN elements of C.
// All its invocations together hold the operands, in registers, and nobody can say which of them has which element.
// Each operation has 2·MM·MN·MK FLOP for (MM + MN)·MK elements, which come straight from memory, or from its caches.
// The host gives it only what has no edges: matrices of whole fragments, whose rows begin at multiples of 16 bytes.
// coopmat.comp does the rest, and is faster.
//
// The build defines MM, MN, MK, the shape of one operation.
#include "matrix.glsl"

const uint HALVES = 8, FLOATS = 4; // elements of 16 bytes of memory, in which loads and stores count

void main()
{
    const uint across = N / MN, tiles = M / MM * across;
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint i = item % tiles / across * MM, j = item % across * MN, batch = item / tiles;
        const uint a = OFFSET_A + batch * STRIDE_A + i * LDA, b = OFFSET_B + batch * STRIDE_B + j;
        const uint c = OFFSET_C + batch * STRIDE_C + i * LDC + j;

        coopmat<float, gl_ScopeSubgroup, MM, MN, gl_MatrixUseAccumulator> sums, old;
        sums = coopmat<float, gl_ScopeSubgroup, MM, MN, gl_MatrixUseAccumulator>(0);
        for (uint k = 0; k < K; k += MK) {
            coopmat<float16_t, gl_ScopeSubgroup, MM, MK, gl_MatrixUseA> left;
            coopmat<float16_t, gl_ScopeSubgroup, MK, MN, gl_MatrixUseB> right;
            coopMatLoad(left, AV, (a + k) / HALVES, LDA / HALVES, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(right, BV, (b + k * LDB) / HALVES, LDB / HALVES, gl_CooperativeMatrixLayoutRowMajor);
            sums = coopMatMulAdd(left, right, sums);
        }
        sums *= scalar(ALPHA);
        if (uses_c()) {
            coopMatLoad(old, CV, c / FLOATS, LDC / FLOATS, gl_CooperativeMatrixLayoutRowMajor);
            sums += old * scalar(BETA);
        }
        coopMatStore(sums, CV, c / FLOATS, LDC / FLOATS, gl_CooperativeMatrixLayoutRowMajor);
    }
}
