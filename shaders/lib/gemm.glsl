// What the general kernels without matrix operations share: A, B, C, the bias and the workspace in memory.
//
// The build defines what sums are made of, T (float, double, int or uint), TV, a vector of it (vec4, dvec2, ivec4,
// uvec4), its length VW, and TYPE_F32, TYPE_F64, TYPE_I32 or TYPE_U32; and where A and B have another type than the
// sums, what lib/narrow.glsl lists. α, β, the bias, the workspace and the epilogue are of type S (and SV), which is T,
// unless sums are 16-bit floats.
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
#include "contract.glsl"

// A and B: A[] and B[] element by element, AV[] and BV[] VW elements at a time, AQ[] and BQ[] 16 bytes at a time.
#include "narrow.glsl"

// C, the workspace and the bias, each element by element and as vectors.
layout(std430, set = 0, binding = 2) buffer MatrixC { S C[]; };
layout(std430, set = 0, binding = 2) buffer VectorsC { SV CV[]; };
layout(std430, set = 0, binding = 3) buffer Workspace { S partial[]; }; // parts of K: batches × SPLITS × M × N, packed
layout(std430, set = 0, binding = 3) buffer WorkspaceVectors { SV VP[]; };
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer Bias { S bias[]; };

#include "epilogue.glsl"
#include "store.glsl"

// One multiply-add of a sum, and one addition to it.
#if defined(ROUND_F16)
#define MULTIPLY_ADD(x, y, z) round_f16(fma(x, y, z))
#define ADD(x, y) round_f16((x) + (y))
#else
#define MULTIPLY_ADD(x, y, z) FUSED(x, y, z)
#define ADD(x, y) ((x) + (y))
#endif
