// What the kernels of matrix operations share: the contract with the host (src/kernel/contract.h) as in gemm.glsl, over memory that is seen as words,
// because which types lie there does not show in how they travel. The build defines T, the type in which α, β and the bias count (float, int or
// uint), and FLOATS where that is float.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint ROWS = 16;        // rows of C that a workgroup computes at a time
layout(constant_id = 3) const uint COLS = 16;        // columns of C, likewise
layout(constant_id = 4) const uint DEPTH = 16;       // how far along K one step goes
layout(constant_id = 5) const uint TRANSPOSE_A = 0;  // op(A) = Aᵀ: A is stored K×M
layout(constant_id = 6) const uint TRANSPOSE_B = 0;  // op(B) = Bᵀ: B is stored N×K
layout(constant_id = 7) const uint ALIGNED = 0;      // bits 0, 1, 2: rows of A, B, C begin and end at multiples of 16 bytes
layout(constant_id = 8) const uint SPLIT = 0;        // 1: sums go into the workspace, those of SPLITS parts of K
layout(constant_id = 40) const uint OUT = 0;         // C holds 0: T, 1: f16, 2: bf16
layout(constant_id = 41) const uint BIAS = 0;        // 1: an element for each column of C, 2: for each row
layout(constant_id = 42) const uint ACTIVATION = 0;  // 1: max(x, 0), 2: GELU

const bool VECTORS_A = (ALIGNED & 1) != 0, VECTORS_B = (ALIGNED & 2) != 0, VECTORS_C = (ALIGNED & 4) != 0;

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uint A[]; };
layout(std430, set = 0, binding = 0) readonly buffer VectorsA { uvec4 AV[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uint B[]; };
layout(std430, set = 0, binding = 1) readonly buffer VectorsB { uvec4 BV[]; };
layout(std430, set = 0, binding = 2) buffer MatrixC { uint C[]; };
layout(std430, set = 0, binding = 2) buffer VectorsC { uvec4 CV[]; };
layout(std430, set = 0, binding = 3) buffer Workspace { uint partial[]; }; // of T: batches × SPLITS × M × N, packed
layout(std430, set = 0, binding = 3) buffer WorkspaceVectors { uvec4 partialV[]; };
#define BIAS_BINDING 3 // as gemm.glsl says
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer Bias { uint bias[]; };

#include "push.glsl"
#include "matrix_activate.glsl"

T scalar(uint bits)
{
#ifdef FLOATS
    return uintBitsToFloat(bits);
#else
    return T(bits);
#endif
}

uint bits_of(T value)
{
#ifdef FLOATS
    return floatBitsToUint(value);
#else
    return uint(value);
#endif
}

// An element of a word array, as C's type says.
#define ELEMENT(words, at) (OUT == 0 ? scalar((words)[at]) : narrow_element((words)[(at) / 2], (at) % 2))

T narrow_element(uint word, uint which)
{
#ifdef FLOATS
    return OUT == 1 ? unpackHalf2x16(word)[which] : uintBitsToFloat(which == 0 ? word << 16 : word & 0xffff0000u);
#else
    return T(0);
#endif
}

// Two neighbours of C where it is narrower than T.
uint narrow_pair(T x, T y)
{
#ifdef FLOATS
    return OUT == 1 ? packFloat2x16(f16vec2(x, y)) : bfloat16_bits(x) | bfloat16_bits(y) << 16;
#else
    return 0;
#endif
}

T bias_of(uint i, uint j)
{
    const uint which = BIAS == 1 ? j : i;
    return ELEMENT(bias, which);
}

// activation(α·sum + β·C + bias). C is not read where β is 0: what lies there then, a NaN perhaps, must not count.
T finish(T sum, uint i, uint j, uint at)
{
    T result = scalar(ALPHA.x) * sum;
    if (scalar(BETA.x) != T(0))
        result += scalar(BETA.x) * ELEMENT(C, at);
    if (BIAS != 0)
        result += bias_of(i, j);
    return activate(result);
}
