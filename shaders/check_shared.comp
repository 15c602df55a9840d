#version 450
// All of the shared memory, for `vkmatmul check`: the workgroup writes it, waits, and reads it in another order.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 1024;

layout(std430, set = 0, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint out_words[]; };

shared uint words[WORDS];

void main()
{
    const uint size = gl_WorkGroupSize.x;
    for (uint i = gl_LocalInvocationID.x; i < WORDS; i += size)
        words[i] = in_words[i];
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < WORDS; i += size)
        out_words[i] = words[WORDS - 1 - i];
}
