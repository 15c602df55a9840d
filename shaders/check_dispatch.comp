#version 450
// Which invocations run, for `vkmatmul check`: all of them are counted in out[0], those of each workgroup behind that.
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, set = 0, binding = 1) buffer Out { uint out_words[]; };

void main()
{
    const uvec3 group = gl_WorkGroupID;
    atomicAdd(out_words[0], 1u);
    atomicAdd(out_words[1 + (group.z * in_words[1] + group.y) * in_words[0] + group.x], 1u);
}
