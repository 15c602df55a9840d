/* What becomes of texts that reports hold, in scripts and in markup; drawings from a program that is not to be
 * trusted; and what is charted. */
#include "../unit/unit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "make_bench.h"
#include "bench/charts.h"

static const char NASTY[] = "'; system \"touch /tmp/vkmatmul-was-here\"; print `id` @x $y \\ \n <b>&\"{_^#%";

static char *html_of(const char *text)
{
    vkmm_builder builder = {0};

    vkmm_build_html(&builder, text);
    return vkmm_build_take(&builder, NULL);
}

static void assert_html(const char *text, const char *expected)
{
    char *html = html_of(text);

    assert_string_equal(html, expected);
    vkmm_free(html);
}

static void test_html(void **state)
{
    (void)state;
    assert_html("", "");
    assert_html("GeForce™ RTX", "GeForce™ RTX");
    assert_html("<script>\"&'", "&lt;script&gt;&quot;&amp;&#39;");
    assert_html("a\x01\n\x7f", "a\\x01\\x0a\\x7f");
    assert_html("\xff\xc0\xaf", "\\xff\\xc0\\xaf");
    assert_html("a\xef\xbb\xbf\xe2\x81\xa0", "a\\ufeff\\u2060");
    char *html = html_of("a\xe2\x80\xae"
                         "b\xe2\x81\xa6\xe2\x80\xa8"); /* spelt out one way or the other */
    for (const char *c = html; *c != '\0'; c++) assert_true((unsigned char)*c < 0x80);
    vkmm_free(html);
}

static void test_quoted(void **state)
{
    vkmm_builder builder = {0};
    char *text;

    (void)state;
    vkmm_build_quoted(&builder, NASTY, 1000);
    vkmm_build_quoted(&builder, "0123456789abcdef", 10);
    vkmm_build_quoted(&builder, "0123456789", 10);
    text = vkmm_build_take(&builder, NULL);
    assert_string_equal(text, "'; system touch /tmp/vkmatmul-was-here; print id x y   b_''01234567..''0123456789'");
    vkmm_free(text);
}

static void test_memory(void **state)
{
    vkmm_builder builder = {0};
    size_t bytes = 7;

    (void)state;
    vkmm_alloc_fail_after(2);
    vkmm_build(&builder, "%d", 1);
    for (int i = 0; i < 10000; i++) vkmm_build(&builder, "%d", i);
    assert_true(builder.failed);
    vkmm_build_text(&builder, "more");
    assert_null(vkmm_build_take(&builder, &bytes));
    assert_int_equal(bytes, 0);
    vkmm_alloc_fail_after(0);
}

/* ---- scripts ---- */

