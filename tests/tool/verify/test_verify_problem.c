/* Whole problems: every layout, batches, gaps. */
#include "scaled.h"

#include "base/alloc.h"

enum { M = 5, N = 7, K = 4 };

TEST(test_right_problems_pass)
{
    static const double scalars[][2] = {{1, 0}, {3, 0}, {1, 1}, {-1, 2}, {0, 1}, {0, 0}, {2, -1}};
    for (unsigned way = 0; way < GEMM_WAYS; way++) {
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            for (size_t c = 0; c < sizeof scalars / sizeof scalars[0]; c++) {
                const vkmm_problem p = scaled_by(gemm_way(way, M, N, K, (vkmm_type)t), scalars[c][0], scalars[c][1]);
                scaled s = scaled_make(&p, VKMM_INIT_UNIFORM);
                assert_right(&s, CLI_VERIFY_FULL);
                assert_right(&s, CLI_VERIFY_FREIVALDS);
                assert_right(&s, CLI_VERIFY_AUTO);
                scaled_end(&s);
            }
        }
    }
}

TEST(test_a_wrong_element_of_any_matrix_is_found)
{
    for (unsigned way = 0; way < GEMM_WAYS; way++) {
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            const vkmm_problem p = scaled_by(gemm_way(way, M, N, K, (vkmm_type)t), 2, 3);
            scaled s = scaled_make(&p, VKMM_INIT_INT);
            for (uint64_t x = 0; x < gemm_batches(&p); x++) {
                assert_caught(&s, verify_methods[x % 2], x, M - 1, N - 1, scaled_get(&s, x, M - 1, N - 1) + 1);
                assert_caught(&s, verify_methods[x % 2], x, 0, 0, scaled_get(&s, x, 0, 0) + 1);
                assert_caught(&s, verify_methods[1 - x % 2], x, 2, 3, scaled_get(&s, x, 2, 3) + 1);
            }
            scaled_end(&s);
        }
    }
}

TEST(test_the_first_wrong_matrix_is_named)
{
    for (size_t m = 0; m < 2; m++) {
        const vkmm_problem p = scaled_by(gemm_way(16, M, N, K, VKMM_I32), 1, 1);
        scaled s = scaled_make(&p, VKMM_INIT_ONES);
        gemm_set(VKMM_I32, s.c, gemm_index(&p, VKMM_C, 1, 2, 4), 6);
        gemm_set(VKMM_I32, s.c, gemm_index(&p, VKMM_C, 2, 0, 0), 1000);
        cli_verdict v = scaled_verify(&s, verify_methods[m]);
        assert_true(!v.passed && v.batch == 1 && v.row == 2 && v.col == 4 && v.got == 6 && v.want == 5 &&
                    v.wrong_count == 1);
        assert_contains(v.sentence, "matrix 1 of the batch: C[2][4] is 6, should be 5; ");
        scaled_end(&s);
    }
}

TEST(test_one_matrix_is_not_called_a_batch)
{
    const vkmm_problem p = VKMM_PROBLEM(.m = M, .n = N, .k = K, .type = VKMM_U32);
    scaled s = scaled_make(&p, VKMM_INIT_ONES);
    assert_string_equal(scaled_verify(&s, CLI_VERIFY_FULL).sentence,
                        "all 35 elements agree with the CPU reference exactly");
    gemm_set(VKMM_U32, s.c, 0, 6);
    assert_string_equal(scaled_verify(&s, CLI_VERIFY_FULL).sentence,
                        "C[0][0] is 6, should be 4; 1 of 35 elements is wrong");
    scaled_end(&s);
}

TEST(test_the_sentence_of_a_right_batch)
{
    const vkmm_problem p = scaled_by(gemm_way(24, M, N, K, VKMM_F32), 2, 1);
    scaled s = scaled_make(&p, VKMM_INIT_ONES);
    assert_string_equal(scaled_verify(&s, CLI_VERIFY_FULL).sentence,
                        "in each of 3 matrices, all 35 elements agree with the CPU reference within 16·ε·(|α|·Σ|a||b| "
                        "+ |β·c|), the largest error "
                        "being 0·ε·(|α|·Σ|a||b| + |β·c|); the rest of C's memory is untouched");
    scaled_end(&s);
}

/* Which line of C, and of which matrix, the element at `at` follows; 0 when it belongs to a matrix itself. */
static int find_gap(const vkmm_problem *p, uint64_t at, uint64_t *batch, uint64_t *line)
{
    uint64_t nearest = UINT64_MAX;
    for (uint64_t x = 0; x < gemm_batches(p); x++) {
        for (uint64_t i = 0; i < p->m; i++) {
            for (uint64_t j = 0; j < p->n; j++) {
                uint64_t here = gemm_index(p, VKMM_C, x, i, j);
                if (here == at) return 0;
                if (here > at || at - here > nearest) continue;
                nearest = at - here;
                *batch = x;
                *line = p->layout == VKMM_ROW_MAJOR ? i : j;
            }
        }
    }
    return 1;
}

