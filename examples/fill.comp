#version 450
// Fills a matrix of f16 with host_number times a power of two, which f16 holds exactly.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) writeonly buffer X { uint x[]; }; // pairs
layout(push_constant) uniform Constants { uint pairs, seed; float scale; };

float number(uint i)
{
    i = i * 747796405u + seed;
    i = (i ^ i >> 16) * 2246822519u;
    return scale * (float(i >> 24) - 128) / 128;
}

void main()
{
    for (uint i = gl_GlobalInvocationID.x; i < pairs; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x)
        x[i] = packHalf2x16(vec2(number(2 * i), number(2 * i + 1)));
}
