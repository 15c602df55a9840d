/* The suites hold what they promise, each problem once, in an order that suits a time that may end early. */
#include "unit.h"

#include "base/alloc.h"
#include "report/result.h"
#include "bench/suite.h"
#include "look/kernel.h"
#include "math/problem.h"
#include "math/type.h"

enum { WIDE = 4, ALL = 8 };

static const vkmm_types every_type[ALL] = {
    {VKMM_F32, VKMM_F32, VKMM_F32}, {VKMM_F64, VKMM_F64, VKMM_F64}, {VKMM_I32, VKMM_I32, VKMM_I32},
    {VKMM_U32, VKMM_U32, VKMM_U32}, {VKMM_F16, VKMM_F16, VKMM_F32}, {VKMM_F16, VKMM_F16, VKMM_F16},
    {VKMM_I8, VKMM_I32, VKMM_I32},  {VKMM_U8, VKMM_U32, VKMM_U32},
};

static vkmm_status make_of(const char *name, const vkmm_types *types, uint32_t count, cli_suite *suite)
{
    vkmm_type type;
    return cli_suite_make(NULL, cli_suite_find(name, &type), types, count, suite);
}

static void make(const char *name, cli_suite *suite)
{
    assert_ok(make_of(name, every_type, ALL, suite));
}

static uint32_t find(const cli_suite *suite, const char *kernel, vkmm_types types, uint64_t m, uint64_t n, uint64_t k)
{
    uint32_t i = 0;
    for (; i < suite->count; i++) {
        const cli_suite_item *item = &suite->items[i];
        if (vkmm_types_equal(vkmm_problem_types(&item->problem), types) && item->problem.m == m &&
            item->problem.n == n && item->problem.k == k && strcmp(item->kernel, kernel) == 0)
            break;
    }
    return i;
}

static uint32_t place(const cli_suite *suite, const char *kernel, vkmm_type type, uint64_t m, uint64_t n, uint64_t k)
{
    const uint32_t at = find(suite, kernel, vkmm_types_default(type), m, n, k);
    if (at == suite->count)
        fail_msg("no %s %llux%llux%llu", kernel, (unsigned long long)m, (unsigned long long)n, (unsigned long long)k);
    return at;
}

static void has_square(const cli_suite *suite, uint64_t n)
{
    for (int i = 0; i < WIDE; i++) place(suite, "auto", every_type[i].in, n, n, n);
}

TEST(test_standard_holds_what_it_promises)
{
    vkmm_tutorial step;
    cli_suite suite;
    make("standard", &suite);
    for (uint64_t n = 256; n <= 16384; n *= 2) {
        has_square(&suite, n);
        place(&suite, "auto", VKMM_F64, n - 1, n - 1, n - 1);
        if (n < 16384) has_square(&suite, n - 1);
        if (n < 16384) has_square(&suite, n + 1);
    }
    has_square(&suite, 385);
    has_square(&suite, 1000);
    for (int t = 0; t < WIDE; t++) {
        for (uint32_t i = 0; vkmm_tutorial_at(i, &step); i++)
            if (!step.on_host) place(&suite, step.name, every_type[t].in, 1024, 1024, 1024);
        for (uint64_t n = 1; n <= 512; n *= 2) place(&suite, "auto", every_type[t].in, 4096, n, 14336);
        place(&suite, "auto", every_type[t].in, 16384, 64, 64);
        place(&suite, "auto", every_type[t].in, 64, 64, 65536);
    }
    assert_true(place(&suite, "auto", VKMM_U32, 128, 128, 16384) <
                place(&suite, "auto", VKMM_F32, 16383, 16383, 16383));
    assert_true(suite.budget_ms <= 8 * 60e3 / 1.12); /* with the host's part less than the eight minutes */
    cli_suite_free(&suite);
}

TEST(test_quick_is_small)
{
    cli_suite suite;
    make("quick", &suite);
    for (uint64_t n = 256; n <= 4096; n *= 2) place(&suite, "auto", VKMM_F32, n, n, n);
    place(&suite, "auto", VKMM_F32, 1000, 1000, 1000);
    place(&suite, "auto", VKMM_F32, 1025, 1025, 1025);
    place(&suite, "auto", VKMM_F32, 385, 385, 385);
    place(&suite, "auto", VKMM_F32, 4096, 16, 14336);
    place(&suite, "band-tiled", VKMM_F32, 512, 512, 512);
    for (int t = 0; t < WIDE; t++) place(&suite, "auto", every_type[t].in, 1024, 1024, 1024);
    assert_true(suite.count < 30);
    assert_true(1.12 * suite.budget_ms + 10e3 < 60e3);
    cli_suite_free(&suite);
}

/* What the reports call the same thing is there once, and every item is a problem. */
TEST(test_each_item_once)
{
    for (uint32_t s = 0; cli_suite_name(s) != NULL; s++) {
        cli_suite suite;
        make(cli_suite_name(s), &suite);
        assert_string_equal(suite.name, cli_suite_name(s));
        assert_true(suite.count > 0 && suite.rounds >= 5 && suite.budget_ms > 0 && suite.longest_ms > 0 &&
                    suite.row_ms > 0);
        for (uint32_t i = 0; i < suite.count; i++) {
            cli_bench_row row = {.problem = suite.items[i].problem};
            snprintf(row.asked, sizeof row.asked, "%s", suite.items[i].kernel);
            assert_ok(vkmm_problem_check(&row.problem));
            assert_true(suite.items[i].group[0] != '\0' && vkmm_problem_flops(&row.problem) > 0);
            for (uint32_t j = 0; j < i; j++) {
                cli_bench_row earlier = {.problem = suite.items[j].problem};
                snprintf(earlier.asked, sizeof earlier.asked, "%s", suite.items[j].kernel);
                if (cli_bench_same(&row, &earlier)) fail_msg("%s: items %u and %u are the same", suite.name, j, i);
            }
        }
        cli_suite_free(&suite);
    }
}

