/* The suites hold what they promise, each problem once, in an order that suits a time that may end early. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/document.h"
#include "bench/suite.h"
#include "math/problem.h"

static const vkmm_type every_type[] = {VKMM_F32, VKMM_F64, VKMM_I32, VKMM_U32};

static void make(const char *name, vkmm_suite *suite)
{
    assert_int_equal(vkmm_suite_make(NULL, name, every_type, 4, suite), VKMM_OK);
}

static uint32_t place(const vkmm_suite *suite, const char *kernel, vkmm_type type, uint64_t m, uint64_t n, uint64_t k)
{
    for (uint32_t i = 0; i < suite->count; i++) {
        const vkmm_suite_item *item = &suite->items[i];
        if (item->problem.type == type && item->problem.m == m && item->problem.n == n && item->problem.k == k &&
            strcmp(item->kernel, kernel) == 0)
            return i;
    }
    print_message("no %s %llux%llux%llu\n", kernel, (unsigned long long)m, (unsigned long long)n, (unsigned long long)k);
    fail();
    return 0;
}

static void has_square(const vkmm_suite *suite, uint64_t n)
{
    for (int i = 0; i < 4; i++) place(suite, "auto", every_type[i], n, n, n);
}

static void test_names(void **state)
{
    (void)state;
    vkmm_suite suite;
    for (uint32_t i = 0; vkmm_suite_name(i) != NULL; i++) {
        assert_non_null(vkmm_suite_summary(i));
        make(vkmm_suite_name(i), &suite);
        assert_string_equal(suite.name, vkmm_suite_name(i));
        assert_true(suite.count > 0 && suite.rounds >= 5 && suite.budget_ms > 0 && suite.longest_ms > 0 && suite.row_ms > 0);
        vkmm_suite_free(&suite);
    }
    assert_null(vkmm_suite_summary(99));
    assert_int_equal(vkmm_suite_make(NULL, "slow", every_type, 4, &suite), VKMM_INVALID);
    vkmm_suite_free(&suite);
}

static void test_standard_holds_what_it_promises(void **state)
{
    (void)state;
    static const char *const ladder[] = {"naive", "grouped", "tiled", "band", "band-tiled"};
    vkmm_suite suite;
    make("standard", &suite);
    for (uint64_t n = 256; n <= 16384; n *= 2) {
        has_square(&suite, n - 1);
        has_square(&suite, n);
        has_square(&suite, n + 1);
    }
    has_square(&suite, 385);
    has_square(&suite, 1000);
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 5; i++) place(&suite, ladder[i], every_type[t], 1024, 1024, 1024);
        for (uint64_t n = 1; n <= 512; n *= 2) place(&suite, "auto", every_type[t], 4096, n, 14336);
        place(&suite, "auto", every_type[t], 16384, 64, 64);
        place(&suite, "auto", every_type[t], 64, 64, 65536);
    }
    assert_true(place(&suite, "auto", VKMM_U32, 128, 128, 16384) < place(&suite, "auto", VKMM_F32, 16383, 16383, 16383));
    assert_true(suite.budget_ms <= 8 * 60e3 / 1.12); /* with the host's part less than the eight minutes */
    vkmm_suite_free(&suite);
}

static void test_quick_is_small(void **state)
{
    (void)state;
    vkmm_suite suite;
    make("quick", &suite);
    for (uint64_t n = 256; n <= 4096; n *= 2) place(&suite, "auto", VKMM_F32, n, n, n);
    place(&suite, "auto", VKMM_F32, 1000, 1000, 1000);
    place(&suite, "auto", VKMM_F32, 1025, 1025, 1025);
    place(&suite, "auto", VKMM_F32, 385, 385, 385);
    place(&suite, "auto", VKMM_F32, 4096, 16, 14336);
    place(&suite, "band-tiled", VKMM_F32, 512, 512, 512);
    for (int t = 0; t < 4; t++) place(&suite, "auto", every_type[t], 1024, 1024, 1024);
    assert_true(suite.count < 30);
    assert_true(1.12 * suite.budget_ms + 10e3 < 60e3);
    vkmm_suite_free(&suite);
}

/* What the reports call the same thing is there once, and every item is a problem. */
static void test_each_item_once(void **state)
{
    (void)state;
    for (uint32_t s = 0; vkmm_suite_name(s) != NULL; s++) {
        vkmm_suite suite;
        make(vkmm_suite_name(s), &suite);
        for (uint32_t i = 0; i < suite.count; i++) {
            vkmm_bench_row row = {.problem = suite.items[i].problem};
            snprintf(row.asked, sizeof row.asked, "%s", suite.items[i].kernel);
            assert_int_equal(vkmm_problem_check(NULL, &row.problem, NULL), VKMM_OK);
            assert_true(suite.items[i].group[0] != '\0' && vkmm_problem_flops(&row.problem) > 0);
            for (uint32_t j = 0; j < i; j++) {
                vkmm_bench_row earlier = {.problem = suite.items[j].problem};
                snprintf(earlier.asked, sizeof earlier.asked, "%s", suite.items[j].kernel);
                if (vkmm_bench_same(&row, &earlier)) fail_msg("%s: items %u and %u are the same", suite.name, j, i);
            }
        }
        vkmm_suite_free(&suite);
    }
}

static void test_f32_comes_first(void **state)
{
    (void)state;
    static const vkmm_type types[] = {VKMM_U32, VKMM_F64, VKMM_F32, VKMM_I32}, one = VKMM_I32;
    vkmm_suite suite;
    assert_int_equal(vkmm_suite_make(NULL, "quick", types, 4, &suite), VKMM_OK);
    assert_int_equal(suite.items[0].problem.type, VKMM_F32);
    place(&suite, "tiled", VKMM_F32, 512, 512, 512);
    assert_true(place(&suite, "auto", VKMM_U32, 512, 512, 512) < place(&suite, "auto", VKMM_F64, 512, 512, 512));
    assert_true(place(&suite, "auto", VKMM_F64, 512, 512, 512) < place(&suite, "auto", VKMM_I32, 512, 512, 512));
    vkmm_suite_free(&suite);
    assert_int_equal(vkmm_suite_make(NULL, "quick", &one, 1, &suite), VKMM_OK);
    place(&suite, "tiled", VKMM_I32, 512, 512, 512);
    vkmm_suite_free(&suite);
}

static void test_memory_ends(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        vkmm_suite suite;
        vkmm_alloc_fail_after(n);
        vkmm_status status = vkmm_suite_make(NULL, "full", every_type, 4, &suite);
        vkmm_alloc_fail_after(0);
        vkmm_suite_free(&suite);
        if (status == VKMM_OK) {
            assert_true(n > 2);
            return;
        }
        assert_int_equal(status, VKMM_OUT_OF_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),           cmocka_unit_test(test_standard_holds_what_it_promises),
        cmocka_unit_test(test_quick_is_small),  cmocka_unit_test(test_each_item_once),
        cmocka_unit_test(test_f32_comes_first), cmocka_unit_test(test_memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
