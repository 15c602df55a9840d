/* Writers of benches and comparisons without a device: tables that fit, figures that do not exist, memory that ends,
 * devices that are told apart. */
#include "base/alloc.h"
#include "bench/derive.h"
#include "make_bench.h"
#include "bench/compare.h"
#include "report/text.h"
#include "widest_line.h"
#include "test.h"

#include <jansson.h>

static const char *const compare_formats[] = {"table", "json", "md", "csv"};

/* What a writer makes of a bench; freed by the caller. */
static char *written(const char *format, cli_report report, const cli_bench *bench)
{
    char *text = NULL;
    size_t size = 0;
    report.out = open_memstream(&text, &size);
    assert_non_null(report.out);
    assert_ok(cli_bench_write(cli_writer_find(format), &report, bench));
    fclose(report.out);
    return text;
}

/* What is written of the comparison of some reports; freed by the caller. The comparison is ended; its counts stay. */
static char *compared(const char *format, cli_report report, cli_bench *benches, uint32_t count,
                      cli_comparison *comparison)
{
    char *text = NULL;
    size_t size = 0;
    *comparison =
        (cli_comparison){.report = &report, .reports = {benches, count}, .regression = comparison->regression};
    report.version = report.shader_hash = report.command = "";
    report.out = open_memstream(&text, &size);
    assert_non_null(report.out);
    assert_ok(cli_comparison_make(comparison));
    assert_ok(cli_writer_find(format)->compare(comparison));
    fclose(report.out);
    cli_comparison_free(comparison);
    return text;
}

TEST(tables_fit)
{
    cli_bench bench = {.version = ""};
    char *text;
    make_bench(&bench, 1, 0.01);
    for (int columns = 80; columns < 170; columns += 5) {
        text = written("table", (cli_report){.columns = columns, .utf8 = columns % 2}, &bench);
        assert_in_range(widest_line(text), 70, columns);
        assert_null(strchr(text, '\x1b'));
        free(text);
    }
    text = written("table", (cli_report){.colour = 1, .utf8 = 1}, &bench);
    assert_contains(text, "✓");
    assert_contains(text, "throttled: its last round took 20 % longer");
    assert_contains(text, "~ not stable: sampling ended");
    assert_contains(text, "Modest Graphics 630 was faster in a row than");
    assert_contains(text, "busy: other processes took 7.5 of 16 processors");
    assert_null(strstr(text, "    not run:"));
    assert_contains(text, "not run on Modest Graphics 630: A is 1 GiB");
    assert_contains(text, "    16384³ f32\x1b[0m\n");
    assert_contains(text, "wrong: row 17 of C is off");
    assert_contains(text, "* kernel ms by the host's clock: the device's timestamps do not advance");
    assert_contains(text, "69 rows: 64 with a speed, 2 wrong, 1 on a busy machine, 1 throttled, 2 not run");
    assert_contains(text, "1024³ cold");
    free(text);
    cli_bench_free(&bench);
}

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;
    for (; (text = strstr(text, what)) != NULL; text++) count++;
    return count;
}

/* A reason stands once for all its rows, after those that ran, and the list of rows fits. */
TEST(reasons_once)
{
    cli_bench bench = {.version = ""};
    const char *first;
    char *text;
    make_bench(&bench, 1, 0.01);
    bench.device_count = 1;
    bench.row_count = 20;
    for (uint32_t i = 3; i < 20; i++)
        snprintf(bench.rows[i].not_run, sizeof bench.rows[i].not_run, i % 2 ? "no time was left" : "too large\x1b");
    snprintf(bench.rows[19].kernel.name, sizeof bench.rows[19].kernel.name, "naive");
    bench.rows[19].problem.layout = VKMM_COL_MAJOR;
    for (int columns = 0; columns < 160; columns += 80) {
        text = written("table", (cli_report){.columns = columns}, &bench);
        assert_int_equal(count_of(text, "not run: no time was left\n    "), 1);
        assert_int_equal(count_of(text, "not run: too large\\x1b\n    "), 1);
        assert_int_equal(count_of(text, "\nnot run"), 2);
        assert_non_null(first = strstr(text, "not run"));
        assert_null(strstr(first, "GFLOP/s"));
        assert_contains(first, " naive (column-major)");
        assert_in_range(widest_line(first), 10, columns > 0 ? 80 : 120);
        free(text);
    }
    bench.device_count = 3;
    bench.row_count = 69;
    cli_bench_free(&bench);
}

