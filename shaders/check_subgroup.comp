#version 450
// Subgroup operations, for `vkmatmul check`: each invocation writes its subgroup, its place there, and six results.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly buffer In { uint in_words[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint out_words[]; };

void main()
{
    const uint i = gl_LocalInvocationIndex, value = in_words[i], at = 8 * i;
    out_words[at] = gl_SubgroupID;
    out_words[at + 1] = gl_SubgroupInvocationID;
    out_words[at + 2] = subgroupAdd(value);
    out_words[at + 3] = subgroupInclusiveAdd(value);
    out_words[at + 4] = subgroupMin(value);
    out_words[at + 5] = subgroupMax(value);
    out_words[at + 6] = subgroupBroadcastFirst(value);
    out_words[at + 7] = subgroupShuffleXor(value, 1);
}
