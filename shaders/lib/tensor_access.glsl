// Matrices as parts of tensors, for coopmat2.comp: READ_A and READ_B without bounds, which are the fast ones,
// READ_A_BOUNDED and READ_B_BOUNDED, STORE.

const bool FAST_A = WHOLE != 0, FAST_B = WHOLE != 0;

#define UNBOUNDED tensorLayoutNV<2>
#define BOUNDED tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> // beyond, it reads zeros and stores nothing

// A transposed operand lies in memory as its transpose, and is looked at with its two dimensions exchanged.
#define EXCHANGED tensorViewNV<2, false, 1, 0>

#define PREPARE \
    const uint lda = VECTORS_A ? LDA / VW * VW : LDA, ldb = VECTORS_B ? LDB / VW * VW : LDB; \
    UNBOUNDED layoutA = createTensorLayoutNV(2), layoutB = createTensorLayoutNV(2); \
    BOUNDED boundedA = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV); \
    BOUNDED boundedB = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV); \
    EXCHANGED exchanged = createTensorViewNV(2, false, 1, 0); \
    if (TRANSPOSE_A != 0) { \
        layoutA = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(layoutA, end, M), lda, 1); \
        boundedA = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(boundedA, end, M), LDA, 1); \
    } else { \
        layoutA = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(layoutA, M, end), lda, 1); \
        boundedA = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(boundedA, M, end), LDA, 1); \
    } \
    if (TRANSPOSE_B != 0) { \
        layoutB = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(layoutB, N, end), ldb, 1); \
        boundedB = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(boundedB, N, end), LDB, 1); \
    } else { \
        layoutB = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(layoutB, end, N), ldb, 1); \
        boundedB = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(boundedB, end, N), LDB, 1); \
    }

#define READ_PART_A(a, k, memory, base, layout_) { \
    if (TRANSPOSE_A != 0) \
        coopMatLoadTensorNV(a, memory, base, sliceTensorLayoutNV(layout_, k, DEPTH, row, MATRIX_ROWS), exchanged); \
    else \
        coopMatLoadTensorNV(a, memory, base, sliceTensorLayoutNV(layout_, row, MATRIX_ROWS, k, DEPTH)); \
}

#define READ_PART_B(b, k, memory, base, layout_) { \
    if (TRANSPOSE_B != 0) \
        coopMatLoadTensorNV(b, memory, base, sliceTensorLayoutNV(layout_, col, MATRIX_COLS, k, DEPTH), exchanged); \
    else \
        coopMatLoadTensorNV(b, memory, base, sliceTensorLayoutNV(layout_, k, DEPTH, col, MATRIX_COLS)); \
}

#define READ_A(a, k) { \
    if (VECTORS_A) READ_PART_A(a, k, AV, baseA / VW, layoutA) else READ_PART_A(a, k, A, baseA, layoutA) \
}
#define READ_B(b, k) { \
    if (VECTORS_B) READ_PART_B(b, k, BV, baseB / VW, layoutB) else READ_PART_B(b, k, B, baseB, layoutB) \
}
#define READ_A_BOUNDED(a, k) READ_PART_A(a, k, A, baseA, boundedA)
#define READ_B_BOUNDED(b, k) READ_PART_B(b, k, B, baseB, boundedB)

#define STORE(matrix, memory, base, ld) { \
    if (whole) { \
        UNBOUNDED to = createTensorLayoutNV(2); \
        to = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(to, M, N), ld, 1); \
        coopMatStoreTensorNV(matrix, memory, base, sliceTensorLayoutNV(to, row, MATRIX_ROWS, col, MATRIX_COLS)); \
    } else { \
        BOUNDED to = createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV); \
        to = setTensorLayoutStrideNV(setTensorLayoutDimensionNV(to, M, N), ld, 1); \
        coopMatStoreTensorNV(matrix, memory, base, sliceTensorLayoutNV(to, row, MATRIX_ROWS, col, MATRIX_COLS)); \
    } \
}

// Sums of bf16 are no type of a device's; operands are.
#ifdef IN_BF16
#define NARROW coopmat<TA, SCOPE, MATRIX_ROWS, MATRIX_COLS, gl_MatrixUseA>
#else
#define NARROW Sums(TA)
#endif
#define STORE_NARROW(matrix, memory, base, ld) { const NARROW narrow = NARROW(matrix); STORE(narrow, memory, base, ld) }
