// Matrices behind pointers, for coopmat2.comp: READ_A and READ_B for those that lie inside, READ_A_BOUNDED and
// READ_B_BOUNDED element by element, STORE either way. A pointer must be aligned, as far as a row of the matrix is
// long: so must LDA, or it is element by element again.

TA element_a(const in uint r, const in uint c, const in TA none, const in uint row, const in uint k, const in uint end,
             const in uint base)
{
    const uint i = row + r, l = k + c;
    if (!inside(i, M, l, end))
        return TA(0);
    return A[base + (TRANSPOSE_A != 0 ? l * LDA + i : i * LDA + l)];
}

TA element_b(const in uint r, const in uint c, const in TA none, const in uint k, const in uint col, const in uint end,
             const in uint base)
{
    const uint l = k + r, j = col + c;
    if (!inside(l, end, j, N))
        return TA(0);
    return B[base + (TRANSPOSE_B != 0 ? j * LDB + l : l * LDB + j)];
}

const bool FAST_A = WHOLE != 0 && VECTORS_A, FAST_B = WHOLE != 0 && VECTORS_B;

#define PREPARE

#define READ_A(a, k) { \
    if (TRANSPOSE_A != 0) \
        coopMatLoad(a, A, baseA + (k) * LDA + row, LDA, gl_CooperativeMatrixLayoutColumnMajor); \
    else \
        coopMatLoad(a, A, baseA + row * LDA + (k), LDA, gl_CooperativeMatrixLayoutRowMajor); \
}
#define READ_B(b, k) { \
    if (TRANSPOSE_B != 0) \
        coopMatLoad(b, B, baseB + col * LDB + (k), LDB, gl_CooperativeMatrixLayoutColumnMajor); \
    else \
        coopMatLoad(b, B, baseB + (k) * LDB + col, LDB, gl_CooperativeMatrixLayoutRowMajor); \
}
#define READ_A_BOUNDED(a, k) { coopMatPerElementNV(a, a, element_a, row, k, end, baseA); }
#define READ_B_BOUNDED(b, k) { coopMatPerElementNV(b, b, element_b, k, col, end, baseB); }

#define STORING(name, type, memory, narrow) \
type name(const in uint r, const in uint c, const in type value, const in uint row, const in uint col, \
          const in uint base, const in uint ld) \
{ \
    const uint i = row + r, j = col + c; \
    if (inside(i, M, j, N)) \
        memory[base + i * ld + j] = narrow(value); \
    return value; \
}
STORING(store_C, S, C, S)
STORING(store_partial, S, partial, S)
#ifdef HAS_NARROW
STORING(store_CN, S, CN, TA)
#endif

#define STORE_ELEMENTS(matrix, memory, base, ld) { \
    Sums(S) stored = matrix; \
    coopMatPerElementNV(stored, stored, store_##memory, row, col, base, ld); \
}
#define STORE(matrix, memory, base, ld) { \
    if (whole && VECTORS_C) \
        coopMatStore(matrix, memory, (base) + row * (ld) + col, ld, gl_CooperativeMatrixLayoutRowMajor); \
    else \
        STORE_ELEMENTS(Sums(S)(matrix), memory, base, ld) \
}

// Sums of bf16 are no type of a device's.
#ifdef IN_BF16
#define STORE_NARROW(matrix, memory, base, ld) STORE_ELEMENTS(matrix, memory, base, ld)
#else
#define STORE_NARROW(matrix, memory, base, ld) { \
    if (whole && VECTORS_C) \
        coopMatStore(Sums(TA)(matrix), memory, (base) + row * (ld) + col, ld, gl_CooperativeMatrixLayoutRowMajor); \
    else \
        STORE_ELEMENTS(matrix, memory, base, ld) \
}
#endif
