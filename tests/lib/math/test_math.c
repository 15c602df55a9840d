#include "unit.h"

#include "math/matrix.h"
#include "math/problem.h"
#include "math/type.h"

/* The table of the public header, once more. */
TEST(test_types_of_products)
{
    static const vkmm_type table[][3] = {
        {VKMM_F32, VKMM_F32, VKMM_F32},   {VKMM_F32, VKMM_F32, VKMM_F16},  {VKMM_F64, VKMM_F64, VKMM_F64},
        {VKMM_I32, VKMM_I32, VKMM_I32},   {VKMM_U32, VKMM_U32, VKMM_U32},  {VKMM_F16, VKMM_F16, VKMM_F32},
        {VKMM_F16, VKMM_F32, VKMM_F32},   {VKMM_F16, VKMM_F16, VKMM_F16},  {VKMM_F16, VKMM_F32, VKMM_F16},
        {VKMM_BF16, VKMM_BF16, VKMM_F32}, {VKMM_BF16, VKMM_F32, VKMM_F32}, {VKMM_I8, VKMM_I32, VKMM_I32},
        {VKMM_U8, VKMM_U32, VKMM_U32},    {VKMM_E4M3, VKMM_F32, VKMM_F32}, {VKMM_E4M3, VKMM_F16, VKMM_F32},
        {VKMM_E4M3, VKMM_BF16, VKMM_F32}, {VKMM_E5M2, VKMM_F32, VKMM_F32}, {VKMM_E5M2, VKMM_F16, VKMM_F32},
        {VKMM_E5M2, VKMM_BF16, VKMM_F32},
    };
    unsigned legal = 0;
    for (unsigned c = 0; c < 10 * 10 * 10; c++) {
        const vkmm_type in = (vkmm_type)(1 + c / 100), out = (vkmm_type)(1 + c / 10 % 10),
                        compute = (vkmm_type)(1 + c % 10);
        const vkmm_problem p =
            VKMM_PROBLEM(.m = 3, .n = 4, .k = 5, .type = in, .out_type = out, .compute = compute, .has_bias = 1);
        int expected = 0;
        for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
            expected |= table[i][0] == in && table[i][1] == out && table[i][2] == compute;
        assert_int_equal(vkmm_problem_check(&p), expected ? VKMM_OK : VKMM_INVALID);
        if (!expected) continue;
        legal++;
        assert_true(vkmm_operand_type(&p, VKMM_A) == in && vkmm_operand_type(&p, VKMM_B) == in);
        assert_true(vkmm_operand_type(&p, VKMM_C) == out && vkmm_operand_type(&p, VKMM_BIAS) == out &&
                    vkmm_problem_compute(&p) == compute);
        assert_true(vkmm_operand_bytes(&p, VKMM_A) == 15 * vkmm_type_of(in)->bytes);
        assert_true(vkmm_operand_bytes(&p, VKMM_C) == 12 * vkmm_type_of(out)->bytes);
        assert_true(vkmm_operand_bytes(&p, VKMM_BIAS) == 4 * vkmm_type_of(out)->bytes);
    }
    assert_true(legal == 19 && vkmm_types_at(18) != NULL && vkmm_types_at(19) == NULL);
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        const vkmm_problem p = VKMM_PROBLEM(.m = 3, .n = 4, .k = 5, .type = (vkmm_type)t);
        const vkmm_types types = vkmm_types_default((vkmm_type)t);
        assert_true(vkmm_operand_type(&p, VKMM_C) == types.out && vkmm_problem_compute(&p) == types.compute);
        assert_true(vkmm_operand_bytes(&p, VKMM_BIAS) == 0 && vkmm_types_legal(types));
    }
}

TEST(test_view_get_is_exact)
{
    const uint32_t u[] = {0, UINT32_MAX};
    const int32_t i[] = {INT32_MIN, INT32_MAX};
    const float f[] = {0.1F, -INFINITY};
    const double d[] = {0.1, 1e300};
    vkmm_view v = vkmm_view_rows(u, 1, 2, VKMM_U32);
    assert_true(vkmm_view_get(&v, 0, 1) == 4294967295.0);
    v = vkmm_view_rows(i, 2, 1, VKMM_I32);
    assert_true(vkmm_view_get(&v, 0, 0) == -2147483648.0 && vkmm_view_get(&v, 1, 0) == 2147483647.0);
    v = vkmm_view_rows(f, 1, 2, VKMM_F32);
    assert_true(vkmm_view_get(&v, 0, 0) == (double)0.1F && isinf(vkmm_view_get(&v, 0, 1)));
    v = vkmm_view_rows(d, 1, 2, VKMM_F64);
    assert_true(vkmm_view_get(&v, 0, 0) == 0.1 && vkmm_view_get(&v, 0, 1) == 1e300);
}

