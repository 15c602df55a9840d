#version 450
// Dispatches that read what the one before wrote, for `vkmatmul check`: `out` has two halves, which swap roles.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COUNT = 1024;

layout(std430, set = 0, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, set = 0, binding = 1) buffer Out { uint out_words[]; };
layout(push_constant) uniform Work { uint turn; };

void main()
{
    const uint i = gl_GlobalInvocationID.x, from = turn % 2 * COUNT, to = COUNT - from;
    out_words[to + i] = out_words[from + (5 * i + 1) % COUNT] * 3u + in_words[i] + turn;
}