TEST(test_f32_comes_first)
{
    const vkmm_types types[] = {every_type[3], every_type[1], every_type[0], every_type[2]}, one = every_type[2];
    cli_suite suite;
    assert_ok(make_of("quick", types, 4, &suite));
    assert_int_equal(suite.items[0].problem.type, VKMM_F32);
    place(&suite, "tiled", VKMM_F32, 512, 512, 512);
    assert_true(place(&suite, "auto", VKMM_U32, 512, 512, 512) < place(&suite, "auto", VKMM_F64, 512, 512, 512));
    assert_true(place(&suite, "auto", VKMM_F64, 512, 512, 512) < place(&suite, "auto", VKMM_I32, 512, 512, 512));
    cli_suite_free(&suite);
    assert_ok(make_of("quick", &one, 1, &suite));
    place(&suite, "tiled", VKMM_I32, 512, 512, 512);
    cli_suite_free(&suite);
}

/* Types of 16 and 8 bits: what they are for, few of it and early beside others; everything that others have but the
 * ladder where they come first. */
TEST(test_narrow_types_are_few)
{
    uint32_t wide = 0, narrow = 0, rungs = 0;
    vkmm_tutorial step;
    cli_suite suite;
    make("standard", &suite);
    for (uint32_t i = 0; i < suite.count; i++)
        ++*(cli_suite_is_narrow(vkmm_problem_types(&suite.items[i].problem)) ? &narrow : &wide);
    while (vkmm_tutorial_at(rungs, &step)) rungs++;
    assert_true(narrow >= 20 && narrow <= 40 && wide <= 153 + WIDE * rungs);
    place(&suite, "auto", VKMM_F16, 4096, 1, 14336);
    place(&suite, "auto", VKMM_I8, 4096, 512, 14336);
    assert_true(find(&suite, "auto", every_type[5], 4096, 4096, 4096) < suite.count);
    assert_true(find(&suite, "auto", every_type[5], 4095, 4095, 4095) == suite.count);
    assert_true(find(&suite, "tiled", every_type[4], 1024, 1024, 1024) == suite.count);
    assert_true(place(&suite, "auto", VKMM_U8, 8192, 8192, 8192) < place(&suite, "auto", VKMM_F64, 8191, 8191, 8191));
    cli_suite_free(&suite);
    assert_ok(make_of("standard", &every_type[4], 2, &suite));
    place(&suite, "auto", VKMM_F16, 16384, 16384, 16384);
    place(&suite, "auto", VKMM_F16, 385, 385, 385);
    assert_true(find(&suite, "tiled", every_type[4], 1024, 1024, 1024) == suite.count);
    assert_true(find(&suite, "auto", every_type[5], 385, 385, 385) == suite.count);
    cli_suite_free(&suite);
}

static uint32_t count_weights(const vkmm_types *types, uint64_t n, vkmm_format format)
{
    uint32_t found = 0;
    cli_suite suite;
    assert_ok(make_of("weights", types, 1, &suite));
    for (uint32_t i = 0; i < suite.count; i++) {
        const vkmm_problem *p = &suite.items[i].problem;
        const vkmm_stored a = vkmm_operand_stored(p, VKMM_A), b = vkmm_operand_stored(p, VKMM_B),
                          c = vkmm_operand_stored(p, VKMM_C);
        assert_true(a.length == p->k && b.length == p->k && c.length == p->m); /* as ggml stores them */
        found += p->m == 4096 && p->n == n && p->k == 14336 && p->format_a == format && p->format_b == VKMM_PLAIN;
    }
    cli_suite_free(&suite);
    return found;
}

/* Each format once for each count of columns, of f16 by default, or none; types that no block has are plain. */
TEST(test_weights_have_formats)
{
    static const int has[VKMM_FORMAT_COUNT] = {
        [VKMM_PLAIN] = 1, [VKMM_Q8_0] = 1,  [VKMM_Q4_0] = 1,       [VKMM_Q4_K] = 1,     [VKMM_Q6_K] = 1,
        [VKMM_MXFP4] = 1, [VKMM_NVFP4] = 1, [VKMM_MXFP8_E4M3] = 1, [VKMM_FP8_E4M3] = 1, [VKMM_Q4_Z] = 1};
    for (uint32_t format = 0; format < VKMM_FORMAT_COUNT; format++)
        for (uint64_t n = 1; n <= 512; n *= n < 8 ? 8 : 64) {
            assert_int_equal(count_weights(&every_type[4], n, format), has[format]);
            assert_int_equal(count_weights(&every_type[0], n, format), has[format]);
            assert_int_equal(count_weights(&every_type[5], n, format), format == VKMM_PLAIN); /* summed in f16 */
            assert_int_equal(count_weights(&every_type[6], n, format), format == VKMM_PLAIN);
        }
    vkmm_type type;
    assert_true(cli_suite_find("weights", &type) > 0 && type == VKMM_F16);
    assert_true(cli_suite_find("quick", &type) == 0 && type == VKMM_AUTO);
    assert_int_equal(cli_suite_find("slow", &type), -1);
}

TEST(test_memory_ends)
{
    vkmm_status status = VKMM_OUT_OF_MEMORY;
    uint64_t n = 0;
    while (status == VKMM_OUT_OF_MEMORY) {
        cli_suite suite;
        vkmm_alloc_fail_after(++n);
        status = make_of("standard", every_type, ALL, &suite);
        vkmm_alloc_fail_after(0);
        cli_suite_free(&suite);
    }
    assert_true(status == VKMM_OK && n > 2);
}