/* Every element of C's memory in turn is changed: those of a matrix are wrong elements, all others were written
 * outside. */
static void check_memory(const scaled *s)
{
    char where[64];
    for (uint64_t at = 0; at < s->elements; at++) {
        const double was = gemm_get(gemm_out(&s->p), s->c, at);
        uint64_t batch = 0, line = 0;
        gemm_set(gemm_out(&s->p), s->c, at, 77);
        cli_verdict v = scaled_verify(s, CLI_VERIFY_FULL);
        gemm_set(gemm_out(&s->p), s->c, at, was);
        assert_false(v.passed);
        assert_true(v.wrong_count == 1);
        const int outside = find_gap(&s->p, at, &batch, &line);
        assert_true(v.outside == outside && v.has_element == !outside);
        if (!outside) continue;
        assert_true(v.at == at && v.got == 77.0 && v.want == was && v.batch == batch);
        if (at < s->p.offset_c)
            snprintf(where, sizeof where, "which lies before the offset of %u and", (unsigned)s->p.offset_c);
        else if (s->p.batch_count > 1)
            snprintf(where, sizeof where, " %u of matrix %u of the batch and belongs to no", (unsigned)line,
                     (unsigned)batch);
        else
            snprintf(where, sizeof where, "which follows %s %u and", s->p.layout == VKMM_ROW_MAJOR ? "row" : "column",
                     (unsigned)line);
        assert_contains(v.sentence, where);
    }
}

TEST(test_changes_outside_the_matrices_are_found)
{
    for (unsigned way = 0; way < GEMM_WAYS; way++) {
        if (way & 6) continue; /* ops say nothing about C */
        for (int t = VKMM_F32; t < VKMM_TYPE_COUNT; t++) {
            const vkmm_problem p = scaled_by(gemm_way(way, 3, 4, 2, (vkmm_type)t), 1, t % 2);
            scaled s = scaled_make(&p, VKMM_INIT_UNIFORM);
            check_memory(&s);
            scaled_end(&s);
        }
    }
}

TEST(test_the_sentence_of_a_change_outside)
{
    const vkmm_problem p = VKMM_PROBLEM(.m = 2, .n = 3, .k = 2, .type = VKMM_I32, .ldc = 5, .offset_c = 1);
    scaled s = scaled_make(&p, VKMM_INIT_INDEX);
    gemm_set(VKMM_I32, s.c, 4, -9);
    gemm_set(VKMM_I32, s.c, 5, -9);
    cli_verdict v = scaled_verify(&s, CLI_VERIFY_FULL);
    assert_true(!v.passed && v.outside && v.at == 4 && v.wrong_count == 2);
    assert_string_equal(
        v.sentence,
        "element 4 of C's memory, which follows row 0 and belongs to no matrix, changed from 5 to -9; 2 such elements");
    gemm_set(VKMM_I32, s.c, 0, 7); /* in another gap, before that */
    v = scaled_verify(&s, CLI_VERIFY_FULL);
    assert_true(!v.passed && v.outside && v.at == 0 && v.wrong_count == 3);
    assert_string_equal(v.sentence, "element 0 of C's memory, which lies before the offset of 1 and belongs to no "
                                    "matrix, changed from 1 to 7; 3 such elements");
    gemm_set(VKMM_I32, s.c, 6, 0); /* a wrong element counts for more */
    v = scaled_verify(&s, CLI_VERIFY_FULL);
    assert_true(!v.passed && v.has_element && !v.outside);
    scaled_end(&s);
}

/* Bits are compared: a NaN that stays is no change, and another NaN is one. */
TEST(test_nan_in_gaps)
{
    const vkmm_problem p = VKMM_PROBLEM(.m = 2, .n = 3, .k = 2, .type = VKMM_F32, .ldc = 5);
    const uint32_t quiet = 0x7fc00000, other = 0x7fc00001;
    scaled s = scaled_make(&p, VKMM_INIT_ONES);
    memcpy((char *)s.before + 12, &quiet, 4);
    memcpy((char *)s.c + 12, &quiet, 4);
    assert_right(&s, CLI_VERIFY_FULL);
    memcpy((char *)s.c + 12, &other, 4);
    assert_true(scaled_verify(&s, CLI_VERIFY_FULL).outside);
    cli_verdict v = {.passed = 1};
    assert_ok(vkmm_verify_problem(NULL, &p, s.a, s.b, NULL, s.before, s.c, CLI_NUMBERS_RANDOM, CLI_VERIFY_NONE, 1, &v));
    assert_true(!v.passed && !v.outside && v.method == CLI_VERIFY_NONE);
    scaled_end(&s);
}

