#version 450
// How fast the device copies its own memory: 16 bytes per invocation and iteration, in neighbouring invocations next to
// each other. vkCmdCopyBuffer may be slower (a quarter of this on an NVIDIA H200), so both are measured
// (src/lib/look/peaks.c).
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly buffer Source { uvec4 source[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Target { uvec4 target[]; };

layout(push_constant) uniform Work { uint count; }; // of uvec4

void main()
{
    const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < count; i += stride)
        target[i] = source[i];
}
