#version 450
// Does this compiler know matrices of GL_EXT_bfloat16? (shaders/meson.build)
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_bfloat16 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;

layout(std430, set = 0, binding = 0) buffer Memory { uint memory[]; };

void main()
{
    coopmat<bfloat16_t, gl_ScopeSubgroup, M, M, gl_MatrixUseA> a;
    coopMatLoad(a, memory, 0, M / 2, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(a, memory, 0, M / 2, gl_CooperativeMatrixLayoutRowMajor);
}
