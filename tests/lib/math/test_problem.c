#include "gemm.h"
#include "unit.h"

#include "math/problem.h"

enum { M = 3, N = 4, K = 5 };
#define MNK(...) VKMM_PROBLEM(.m = M, .n = N, .k = K, __VA_ARGS__)

static const uint64_t LARGEST = UINT32_MAX;

/* Every rule once, with the whole sentence. */
TEST(test_refusals)
{
    const struct {
        vkmm_problem problem;
        const char *sentence;
    } cases[] = {
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .type = VKMM_TYPE_COUNT),
         "element type 11 is unknown; types are numbered 1 to 10"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .out_type = VKMM_TYPE_COUNT),
         "element type 11 is unknown; types are numbered 1 to 10"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .compute = (vkmm_type)12),
         "element type 12 is unknown; types are numbered 1 to 10"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .out_type = VKMM_F16),
         "products of f32 cannot be stored as f16 and summed in f32; supported: f32 summed in f32, f32 summed in f16"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .type = VKMM_F16, .out_type = VKMM_BF16),
         "products of f16 cannot be stored as bf16 and summed in f32; supported: f16 summed in f32, f32 summed in f32, "
         "f16 summed in f16, f32 summed in f16"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .type = VKMM_I8, .out_type = VKMM_I8, .compute = VKMM_I32),
         "products of i8 cannot be stored as i8 and summed in i32; supported: i32 summed in i32"},
        {{0}, "the problem has no type; VKMM_PROBLEM makes it f32 unless another is given"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .type = VKMM_F64, .compute = VKMM_F32),
         "products of f64 cannot be stored as f64 and summed in f32; supported: f64 summed in f64"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .activation = VKMM_ACTIVATION_COUNT),
         "activation 3 is unknown; they are numbered 0 to 2"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .method = VKMM_METHOD_COUNT),
         "method 5 is unknown; they are numbered 0 to 4"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .method = VKMM_COMPUTE_W8A8),
         "w8a8 multiplies f16 or bf16, with sums of the usual type; the types are f32"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .type = VKMM_U8, .activation = VKMM_GELU),
         "gelu is for floats; the type is u8"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .layout = (vkmm_layout)2),
         "layout 2 is unknown; it is 0 (row-major) or 1 (column-major)"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .op_a = (vkmm_op)2), "op 2 of matrix A is unknown; it is 0 (N) or 1 (T)"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .op_b = (vkmm_op)3), "op 3 of matrix B is unknown; it is 0 (N) or 1 (T)"},
        {VKMM_PROBLEM(.m = LARGEST + 1, .n = 1, .k = 1), "M is 4294967296; the largest is 4294967295 (2^32 - 1)"},
        {VKMM_PROBLEM(.m = 1, .n = LARGEST + 1, .k = 1), "N is 4294967296; the largest is 4294967295 (2^32 - 1)"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = LARGEST + 1), "K is 4294967296; the largest is 4294967295 (2^32 - 1)"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .batch_count = LARGEST + 1),
         "the batch count is 4294967296; the largest is 4294967295 (2^32 - 1)"},
        {MNK(.lda = 4), "the leading dimension of A is 4; its stored rows have 5 elements"},
        {MNK(.lda = 2, .op_a = VKMM_OP_T), "the leading dimension of A is 2; its stored rows have 3 elements"},
        {MNK(.lda = 2, .layout = VKMM_COL_MAJOR),
         "the leading dimension of A is 2; its stored columns have 3 elements"},
        {MNK(.ldb = 3), "the leading dimension of B is 3; its stored rows have 4 elements"},
        {MNK(.ldb = 4, .op_b = VKMM_OP_T), "the leading dimension of B is 4; its stored rows have 5 elements"},
        {MNK(.ldb = 3, .op_b = VKMM_OP_T, .layout = VKMM_COL_MAJOR),
         "the leading dimension of B is 3; its stored columns have 4 elements"},
        {MNK(.ldc = 3), "the leading dimension of C is 3; its stored rows have 4 elements"},
        {MNK(.ldc = 2, .layout = VKMM_COL_MAJOR),
         "the leading dimension of C is 2; its stored columns have 3 elements"},
        {MNK(.batch_count = 2), "the stride of C is 0; the 2 matrices of the batch overlap below 12 elements"},
        {MNK(.batch_count = 2, .ldc = 6, .stride_c = 15),
         "the stride of C is 15; the 2 matrices of the batch overlap below 16 elements"},
        {MNK(.batch_count = 2, .ldc = 8, .stride_c = 4),
         "the stride of C is 4; the 2 matrices of the batch overlap below 20 elements"},
        {MNK(.type = VKMM_I32, .alpha = 2.5),
         "alpha is 2.5; with type i32 it must be a whole number from -2147483648 to 4294967295"},
        {MNK(.type = VKMM_U32, .beta = NAN),
         "beta is nan; with type u32 it must be a whole number from -2147483648 to 4294967295"},
        {MNK(.type = VKMM_U32, .beta = 4294967296.0),
         "beta is 4294967296; with type u32 it must be a whole number from -2147483648 to 4294967295"},
        {MNK(.type = VKMM_I32, .alpha = -2147483649.0),
         "alpha is -2147483649; with type i32 it must be a whole number from -2147483648 to 4294967295"},
        {VKMM_PROBLEM(.m = LARGEST, .n = LARGEST, .k = 1),
         "matrix C has 4294967295×4294967295 elements of type f32: its bytes do not fit in 63 bits"},
        {VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .offset_b = UINT64_MAX),
         "matrix B has 1×1 elements of type f32 with leading dimension 1, offset 18446744073709551615, and 1 in the "
         "batch with stride 0: its bytes do not fit in 63 bits"},
        {VKMM_PROBLEM(.m = 2, .n = 2, .k = 2, .type = VKMM_F64, .lda = UINT64_C(1) << 60),
         "matrix A has 2×2 elements of type f64 with leading dimension 1152921504606846976, offset 0, and 1 in the "
         "batch with stride 0: its bytes do not fit in 63 bits"},
        {VKMM_PROBLEM(.m = 2, .n = 2, .k = 2, .batch_count = 3, .stride_c = 4, .stride_b = INT64_MAX),
         "matrix B has 2×2 elements of type f32 with leading dimension 2, offset 0, and 3 in the batch with stride "
         "9223372036854775807: its bytes do not fit in 63 bits"},
        {VKMM_PROBLEM(.m = LARGEST, .n = LARGEST / 8, .k = LARGEST / 8),
         "the matrices have 9223372017527422980, 1152921500311879684 and 9223372017527422980 bytes: their sum does not "
         "fit in 63 bits"},
        {VKMM_PROBLEM(.m = LARGEST / 2 + 1, .n = LARGEST / 8 + 1, .k = LARGEST / 8 + 1),
         "the matrices have 4611686018427387904, 1152921504606846976 and 4611686018427387904 bytes: their sum does not "
         "fit in 63 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(vkmm_problem_check(&cases[i].problem), VKMM_INVALID);
        assert_string_equal(vkmm_last_error(), cases[i].sentence);
    }
}