/* No writer shows a figure of a row without a speed, whatever is in it. */
TEST(no_verdict_no_speed)
{
    static const char *const formats[] = {"table", "csv", "md", "junit"};
    cli_bench bench = {.version = ""};
    make_bench(&bench, 1, 0.01);
    for (uint32_t i = 0; i < bench.row_count; i++) {
        bench.rows[i].passed = 0;
        cli_bench_derive(&bench, &bench.rows[i]);
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = written(formats[i], (cli_report){.utf8 = 1}, &bench);
        assert_true(strstr(text, " nan") == NULL && strstr(text, ",nan,") == NULL);
        assert_true(strstr(text, " inf") == NULL && strstr(text, ",inf,") == NULL);
        assert_null(strstr(text, " % math"));
        assert_null(strstr(text, "name=\"gflops\""));
        assert_null(strstr(text, " 0.00 "));
        free(text);
    }
    cli_bench_free(&bench);
}

static void two_reports(cli_bench benches[2], double speed)
{
    memset(benches, 0, 2 * sizeof *benches);
    make_bench(&benches[0], 1, 0.01);
    make_bench(&benches[1], speed, 0.01);
    snprintf(benches[0].name, sizeof benches[0].name, "old.json");
    snprintf(benches[1].name, sizeof benches[1].name, "new.json");
}

static void free_reports(cli_bench benches[2])
{
    for (int i = 0; i < 2; i++) cli_bench_free(&benches[i]);
}

/* f32 that went through f16, and what else became of C: every format says so, and says nothing of it where it did
 * not happen. */
TEST(fewer_bits_are_told)
{
    static const struct {
        const char *format, *types, *epilogue;
    } words[] = {{"table", "f32 (sum f16)", "+bias relu"},
                 {"json", "\"compute\": \"f16\"", "\"activation\": \"relu\""},
                 {"jsonl", "\"compute\":\"f16\"", "\"bias\":true"},
                 {"csv", ",f32,f16,relu,true,", ",f32,f16,relu,true,"},
                 {"md", "f32 (sum f16)", "+bias relu"},
                 {"junit", "f32 (sum f16)", "+bias relu"}};
    static const char *const compare_words[] = {"f32 (sum f16)", "\"compute\":\"f16\"", "f32 (sum f16)",
                                                ",f32,f16,relu,true,direct,"};
    for (int told = 0; told < 2; told++) {
        cli_bench benches[2];
        char *text = NULL;
        cli_report report = {.utf8 = 1, .version = "", .shader_hash = "", .command = ""};
        two_reports(benches, 1);
        for (uint32_t b = 0; b < 2 && told; b++)
            for (uint32_t i = 0; i < benches[b].row_count; i++) {
                vkmm_problem *problem = &benches[b].rows[i].problem;
                if (problem->type != VKMM_F32) continue;
                problem->has_bias = 1;
                problem->out_type = VKMM_F32;
                problem->compute = VKMM_F16;
                problem->activation = VKMM_RELU;
            }
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            text = written(words[i].format, report, &benches[0]);
            assert_int_equal(strstr(text, words[i].types) != NULL, told);
            assert_int_equal(strstr(text, words[i].epilogue) != NULL, told);
            free(text);
        }
        cli_comparison comparison = {.regression = -1};
        for (int i = 0; i < 4; i++) {
            text = compared(compare_formats[i], report, benches, 2, &comparison);
            assert_int_equal(strstr(text, compare_words[i]) != NULL, told);
            free(text);
        }
        /* What its scripts make of this, tests/page shows. */
        text = cli_bench_page_json(&report, &(cli_reports){benches, 1});
        assert_non_null(text);
        assert_int_equal(strstr(text, words[2].types) != NULL && strstr(text, words[2].epilogue) != NULL, told);
        free(text);
        free_reports(benches);
    }
}

/* Rows of unlike types are no rows of one another, and means do not mix them. */
TEST(types_are_told_apart)
{
    cli_bench benches[2];
    cli_comparison comparison = {.regression = -1};
    char *text;
    two_reports(benches, 1);
    for (uint32_t i = 0; i < benches[1].row_count; i++) {
        vkmm_problem *problem = &benches[1].rows[i].problem;
        if (problem->type != VKMM_F32 || problem->m % 512 != 0) continue;
        problem->out_type = VKMM_F32;
        problem->compute = VKMM_F16;
    }
    text = compared("table", (cli_report){.utf8 = 1}, &benches[1], 1, &comparison);
    assert_true(comparison.row_count > 0);
    assert_contains(text, "square f32 (sum f16) ");
    assert_contains(text, "square f32 ");
    free(text);
    free_reports(benches);
}

