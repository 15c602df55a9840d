/* Reports written and read, whole and in parts; and everything that a file with a report may do wrong. */
#include "unit.h"

#include <jansson.h>

#include "base/alloc.h"
#include "bench/compare.h"
#include "bench/read.h"
#include "make_bench.h"
#include "math/problem.h"
#include "math/type.h"
#include "report/records.h"

/* A bench as one of the formats writes it; to be freed. */
static char *written(const char *format, const cli_bench *bench)
{
    char *text = NULL;
    size_t bytes = 0;
    cli_report report = {.out = open_memstream(&text, &bytes), .utf8 = 1};
    assert_non_null(report.out);
    assert_ok(cli_bench_write(cli_writer_find(format), &report, bench));
    fclose(report.out);
    return text;
}

/* A file of one report. */
static vkmm_status parse(const char *text, cli_bench *bench)
{
    cli_reports reports = {0};
    const vkmm_status status = cli_reports_parse("old.json", text, strlen(text), &reports);
    assert_int_equal(reports.count, status == VKMM_OK);
    if (status == VKMM_OK) *bench = reports.benches[0];
    vkmm_free(reports.benches);
    return status;
}

/* The text must be refused with a sentence that has all of the words. */
static void refused(const char *text, size_t bytes, const char *words)
{
    cli_reports reports = {0};
    assert_refused(cli_reports_parse("old.json", text, bytes, &reports), VKMM_INVALID, words);
    assert_memory_equal(vkmm_last_error(), "old.json", 8);
    assert_true(reports.count == 0 && reports.benches == NULL);
}

static json_t *small_report(void)
{
    cli_bench bench = {0};
    make_small_bench(&bench);
    char *text = written("json", &bench);
    json_t *report = json_loads(text, 0, NULL);
    assert_non_null(report);
    free(text);
    cli_bench_free(&bench);
    return report;
}

/* Sets the value at a path of keys and indices ("rows", 0, …) by text, and refuses or takes the report. */
static json_t *walk(json_t *at, const char *path, char last[64])
{
    char part[64];
    int length;
    while (sscanf(path, "%63[^/]%n", part, &length) == 1 && path[length] == '/') {
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(part)) : json_object_get(at, part);
        assert_non_null(at);
        path += length + 1;
    }
    snprintf(last, 64, "%s", path);
    return at;
}

static char *changed(const char *path, const char *value)
{
    json_t *report = small_report(), *new_value = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    char last[64];
    json_t *parent = walk(report, path, last);
    if (!value)
        json_object_del(parent, last);
    else if (json_is_array(parent))
        json_array_set_new(parent, (size_t)atoi(last), new_value);
    else
        json_object_set_new(parent, last, new_value);
    char *text = json_dumps(report, 0);
    json_decref(report);
    return text;
}

/* The text has all that was measured: it is the same after it was read. */
TEST(documents_come_back)
{
    cli_bench bench = {0}, again = {0};
    make_bench(&bench, 1, 0.02);
    char *first = written("json", &bench);
    assert_ok(parse(first, &again));
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
        cli_bench bench = {0};
        vkmm_alloc_fail_after(n);
        const vkmm_status status = parse(text, &bench);
        vkmm_alloc_fail_after(0);
        assert_true(status == VKMM_OK || (status == VKMM_OUT_OF_MEMORY && bench.rows == NULL));
        ended = status == VKMM_OK && bench.row_count == 5 && !isnan(bench.rows[0].figures.gflops);
        cli_bench_free(&bench);
    }
    assert_true(ended);
    free(text);
}

/* ---- Every value of a report replaced by one of another type ---- */

/* Derived, or of no consequence. */
static int is_ignored(const char *path)
{
    static const char *const words[] = {
        "median",           "min",        "p5",    "p95",  "gflops", "gbytes_per_s", "interval_ms", "noise",
        "arithmetic_share", "copy_share", "drift", "busy", "count",  "outliers",     "throttled",   "shader",
        "device_local"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof words / sizeof *words; i++) {
        char inside[32];
        snprintf(inside, sizeof inside, ".%s", words[i]);
        if (strcmp(dot, inside) == 0 || strstr(path, ".interval_ms[") != NULL) return 1;
    }
    return strstr(path, ".interval_ms[") != NULL;
}

static unsigned tried;

