#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// A kernel as small as one can be that takes every problem: each invocation computes one element of C, straight from
// global memory. Made for products with K = 1, where each element of C is one product, and there is nothing to share.
#include "gemm.glsl"

void main()
{
    const uint tileCols = (N + COLS - 1) / COLS, tiles = (M + ROWS - 1) / ROWS * tileCols;
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint i = item % tiles / tileCols * ROWS + gl_LocalInvocationID.y;
        const uint j = item % tileCols * COLS + gl_LocalInvocationID.x;
        const uint part = item / tiles, batch = part / SPLITS;
        const uint begin = part % SPLITS * SPLIT_DEPTH, end = min(K, begin + SPLIT_DEPTH);
        const uint baseA = OFFSET_A + batch * STRIDE_A, baseB = OFFSET_B + batch * STRIDE_B;
        const uint baseC = OFFSET_C + batch * STRIDE_C;
        if (!inside(i, M, j, N))
            continue;
        T sum = T(0);
        for (uint k = begin; k < end; k++)
            sum = MULTIPLY_ADD(value_of(ELEMENT_A(baseA + (TRANSPOSE_A != 0 ? k * LDA + i : i * LDA + k))),
                               value_of(ELEMENT_B(baseB + (TRANSPOSE_B != 0 ? j * LDB + k : k * LDB + j))), sum);
        if (SPLIT != 0)
            partial[(part * M + i) * N + j] = S(sum);
        else
            store(baseC + i * LDC + j, finish(S(sum), baseC + i * LDC + j, i, j));
    }
}
