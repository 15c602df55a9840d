#version 450
// Does this compiler know GL_NV_cooperative_matrix2? (shaders/meson.build)
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint SCOPE = 3;

layout(std430, set = 0, binding = 0) buffer Memory { uvec4 memory[]; };
layout(std430, set = 0, binding = 1) buffer Result { float result[]; };

float half_of(const in uint row, const in uint col, const in float value)
{
    return value / 2;
}

void main()
{
    coopmat<float16_t, SCOPE, M, M, gl_MatrixUseA> a;
    coopmat<float16_t, SCOPE, M, M, gl_MatrixUseB> b;
    tensorLayoutNV<2> part = setTensorLayoutDimensionNV(createTensorLayoutNV(2), 2 * M, 2 * M);
    coopMatLoadTensorNV(a, memory, 0, sliceTensorLayoutNV(part, M, M, 0, M));
    coopMatLoadTensorNV(b, memory, 0, sliceTensorLayoutNV(part, M, M, 0, M), createTensorViewNV(2, false, 1, 0));
    coopmat<float, SCOPE, M, M, gl_MatrixUseAccumulator> sum = coopmat<float, SCOPE, M, M, gl_MatrixUseAccumulator>(0);
    sum = coopMatMulAdd(a, b, sum);
    coopMatPerElementNV(sum, sum, half_of);
    coopMatStoreTensorNV(coopmat<float16_t, SCOPE, M, M, gl_MatrixUseA>(sum), memory, 0, part);
}
