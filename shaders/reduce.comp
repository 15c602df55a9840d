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

#if defined(SCALED)
// Sums are whole numbers. Those of a row and a column count in units of a 127th of the largest magnitude of each
// (quantize.comp), which lie in the workspace, from OFFSET_A and OFFSET_B on, or at the beginning of a packed operand,
// where the scalars would be.
layout(std430, set = 0, binding = 3) readonly buffer WholeSums { int whole[]; };
layout(constant_id = 49) const uint PACKED = 0; // 1: A, 2: B is packed
const uint NOT_A_NUMBER = 0x7fc00000;

float scaled(int sum, uint batch, uint i, uint j)
{
    const uint row = OFFSET_A + batch * STRIDE_A + i, col = OFFSET_B + batch * STRIDE_B + j;
    const float most_a = PACKED == 1 ? scalars[row] : partial[row], most_b = PACKED == 2 ? scalars[col] : partial[col];
    const float a = most_a * (1.0 / 127), b = most_b * (1.0 / 127);
    if (max(floatBitsToUint(most_a), floatBitsToUint(most_b)) >= 0x7f800000)
        return uintBitsToFloat(NOT_A_NUMBER);
    if (a * b >= 1.0 / 1099511627776.0) // no infinity but that of the result
        return sum == 0 ? 0 : float(sum) * (a * b);
    return float(sum) * max(a, b) * min(a, b);
}

S element(uint batch, uint i, uint j)
{
    int whole_sum = 0;
    for (uint split = 0; split < SPLITS; split++)
        whole_sum += whole[((batch * SPLITS + split) * (M - WHOLE_ROWS) + i - WHOLE_ROWS) * N + j];
    return finish(scaled(whole_sum, batch, i, j), OFFSET_C + batch * STRIDE_C + i * LDC + j, i, j);
}
#else
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
#endif

#if defined(NARROW_C)
// Elements of different rows, or matrices, share a word if one ends in its middle and the next follows directly: the
// invocation with the row in which the word begins computes both halves, so that no word is written twice. Elements
// outside all matrices are not changed.
void make_word(uint batch, uint i, uint w, bool is_last)
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
    else if (i + 1 == M && !is_last && joined)
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
            const uint batch = quotient(item, groups);
            const uint place = (item - batch * groups) * gl_WorkGroupSize.x + gl_LocalInvocationID.x, i = place / words;
            if (i < M)
                make_word(batch, i, place - i * words, (batch + 1) * groups >= END);
        }
        return;
    }
#endif
    const uint rows = M - WHOLE_ROWS; // those that have parts
    const uint groups = (rows * N + gl_WorkGroupSize.x - 1) / gl_WorkGroupSize.x; // of one matrix: the work items
    for (uint item = FIRST + gl_WorkGroupID.x; item < END; item += gl_NumWorkGroups.x) {
        const uint batch = quotient(item, groups);
        const uint place = (item - batch * groups) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        const uint row = place / N, i = WHOLE_ROWS + row, j = place - row * N;
        if (inside(i, M, j, N))
            C[OFFSET_C + batch * STRIDE_C + i * LDC + j] = element(batch, i, j);
    }
}
