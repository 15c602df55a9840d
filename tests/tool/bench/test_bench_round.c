/* Reports written and read, whole and in parts. */
#include "bench_text.h"

#include "base/alloc.h"
#include "math/component.h"
#include "report/records.h"

static int is_near(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-8 * fabs(a);
}

static int is_near_series(const cli_bench_series *a, const cli_bench_series *b)
{
    if (a->count != b->count) return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (!is_near(a->ms[i], b->ms[i])) return 0;
    return 1;
}

/* All that was measured. */
static void is_same_row(const cli_bench_row *a, const cli_bench_row *b)
{
    assert_true(cli_bench_same(a, b) && a->device == b->device && a->seed == b->seed && a->passed == b->passed &&
                a->mapped == b->mapped);
    assert_memory_equal(&a->kernel, &b->kernel, sizeof a->kernel);
    assert_true(is_near(a->error, b->error) && is_near(a->bound, b->bound) && is_near(a->slope_ms, b->slope_ms));
    assert_true(is_near(a->asked_bytes, b->asked_bytes) && is_near(a->power.joules, b->power.joules) &&
                is_near(a->power.watts, b->power.watts) && is_near(a->power.others, b->power.others) &&
                a->power.processors == b->power.processors && a->figures.busy == b->figures.busy);
    for (int i = 0; i < 3; i++) assert_true(is_near(a->power.mhz[i], b->power.mhz[i]));
    assert_true(is_near_series(&a->kernel_ms, &b->kernel_ms) && is_near_series(&a->submit_ms, &b->submit_ms));
    assert_true(is_near_series(&a->total_ms, &b->total_ms) && is_near_series(&a->upload_ms, &b->upload_ms));
    assert_true(is_near_series(&a->download_ms, &b->download_ms) && a->rounds == b->rounds);
    for (uint32_t i = 0; i < a->rounds; i++) assert_int_equal(a->round_ends[i], b->round_ends[i]);
    const char *const texts[][2] = {{a->group, b->group},
                                    {a->asked, b->asked},
                                    {a->init, b->init},
                                    {a->not_run, b->not_run},
                                    {a->method, b->method},
                                    {a->sentence, b->sentence},
                                    {a->clock, b->clock},
                                    {a->clock_note, b->clock_note},
                                    {a->stopped, b->stopped},
                                    {a->power.source, b->power.source},
                                    {a->power.limited, b->power.limited}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_string_equal(texts[i][0], texts[i][1]);
    assert_true(is_near(a->figures.gflops, b->figures.gflops) && is_near(a->figures.drift, b->figures.drift));
    assert_true(a->figures.throttled == b->figures.throttled);
}

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
    for (uint32_t i = 0; i < again.row_count; i++) is_same_row(&bench.rows[i], &again.rows[i]);
    for (uint32_t i = 0; i < 3; i++)
        assert_memory_equal(&bench.devices[i].info, &again.devices[i].info, sizeof again.devices[i].info);
    assert_true(isnan(again.devices[0].peaks.matrix[2].multiply_adds_per_s));
    assert_memory_equal(&bench.devices[0].peaks.matrix[1], &again.devices[0].peaks.matrix[1], sizeof(cli_bench_matrix));
    free(first);
    free(second);
    cli_bench_free(&bench);
    cli_bench_free(&again);
}

/* ---- Files, parts, memory ---- */

TEST(files)
{
    heard h = {0};
    const vkmm_log log = {hear, &h};
    cli_reports reports = {0};
    char path[] = "/tmp/vkmatmul-test-XXXXXX.json";
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    assert_int_equal(vkmm_tell(&log, cli_reports_open(path, &reports)), VKMM_INVALID);
    assert_true(strstr(h.last, "is empty") != NULL);
    const char *text = "{\"schema\":\"vkmatmul.bench/1\",\"rows\":[],\"devices\":[]}";
    FILE *stream = fdopen(file, "w");
    fputs(text, stream);
    fclose(stream);
    assert_int_equal(vkmm_tell(&log, cli_reports_open(path, &reports)), VKMM_OK);
    assert_string_equal(reports.benches[0].name, path + 5);
    cli_reports_free(&reports);
    remove(path);
    assert_int_equal(vkmm_tell(&log, cli_reports_open(path, &reports)), VKMM_INVALID);
    assert_true(strstr(h.last, path) != NULL);
    assert_int_equal(vkmm_tell(&log, cli_reports_open("/tmp", &reports)), VKMM_INVALID);
    assert_true(strstr(h.last, "/tmp") != NULL);
}

TEST(parts_come_back)
{
    char sentence[CLI_BENCH_TEXT];
    cli_bench made = {0};
    cli_bench_row row;
    make_bench(&made, 1, 0.02);
    cli_bench_row_init(&row);
    json_t *json = cli_record_json(&cli_row_record, &made.rows[3]);
    assert_true(cli_record_parse(json, &cli_row_record, &row, sentence) && sentence[0] == '\0' &&
                cli_bench_same(&row, &made.rows[3]));
    assert_int_equal(row.kernel_ms.count, made.rows[3].kernel_ms.count);
    cli_bench_row_free(&row);
    json_object_set_new(json, "problem", json_null());
    assert_false(cli_record_parse(json, &cli_row_record, &row, sentence));
    assert_string_equal(sentence, "problem is missing");
    cli_bench_row_free(&row);
    json_decref(json);
    assert_false(cli_record_parse(NULL, &cli_row_record, &row, sentence));
    cli_bench_row_free(&row);
    cli_bench_device device = {0};
    json = cli_record_json(&cli_device_record, &made.devices[1]);
    assert_true(cli_record_parse(json, &cli_device_record, &device, sentence));
    assert_memory_equal(&device.info, &made.devices[1].info, sizeof device.info);
    json_decref(json);
    cli_bench_peaks peaks = {0};
    json = cli_record_json(&cli_peaks_record, &made.devices[0].peaks);
    assert_true(cli_record_parse(json, &cli_peaks_record, &peaks, sentence) && peaks.matrix_count == 3);
    json_decref(json);
    vkmm_problem problem = VKMM_PROBLEM(),
                 odd = VKMM_PROBLEM(.m = 7, .n = 5, .k = 3, .type = VKMM_I32, .layout = VKMM_COL_MAJOR,
                                    .op_a = VKMM_OP_T, .lda = 9, .batch_count = 4, .stride_a = 100, .stride_c = 35,
                                    .alpha = -3, .beta = 4294967295.0);
    json = cli_record_json(&cli_problem_record, &odd);
    assert_true(cli_record_parse(json, &cli_problem_record, &problem, sentence));
    cli_bench_row a = {.problem = odd}, b = {.problem = problem};
    assert_true(cli_bench_same(&a, &b) && problem.stride_b == 0 && problem.ldb == 3);
    json_decref(json);
    cli_bench_free(&made);
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