TEST(test_empty_problems)
{
    for (size_t m = 0; m < 2; m++) {
        vkmm_problem p = scaled_by(gemm_way(24, 0, N, K, VKMM_F64), 2, 1);
        cli_verdict v = {0};
        p.batch_count = UINT32_MAX;
        assert_ok(vkmm_problem_check(&p));
        assert_ok(
            vkmm_verify_problem(NULL, &p, NULL, NULL, NULL, NULL, NULL, CLI_NUMBERS_RANDOM, verify_methods[m], 1, &v));
        assert_true(v.passed);
        assert_contains(v.sentence, "empty");
    }
}

/* 2^24 products altogether; but small matrices are always checked whole, since vectors would cost as much. */
TEST(test_auto_counts_the_products_of_the_batch)
{
    static const struct {
        uint64_t n, batches;
        vkmm_type type;
        cli_verify_method method;
    } cases[] = {
        {64, 64, VKMM_F32, CLI_VERIFY_FULL},  {64, 65, VKMM_F32, CLI_VERIFY_FREIVALDS},
        {32, 600, VKMM_F32, CLI_VERIFY_FULL}, {64, 65, VKMM_I32, CLI_VERIFY_FULL},
        {256, 1, VKMM_F64, CLI_VERIFY_FULL},  {256, 2, VKMM_F64, CLI_VERIFY_FREIVALDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint64_t n = cases[i].n;
        const vkmm_problem p = VKMM_PROBLEM(.m = n, .n = n, .k = n, .type = cases[i].type,
                                            .batch_count = cases[i].batches, .stride_c = n * n); /* one A, one B */
        void *zeros = calloc(cases[i].batches * n * n, 8);
        cli_verdict v = {0};
        assert_non_null(zeros);
        assert_ok(
            vkmm_verify_problem(NULL, &p, zeros, zeros, NULL, NULL, zeros, CLI_NUMBERS_RANDOM, CLI_VERIFY_AUTO, 1, &v));
        assert_true(v.passed && v.method == cases[i].method);
        free(zeros);
    }
}

/* The whole rows and single elements that are looked at differ: an error too small for the vectors is found in one
 * matrix or another. */
TEST(test_every_matrix_has_rows_of_its_own)
{
    enum { SIZE = 60, BATCHES = 40 };
    vkmm_problem p = VKMM_PROBLEM(.m = SIZE, .n = SIZE, .k = SIZE, .type = VKMM_F32, .batch_count = BATCHES,
                                  .stride_c = SIZE * SIZE);
    float *ones = malloc(SIZE * SIZE * sizeof *ones), *c = malloc(BATCHES * SIZE * SIZE * sizeof *c);
    assert_true(ones != NULL && c != NULL);
    vkmm_fill(ones, SIZE, SIZE, VKMM_F32, VKMM_INIT_ONES, 0);
    for (size_t i = 0; i < BATCHES * SIZE * SIZE; i++) c[i] = SIZE;
    cli_verdict v = {0};
    unsigned found = 0;
    for (size_t row = 0; row < SIZE; row++) {
        for (size_t x = 0; x < BATCHES; x++)
            c[(x * SIZE + row) * SIZE + 7] = SIZE + 20 * SIZE * 0x1p-23F; /* the bound is 16 */
        assert_ok(
            vkmm_verify_problem(NULL, &p, ones, ones, NULL, NULL, c, CLI_NUMBERS_RANDOM, CLI_VERIFY_FREIVALDS, 1, &v));
        found += v.has_element && v.row == row && v.col == 7;
        for (size_t x = 0; x < BATCHES; x++) c[(x * SIZE + row) * SIZE + 7] = SIZE;
    }
    assert_true(found >
                SIZE * 3 /
                    4); /* the same three rows between first and last for all would find 3 + 2 and a few elements */
    free(ones);
    free(c);
}

TEST(test_without_memory)
{
    for (int t = VKMM_F32; t <= VKMM_I32; t++) {
        const vkmm_problem p = scaled_by(gemm_way(24, M, N, K, (vkmm_type)t), 2, 1);
        scaled s = scaled_make(&p, VKMM_INIT_ONES);
        vkmm_status status = VKMM_OUT_OF_MEMORY;
        uint64_t n = 0;
        while (status != VKMM_OK) {
            cli_verdict v = {.wrong_count = 77};
            vkmm_alloc_fail_after(++n);
            status = vkmm_verify_problem(NULL, &p, s.a, s.b, NULL, s.before, s.c, CLI_NUMBERS_RANDOM,
                                         CLI_VERIFY_FREIVALDS, 1, &v);
            vkmm_alloc_fail_after(0);
            assert_true(status == VKMM_OK ? v.passed : v.wrong_count == 77);
            assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
        }
        assert_true(n > 4); /* the vectors of each of the three matrices had their turn */
        scaled_end(&s);
    }
}
