// A row of A times a column of B, both straight from global memory: 2 K reads for one element of C.
T dot_product(uint row, uint col)
{
    T sum = T(0);
    for (uint k = 0; k < K; k++) {
        sum += A[row * K + k] * B[k * N + col];
        observe_global_a(row, k);
        observe_global_b(k, col);
        observe_sum(row, col, k, sum);
    }
    return sum;
}