/* Right before and wrong now, which no ratio can say: one row, or all of a device, which then has no speed. */
TEST(wrong_is_a_regression)
{
    for (int all = 0; all < 2; all++) {
        cli_bench benches[2];
        cli_comparison comparison = {.regression = 0.05};
        uint32_t wrong = 0;
        two_reports(benches, 1);
        for (uint32_t i = 0; i < (all ? benches[1].row_count : 1); i++) {
            cli_bench_row *row = &benches[1].rows[i];
            if (row->device != 0) continue;
            wrong += row->not_run[0] == '\0';
            row->passed = 0;
            cli_bench_derive(&benches[1], row);
        }
        char *text = compared("table", (cli_report){.columns = 80}, benches, 2, &comparison);
        assert_int_equal(comparison.count, 6);
        assert_int_equal(comparison.regressions, wrong);
        assert_true(all ? wrong > 20 : wrong == 1);
        assert_contains(text, "4 is wrong in 256^3 f32 auto, where 1 is right");
        assert_in_range(widest_line(text), 60, 80);
        free(text);
        free_reports(benches);
    }
}

/* A single sample has no interval: no format shows one, and no mean includes the row. */
TEST(single_samples)
{
    cli_bench benches[2];
    cli_comparison comparison = {.regression = 0};
    char *text;
    two_reports(benches, 1);
    benches[1].rows[0].kernel_ms.count = 1;
    benches[1].rows[0].rounds = 1;
    benches[1].rows[0].round_ends[0] = 1;
    cli_bench_derive(&benches[1], &benches[1].rows[0]);
    for (size_t i = 0; i < sizeof compare_formats / sizeof *compare_formats; i++) {
        text = compared(compare_formats[i], (cli_report){0}, benches, 2, &comparison);
        assert_true(strstr(text, " nan") == NULL && strstr(text, ",nan,") == NULL);
        if (strcmp(compare_formats[i], "json") == 0) {
            json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
            json_t *means = json_object_get(json, "means"), *all = json_array_get(means, json_array_size(means) - 1);
            json_t *of = json_object_get(all, "contenders");
            assert_int_equal(json_integer_value(json_object_get(json_array_get(of, 3), "rows")),
                             json_integer_value(json_object_get(json_array_get(of, 0), "rows")) - 1);
            json_decref(json);
        }
        free(text);
    }
    free_reports(benches);
}

/* One device under a new driver that names it anew is still the same; the host is compared with the host. */
TEST(renamed_devices)
{
    cli_bench benches[2];
    cli_comparison comparison = {.regression = -1};
    json_t *json, *list;
    char *text;
    two_reports(benches, 1);
    snprintf(benches[1].devices[0].info.name, sizeof benches[1].devices[0].info.name, "Speedster 9000 (rev 2)");
    snprintf(benches[1].devices[0].label, sizeof benches[1].devices[0].label, "Speedster 9000 (rev 2)");
    memset(benches[1].devices[0].info.uuid, 7, VK_UUID_SIZE);
    snprintf(benches[1].devices[2].info.name, sizeof benches[1].devices[2].info.name, "Another Processor");
    snprintf(benches[1].devices[2].info.driver.name, sizeof benches[1].devices[2].info.driver.name, "BLIS");
    text = compared("json", (cli_report){0}, benches, 2, &comparison);
    assert_non_null(json = json_loads(text, JSON_REJECT_DUPLICATES, NULL));
    list = json_object_get(json, "contenders");
    for (size_t i = 0; i < 3; i++) {
        assert_true(json_is_null(json_object_get(json_array_get(list, i), "same_device_as")));
        assert_int_equal(json_integer_value(json_object_get(json_array_get(list, i + 3), "same_device_as")), i);
    }
    json_decref(json);
    free(text);
    free_reports(benches);
}

/* Every allocation fails once: the status says so, and nothing leaks or crashes. */
TEST(memory_ends)
{
    cli_bench benches[2];
    cli_report report = {.version = "", .shader_hash = "", .command = "", .out = fopen("/dev/null", "w")};
    assert_non_null(report.out);
    two_reports(benches, 0.9);
    benches[0].row_count = benches[1].row_count = 3; /* the rest would be more of the same; freed below */
    for (size_t i = 0; i < sizeof compare_formats / sizeof *compare_formats; i++) {
        vkmm_status status = VKMM_OUT_OF_MEMORY;
        for (uint64_t n = 1; n < 200; n++) {
            cli_comparison comparison = {.report = &report, .reports = {benches, 2}};
            vkmm_alloc_fail_after(n);
            status = cli_comparison_make(&comparison);
            if (status == VKMM_OK) status = cli_writer_find(compare_formats[i])->compare(&comparison);
            vkmm_alloc_fail_after(0);
            cli_comparison_free(&comparison);
            assert_true(status == VKMM_OK || status == VKMM_OUT_OF_MEMORY);
        }
        assert_ok(status);
    }
    /* A page may lack a figure (an interval) afterwards. More and more allocations lie between those that fail. */
    for (uint64_t n = 1; n < 100000; n += 1 + n / 4) {
        vkmm_alloc_fail_after(n);
        free(cli_bench_page_json(&report, &(cli_reports){benches, 2}));
        vkmm_alloc_fail_after(0);
    }
    benches[0].row_count = benches[1].row_count = 69;
    fclose(report.out);
    free_reports(benches);
}
