#version 450
// The peak rate of multiply-adds: every invocation keeps eight sums in registers. Each step of a sum must wait for the
// one before, but not for other sums. The factor comes from the host and the sums go into memory, so that no compiler
// can predict them. No arrays and no inner loops: some drivers would then keep the sums in memory. f16 comes in pairs,
// which is what devices with 16-bit arithmetic compute at once; DOT: four products of 8 bits and their sum. Their sums
// are stored as words.
#ifdef F16
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define STORED uint
#define STORE(s) packHalf2x16(vec2(s))
#define FIRST T(id % 1024)
#else
#define STORED T
#define STORE(s) s
#define FIRST T(id)
#endif
#ifdef DOT
#extension GL_EXT_integer_dot_product : require
#define NEXT(s) dotPacked4x8EXT(s, factor) + term
#else
#define NEXT(s) s * factor + term
#endif

layout(local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) writeonly buffer Results { STORED results[]; };

layout(push_constant) uniform Work { uint steps, numerator, denominator; }; // src/lib/look/peaks.c: vkmm_peak_push

#define STEP \
    s0 = NEXT(s0), s1 = NEXT(s1), s2 = NEXT(s2), s3 = NEXT(s3); \
    s4 = NEXT(s4), s5 = NEXT(s5), s6 = NEXT(s6), s7 = NEXT(s7);

void main()
{
    const uint id = gl_GlobalInvocationID.x;
    const T factor = T(numerator) / T(denominator), term = T(1) - factor; // floats: 1/2, so that sums approach 1
    T s0 = FIRST, s1 = s0 + T(1), s2 = s0 + T(2), s3 = s0 + T(3);
    T s4 = s0 + T(4), s5 = s0 + T(5), s6 = s0 + T(6), s7 = s0 + T(7);
    for (uint step = 0; step < steps; step++) {
        STEP STEP STEP STEP STEP STEP STEP STEP
    }
    results[id] = STORE(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7);
}
