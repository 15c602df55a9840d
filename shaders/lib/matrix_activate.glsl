// What coopmat.comp and coopmat2.comp share of the epilogue: the activation, and bf16. T is what α and β count in, and FLOATS is defined where that
// is float.
#ifdef FLOATS
// bf16: the upper half, rounded to the nearest, ties to even; a NaN stays one.
uint bfloat16_bits(float x)
{
    const uint bits = floatBitsToUint(x), rounded = bits + 0x7fffu + (bits >> 16 & 1u);
    return (isnan(x) ? bits | 0x400000u : rounded) >> 16;
}
#endif

T activate(T x)
{
    if (ACTIVATION == 1)
        return x < T(0) ? T(0) : x; // keeps a NaN
#ifdef FLOATS
    if (ACTIVATION == 2) // x/2·(1 + tanh(z)) is x / (1 + e^(-2z)), which loses nothing where tanh(z) comes close to -1
        return x / (1.0 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
#endif
    return x;
}
