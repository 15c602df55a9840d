#version 450
// How many multiply-adds the device does at best: every invocation carries eight sums in registers, each step of which must wait for
// the one before, but for none of another sum. The factor comes from the host and the sums go into memory, so that no compiler can
// foresee them. No arrays and no inner loops: some drivers would keep the sums in memory for them.
layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) writeonly buffer Results { T results[]; };

layout(push_constant) uniform Work { uint steps, numerator, denominator; }; // src/exec/peaks.c: vkmm_peak_push

#define STEP                                                                                                                   \
    s0 = s0 * factor + term, s1 = s1 * factor + term, s2 = s2 * factor + term, s3 = s3 * factor + term,                        \
    s4 = s4 * factor + term, s5 = s5 * factor + term, s6 = s6 * factor + term, s7 = s7 * factor + term;

void main()
{
    const uint id = gl_GlobalInvocationID.x;
    const T factor = T(numerator) / T(denominator), term = T(1) - factor; // floats: 1/2, so that sums approach 1
    T s0 = T(id), s1 = s0 + T(1), s2 = s0 + T(2), s3 = s0 + T(3), s4 = s0 + T(4), s5 = s0 + T(5), s6 = s0 + T(6), s7 = s0 + T(7);
    for (uint step = 0; step < steps; step++) {
        STEP STEP STEP STEP STEP STEP STEP STEP
    }
    results[id] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
}
