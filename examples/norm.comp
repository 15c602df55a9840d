#version 450
// One workgroup normalizes one row of f16: y = x / sqrt(mean(x²)).
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; }; // pairs
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Constants { uint pairs; }; // of a row

shared float sums[128];

void main()
{
    uint me = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * pairs;
    float sum = 0;
    for (uint i = me; i < pairs; i += 128) {
        vec2 pair = unpackHalf2x16(x[row + i]);
        sum += dot(pair, pair);
    }
    sums[me] = sum;
    for (uint half_of = 64; half_of > 0; half_of /= 2) {
        barrier();
        if (me < half_of) sums[me] += sums[me + half_of];
    }
    barrier();
    float factor = inversesqrt(sums[0] / (2 * pairs) + 1e-6);
    for (uint i = me; i < pairs; i += 128) y[row + i] = packHalf2x16(factor * unpackHalf2x16(x[row + i]));
}
