// What becomes of a sum: α·sum + β·C + bias, the activation, and the store. C may be narrower than S (NARROW_C: the constant OUT counts). Two
// elements then share a word of memory, and nobody may write half of it without 16-bit storage: kernels store where a vector of C is theirs
// alone, or where the build has STORAGE16; elsewhere the host has them leave their sums in the workspace, for reduce.comp.
#if defined(IN_F16) || defined(IN_BF16) || defined(ROUND_SUMS)
#define NARROW_C
layout(std430, set = 0, binding = 2) buffer WordPairsC { uvec2 CP[]; };
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer BiasWords { uint bias_words[]; };
#if defined(STORAGE16)
layout(std430, set = 0, binding = 2) buffer HalvesC { uint16_t CH[]; };
#define BITS_OF_C(at) uint(CH[at])
#elif defined(ROUND_SUMS)
layout(std430, set = 0, binding = 2) buffer WordsC { uint CW[]; };
#define BITS_OF_C(at) (CW[(at) / 2] >> 16 * ((at) % 2))
#else
#define BITS_OF_C(at) 0 // no element is stored alone
#endif

uint bf16_bits(float value)
{
    const uint bits = floatBitsToUint(value);
    return isnan(value) ? bits >> 16 | 0x40 : bits + 0x7fff + (bits >> 16 & 1) >> 16;
}

uint narrow_bits(float value) { return OUT == 1 ? f16_bits(value) : bf16_bits(value); }
float wide(uint bits) { return OUT == 1 ? unpackHalf2x16(bits & 0xffff).x : uintBitsToFloat(bits << 16); }
uvec2 narrow_bits(vec4 v) { return uvec2(narrow_bits(v.x) | narrow_bits(v.y) << 16, narrow_bits(v.z) | narrow_bits(v.w) << 16); }
vec4 wide(uvec2 pair) { return vec4(wide(pair.x), wide(pair.x >> 16), wide(pair.y), wide(pair.y >> 16)); }
#endif

S read_c(uint at)
{
#if defined(NARROW_C)
    if (OUT != 0)
        return wide(BITS_OF_C(at));
#endif
    return C[at];
}

SV read_vector_of_c(uint at)
{
#if defined(NARROW_C)
    if (OUT != 0)
        return wide(CP[at / 4]);
#endif
    return CV[at / VW];
}

S read_bias(uint at)
{
#if defined(NARROW_C)
    if (OUT != 0)
        return wide(bias_words[at / 2] >> 16 * (at % 2));
#endif
    return bias[at];
}

#if defined(TYPE_F64)
#define TWICE_ROOT_TWO_OVER_PI 1.59576912160573071176lf
#define CUBIC 0.044715lf
// e^x: x = n·ln 2 + r with |r| ≤ ln 2 / 2, whose power series ends below the last bit after 13 terms.
double exponential(double x)
{
    const double n = roundEven(clamp(x, -745.0lf, 709.0lf) * 1.4426950408889634074lf);
    const double r = fma(n, -1.9082149292705877e-10lf, fma(n, -6.93147180369123816490e-1lf, clamp(x, -745.0lf, 709.0lf)));
    double sum = 1.0lf;
    for (int term = 13; term > 0; term--)
        sum = fma(sum, r / double(term), 1.0lf);
    const int half_n = int(n) / 2; // 2^n in two factors, of which each is a normal number
    return sum * packDouble2x32(uvec2(0, uint(1023 + half_n) << 20)) * packDouble2x32(uvec2(0, uint(1023 + int(n) - half_n) << 20));
}
#else
#define TWICE_ROOT_TWO_OVER_PI 1.59576912160573071176
#define CUBIC 0.044715
#define exponential exp
#endif

// GELU is x/2·(1 + tanh(z)), which is x / (1 + e^(-2z)): that loses nothing where tanh(z) comes close to -1.
S activate(S x)
{
    if (ACTIVATION == 1)
        return x < S(0) ? S(0) : x; // a NaN is not less than 0, and stays
#if defined(TYPE_F32) || defined(TYPE_F64)
    if (ACTIVATION == 2)
        return x / (S(1) + exponential(-TWICE_ROOT_TWO_OVER_PI * (x + CUBIC * x * x * x)));
#endif
    return x;
}

// C is not read where β is 0: what lies there then, a NaN perhaps, must not count.
S finish(S sum, uint at, uint i, uint j)
{
    S result = scalar(ALPHA) * sum;
    if (scalar(BETA) != S(0))
        result = FUSED(scalar(BETA), read_c(at), result);
    if (BIAS != 0)
        result += read_bias(BIAS == 1 ? j : i);
    return ACTIVATION != 0 ? activate(result) : result;
}

// The same for VW neighbours in a row of C at once.
SV finish(SV sums, uint at, uint i, uint j)
{
    SV result = scalar(ALPHA) * sums;
    if (scalar(BETA) != S(0))
        result = FUSED(SV(scalar(BETA)), read_vector_of_c(at), result);
    if (BIAS != 0)
        [[unroll]] for (uint c = 0; c < VW; c++)
            result[c] += read_bias(BIAS == 1 ? j + c : i);
    if (ACTIVATION != 0)
        [[unroll]] for (uint c = 0; c < VW; c++)
            result[c] = activate(result[c]);
    return result;
}

void store(uint at, S value)
{
#if defined(NARROW_C) && defined(STORAGE16)
    if (OUT != 0) {
        CH[at] = uint16_t(narrow_bits(value));
        return;
    }
#endif
    C[at] = value;
}

void store(uint at, SV values)
{
#if defined(NARROW_C)
    if (OUT != 0) {
        CP[at / 4] = narrow_bits(values);
        return;
    }
#endif
    CV[at / VW] = values;
}
