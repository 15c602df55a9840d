#version 450
// The peak rate of multiply-adds with matrix operations of one shape: every subgroup keeps 4×4 sums in registers, with
// four fragments of A and two times four of B, and touches memory only before and after. It adds A·B to all of them,
// A·D, A·B, A·D … and A·B; where D = -B the sums stay small, so that they can be checked exactly
// (src/lib/look/matrix_peak.h). A compiler cannot know that, and B and D are swapped every time, so that no product can
// be moved out of the loop. No arrays: some drivers would keep them in memory.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#ifdef BF16
#extension GL_EXT_bfloat16 : require
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;

// TA, TC: types of the operands and of the sums; BYTES_A, BYTES_C: their sizes. Memory is accessed as words, whatever
// its type.
layout(std430, set = 0, binding = 0) readonly buffer Operands { uint operands[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Results { uint results[]; };
layout(push_constant) uniform Work { uint steps; };

const uint WORDS_A = M * K * BYTES_A / 4, WORDS_B = K * N * BYTES_A / 4, WORDS_C = M * N * BYTES_C / 4;
const uint HEADER = 16; // words before the results: the first is the number of subgroups in a workgroup

#define MatA coopmat<TA, gl_ScopeSubgroup, M, K, gl_MatrixUseA>
#define MatB coopmat<TA, gl_ScopeSubgroup, K, N, gl_MatrixUseB>
#define MatC coopmat<TC, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>

#define LOAD_A(a, i) coopMatLoad(a, operands, (i) * WORDS_A, K * BYTES_A / 4, gl_CooperativeMatrixLayoutRowMajor)
#define LOAD_B(b, i) \
    coopMatLoad(b, operands, 4 * WORDS_A + (i) * WORDS_B, N * BYTES_A / 4, gl_CooperativeMatrixLayoutRowMajor)

#define ROW(a, c0, c1, c2, c3) \
    c0 = coopMatMulAdd(a, b0, c0), c1 = coopMatMulAdd(a, b1, c1); \
    c2 = coopMatMulAdd(a, b2, c2), c3 = coopMatMulAdd(a, b3, c3);

#define ADD \
    ROW(a0, c00, c01, c02, c03) ROW(a1, c10, c11, c12, c13) \
    ROW(a2, c20, c21, c22, c23) ROW(a3, c30, c31, c32, c33)

#define SWAP(b, d) { MatB other = b; b = d; d = other; }

void main()
{
    MatA a0, a1, a2, a3;
    MatB b0, b1, b2, b3, d0, d1, d2, d3;
    LOAD_A(a0, 0); LOAD_A(a1, 1); LOAD_A(a2, 2); LOAD_A(a3, 3);
    LOAD_B(b0, 0); LOAD_B(b1, 1); LOAD_B(b2, 2); LOAD_B(b3, 3);
    LOAD_B(d0, 4); LOAD_B(d1, 5); LOAD_B(d2, 6); LOAD_B(d3, 7);
    MatC c00 = MatC(0), c01 = c00, c02 = c00, c03 = c00, c10 = c00, c11 = c00, c12 = c00, c13 = c00;
    MatC c20 = c00, c21 = c00, c22 = c00, c23 = c00, c30 = c00, c31 = c00, c32 = c00, c33 = c00;
    for (uint turn = 0; turn < 2 * steps + 1; turn++) {
        ADD
        SWAP(b0, d0) SWAP(b1, d1) SWAP(b2, d2) SWAP(b3, d3)
    }
    const MatC sum = c00 + c01 + c02 + c03 + c10 + c11 + c12 + c13 + c20 + c21 + c22 + c23 + c30 + c31 + c32 + c33;
    const uint slot = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
    coopMatStore(sum, results, HEADER + slot * WORDS_C, N * BYTES_C / 4, gl_CooperativeMatrixLayoutRowMajor);
    if (gl_GlobalInvocationID.x == 0)
        results[0] = gl_NumSubgroups;
}