/* What comes close to a refusal. */
TEST(test_legal_problems)
{
    const vkmm_problem cases[] = {
        VKMM_PROBLEM(),
        VKMM_PROBLEM(.m = LARGEST, .n = 1, .k = 0, .batch_count = 1),
        MNK(.lda = 5, .ldb = 4, .ldc = 4),
        MNK(.lda = 3, .ldb = 5, .ldc = 3, .op_b = VKMM_OP_N, .layout = VKMM_COL_MAJOR),
        MNK(.batch_count = 2, .ldc = 6, .stride_c = 16),
        VKMM_PROBLEM(.m = M, .n = N, .k = 0, .batch_count = 2, .stride_c = 12),
        VKMM_PROBLEM(.m = 0, .n = N, .k = K, .batch_count = LARGEST), /* C is empty: nothing overlaps */
        MNK(.stride_a = UINT64_MAX, .stride_b = 1, .stride_c = 1),    /* no batch: strides do not count */
        VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .lda = UINT64_MAX, .ldb = UINT64_MAX,
                     .ldc = UINT64_MAX),                                                      /* one row each */
        VKMM_PROBLEM(.m = 0, .n = 0, .k = 0, .offset_a = UINT64_MAX, .offset_b = UINT64_MAX), /* nothing to be offset */
        MNK(.type = VKMM_F32, .alpha = INFINITY, .beta = NAN),
        MNK(.type = VKMM_U32, .alpha = -2147483648.0, .beta = 4294967295.0),
        MNK(.batch_count = 1000, .stride_c = 12), /* one A, one B for all */
        MNK(.compute = VKMM_F16),
        MNK(.type = VKMM_F16, .out_type = VKMM_F32), /* the other one follows */
        MNK(.type = VKMM_F16, .out_type = VKMM_F32, .compute = VKMM_F16, .activation = VKMM_GELU, .has_bias = 1),
        MNK(.type = VKMM_I8, .activation = VKMM_RELU, .has_bias = 1, .alpha = -5, .beta = 4294967295.0),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) assert_ok(vkmm_problem_check(&cases[i]));
}

