// How the kernels over gemm.glsl read C and the bias, and store C. C may be narrower than S (NARROW_C: the constant OUT
// counts). Two elements then share a word of memory, and nobody may write half of it without 16-bit storage: kernels
// store where a vector of C is theirs alone, or where the build has STORAGE16; elsewhere the host has them leave their
// sums in the workspace, for reduce.comp.
#if defined(IN_F16) || defined(IN_BF16) || defined(IN_F8) || defined(BLOCKS) || defined(ROUND_SUMS)
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

uint narrow_bits(float value) { return OUT == OUT_F16 ? f16_bits(value) : bf16_bits(value); }
uvec2 narrow_bits(vec4 v)
{
    return uvec2(narrow_bits(v.x) | narrow_bits(v.y) << 16, narrow_bits(v.z) | narrow_bits(v.w) << 16);
}
#endif

S read_c(uint at)
{
#if defined(NARROW_C)
    if (OUT != 0)
        return wide(BITS_OF_C(at)).x;
#endif
    return C[at];
}

SV read_vector_of_c(uint at)
{
#if defined(NARROW_C)
    if (OUT != 0) {
        const uvec2 words = CP[at / 4];
        return SV(wide(words.x), wide(words.y));
    }
#endif
    return CV[at / VW];
}

S read_bias(uint at)
{
#if defined(NARROW_C)
    if (OUT != 0)
        return wide(bias_words[at / 2] >> 16 * (at % 2)).x;
#endif
    return bias[at];
}

// `finish` for VW neighbours in a row of C at once.
SV finish(SV sums, uint at, uint i, uint j)
{
    SV x = alpha() * sums;
    if (uses_c())
        x = FUSED(SV(beta()), read_vector_of_c(at), x);
    if (BIAS != 0 || ACTIVATION != 0)
        [[unroll]] for (uint c = 0; c < VW; c++)
            x[c] = add_bias_and_activate(x[c], i, j + c);
    return x;
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
