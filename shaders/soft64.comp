#version 450
#extension GL_GOOGLE_include_directive : require
// Software f64, for devices without 64-bit floats: everything is 32-bit integer arithmetic. An invocation computes one
// element of C, its terms in order, each rounded once as by a fused multiply-add. Loads cost nothing beside that, so
// that nothing is shared.
//   In a build with REDUCE: the second pass, which adds up the parts of K that the first one left in the workspace.
#if defined(REDUCE)
#define BIAS_BINDING 0
#endif
#include "contract.glsl"
#include "modular.glsl"
#include "soft64.glsl"

#if defined(REDUCE)
layout(constant_id = 44) const uint SCALARS = 0; // 1: α and β are in memory
layout(std430, set = 0, binding = 1) readonly buffer Scalars { uvec2 scalars[]; };
#else
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { uvec2 A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { uvec2 B[]; };
#endif
layout(std430, set = 0, binding = 2) buffer MatrixC { uvec2 C[]; };
layout(std430, set = 0, binding = 3) buffer Workspace { uvec2 partial[]; }; // batches × SPLITS × M × N, packed
layout(std430, set = 0, binding = BIAS_BINDING) readonly buffer Bias { uvec2 bias[]; };

#include "soft64_finish.glsl"

#if defined(REDUCE)
void main()
{
    const uint groups = (M * N + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; // of one matrix: the work items
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint element = item % groups * gl_WorkGroupSize.x + gl_LocalInvocationID.x, batch = item / groups;
        const uint i = element / N, j = element % N, at = OFFSET_C + batch * STRIDE_C + i * LDC + j;
        if (element >= M * N)
            continue;
        uvec2 sum = uvec2(0);
        for (uint split = 0; split < SPLITS; split++)
            sum = fused(uvec2(0, 0x3ff00000), partial[(batch * SPLITS + split) * M * N + element], sum);
        C[at] = finish(sum, SCALARS != 0 ? scalars[0] : ALPHA, SCALARS != 0 ? scalars[1] : BETA, at, i, j);
    }
}
#else
void main()
{
    const uint across = (N + COLS - 1) / COLS, tiles = (M + ROWS - 1) / ROWS * across, parts = SPLIT != 0 ? SPLITS : 1;
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint i = item % tiles / across * ROWS + gl_LocalInvocationID.y;
        const uint j = item % tiles % across * COLS + gl_LocalInvocationID.x;
        const uint part = item / tiles, batch = part / parts;
        const uint begin = SPLIT != 0 ? part % parts * SPLIT_DEPTH : 0;
        const uint end = SPLIT != 0 ? min(K, begin + SPLIT_DEPTH) : K;
        const uint step_a = TRANSPOSE_A != 0 ? LDA : 1, step_b = TRANSPOSE_B != 0 ? 1 : LDB;
        if (!inside(i, M, j, N))
            continue;
        uint a = OFFSET_A + batch * STRIDE_A + i * (TRANSPOSE_A != 0 ? 1 : LDA) + begin * step_a;
        uint b = OFFSET_B + batch * STRIDE_B + j * (TRANSPOSE_B != 0 ? LDB : 1) + begin * step_b;
        uvec2 sum = uvec2(0);
        for (uint k = begin; k < end; k++, a += step_a, b += step_b)
            sum = fused(A[a], B[b], sum);
        const uint at = OFFSET_C + batch * STRIDE_C + i * LDC + j;
        if (SPLIT != 0)
            partial[(part * M + i) * N + j] = sum;
        else
            C[at] = finish(sum, ALPHA, BETA, at, i, j);
    }
}
#endif
