#version 450
// Reductions of a 16x16 matrix of f32 (VK_NV_cooperative_matrix2), for `vkmatmul check`: each element becomes the sum,
// or the maximum, of its row (OPERATION 0, 1), of its column (2, 3) or of all (4, 5), or stays as it is (6).
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint OPERATION = 0;

layout(std430, set = 0, binding = 0) readonly buffer In { float in_numbers[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { float out_numbers[]; };

float plus(const in float a, const in float b)
{
    return a + b;
}

float most(const in float a, const in float b)
{
    return max(a, b);
}

void main()
{
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c, result;
    coopMatLoad(c, in_numbers, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    result = c;
    switch (OPERATION) {
    case 0: coopMatReduceNV(result, c, gl_CooperativeMatrixReduceRowNV, plus); break;
    case 1: coopMatReduceNV(result, c, gl_CooperativeMatrixReduceRowNV, most); break;
    case 2: coopMatReduceNV(result, c, gl_CooperativeMatrixReduceColumnNV, plus); break;
    case 3: coopMatReduceNV(result, c, gl_CooperativeMatrixReduceColumnNV, most); break;
    case 4: coopMatReduceNV(result, c, gl_CooperativeMatrixReduceRowAndColumnNV, plus); break;
    case 5: coopMatReduceNV(result, c, gl_CooperativeMatrixReduceRowAndColumnNV, most); break;
    }
    coopMatStore(result, out_numbers, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
