#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The second half of a product whose sums along K were split: adds the parts that the other kernels stored in the
// workspace, in order, so that every run gives the same bits, and stores C. Each invocation computes one element;
// neighbours compute neighbours. If C is narrower, each computes a word of 32 bits.
#if defined(TYPE_F32)
#define ROUND_SUMS
#endif
#define BIAS_BINDING 0
#define SCALARS_BINDING 1
#include "gemm.glsl"
layout(constant_id = 43) const uint HALF_SUMS = 0; // 1: sums are rounded to f16

S element(uint batch, uint i, uint j)
{
    S sum = S(0);
    for (uint split = 0; split < SPLITS; split++) {
        sum += partial[((batch * SPLITS + split) * (M - WHOLE_ROWS) + i - WHOLE_ROWS) * N + j];
#if defined(ROUND_SUMS)
        if (HALF_SUMS != 0)
            sum = round_f16(sum);
#endif
    }
    if (SCALARS != 0 && alpha() == S(0))
        sum = S(0); // the product does not count, not even a NaN
    return finish(sum, OFFSET_C + batch * STRIDE_C + i * LDC + j, i, j);
}

#if defined(NARROW_C)
// Elements of different rows, or matrices, share a word if one ends in its middle and the next follows directly: the
// invocation with the row in which the word begins computes both halves, so that no word is written twice. Elements
// outside all matrices are not changed.
void make_word(uint batch, uint i, uint w, uint batches)
{
    const uint first = OFFSET_C + batch * STRIDE_C + i * LDC, end = first + N, word = first / 2 + w, at = 2 * word;
    const bool dense = LDC == N, joined = STRIDE_C == (M - 1) * LDC + N;
    if (at >= end || (at < first && (i > 0 ? dense : batch > 0 && joined)))
        return;
    uint low, high;
    bool low_made = at >= first, high_made = true;
    if (low_made)
        low = narrow_bits(element(batch, i, at - first));
    if (at + 1 < end)
        high = narrow_bits(element(batch, i, at + 1 - first));
    else if (i + 1 < M && dense)
        high = narrow_bits(element(batch, i + 1, 0));
    else if (i + 1 == M && batch + 1 < batches && joined)
        high = narrow_bits(element(batch + 1, 0, 0));
    else
        high_made = false;
    const uint old = low_made && high_made ? 0 : CW[word];
    CW[word] = (low_made ? low : old & 0xffff) | (high_made ? high << 16 : old & 0xffff0000);
}
#endif

void main()
{
#if defined(NARROW_C)
    if (OUT != 0) {
        const uint words = N / 2 + 1; // of a row
        const uint groups = (M * words + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; // of a matrix
        for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
            const uint place = item % groups * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
            if (place < M * words)
                make_word(item / groups, place / words, place % words, END / groups);
        }
        return;
    }
#endif
    const uint rows = M - WHOLE_ROWS; // those that have parts
    const uint groups = (rows * N + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; // of one matrix: the work items
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint element_index = item % groups * gl_WorkGroupSize.x + gl_LocalInvocationID.x, batch = item / groups;
        const uint i = WHOLE_ROWS + element_index / N, j = element_index % N;
        if (inside(i, M, j, N))
            C[OFFSET_C + batch * STRIDE_C + i * LDC + j] = element(batch, i, j);
    }
}
