/* Reports written and read, whole and in parts. */
#include "bench_text.h"

#include "base/alloc.h"
#include "math/type.h"
#include "report/records.h"

/* The text has all that was measured: it is the same after it was read. */
TEST(documents_come_back)
{
    cli_bench bench = {0}, again = {0};
    heard h = {0};
    make_bench(&bench, 1, 0.02);
    char *first = written("json", &bench);
    assert_int_equal(parse(&h, first, &again), VKMM_OK);
    assert_int_equal(h.count, 0);
    char *second = written("json", &again);
    assert_string_equal(first, second);
    assert_string_equal(again.name, "old.json");
    assert_true(again.device_count == 3 && again.row_count == bench.row_count && again.complete);
    for (uint32_t i = 0; i < again.row_count; i++)
        assert_memory_equal(&bench.rows[i].kernel, &again.rows[i].kernel, sizeof again.rows[i].kernel);
    for (uint32_t i = 0; i < 3; i++)
        assert_memory_equal(&bench.devices[i].info, &again.devices[i].info, sizeof again.devices[i].info);
    assert_true(isnan(again.devices[0].peaks.matrix[2].multiply_adds_per_s));
    assert_memory_equal(&bench.devices[0].peaks.matrix[1], &again.devices[0].peaks.matrix[1], sizeof(cli_bench_matrix));
    free(first);
    free(second);
    cli_bench_free(&bench);
    cli_bench_free(&again);
}

/* As processes that measure answer. */
TEST(parts_come_back)
{
    char sentence[CLI_BENCH_TEXT];
    cli_bench_row row;
    vkmm_problem problem = VKMM_PROBLEM(),
                 odd = VKMM_PROBLEM(.m = 7, .n = 5, .k = 3, .type = VKMM_I32, .layout = VKMM_COL_MAJOR,
                                    .op_a = VKMM_OP_T, .lda = 9, .batch_count = 4, .stride_a = 100, .stride_c = 35,
                                    .alpha = -3, .beta = 4294967295.0);
    json_t *json = cli_record_json(&cli_problem_record, &odd);
    assert_true(cli_record_parse(json, &cli_problem_record, &problem, sentence));
    cli_bench_row a = {.problem = odd}, b = {.problem = problem};
    assert_true(cli_bench_same(&a, &b) && problem.stride_b == 0 && problem.ldb == 3);
    json_decref(json);
    cli_bench_row_init(&row);
    json = json_pack("{s:i}", "device", 0);
    assert_false(cli_record_parse(json, &cli_row_record, &row, sentence));
    assert_string_equal(sentence, "problem is missing");
    json_decref(json);
    assert_false(cli_record_parse(NULL, &cli_row_record, &row, sentence));
}

TEST(component_names)
{
    char text[32];
    const uint32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1000141000, 1000491002, 4294967295u};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t back = 77;
        assert_true(vkmm_component_parse(vkmm_component_name(all[i], text), &back) && back == all[i]);
    }
    assert_string_equal(vkmm_component_name(1000141000, text), "bf16");
    assert_string_equal(vkmm_component_name(11, text), "type 11");
    uint32_t back;
    static const char *const wrong[] = {"", "f99", "type", "type ", "type x", "type 1", "type 4294967296", "type 12 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(vkmm_component_parse(wrong[i], &back));
}

TEST(memory_ends)
{
    char *text = changed("tool/version", "\"1\"");
    int ended = 0;
    for (uint64_t n = 1; n < 200 && !ended; n++) {
        heard h = {0};
        cli_bench bench = {0};
        vkmm_alloc_fail_after(n);
        const vkmm_status status = parse(&h, text, &bench);
        vkmm_alloc_fail_after(0);
        assert_true(status == VKMM_OK || (status == VKMM_OUT_OF_MEMORY && h.count == 1 && bench.rows == NULL));
        ended = status == VKMM_OK && bench.row_count == 5 && !isnan(bench.rows[0].figures.gflops);
        cli_bench_free(&bench);
    }
    assert_true(ended);
    free(text);
}