/* `value` stands at the path within the report; put replaces it there. */
static void spoil_one(json_t *report, json_t *parent, const char *key, size_t index, const char *path)
{
    json_t *value = json_incref(key ? json_object_get(parent, key) : json_array_get(parent, index));
    json_t *wrong = json_is_string(value)   ? json_integer(3)
                    : json_is_object(value) ? json_array()
                    : json_is_array(value)  ? json_object()
                                            : json_string("x");
    if (key)
        json_object_set_new(parent, key, wrong);
    else
        json_array_set_new(parent, index, wrong);
    char *text = json_dumps(report, JSON_COMPACT | JSON_REAL_PRECISION(9)), sentence[300];
    snprintf(sentence, sizeof sentence, "%s is %s", path,
             json_is_string(value)   ? "a number, not "
             : json_is_object(value) ? "a list, not an object"
             : json_is_array(value)  ? "an object, not a list"
                                     : "a string, not ");
    if (!is_ignored(path)) refused(text, strlen(text), strcmp(path, "schema") == 0 ? "not a report" : sentence);
    free(text);
    tried++;
    if (key)
        json_object_set_new(parent, key, value);
    else
        json_array_set_new(parent, index, value);
}

static void spoil(json_t *report, json_t *parent, const char *path)
{
    char inside[300];
    const char *key;
    json_t *value;
    size_t index;
    void *next;
    json_object_foreach_safe(parent, next, key, value)
    {
        snprintf(inside, sizeof inside, "%s%s%s", path, *path ? "." : "", key);
        if (!json_is_null(value)) spoil_one(report, parent, key, 0, inside);
        spoil(report, json_object_get(parent, key), inside);
    }
    for (index = 0; index < json_array_size(parent); index++) {
        snprintf(inside, sizeof inside, "%s[%zu]", path, index);
        if (!json_is_null(json_array_get(parent, index))) spoil_one(report, parent, NULL, index, inside);
        spoil(report, json_array_get(parent, index), inside);
    }
}

TEST(every_wrong_type_is_refused)
{
    json_t *report = small_report();
    tried = 0;
    spoil(report, report, "");
    assert_true(tried > 400);
    json_decref(report);
}

/* ---- Values of the right type that make no sense ---- */

