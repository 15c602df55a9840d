#version 450
// Does this compiler know GL_EXT_integer_dot_product? (shaders/meson.build)
#extension GL_EXT_integer_dot_product : require
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) buffer Memory { uint memory[]; };

void main()
{
    memory[0] = dotPacked4x8EXT(memory[1], memory[2]);
}
