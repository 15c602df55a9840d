// What the host pushes to every general kernel for a dispatch: src/kernel/contract.h.
layout(push_constant) uniform Product {
    uint M, N, K;
    uint LDA, LDB, LDC;                // elements from one stored row to the next
    uint OFFSET_A, OFFSET_B, OFFSET_C; // where the first element of the first matrix lies
    uint STRIDE_A, STRIDE_B, STRIDE_C; // from one matrix of the batch to the next
    uint SPLITS, SPLIT_DEPTH;          // K is summed in so many parts, each of SPLIT_DEPTH, a multiple of DEPTH
    uint FIRST, END;                   // work items of this dispatch: see gemm.glsl
    uvec2 ALPHA, BETA;                 // bits of the type in which they count
};

// The bounds check: tiles hang over the edges of matrices that they do not divide.
bool inside(uint row, uint rows, uint col, uint cols)
{
    return row < rows && col < cols;
}
