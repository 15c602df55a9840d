#version 450
// Matrix operations, for `vkmatmul check`: A, B and C lie in `in` one after the other; OPERATION makes of them the one
// that is stored. Memory is accessed as words, whatever its type.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#ifdef BF16
#extension GL_EXT_bfloat16 : require
#endif
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
layout(constant_id = 4) const uint OPERATION = 0;
layout(constant_id = 5) const bool LOADS_COLUMNS = false;
layout(constant_id = 6) const bool STORES_COLUMNS = false;
layout(std430, set = 0, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint out_words[]; };
const uint AT_B = M * K * BYTES_A / 4, AT_C = AT_B + K * N * BYTES_A / 4;

#define Wide coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define ROWS gl_CooperativeMatrixLayoutRowMajor
#define COLUMNS gl_CooperativeMatrixLayoutColumnMajor
#define LOAD(x, at, rows, cols, bytes) if (LOADS_COLUMNS) coopMatLoad(x, in_words, at, rows * bytes / 4, COLUMNS); \
    else coopMatLoad(x, in_words, at, cols * bytes / 4, ROWS);
#define STORE(x, rows, cols, bytes) if (STORES_COLUMNS) coopMatStore(x, out_words, 0, rows * bytes / 4, COLUMNS); \
    else coopMatStore(x, out_words, 0, cols * bytes / 4, ROWS);

void main()
{
    coopmat<TA, gl_ScopeSubgroup, M, K, gl_MatrixUseA> a;
    coopmat<TA, gl_ScopeSubgroup, K, N, gl_MatrixUseB> b;
    coopmat<TC, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> c;
    LOAD(a, 0, M, K, BYTES_A)
    LOAD(b, AT_B, K, N, BYTES_A)
    LOAD(c, AT_C, M, N, BYTES_C)
    if (OPERATION == 0) { STORE(a, M, K, BYTES_A) }
    if (OPERATION == 1) { STORE(b, K, N, BYTES_A) }
    if (OPERATION == 4)
        for (int i = 0; i < c.length(); i++)
            c[i] = c[i] + TC(1);
    if (OPERATION == 3)
        c = coopMatMulAdd(a, b, c);
    if (OPERATION >= 2 && OPERATION <= 4) { STORE(c, M, N, BYTES_C) }
    if (OPERATION == 5) {
        const Wide wide = Wide(c);
        STORE(wide, M, N, 4)
    }
}
