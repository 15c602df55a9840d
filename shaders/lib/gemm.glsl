// What the fast kernels share: C ← activation(α·op(A)·op(B) + β·C + bias) for a batch of matrices. The contract with the host is
// src/kernel/contract.h.
//
// The host has turned column-major problems into row-major ones, so op alone is left: element (i, k) of op(A) lies at i * LDA + k, or at
// k * LDA + i where A is transposed; element (k, j) of op(B) at k * LDB + j, or at j * LDB + k; element (i, j) of C at i * LDC + j.
//
// The build defines what sums are made of, T (float, double, int or uint), TV, a vector of it (vec4, dvec2, ivec4, uvec4), its length VW, and
// TYPE_F32, TYPE_F64, TYPE_I32 or TYPE_U32; and where A and B have another type than the sums, what lib/narrow.glsl lists. α, β, the bias, the
// workspace and the epilogue are of type S (and SV), which is T, unless sums are 16-bit floats.
#if defined(STORAGE16)
#extension GL_EXT_shader_16bit_storage : require
#endif
#if defined(SUM_F16)
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#if defined(DOT8)
#extension GL_EXT_integer_dot_product : require
#endif
#ifndef S
#define S T
#define SV TV
#endif

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint ROWS = 16;        // rows of C that a workgroup computes at a time
layout(constant_id = 3) const uint COLS = 16;        // columns of C, likewise
layout(constant_id = 4) const uint DEPTH = 8;        // how far along K one step goes
layout(constant_id = 5) const uint TRANSPOSE_A = 0;  // op(A) = Aᵀ: A is stored K×M
layout(constant_id = 6) const uint TRANSPOSE_B = 0;  // op(B) = Bᵀ: B is stored N×K
layout(constant_id = 7) const uint ALIGNED = 0;      // bits 0, 1, 2: rows of A, B, C begin and end at multiples of VW elements
layout(constant_id = 8) const uint SPLIT = 0;        // 1: K is summed in SPLITS parts, whose sums go into the workspace
layout(constant_id = 40) const uint OUT = 0;         // how C and the bias are stored: 0: as S; 1: f16; 2: bf16
layout(constant_id = 41) const uint BIAS = 0;        // 1: an element for each column of C; 2: for each row
layout(constant_id = 42) const uint ACTIVATION = 0;  // 1: max(x, 0); 2: GELU

const bool VECTORS_A = (ALIGNED & 1) != 0, VECTORS_B = (ALIGNED & 2) != 0, VECTORS_C = (ALIGNED & 4) != 0;

// A and B: A[] and B[] element by element, AV[] and BV[] VW elements at a time, AQ[] and BQ[] 16 bytes at a time.
#include "narrow.glsl"

// C, the workspace and the bias, each element by element and as vectors.
layout(std430, set = 0, binding = 2) buffer MatrixC { S C[]; };
layout(std430, set = 0, binding = 2) buffer VectorsC { SV CV[]; };
layout(std430, set = 0, binding = 3) buffer Workspace { S partial[]; }; // sums of parts of K: batches × SPLITS × M × N, packed
layout(std430, set = 0, binding = 3) buffer WorkspaceVectors { SV VP[]; };
// Where the bias is bound: with the workspace, which a pass that adds the bias does not need; in the second pass with A. A fifth binding would be more
// than Vulkan grants (maxPerStageDescriptorStorageBuffers: 4).
#ifndef BIAS_BINDING
#define BIAS_BINDING 3
#endif
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer Bias { S bias[]; };

#include "push.glsl"

// Work is counted in items: tiles of C, fastest; then parts of K; then matrices of the batch. Item i is tile i % tiles of part
// i / tiles % SPLITS of matrix i / tiles / SPLITS. A dispatch does the items FIRST … END - 1, and each of its workgroups every
// gl_NumWorkGroups.x-th of them, because devices limit the number of workgroups, and desktops how long a dispatch may take.

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

// x·y + z, rounded once where the device can: the one operation that counts.
#if defined(TYPE_F32) || defined(TYPE_F64)
#define FUSED(x, y, z) fma(x, y, z)
#else
#define FUSED(x, y, z) ((x) * (y) + (z))
#endif
#if defined(ROUND_F16)
#define MULTIPLY_ADD(x, y, z) round_f16(fma(x, y, z))
#define ADD(x, y) round_f16((x) + (y))
#else
#define MULTIPLY_ADD(x, y, z) FUSED(x, y, z)
#define ADD(x, y) ((x) + (y))
#endif

#include "epilogue.glsl"