/* Packs a view of random numbers, and looks at every element and at the guard after the last. */
static void check_pack(uint64_t rows, uint64_t cols, uint64_t row_stride, uint64_t col_stride, vkmm_type type)
{
    size_t size = vkmm_type_of(type)->bytes;
    uint64_t elements = rows * row_stride + cols * col_stride;
    unsigned char *memory = malloc((elements + 1) * size), *packed = malloc((rows * cols + 1) * size);
    assert_true(memory != NULL && packed != NULL);
    vkmm_fill(memory, 1, elements, type, VKMM_INIT_UNIFORM, 0);
    const vkmm_view all = vkmm_view_rows(memory, 1, elements, type);
    memset(packed, 0xa5, (rows * cols + 1) * size);
    vkmm_view view = {memory, rows, cols, row_stride, col_stride, type},
              copy = vkmm_view_rows(packed, rows, cols, type);
    vkmm_view_copy(&view, packed, cols, 1);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++)
            assert_true(vkmm_view_get(&copy, i, j) == vkmm_view_get(&all, 0, i * row_stride + j * col_stride));
    for (size_t at = 0; at < size; at++) assert_int_equal(packed[rows * cols * size + at], 0xa5);
    /* The inner part into columns, with a gap of one element between them, which stays. */
    const vkmm_view part = vkmm_view_part(&view, rows / 3, cols / 3, rows / 2, cols / 2);
    const uint64_t apart = part.rows + 1;
    memset(packed, 0xa5, (rows * cols + 1) * size);
    if (part.cols * apart <= rows * cols) {
        vkmm_view_copy(&part, packed, 1, apart);
        for (uint64_t i = 0; i < part.rows; i++)
            for (uint64_t j = 0; j < part.cols; j++)
                assert_memory_equal(packed + (i + j * apart) * size,
                                    memory + ((rows / 3 + i) * row_stride + (cols / 3 + j) * col_stride) * size, size);
        for (uint64_t j = 0; j < part.cols; j++) assert_int_equal(packed[(j * apart + part.rows) * size], 0xa5);
    }
    free(memory);
    free(packed);
}

TEST(test_pack)
{
    static const uint64_t shapes[][2] = {{1, 1}, {33, 70}, {32, 64}, {100, 1}, {1, 100}, {0, 5}, {5, 0}, {31, 31}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            uint64_t m = shapes[s][0], n = shapes[s][1];
            check_pack(m, n, n, 1, (vkmm_type)t);         /* packed rows */
            check_pack(m, n, 1, m, (vkmm_type)t);         /* packed columns */
            check_pack(m, n, n + 3, 1, (vkmm_type)t);     /* part of wider rows */
            check_pack(m, n, 2 * n + 1, 2, (vkmm_type)t); /* every second column */
        }
    }
}

static double *filled(vkmm_type type, vkmm_init init, uint64_t seed, uint64_t count)
{
    void *data = malloc(count * 8 + 8);
    double *values = malloc(count * sizeof *values);
    assert_true(data != NULL && values != NULL);
    memset(data, 0xa5, count * 8 + 8);
    vkmm_fill(data, count / 10, 10, type, init, seed);
    vkmm_view view = vkmm_view_rows(data, count / 10, 10, type);
    for (uint64_t i = 0; i < count; i++) values[i] = vkmm_view_get(&view, i / 10, i % 10);
    for (size_t at = 0; at < 8; at++)
        assert_int_equal(((unsigned char *)data)[count * vkmm_type_of(type)->bytes + at], 0xa5);
    free(data);
    return values;
}

/* The range is kept, its ends are nearly reached, the mean is the middle's, and fractions appear where they should. */
static void check_range(vkmm_type type, vkmm_init init, double low, double high, int whole)
{
    enum { COUNT = 100000 };
    double *v = filled(type, init, 3, COUNT), min = v[0], max = v[0], sum = 0.0;
    int fractions = 0;
    for (int i = 0; i < COUNT; i++) {
        min = fmin(min, v[i]);
        max = fmax(max, v[i]);
        sum += v[i];
        fractions |= v[i] != floor(v[i]);
    }
    double width = high - low;
    assert_true(min >= low && min < low + 1e-3 * width);
    assert_true(max <= high && max > high - 1e-3 * width);
    assert_true(fabs(sum / COUNT - (low + high) / 2) < 0.01 * width);
    assert_int_equal(fractions, !whole);
    free(v);
}

