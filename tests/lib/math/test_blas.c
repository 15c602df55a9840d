/* The host's BLAS: what a library is asked for, by one whose source is here (fake_blas.c), and the real one where
 * there is one. Arguments: the fake library, and the one with extents of 64 bits. */
#include "gemm.h"
#include "unit.h"

#include "math/blas.h"
#include "math/matrix.h"

static const char *fake, *fake_long;

/* All ways in which a problem may lie in memory; memory that belongs to no matrix keeps its bits. */
static void check_all(vkmm_blas *blas, uint64_t m, uint64_t n, uint64_t k)
{
    for (unsigned way = 0; way < 4 * GEMM_WAYS; way++) {
        vkmm_problem p = gemm_way(way % GEMM_WAYS, m, n, k, way & GEMM_WAYS ? VKMM_F64 : VKMM_F32);
        if (way & (2 * GEMM_WAYS)) p.alpha = -1.5, p.beta = 0.25;
        size_t count[3], bytes = vkmm_type_of(p.type)->bytes;
        void *data[4];
        for (int i = 0; i < 4; i++) { /* the fourth is what C should become */
            vkmm_operand o = i < 3 ? (vkmm_operand)i : VKMM_C;
            count[o] = (size_t)gemm_elements(&p, o) + 1;
            data[i] = test_malloc(count[o] * bytes);
            vkmm_fill(data[i], 1, count[o], p.type, VKMM_INIT_INT, 7 + (uint64_t)o);
        }
        /* Where β is 0, C is not read. */
        if (p.beta == 0)
            for (uint64_t x = 0; x < gemm_batches(&p); x++)
                for (uint64_t i = 0; i < m; i++)
                    for (uint64_t j = 0; j < n; j++)
                        gemm_set(p.type, data[2], gemm_index(&p, VKMM_C, x, i, j), (double)NAN);
        gemm(&p, data[0], data[1], data[3]);
        assert_ok(vkmm_blas_multiply(blas, &p, data[0], data[1], data[2]));
        for (size_t i = 0; i < count[VKMM_C]; i++)
            if (gemm_get(p.type, data[2], i) != gemm_get(p.type, data[3], i))
                fail_msg("way %u of %dx%dx%d: %g instead of %g at %d", way, (int)m, (int)n, (int)k,
                         gemm_get(p.type, data[2], i), gemm_get(p.type, data[3], i), (int)i);
        for (int o = 0; o < 4; o++) test_free(data[o]);
    }
}

static void check_limits(vkmm_blas *blas)
{
    float c = 5.0F;
    vkmm_problem p = VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .type = VKMM_U32);
    assert_refused(vkmm_blas_multiply(blas, &p, &c, &c, &c), VKMM_UNSUPPORTED,
                   " cannot multiply u32, only f32 and f64");
    p = VKMM_PROBLEM(.m = 1, .n = 1, .k = UINT64_C(3000000000), .type = VKMM_F32);
    assert_refused(vkmm_blas_multiply(blas, &p, &c, &c, &c), VKMM_UNSUPPORTED, "K is 3000000000; ");
    assert_contains(vkmm_last_error(), " takes at most 2147483647");
    p = VKMM_PROBLEM(.m = 1, .n = 1, .k = 1, .ldb = UINT64_C(3000000000), .type = VKMM_F32);
    assert_refused(vkmm_blas_multiply(blas, &p, &c, &c, &c), VKMM_UNSUPPORTED, "ldb is 3000000000; ");
    assert_true(c == 5.0F);
    /* Empty operands have no memory. */
    p = VKMM_PROBLEM(.m = 0, .n = 4, .k = 1, .type = VKMM_F32);
    assert_ok(vkmm_blas_multiply(blas, &p, NULL, &c, NULL));
    p = VKMM_PROBLEM(.m = 1, .n = 1, .k = 0, .type = VKMM_F32);
    assert_ok(vkmm_blas_multiply(blas, &p, NULL, NULL, &c));
    assert_true(c == 0.0F);
}

static void a_library_is_asked_for_the_right_product(void **state)
{
    vkmm_blas *blas = vkmm_blas_open(fake);
    assert_non_null(blas);
    assert_contains(fake, vkmm_blas_name(blas));
    assert_true(strchr(vkmm_blas_name(blas), '/') == NULL);
    assert_string_equal(vkmm_blas_version(blas), "");
    check_all(blas, 5, 7, 3);
    check_all(blas, 1, 1, 1);
    check_all(blas, 2, 3, 0);
    check_limits(blas);
    vkmm_blas_close(&blas);
    assert_null(blas);
    vkmm_blas_close(&blas);
}

static void other_libraries_are_left_alone(void **state)
{
    assert_null(vkmm_blas_open("/nowhere/libopenblas.so.0"));
    assert_null(vkmm_blas_open("libm.so.6"));
#if defined(__x86_64__) || defined(__aarch64__)
    assert_null(vkmm_blas_open(fake_long));
#endif
}

static void the_hosts_library_agrees(void **state)
{
    vkmm_blas *blas = vkmm_blas_open(NULL);
    if (blas == NULL) skip();
    assert_true(vkmm_blas_name(blas)[0] != '\0');
    if (strcmp(vkmm_blas_name(blas), "OpenBLAS") == 0) assert_contains(vkmm_blas_version(blas), "thread");
    check_all(blas, 33, 17, 21);
    check_all(blas, 1, 40, 5);
    check_all(blas, 3, 2, 0);
    check_limits(blas);
    vkmm_blas_close(&blas);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_is_asked_for_the_right_product),
        cmocka_unit_test(other_libraries_are_left_alone),
        cmocka_unit_test(the_hosts_library_agrees),
    };
    if (count != 3) return 2;
    fake = arguments[1];
    fake_long = arguments[2];
    return cmocka_run_group_tests_name("blas", tests, NULL, NULL);
}
