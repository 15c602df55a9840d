// One of the two operands, as a parameter of the functions that bring it into shared memory. All but `limit` and `ld`
// is known when the pipeline is built: the compiler inlines these functions and folds it away.
struct Operand {
    bool is_a;
    uint across;     // rows of op(A), or columns of op(B), in a tile
    uint limit;      // and in the whole matrix
    uint ld;         // elements from one stored row to the next
    bool along_k;    // neighbours in memory are neighbours along K
    bool in_vectors; // all rows of the matrix begin and end at whole vectors
};

Operand operand_a() { return Operand(true, ROWS, M, LDA, TRANSPOSE_A == 0, VECTORS_A); }
Operand operand_b() { return Operand(false, COLS, N, LDB, TRANSPOSE_B != 0, VECTORS_B); }
