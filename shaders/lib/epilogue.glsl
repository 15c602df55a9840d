// Computes activation(α·sum + β·C + bias) from a sum. It is computed in S, the type of α and β: TYPE_F32 or TYPE_F64 is
// defined where that is float or double; else it is int or uint. The including shader defines how C and the bias are
// read.
S read_c(uint at);    // the element that many elements after the start of C's memory
S read_bias(uint at); // the bias of column, or row, `at`

S scalar(uvec2 bits)
{
#if defined(TYPE_F32)
    return uintBitsToFloat(bits.x);
#elif defined(TYPE_F64)
    return packDouble2x32(bits);
#else
    return S(bits.x);
#endif
}

#if defined(SCALARS_BINDING)
layout(constant_id = 44) const uint SCALARS = 0; // 1: α and β are in memory
layout(std430, set = 0, binding = SCALARS_BINDING) readonly buffer Scalars { S scalars[]; };
S alpha() { return SCALARS != 0 ? scalars[0] : scalar(ALPHA); }
S beta() { return SCALARS != 0 ? scalars[1] : scalar(BETA); }
#else
#define alpha() scalar(ALPHA)
#define beta() scalar(BETA)
#endif

// x·y + z, rounded once if the device can.
#if defined(TYPE_F32) || defined(TYPE_F64)
#define FUSED(x, y, z) fma(x, y, z)
#else
#define FUSED(x, y, z) ((x) * (y) + (z))
#endif

#if defined(TYPE_F32)
#include "bf16.glsl"

// The two elements in a word of C or of the bias, where these are f16 or bf16.
vec2 wide(uint word)
{
    return OUT == OUT_F16 ? unpackHalf2x16(word) : uintBitsToFloat(uvec2(word << 16, word & 0xffff0000));
}
#endif

#if defined(TYPE_F64)
#define TWICE_ROOT_TWO_OVER_PI 1.59576912160573071176lf
#define CUBIC 0.044715lf
// e^x: x = n·ln 2 + r with |r| ≤ ln 2 / 2, whose power series ends below the last bit after 13 terms.
double exponential(double x)
{
    const double y = clamp(x, -745.0lf, 709.0lf), n = roundEven(y * 1.4426950408889634074lf);
    const double r = fma(n, -1.9082149292705877e-10lf, fma(n, -6.93147180369123816490e-1lf, y));
    double sum = 1.0lf;
    for (int term = 13; term > 0; term--)
        sum = fma(sum, r / double(term), 1.0lf);
    const int half_n = int(n) / 2, rest = int(n) - half_n; // 2^n in two factors, of which each is a normal number
    const double first = packDouble2x32(uvec2(0, uint(1023 + half_n) << 20));
    const double second = packDouble2x32(uvec2(0, uint(1023 + rest) << 20));
    return sum * first * second;
}
#else
#define TWICE_ROOT_TWO_OVER_PI 1.59576912160573071176
#define CUBIC 0.044715
#define exponential exp
#endif

// GELU is x/2·(1 + tanh(z)), which is x / (1 + e^(-2z)): that loses nothing where tanh(z) comes close to -1.
S activate(S x)
{
    if (ACTIVATION == RELU)
        return x < S(0) ? S(0) : x; // a NaN is not less than 0, and stays
#if defined(TYPE_F32) || defined(TYPE_F64)
    if (ACTIVATION == GELU)
        return x / (S(1) + exponential(-TWICE_ROOT_TWO_OVER_PI * (x + CUBIC * x * x * x)));
#endif
    return x;
}

// C is not read if β is 0: its old value, perhaps a NaN, must have no effect. For NVIDIA's GPUs before Volta, Mesa 26.1
// does not compile the comparison of an f64 that all invocations share.
bool uses_c()
{
#if defined(TYPE_F64)
    const uvec2 bits = unpackDouble2x32(beta());
    return (bits.x | bits.y << 1) != 0;
#else
    return beta() != S(0);
#endif
}

S add_bias_and_activate(S x, uint i, uint j)
{
    if (BIAS != 0)
        x += read_bias(BIAS == BIAS_COLS ? j : i);
    return activate(x);
}

// Element (i, j) of C, which lies at `at`. Kernels that store vectors take the same steps for all elements of one
// together.
S finish(S sum, uint at, uint i, uint j)
{
    S x = alpha() * sum;
    if (uses_c())
        x = FUSED(beta(), read_c(at), x);
    return add_bias_and_activate(x, i, j);
}