/* Memory that holds 0, 1, 2, … shows where a view looks. */
static void check_views(const vkmm_problem *p)
{
    for (vkmm_operand o = VKMM_A; o <= VKMM_C; o++) {
        const uint64_t elements = gemm_elements(p, o);
        double *memory = malloc((elements + 1) * sizeof *memory);
        assert_non_null(memory);
        for (uint64_t at = 0; at < elements; at++) memory[at] = (double)at;
        assert_int_equal(vkmm_operand_elements(p, o), elements);
        assert_int_equal(vkmm_operand_bytes(p, o), elements * 8);
        for (uint64_t x = 0; x < gemm_batches(p); x++) {
            vkmm_view v = vkmm_operand_view(p, o, memory, x);
            assert_true(v.rows == vkmm_operand_rows(p, o) && v.cols == vkmm_operand_cols(p, o) && v.type == VKMM_F64);
            for (uint64_t i = 0; i < v.rows; i++)
                for (uint64_t j = 0; j < v.cols; j++)
                    assert_true(vkmm_view_get(&v, i, j) == (double)gemm_index(p, o, x, i, j));
        }
        free(memory);
    }
}

TEST(test_views_are_where_the_definition_says)
{
    static const uint64_t shapes[][3] = {{M, N, K}, {1, N, K}, {M, 1, K}, {M, N, 1},
                                         {1, 1, 1}, {M, N, 0}, {0, N, K}, {M, 0, K}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (unsigned way = 0; way < GEMM_WAYS; way++) {
            vkmm_problem p = gemm_way(way, shapes[s][0], shapes[s][1], shapes[s][2], VKMM_F64);
            assert_ok(vkmm_problem_check(&p));
            check_views(&p);
            const uint64_t belong = gemm_batches(&p) * p.m * p.n;
            assert_int_equal(vkmm_problem_c_has_gaps(&p), gemm_elements(&p, VKMM_C) != belong);
        }
    }
}

TEST(test_an_empty_operand_needs_no_memory)
{
    const vkmm_problem p = VKMM_PROBLEM(.m = 2, .n = 3, .lda = 7, .offset_a = UINT64_MAX / 8, .offset_b = 5,
                                        .batch_count = 2, .stride_a = 9, .stride_c = 6);
    assert_ok(vkmm_problem_check(&p));
    for (vkmm_operand o = VKMM_A; o <= VKMM_B; o++) {
        vkmm_view v = vkmm_operand_view(&p, o, NULL, 1);
        assert_true(v.data == NULL && v.rows * v.cols == 0 && vkmm_operand_bytes(&p, o) == 0);
    }
    assert_true(vkmm_operand_ld(&p, VKMM_B) == 3 && vkmm_operand_ld(&p, VKMM_A) == 7);
    const vkmm_problem none = VKMM_PROBLEM();
    for (vkmm_operand o = VKMM_A; o <= VKMM_C; o++) assert_int_equal(vkmm_operand_ld(&none, o), 1);
    assert_false(vkmm_problem_c_has_gaps(&none));
}

TEST(test_batches_and_flops)
{
    vkmm_problem p = MNK(.stride_a = 15, .stride_b = 20, .stride_c = 12);
    assert_true(vkmm_problem_batches(&p) == 1 && vkmm_operand_stride(&p, VKMM_A) == 0 &&
                vkmm_problem_flops(&p) == 120.0);
    p.batch_count = 1;
    assert_true(vkmm_problem_batches(&p) == 1 && vkmm_operand_stride(&p, VKMM_C) == 0 &&
                vkmm_problem_flops(&p) == 120.0);
    p.batch_count = 7;
    assert_true(vkmm_problem_batches(&p) == 7 && vkmm_problem_flops(&p) == 840.0);
    assert_true(vkmm_operand_stride(&p, VKMM_A) == 15 && vkmm_operand_stride(&p, VKMM_B) == 20 &&
                vkmm_operand_stride(&p, VKMM_C) == 12);
}

TEST(test_plain)
{
    const vkmm_problem plain[] = {
        VKMM_PROBLEM(.m = M, .n = N, .k = K),
        MNK(.lda = K, .ldb = N, .ldc = N, .batch_count = 1, .stride_a = 99, .alpha = 1.0),
        VKMM_PROBLEM(.m = 1, .n = N, .k = 1, .lda = 17, .ldb = 18,
                     .ldc = 19), /* of one row, the leading dimension says nothing */
        VKMM_PROBLEM(.m = 0, .n = 0, .k = 0),
    };
    const vkmm_problem other[] = {
        MNK(.layout = VKMM_COL_MAJOR),
        MNK(.op_a = VKMM_OP_T),
        MNK(.op_b = VKMM_OP_T),
        MNK(.lda = K + 1),
        MNK(.ldb = N + 1),
        MNK(.ldc = N + 1),
        MNK(.offset_a = 1),
        MNK(.offset_b = 1),
        MNK(.offset_c = 1),
        MNK(.alpha = 0),
        MNK(.alpha = NAN),
        MNK(.alpha = 1.0, .beta = 1.0),
        MNK(.batch_count = 2, .stride_c = M * N),
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) assert_true(vkmm_problem_is_plain(&plain[i]));
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) assert_false(vkmm_problem_is_plain(&other[i]));
}

