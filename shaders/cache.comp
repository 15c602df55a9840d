#version 450
// How fast the device copies memory that a cache holds: the loop of copy.comp, `rounds` times over the same buffers
// (src/lib/look/rates.c). In each round a workgroup copies what another one copied before, so that the caches of single
// cores help little.
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly buffer Source { uvec4 source[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Target { uvec4 target[]; };

layout(push_constant) uniform Work { uint count, rounds; }; // of uvec4: a power of two

void main()
{
    const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint round = 0; round < rounds; round++)
        for (uint i = gl_GlobalInvocationID.x; i < count; i += stride) {
            const uint at = (i + round * 7 * gl_WorkGroupSize.x) & (count - 1);
            target[at] = source[at];
        }
}
