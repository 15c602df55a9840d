// What the host tells every general kernel (src/lib/kernel/contract.h): C ← activation(α·op(A)·op(B) + β·C + bias) for
// a batch of matrices.
//
// The host has converted column-major problems to row-major ones, so only op is left:
//     element (i, k) of op(A) lies at i * LDA + k, or at k * LDA + i where A is transposed;
//     element (k, j) of op(B) lies at k * LDB + j, or at j * LDB + k where B is transposed;
//     element (i, j) of C lies at i * LDC + j.
//
// Work is counted in items: tiles of C, fastest; then parts of K; then matrices of the batch. Item i is tile i % tiles
// of part i / tiles % SPLITS of matrix i / tiles / SPLITS. If WHOLE_ROWS is not 0, the tiles of the first WHOLE_ROWS
// rows come first, with all of K, and only the others have parts. A dispatch does the items FIRST … END - 1, and each
// of its workgroups every gl_NumWorkGroups.x-th of them, because devices limit the number of workgroups, and desktops
// how long a dispatch may take.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint ROWS = 16;        // rows of C that a workgroup computes at a time
layout(constant_id = 3) const uint COLS = 16;        // columns of C, likewise
layout(constant_id = 4) const uint DEPTH = 16;       // how far along K one step goes
layout(constant_id = 5) const uint TRANSPOSE_A = 0;  // op(A) = Aᵀ: A is stored K×M
layout(constant_id = 6) const uint TRANSPOSE_B = 0;  // op(B) = Bᵀ: B is stored N×K
layout(constant_id = 7) const uint ALIGNED = 0;      // bits 0, 1, 2: all rows of A, B, C are whole vectors
layout(constant_id = 8) const uint SPLIT = 0;        // 1: sums go into the workspace, those of SPLITS parts of K
layout(constant_id = 40) const uint OUT = 0;         // how C and the bias are stored: 0: as S; or OUT_…
layout(constant_id = 41) const uint BIAS = 0;        // 0: none; or BIAS_…
layout(constant_id = 42) const uint ACTIVATION = 0;  // 0: none; or RELU, GELU
const uint OUT_F16 = 1, OUT_BF16 = 2, OUT_REMAINDERS = 3;
const uint BIAS_COLS = 1, BIAS_ROWS = 2; // an element for each column of C; for each row
const uint RELU = 1, GELU = 2;           // max(x, 0); x·Φ(x), approximated with tanh

const bool VECTORS_A = (ALIGNED & 1) != 0, VECTORS_B = (ALIGNED & 2) != 0, VECTORS_C = (ALIGNED & 4) != 0;

// Where the bias is bound: with the workspace, because a fifth binding would be more than Vulkan guarantees
// (maxPerStageDescriptorStorageBuffers: 4), and a pass that fills the workspace adds no bias. The second pass,
// reduce.comp, reads the workspace and not A, and has the bias there.
#ifndef BIAS_BINDING
#define BIAS_BINDING 3
#endif

layout(push_constant) uniform Product {
    uint M, N, K;
    uint LDA, LDB, LDC;                // elements from one stored row to the next
    uint OFFSET_A, OFFSET_B, OFFSET_C; // where the first element of the first matrix lies
    uint STRIDE_A, STRIDE_B, STRIDE_C; // from one matrix of the batch to the next
    uint SPLITS, SPLIT_DEPTH;          // K is summed in so many parts, each of SPLIT_DEPTH, a multiple of DEPTH
    uint FIRST, END;                   // work items of this dispatch
    uvec2 ALPHA, BETA;                 // bits of the type in which they count
    // Split products only (lib/parts.glsl); otherwise 0:
    uint WHOLE_ROWS;                   // a multiple of ROWS, and 0 for a batch
    uint RUN;                          // elements along K, of both parts: a multiple of DEPTH (coopmat.comp)
    // OUT_REMAINDERS: RUN matrices have moduli of their own, and the next RUN the same again.
};

// x / by for an x that is mostly less than it: a division takes longer than all else before the first read.
uint quotient(uint x, uint by)
{
    return x < by ? 0 : x / by;
}

// The bounds check: tiles hang over the edges of matrices that they do not divide.
bool inside(uint row, uint rows, uint col, uint cols)
{
    return row < rows && col < cols;
}
