#version 450
#extension GL_GOOGLE_include_directive : require
// The second half of a product whose sums along K were split: adds the parts that blocked.comp or skinny.comp left in the workspace, in
// their order, so that every run gives the same bits, and stores C. Each invocation makes one element; neighbours make neighbours.
#include "gemm.glsl"

void main()
{
    const uint groups = (M * N + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; // of one matrix: the work items
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint element = item % groups * gl_WorkGroupSize.x + gl_LocalInvocationID.x, batch = item / groups;
        const uint i = element / N, j = element % N;
        if (inside(i, M, j, N)) {
            T sum = T(0);
            for (uint split = 0; split < SPLITS; split++)
                sum += partial[((batch * SPLITS + split) * M + i) * N + j];
            const uint at = OFFSET_C + batch * STRIDE_C + i * LDC + j;
            C[at] = finish(sum, at);
        }
    }
}