/* What stands outside of quotes; and quotes come in pairs on each line. */
static void check_script(const char *script)
{
    char quote = 0;

    for (const char *c = script; *c != '\0'; c++) {
        assert_true(*c == '\n' || ((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f));
        assert_true(*c != '`' && *c != '@' && *c != '\\');
        if (quote == 0 && (*c == '\'' || *c == '"')) {
            quote = *c;
        } else if (*c == quote) {
            quote = 0;
        } else {
            assert_true(*c != '\n' || quote == 0);
            assert_true(quote != 0 || strncmp(c, "system", 6) != 0);
            assert_true(quote != 0 || *c != ';');
        }
    }
    assert_int_equal(quote, 0);
}

static void poison(vkmm_bench *bench)
{
    for (uint32_t i = 0; i < bench->device_count; i++)
        snprintf(bench->devices[i].label, VKMM_BENCH_TEXT, "%u %s", i, NASTY);
    for (uint32_t i = 0; i < bench->row_count; i++) {
        vkmm_bench_row *row = &bench->rows[i];
        if (strcmp(row->group, "ladder") == 0) snprintf(row->asked, sizeof row->asked, "%.24s%u", NASTY + i % 5, i % 5);
    }
    for (uint32_t i = 0; i < bench->tune_count; i++) snprintf(bench->tunes[i].device, VKMM_BENCH_TEXT, "%s", NASTY);
}

static void test_scripts(void **state)
{
    vkmm_charts *charts = calloc(1, sizeof *charts);
    vkmm_bench bench = {.row_count = 0};

    (void)state;
    make_bench(&bench, 1, 0.02);
    poison(&bench);
    assert_int_equal(vkmm_charts_make(&bench, 1, charts), VKMM_OK);
    assert_true(charts->count >= 10);
    for (uint32_t i = 0; i < charts->count; i++) {
        char *input = vkmm_chart_input(&charts->chart[i], VKMM_DRAW_SVG, 1);
        check_script(input);
        for (const char *c = charts->chart[i].name; *c != '\0'; c++)
            assert_true(isalnum((unsigned char)*c) || *c == '-');
        vkmm_free(input);
    }
    vkmm_charts_free(charts);
    vkmm_bench_free(&bench);
    free(charts);
}

/* An empty report, and one without a speed, have no charts. */
static void test_nothing(void **state)
{
    vkmm_charts *charts = calloc(1, sizeof *charts);
    vkmm_bench bench = {.row_count = 0};

    (void)state;
    assert_int_equal(vkmm_charts_make(&bench, 1, charts), VKMM_OK);
    assert_int_equal(charts->count, 0);
    make_bench(&bench, 1, 0.02);
    for (uint32_t i = 0; i < bench.row_count; i++) bench.rows[i].passed = 0;
    bench.tune_count = 0;
    assert_int_equal(vkmm_charts_make(&bench, 1, charts), VKMM_OK);
    assert_int_equal(charts->count, 0);
    bench.tune_count = 2;
    vkmm_bench_free(&bench);
    free(charts);
}

/* ---- what is charted ---- */

static void test_cliffs(void **state)
{
    vkmm_bench bench = {.row_count = 0};
    vkmm_cliff cliffs[VKMM_MAX_CLIFFS];

    (void)state;
    make_bench(&bench, 1, 0.02);
    const vkmm_contender who = {.bench = &bench, .device = 0};
    assert_int_equal(vkmm_cliffs_of(&who, vkmm_types_at(0), cliffs), 2);
    assert_int_equal(cliffs[0].n, 512);
    assert_int_equal(cliffs[1].n, 1024);
    for (int x = 0; x < 3; x++) assert_int_equal(cliffs[1].row[x]->problem.n, 1023 + x);
    assert_int_equal(vkmm_cliffs_of(&who, vkmm_types_at(2), cliffs), 0);
    vkmm_bench_free(&bench);
}

static void test_tiles(void **state)
{
    static vkmm_bench_trial trials[] = {
        {"blocked", "rows=64,cols=32,depth=16", 2}, {"blocked", "cols=32,rows=64,depth=8", 1.5},
        {"blocked", "rows=128,cols=32,depth=8", 3}, {"blocked", "rows=32,cols=32,depth=8", 0},
        {"skinny", "subrows=4,subcols=9", 0.5},     {"blocked", "rows=x,cols=32", 9},
        {"blocked", "rows=-1,cols=32", 1}};
    vkmm_bench_tune tune = {.trials = trials, .count = 4};
    vkmm_tile_map map;

    (void)state;
    assert_true(vkmm_tile_map_of(&tune, &map));
    assert_int_equal(map.row_count, 2);
    assert_int_equal(map.col_count, 1);
    assert_int_equal(map.rows[0], 64);
    assert_float_equal(map.ms[0][0], 1.5, 0);
    assert_float_equal(map.ms[1][0], 3, 0);
    assert_float_equal(map.best_ms, 1.5, 0);
    assert_ptr_equal(map.best, &trials[1]);
    assert_int_equal(map.measured, 3);
    assert_int_equal(map.failed, 1);
    tune.count = sizeof trials / sizeof *trials; /* the rest has no tile that makes sense */
    assert_true(vkmm_tile_map_of(&tune, &map));
    assert_int_equal(map.row_count, 2);
    tune.count = 1;
    assert_false(vkmm_tile_map_of(&tune, &map));
}

/* Rows at one x: a curve has the first, a cloud has both. */
static void test_points(void **state)
{
    vkmm_bench bench = {.row_count = 0};
    vkmm_chart_maker maker = {.benches = &bench, .bench_count = 1};
    uint32_t count = 0;

    (void)state;
    make_bench(&bench, 1, 0.02);
    const vkmm_contender who = {.bench = &bench, .device = 0};
    vkmm_chart_point *points = vkmm_chart_points(&maker, &who, vkmm_types_at(0), vkmm_pick_square, 1, &count);
    assert_int_equal(count, 5);
    for (uint32_t i = 0; i + 1 < count; i++) assert_true(points[i].x < points[i + 1].x);
    assert_int_equal(points[2].row->rotating_bytes, 0);
    vkmm_free(points);
    points = vkmm_chart_points(&maker, &who, vkmm_types_at(0), vkmm_pick_square, 0, &count);
    assert_int_equal(count, 6);
    vkmm_free(points);
    vkmm_bench_free(&bench);
}

/* ---- drawings ---- */

#define SVG(content) "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 64 42\" onload=\"x()\">" content "</svg>"

/* Times that no clock tells, and more devices than a page has charts for. */
static void test_extremes(void **state)
{
    vkmm_bench bench = {.version = ""}, many[16];
    vkmm_report report = {.version = "0", .out = fopen("/dev/null", "w")};
    vkmm_charts *charts = calloc(1, sizeof *charts);

    (void)state;
    assert_true(report.out != NULL && charts != NULL);
    make_bench(&bench, 1, 0.01);
    for (uint32_t i = 0; i < bench.row_count; i++) {
        vkmm_bench_row *row = &bench.rows[i];
        for (uint32_t j = 0; i % 2 == 0 && j < row->kernel_ms.count; j++) row->kernel_ms.ms[j] = 5e-324;
        vkmm_bench_derive(&bench, row);
        assert_false(isinf(row->figures.gflops));
    }
    for (int utf8 = 0; utf8 < 2; utf8++) {
        report.utf8 = utf8;
        assert_int_equal(vkmm_bench_bars(&report, &bench, 1), VKMM_OK);
    }
    assert_int_equal(vkmm_charts_make(&bench, 1, charts), VKMM_OK);
    assert_int_equal(charts->left_out, 0);
    vkmm_charts_free(charts);
    for (int i = 0; i < 16; i++) many[i] = bench;
    assert_int_equal(vkmm_charts_make(many, 16, charts), VKMM_OK);
    assert_int_equal(charts->count, VKMM_MAX_CHARTS);
    assert_true(charts->left_out > 0);
    vkmm_charts_free(charts);
    free(charts);
    fclose(report.out);
    vkmm_bench_free(&bench);
}

static void assert_clean(const char *svg, const char *expected)
{
    char *clean = vkmm_chart_clean(svg, "c7", "A \"title\"", 0);

    assert_non_null(clean);
    assert_contains(clean, "<svg viewBox=\"0 0 64 42\" role=\"img\" aria-label=\"A &quot;title&quot;\">");
    assert_string_equal(strchr(clean, '>') + 1, expected);
    vkmm_free(clean);
}

static void test_clean(void **state)
{
    (void)state;
    assert_clean(SVG("<g color=\"black\"><path stroke='rgb(  0, 114, 178)'  d='M1,2 L3,4 '/></g>"),
                 "<g color=\"#1b2430\"><path stroke=\"#0072b2\" d=\"M1,2 L3,4 \"/></g></svg>");
    assert_clean(SVG("<polygon fill = 'rgb(0,0,255)' points = '1,2 3,4'/>"),
                 "<polygon fill=\"#0000ff\" points=\"1,2 3,4\"/></svg>");
    assert_clean(SVG("<g><g stroke=\"black\"></g></g>"), "</svg>");
    assert_clean(SVG("<circle id='gpDot' r='0.5'/><use xlink:href='#gpDot' x='1'/>"),
                 "<circle id=\"c7-gpDot\" r=\"0.5\"/><use xlink:href=\"#c7-gpDot\" x=\"1\"/></svg>");
    assert_clean(SVG("<text x='1'>a &lt;b&gt; &amp; &nbsp;</text>"),
                 "<text x=\"1\">a &lt;b&gt; &amp; &amp;nbsp;</text></svg>");
    assert_clean(SVG("stray<g>stray<path d='M1'/></g>"), "<g><path d=\"M1\"/></g></svg>");
    assert_clean(SVG("<g><path d='M1'/>"), "<g><path d=\"M1\"/></g></svg>");
}

static void test_foreign(void **state)
{
    (void)state;
    assert_clean(SVG("<script>alert(1)</script><path d='M1'/>"), "<path d=\"M1\"/></svg>");
    assert_clean(SVG("<foreignObject><g><p onclick='x'>hi</p></g></foreignObject><path d='M1'/>"),
                 "<path d=\"M1\"/></svg>");
    assert_clean(SVG("<image href='http://example.org/x'/><a href='javascript:x'><path d='M1'/></a>"), "</svg>");
    assert_clean(SVG("<path d='M1' onclick='alert(1)' style='x:y' class='z' fill='url(http://example.org)'/>"),
                 "<path d=\"M1\"/></svg>");
    assert_clean(SVG("<use xlink:href='http://example.org/#x' x='1'/><use xlink:href='data:x'/>"),
                 "<use x=\"1\"/><use/></svg>");
    assert_clean(SVG("<set attributeName='d' to='x'/><animate/><style>*{}</style><path d='M1'/>"),
                 "<path d=\"M1\"/></svg>");
}

static void test_no_drawing(void **state)
{
    static const char *const texts[] = {"",
                                        "gnuplot: no",
                                        "<svg>",
                                        "<svg viewBox=\"0 0 0 0\"></svg>",
                                        "<html viewBox=\"0 0 1 1\"></html>",
                                        SVG("<svg viewBox=\"0 0 1 1\"/>"),
                                        SVG("<path d='M1"),
                                        SVG("<>"),
                                        SVG("<path d='M1\"/><script>'/>"),
                                        SVG("<g>") "<svg></svg>"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_null(vkmm_chart_clean(texts[i], "c", "t", 0));
}

static void test_standalone(void **state)
{
    char *clean = vkmm_chart_clean(SVG("<path d='M1'/>"), "c", "<t>", 1);

    (void)state;
    assert_contains(clean, "<title>&lt;t&gt;</title>");
    assert_contains(clean, "prefers-color-scheme: dark");
    assert_contains(clean, "<rect width=\"64\" height=\"42\" fill=\"#ffffff\"/>");
    vkmm_free(clean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_html),       cmocka_unit_test(test_quoted),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_scripts),    cmocka_unit_test(test_nothing), cmocka_unit_test(test_cliffs),
        cmocka_unit_test(test_tiles),      cmocka_unit_test(test_points),  cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_clean),      cmocka_unit_test(test_foreign), cmocka_unit_test(test_no_drawing),
        cmocka_unit_test(test_standalone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