TEST(nonsense_is_refused)
{
    static const char *const cases[][3] = {
        {"rows/0/device", "3", "rows[0].device is 3; the report has 3 devices"},
        {"rows/0/device", "4294967296", "rows[0].device is 4294967296; the maximum is 4294967295"},
        {"rows/0/device", "-1", "non-negative integer"},
        {"rows/0/device", "0.5", "rows[0].device is 0.5; it must be a non-negative integer"},
        {"rows/0/device", NULL, "rows[0].device is missing"},
        {"rows/0/problem", NULL, "rows[0].problem is missing"},
        {"rows/0/problem/type", "\"f17\"", "rows[0].problem.type is \"f17\", which is not a known element type"},
        {"rows/0/problem/m", "4294967296", "rows[0].problem is not a valid problem: M is 4294967296"},
        {"rows/0/problem/lda", "3", "rows[0].problem is not a valid problem: "},
        {"rows/0/problem/layout", "\"diagonal\"",
         "rows[0].problem.layout is \"diagonal\", which is not a known layout"},
        {"rows/0/problem/m", NULL, "rows[0].problem.m is missing"},
        {"rows/0/time/kernel_ms/samples/1", "-0.1",
         "rows[0].time.kernel_ms.samples[1] is -0.1; it must lie between 0 and"},
        {"rows/0/time/kernel_ms/samples/1", "1e308", "rows[0].time.kernel_ms.samples[1] is 1e+308"},
        {"rows/0/time/kernel_ms/samples/1", "null", "rows[0].time.kernel_ms.samples[1] is null"},
        {"rows/0/time/kernel_ms/samples", NULL, "rows[0].time.kernel_ms.samples is missing"},
        {"rows/0/time/round_ends/1", "1", "rows[0].time.round_ends[1] is 1, less than the end of the round before, 2"},
        {"rows/0/time/round_ends/1", "5", "rows[0].time.round_ends[1] is 5; the maximum is 4"},
        {"rows/0/time/slope_ms", "-1", "rows[0].time.slope_ms is -1"},
        {"rows/0/kernel/tile", "[1]", "rows[0].kernel.tile has 1 entries, not 2"},
        {"rows/0/kernel/spec_constants", "{\"x\":1}",
         "rows[0].kernel.spec_constants.x is not the number of a constant"},
        {"rows/0/verify/error", "-1", "rows[0].verify.error is -1"},
        {"rows/0/power/joules", "-1", "rows[0].power.joules is -1"},
        {"devices/0/uuid", "\"zz\"", "devices[0].uuid is not a UUID"},
        {"devices/0/uuid", "\"a1a1\"", "devices[0].uuid is not a UUID"},
        {"devices/0/uuid", "\"a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1a1\"", "devices[0].uuid is not a UUID"},
        {"devices/0/api_version", "\"1.2\"", "devices[0].api_version is \"1.2\", which is not a known version"},
        {"devices/0/api_version", "\"1.2000.3\"",
         "devices[0].api_version is \"1.2000.3\", which is not a known version"},
        {"devices/0/pci", "\"0000:65:00\"", "devices[0].pci is not a PCI bus address"},
        {"devices/0/peaks/copy_bytes_per_s", "-5", "devices[0].peaks.copy_bytes_per_s is -5"},
        {"devices/0/peaks/matrix/0/a", "\"f99\"", "devices[0].peaks.matrix[0].a is \"f99\""},
        {"devices", NULL, "devices is missing"},
        {"rows", NULL, "rows is missing"},
        {"schema", "\"vkmatmul.bench/2\"", "has version 2 of the schema; this program reads version 1"},
        {"schema", "\"vkmatmul.run/1\"",
         "its schema is \"vkmatmul.run/1\"; reports have \"vkmatmul.bench/1\", records \"vkmatmul.record/1\""},
        {"schema", NULL, "is JSON, but not a report"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed(cases[i][0], cases[i][1]);
        refused(text, strlen(text), cases[i][2]);
        free(text);
    }
}

TEST(strangers_are_refused)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "is empty"},
        {" \n\t\r\n", "is not valid JSON"},
        {"[]", "not a report"},
        {"42", "is not valid JSON"},
        {"{}", "not a report"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"schema\":\"vkmatmul.bench/1\"}", "is not valid JSON: line 1, column"},
        {"{\"schema\":\n\"vkmatmul.bench/1\",,}", "is not valid JSON: line 2, column"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"devices\":[],\"rows\":[NaN]}", "is not valid JSON"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"devices\":[],\"rows\":[1e999]}", "is not valid JSON"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"devices\":[],\"rows\":[]} x",
         "line 1: other data follow; a report is one"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"devices\":[],\"rows\":[]}\n{}",
         "line 2: other data follow; a report is one JSON object, and JSON Lines are not read"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"devices\":[],\"rows\":[null]}", "rows[0] is missing"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"note\":\"\xff\xfe\"}", "is not valid JSON"},
        {"{\"schema\":\"vkmatmul.bench/1\",\"note\":\"\\u0000\"}", "is not valid JSON"},
        {"{\"schema\":\"vkmatmul.bench.row/1\"}", "schema"},
        {"\x89PNG\r\n", "is not valid JSON: line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i].text, strlen(cases[i].text), cases[i].words);
    char *deep = malloc(2000001);
    memset(deep, '[', 2000000);
    refused(deep, 2000000, "maximum parsing depth");
    free(deep);
    refused("{\"a\":\0}", 8, "is not valid JSON");
}

TEST(crowds_are_refused)
{
    char *text = malloc(1 << 20), *at = text;
    at += sprintf(at, "{\"schema\":\"vkmatmul.bench/1\",\"rows\":[],\"devices\":[{}");
    for (int i = 0; i < 256; i++) at += sprintf(at, ",{}");
    at += sprintf(at, "]}");
    refused(text, (size_t)(at - text), "devices has 257 entries; at most 256 are read");
    at = text + sprintf(text, "{\"schema\":\"vkmatmul.bench/1\",\"devices\":[],\"rows\":[0");
    for (int i = 0; i < 65536; i++) at += sprintf(at, ",0");
    at += sprintf(at, "]}");
    refused(text, (size_t)(at - text), "rows has 65537 entries; at most 65536 are read");
    free(text);
}

