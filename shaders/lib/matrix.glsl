// What coopmat.comp has in addition to the contract: A, B, C, the bias and the workspace in memory, all accessed as
// words, because copies do not depend on the types. The build defines S, the type in which α, β and the bias are
// computed (float, int or uint), TYPE_F32 where that is float, and STORAGE16 if elements of C can have 16 bits.
#ifdef STORAGE16
#extension GL_EXT_shader_16bit_storage : require
#endif
#include "contract.glsl"

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 0) readonly buffer VectorsA { uvec4 AV[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 1) readonly buffer VectorsB { uvec4 BV[]; };
layout(std430, set = 0, binding = 2) buffer MatrixC { uint C[]; };
layout(std430, set = 0, binding = 2) buffer VectorsC { uvec4 CV[]; };
layout(std430, set = 0, binding = 3) buffer Workspace { uint partial[]; }; // of S: batches × SPLITS × M × N, packed
layout(std430, set = 0, binding = 3) buffer WorkspaceVectors { uvec4 partialV[]; };
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer Bias { uint bias[]; };
#ifdef STORAGE16
layout(std430, set = 0, binding = 2) buffer HalvesC { uint16_t CH[]; };
#endif

#include "epilogue.glsl"

// S in a word of memory; elements of C or of the bias that are narrower, two in a word.
#ifdef TYPE_F32
S from_word(uint word) { return uintBitsToFloat(word); }
uint to_word(S value) { return floatBitsToUint(value); }
S narrow_element(uint word, uint which) { return wide(word)[which]; }
uint narrow_pair(S x, S y) { return OUT == OUT_F16 ? packFloat2x16(f16vec2(x, y)) : bf16_bits(x) | bf16_bits(y) << 16; }
#else
S from_word(uint word) { return S(word); }
uint to_word(S value) { return uint(value); }
S narrow_element(uint word, uint which) { return S(0); } // there are none
uint narrow_pair(S x, S y) { return 0; }
#endif

S read_c(uint at)
{
#ifdef STORAGE16
    if (OUT != 0)
        return narrow_element(uint(CH[at]), 0);
#endif
    return from_word(C[at]);
}

void store_c(uint at, S value)
{
#ifdef STORAGE16
    if (OUT != 0) {
        CH[at] = uint16_t(narrow_pair(value, S(0)));
        return;
    }
#endif
    C[at] = to_word(value);
}

S read_bias(uint at) { return OUT == 0 ? from_word(bias[at]) : narrow_element(bias[at / 2], at % 2); }
