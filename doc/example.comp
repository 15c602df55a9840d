#version 450
// A start for your own kernel:  vkmatmul --shader example.comp --tile 16
// C[MxN] = A[MxK] * B[KxN], row-major. vkmatmul defines T, the element type.

layout(local_size_x_id = 0, local_size_y_id = 1) in; // COLS x ROWS
layout(constant_id = 2) const uint ROWS = 16;  // of C in a workgroup's tile
layout(constant_id = 3) const uint COLS = 16;
layout(constant_id = 4) const uint DEPTH = 16; // a step along K, if you need it

layout(std430, set = 0, binding = 0) readonly buffer MatrixA { T A[]; };
layout(std430, set = 0, binding = 1) readonly buffer MatrixB { T B[]; };
layout(std430, set = 0, binding = 2) writeonly buffer MatrixC { T C[]; };

layout(push_constant) uniform Problem { uint M, N, K; };

void element(uint row, uint col)
{
    if (row >= M || col >= N)
        return; // tiles hang over the edges
    T sum = T(0);
    for (uint k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

void main()
{
    // Devices limit the number of workgroups, so each takes several tiles.
    const uvec2 stride = gl_NumWorkGroups.xy * uvec2(COLS, ROWS);

    for (uint i = gl_WorkGroupID.y * ROWS; i < M; i += stride.y)
        for (uint j = gl_WorkGroupID.x * COLS; j < N; j += stride.x)
            element(i + gl_LocalInvocationID.y, j + gl_LocalInvocationID.x);
}
