// What every kernel of a product C[M×N] = A[M×K] · B[K×N] shares: the contract with the host
// (src/lib/kernel/contract.h).
//
// All matrices are row-major and packed: element (i, j) of a matrix with n columns lies at i * n + j.
// T, the element type (float, double, int or uint), is the only thing that the build defines.

layout(local_size_x_id = 0, local_size_y_id = 1) in; // the workgroup's shape
layout(constant_id = 2) const uint ROWS = 16;        // rows of C that a workgroup computes at a time
layout(constant_id = 3) const uint COLS = 16;        // columns of C, likewise
layout(constant_id = 4) const uint DEPTH = 16;       // how far along K one step through shared memory goes

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { T A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { T B[]; };
layout(std430, set = 0, binding = 2) writeonly buffer MatrixC { T C[]; };

layout(push_constant) uniform Problem { uint M, N, K; };

// The bounds check: tiles hang over the edges of matrices that they do not divide.
bool inside(uint row, uint rows, uint col, uint cols)
{
    return row < rows && col < cols;
}
