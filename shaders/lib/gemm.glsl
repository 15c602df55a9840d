// What the fast kernels share: C ← α·op(A)·op(B) + β·C for a batch of matrices. The contract with the host is src/kernel/contract.h.
//
// The host has turned column-major problems into row-major ones, so op alone is left: element (i, k) of op(A) lies at i * LDA + k, or at
// k * LDA + i where A is transposed; element (k, j) of op(B) at k * LDB + j, or at j * LDB + k; element (i, j) of C at i * LDC + j.
//
// The build defines the element type T (float, double, int or uint), TV, the vector of 16 bytes of it (vec4, dvec2, ivec4, uvec4), its
// length VW, and TYPE_F32, TYPE_F64, TYPE_I32 or TYPE_U32.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint ROWS = 16;        // rows of C that a workgroup computes at a time
layout(constant_id = 3) const uint COLS = 16;        // columns of C, likewise
layout(constant_id = 4) const uint DEPTH = 8;        // how far along K one step goes
layout(constant_id = 5) const uint TRANSPOSE_A = 0;  // op(A) = Aᵀ: A is stored K×M
layout(constant_id = 6) const uint TRANSPOSE_B = 0;  // op(B) = Bᵀ: B is stored N×K
layout(constant_id = 7) const uint ALIGNED = 0;      // bits 0, 1, 2: rows of A, B, C begin and end at multiples of VW elements
layout(constant_id = 8) const uint SPLIT = 0;        // 1: K is summed in SPLITS parts, whose sums go into the workspace

const bool VECTORS_A = (ALIGNED & 1) != 0, VECTORS_B = (ALIGNED & 2) != 0, VECTORS_C = (ALIGNED & 4) != 0;

// Each matrix twice: element by element, and 16 bytes at a time.
layout(std430, set = 0, binding = 0) readonly buffer MatrixA { T A[]; };
layout(std430, set = 0, binding = 0) readonly buffer VectorsA { TV AV[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { T B[]; };
layout(std430, set = 0, binding = 1) readonly buffer VectorsB { TV BV[]; };
layout(std430, set = 0, binding = 2) buffer MatrixC { T C[]; };
layout(std430, set = 0, binding = 2) buffer VectorsC { TV CV[]; };
layout(std430, set = 0, binding = 3) buffer Workspace { T partial[]; }; // sums of parts of K: batches × SPLITS × M × N, packed
layout(std430, set = 0, binding = 3) buffer WorkspaceVectors { TV VP[]; };

layout(push_constant) uniform Product {
    uint M, N, K;
    uint LDA, LDB, LDC;                // elements from one stored row to the next
    uint OFFSET_A, OFFSET_B, OFFSET_C; // where the first element of the first matrix lies
    uint STRIDE_A, STRIDE_B, STRIDE_C; // from one matrix of the batch to the next
    uint SPLITS, SPLIT_DEPTH;          // K is summed in so many parts, each of SPLIT_DEPTH, a multiple of DEPTH
    uint FIRST, END;                   // work items of this dispatch: see below
    uvec2 ALPHA, BETA;                 // bits of a T
};

// Work is counted in items: tiles of C, fastest; then parts of K; then matrices of the batch. Item i is tile i % tiles of part
// i / tiles % SPLITS of matrix i / tiles / SPLITS. A dispatch does the items FIRST … END - 1, and each of its workgroups every
// gl_NumWorkGroups.x-th of them, because devices limit the number of workgroups, and desktops how long a dispatch may take.

T scalar(uvec2 bits)
{
#if defined(TYPE_F32)
    return uintBitsToFloat(bits.x);
#elif defined(TYPE_F64)
    return packDouble2x32(bits);
#else
    return T(bits.x);
#endif
}

// x·y + z, rounded once where the device can: the one operation that counts.
#if defined(TYPE_F32) || defined(TYPE_F64)
#define MULTIPLY_ADD(x, y, z) fma(x, y, z)
#else
#define MULTIPLY_ADD(x, y, z) ((x) * (y) + (z))
#endif

// The bounds check: tiles hang over the edges of matrices that they do not divide.
bool inside(uint row, uint rows, uint col, uint cols)
{
    return row < rows && col < cols;
}

// α·sum + β·C. C is not read where β is 0: what lies there then, a NaN perhaps, must not count.
T finish(T sum, uint at)
{
    T result = scalar(ALPHA) * sum;
    if (scalar(BETA) != T(0))
        result = MULTIPLY_ADD(scalar(BETA), C[at], result);
    return result;
}

// The same for VW neighbours in a row of C at once.
TV finish(TV sums, uint at)
{
    TV result = scalar(ALPHA) * sums;
    if (scalar(BETA) != T(0))
        result = MULTIPLY_ADD(TV(scalar(BETA)), CV[at / VW], result);
    return result;
}