TEST(other_versions_are_read)
{
    cli_bench bench = {0};
    static const char *const cases[][2] = {{"schema", "\"vkmatmul.bench/1.7\""},
                                           {"tool/version", "\"99.1\""},
                                           {"surprise", "{\"a\":[1,{}]}"},
                                           {"rows/0/time/surprise", "[[]]"},
                                           {"rows/0/time", "null"},
                                           {"host", NULL},
                                           {"devices/0/limits/max_buffer_bytes", "18446744073709552000.0"},
                                           {"settings", NULL},
                                           {"rows/0/problem/alpha", "0.5"},
                                           {"rows/0/problem/seed", "1.8446744073709552e19"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed(cases[i][0], cases[i][1]);
        assert_ok(parse(text, &bench));
        free(text);
        cli_bench_free(&bench);
    }
    /* Other programs write 2^64 - 1 in full, and begin with a byte order mark. */
    assert_ok(
        parse("\xef\xbb\xbf{\"schema\":\"vkmatmul.bench/"
              "1\",\"rows\":[],\"devices\":[{\"name\":\"a\",\"limits\":{\"max_buffer_bytes\":18446744073709551615}}]}",
              &bench));
    assert_true(bench.devices[0].info.memory.max_buffer_bytes == UINT64_MAX);
    assert_string_equal(bench.devices[0].label, "a");
    cli_bench_free(&bench);
}

/* 0.1.0 wrote transfer_ms for total_ms. */
TEST(renamed_keys_are_read)
{
    cli_bench bench = {0};
    char last[64];
    json_t *report = small_report(), *time = json_object_get(walk(report, "rows/0/time", last), "time");
    const size_t count = json_array_size(json_object_get(json_object_get(time, "total_ms"), "samples"));
    assert_true(count > 0);
    json_object_set(time, "transfer_ms", json_object_get(time, "total_ms"));
    json_object_del(time, "total_ms");
    char *text = json_dumps(report, 0);
    assert_ok(parse(text, &bench));
    assert_int_equal(bench.rows[0].total_ms.count, count);
    cli_bench_free(&bench);
    free(text);
    json_decref(report);
}

/* Reports of before know one type of a problem, and no epilogue. */
TEST(types_are_read)
{
    static const struct {
        const char *problem; /* beside its extents */
        vkmm_types types;
        vkmm_activation activation;
        int has_bias;
    } cases[] = {{"\"type\":\"f64\"", {VKMM_F64, VKMM_F64, VKMM_F64}, VKMM_ACTIVATION_NONE, 0},
                 {"\"type\":\"i8\"", {VKMM_I8, VKMM_I32, VKMM_I32}, VKMM_ACTIVATION_NONE, 0},
                 {"\"type\":\"f16\",\"out_type\":\"f32\"", {VKMM_F16, VKMM_F32, VKMM_F32}, VKMM_ACTIVATION_NONE, 0},
                 {"\"type\":\"f32\",\"out_type\":\"f32\",\"compute\":\"f16\",\"activation\":\"gelu\",\"bias\":true",
                  {VKMM_F32, VKMM_F32, VKMM_F16},
                  VKMM_GELU,
                  1}};
    static const char *const broken[][2] = {
        {"\"type\":\"f16\",\"out_type\":\"i32\"",
         "problem is not a valid problem: products of f16 cannot be stored as i32"},
        {"\"type\":\"f16\",\"compute\":\"f8\"", "problem.compute is \"f8\", which is not a known element type"},
        {"\"type\":\"f16\",\"activation\":\"tanh\"", "problem.activation is \"tanh\", which is not a known activation"},
        {"\"type\":\"i8\",\"activation\":\"gelu\"", "gelu is for floats"}};
    static const char format[] =
        "{\"schema\":\"vkmatmul.bench/1\",\"devices\":[{\"name\":\"a\",\"limits\":{\"matrix2\":[\"tensor\",\"new\"]}}],"
        "\"rows\":[{\"device\":0,\"problem\":{\"m\":8,\"n\":9,\"k\":10,%s}}]}";
    char text[600];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_bench bench = {0};
        snprintf(text, sizeof text, format, cases[i].problem);
        for (int again = 0; again < 2; again++) {
            assert_ok(parse(text, &bench));
            const vkmm_problem *problem = &bench.rows[0].problem;
            assert_true(vkmm_types_equal(vkmm_problem_types(problem), cases[i].types));
            assert_true(problem->activation == cases[i].activation && problem->has_bias == cases[i].has_bias);
            assert_int_equal(bench.devices[0].info.matrices.matrix2, VKMM_MATRIX2_TENSOR);
            char *copy = written("json", &bench);
            cli_bench_free(&bench);
            if (again == 0) assert_ok(parse(copy, &bench));
            if (again == 0) assert_true(vkmm_types_equal(vkmm_problem_types(&bench.rows[0].problem), cases[i].types));
            cli_bench_free(&bench);
            free(copy);
        }
    }
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        snprintf(text, sizeof text, format, broken[i][0]);
        refused(text, strlen(text), broken[i][1]);
    }
}

TEST(unverified_has_no_speed)
{
    static const char *const cases[][2] = {{"rows/0/verify", "null"},
                                           {"rows/0/verify/method", "\"none\""},
                                           {"rows/0/verify/passed", "false"},
                                           {"rows/0/not_run", "\"no time\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed(cases[i][0], cases[i][1]);
        cli_bench bench = {0};
        assert_ok(parse(text, &bench));
        assert_true(!cli_bench_is_timed(&bench.rows[0]) && isnan(bench.rows[0].figures.gflops));
        free(text);
        cli_bench_free(&bench);
    }
}
