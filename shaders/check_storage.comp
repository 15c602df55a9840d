#version 450
// Storage of narrow elements, for `vkmatmul check`: every other element of `out` becomes one of `in`, in reverse. Those
// between stay as they are.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COUNT = 0;

layout(std430, set = 0, binding = 0) readonly buffer In { T in_elements[]; };
layout(std430, set = 0, binding = 1) buffer Out { T out_elements[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    out_elements[2 * i] = T(uint(in_elements[COUNT - 1 - i]));
}