static void check_scalar(vkmm_type type, double given, double in_force)
{
    const vkmm_problem a = VKMM_PROBLEM(.type = type, .alpha = given),
                       b = VKMM_PROBLEM(.type = type, .alpha = 0, .beta = given);
    assert_true(vkmm_problem_alpha(&a) == in_force && vkmm_problem_beta(&a) == 0.0);
    assert_true(vkmm_problem_beta(&b) == in_force && vkmm_problem_alpha(&b) == 0.0);
}

TEST(test_scalars_in_force)
{
    check_scalar(VKMM_F32, 0.1, (double)0.1F);
    check_scalar(VKMM_F32, 1e-60, 0.0);
    check_scalar(VKMM_F32, -INFINITY, -INFINITY);
    check_scalar(VKMM_F64, 0.1, 0.1);
    check_scalar(VKMM_I32, -1.0, -1.0);
    check_scalar(VKMM_I32, 4294967295.0, -1.0);
    check_scalar(VKMM_I32, 2147483648.0, -2147483648.0);
    check_scalar(VKMM_U32, -1.0, 4294967295.0);
    check_scalar(VKMM_U32, -2147483648.0, 2147483648.0);
    check_scalar(VKMM_U32, 7.0, 7.0);
    const vkmm_problem unscaled = VKMM_PROBLEM();
    assert_true(vkmm_problem_alpha(&unscaled) == 1.0 && vkmm_problem_beta(&unscaled) == 0.0);
}

/* The same memory, worked on by both: C's must come out the same, element for element. Small integers make every
 * order exact. */
static void check_row_major(const vkmm_problem *p)
{
    int swapped = -1;
    const vkmm_problem r = vkmm_problem_row_major(p, &swapped);
    uint64_t elements[3];
    double *memory[4];
    assert_true(r.layout == VKMM_ROW_MAJOR && swapped == (p->layout == VKMM_COL_MAJOR));
    assert_true(r.lda > 0 && r.ldb > 0 && r.ldc > 0 && r.batch_count > 0);
    assert_ok(vkmm_problem_check(&r));
    for (vkmm_operand o = VKMM_A; o <= VKMM_C; o++) {
        elements[o] = gemm_elements(p, o);
        memory[o] = malloc((elements[o] + 1) * sizeof(double));
        vkmm_fill(memory[o], 1, elements[o], VKMM_F64, VKMM_INIT_INT, 7 + (uint64_t)o);
    }
    memory[3] = malloc((elements[2] + 1) * sizeof(double));
    memcpy(memory[3], memory[2], elements[2] * sizeof(double));
    gemm(p, memory[0], memory[1], memory[2]);
    gemm(&r, memory[swapped], memory[!swapped], memory[3]);
    assert_memory_equal(memory[2], memory[3], elements[2] * sizeof(double));
    assert_int_equal(vkmm_operand_elements(&r, VKMM_C), elements[2]);
    if (r.k > 0) assert_int_equal(vkmm_operand_elements(&r, VKMM_A), elements[swapped]);
    for (int i = 0; i < 4; i++) free(memory[i]);
}

TEST(test_row_major_is_the_same_product)
{
    static const double scalars[][2] = {{1, 0}, {2, -3}, {0, 5}, {1, 1}};
    for (unsigned way = 0; way < GEMM_WAYS; way++) {
        for (size_t s = 0; s < sizeof scalars / sizeof scalars[0]; s++) {
            vkmm_problem p = gemm_way(way, M, N, K, VKMM_F64);
            p.alpha = scalars[s][0];
            p.beta = scalars[s][1];
            check_row_major(&p);
            p = gemm_way(way, 1, N, 0, VKMM_F64);
            check_row_major(&p);
        }
    }
}

/* α·0 would be NaN for an infinite α, and reading A for α = 0 would spread its NaN. */
TEST(test_row_major_of_nothing_summed)
{
    int swapped = 0;
    const vkmm_problem no_alpha = MNK(.alpha = 0, .beta = 2.0), no_terms = VKMM_PROBLEM(.m = M, .n = N, .alpha = NAN);
    vkmm_problem r = vkmm_problem_row_major(&no_alpha, &swapped);
    assert_true(r.k == 0 && r.alpha == 0.0 && r.beta == 2.0 && r.lda == K && r.m == M && r.n == N);
    r = vkmm_problem_row_major(&no_terms, &swapped);
    assert_true(r.k == 0 && r.alpha == 0.0 && r.beta == 0.0);
}