TEST(test_fill_ranges)
{
    check_range(VKMM_F32, VKMM_INIT_UNIFORM, -1.0, 1.0, 0);
    check_range(VKMM_F64, VKMM_INIT_UNIFORM, -1.0, 1.0, 0);
    check_range(VKMM_I32, VKMM_INIT_UNIFORM, -32768.0, 32767.0, 1);
    check_range(VKMM_U32, VKMM_INIT_UNIFORM, 0.0, 65535.0, 1);
    check_range(VKMM_F16, VKMM_INIT_UNIFORM, -1.0, 1.0, 0);
    check_range(VKMM_BF16, VKMM_INIT_UNIFORM, -1.0, 1.0 - 0x1p-7, 0);
    check_range(VKMM_I8, VKMM_INIT_UNIFORM, -128.0, 127.0, 1);
    check_range(VKMM_U8, VKMM_INIT_UNIFORM, 0.0, 255.0, 1);
    check_range(VKMM_E4M3, VKMM_INIT_UNIFORM, -1.0, 0.875, 0);
    check_range(VKMM_E5M2, VKMM_INIT_UNIFORM, -1.0, 0.75, 0);
    for (int type = VKMM_F32; type < VKMM_TYPE_COUNT; type++) {
        const int is_unsigned = type == VKMM_U32 || type == VKMM_U8;
        const vkmm_type_info *info = vkmm_type_of((vkmm_type)type);
        const double most = is_unsigned ? 16.0 : info->is_float && info->bytes < 4 ? 2.0 : 8.0;
        check_range((vkmm_type)type, VKMM_INIT_INT, is_unsigned ? 0.0 : -most, most, 1);
    }
}

TEST(test_fill_patterns_and_seeds)
{
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        double *index = filled((vkmm_type)t, VKMM_INIT_INDEX, 9, 100),
               *ones = filled((vkmm_type)t, VKMM_INIT_ONES, 9, 100);
        double *zeros = filled((vkmm_type)t, VKMM_INIT_ZEROS, 9, 100),
               *first = filled((vkmm_type)t, VKMM_INIT_UNIFORM, 9, 100);
        double *again = filled((vkmm_type)t, VKMM_INIT_UNIFORM, 9, 100),
               *other = filled((vkmm_type)t, VKMM_INIT_UNIFORM, 10, 100);
        int differ = 0;
        for (int i = 0; i < 100; i++) {
            double number = i + 1; /* rounded to the type */
            vkmm_type_put((vkmm_type)t, &number, number);
            number = vkmm_type_get((vkmm_type)t, &number);
            assert_true(index[i] == number && ones[i] == 1.0 && zeros[i] == 0.0 && first[i] == again[i]);
            differ += first[i] != other[i];
        }
        assert_true(differ > (vkmm_type_of((vkmm_type)t)->digits > 2 ? 90 : 80)); /* e5m2 has 8 values */
        double *const all[] = {index, ones, zeros, first, again, other};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    }
}

/* The view of every layout gets what packed rows get, and its gaps keep what they hold. */
static void check_fill_view(vkmm_type type, vkmm_init init, uint64_t rows, uint64_t cols, uint64_t row_stride,
                            uint64_t col_stride)
{
    const uint64_t elements = 3 + rows * row_stride + cols * col_stride;
    const size_t size = vkmm_type_of(type)->bytes;
    unsigned char *memory = malloc(elements * size), *packed = malloc((rows * cols + 1) * size);
    assert_true(memory != NULL && packed != NULL);
    memset(memory, 0xa5, elements * size);
    const vkmm_view view = {memory + 3 * size, rows, cols, row_stride, col_stride, type},
                    wanted = vkmm_view_rows(packed, rows, cols, type);
    vkmm_fill(packed, rows, cols, type, init, 5);
    vkmm_fill_view(memory, &view, init, 5);
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = 0; j < cols; j++) {
            assert_true(vkmm_view_get(&view, i, j) == vkmm_view_get(&wanted, i, j));
            memset(memory + (3 + i * row_stride + j * col_stride) * size, 0xa5, size);
        }
    }
    for (size_t at = 0; at < elements * size; at++) assert_int_equal(memory[at], 0xa5);
    free(memory);
    free(packed);
}

TEST(test_fill_view)
{
    static const uint64_t shapes[][2] = {{7, 9}, {1, 1}, {1, 6}, {6, 1}, {0, 4}, {4, 0}};
    for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
        for (int init = 0; init < VKMM_INIT_COUNT; init++) {
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
                const uint64_t m = shapes[s][0], n = shapes[s][1];
                check_fill_view((vkmm_type)t, (vkmm_init)init, m, n, n, 1);
                check_fill_view((vkmm_type)t, (vkmm_init)init, m, n, n + 2, 1);
                check_fill_view((vkmm_type)t, (vkmm_init)init, m, n, 1, m + 3);
                check_fill_view((vkmm_type)t, (vkmm_init)init, m, n, 2 * n + 1, 2);
            }
        }
    }
}
