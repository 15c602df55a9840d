#version 450
// One workgroup normalizes one row of f16: y = x / sqrt(mean(x²)).
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer X { uvec4 x[]; }; // eight elements each
layout(set = 0, binding = 1) writeonly buffer Y { uvec4 y[]; };
layout(push_constant) uniform Constants { uint eighths; }; // of a row's length

shared float sums[128];

float squares(uint pair)
{
    vec2 both = unpackHalf2x16(pair);
    return dot(both, both);
}

uint times(float factor, uint pair)
{
    return packHalf2x16(factor * unpackHalf2x16(pair));
}

void main()
{
    uint me = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * eighths;
    float sum = 0;
    for (uint i = me; i < eighths; i += 128) {
        uvec4 v = x[row + i];
        sum += squares(v.x) + squares(v.y) + squares(v.z) + squares(v.w);
    }
    sums[me] = sum;
    for (uint others = 64; others > 0; others /= 2) {
        barrier();
        if (me < others) sums[me] += sums[me + others];
    }
    barrier();
    float factor = inversesqrt(sums[0] / (8 * eighths) + 1e-6);
    for (uint i = me; i < eighths; i += 128) {
        uvec4 v = x[row + i];
        y[row + i] = uvec4(times(factor, v.x), times(factor, v.y), times(factor, v.z), times(factor, v.w));
    }
}
