/* Writers without a device: hostile names, figures that do not exist, terminals that are too narrow. */
#include "math/type.h"
#include "report/json.h"
#include "report/columns.h"
#include "report/report.h"
#include "report/text.h"
#include "tune/tune.h"
#include "widest_line.h"
#include "test.h"

#include <jansson.h>

static double samples[] = {2, 1, 3};

/* A finished row on a device whose name is meant to do harm. */
typedef struct sample {
    vkmm_device_info device;
    cli_bench_row row;
} sample;

static void make_sample(sample *s)
{
    cli_bench_row *row = &s->row;
    *s = (sample){0};
    snprintf(s->device.name, sizeof s->device.name, "<b>\"GPU\",\xff\n\x1b[31m\xc3\xa9 1");
    s->device.memory.max_buffer_bytes = UINT64_MAX;
    cli_bench_row_init(row);
    row->on = &s->device;
    row->problem = VKMM_PROBLEM(.m = 4, .n = 5, .k = 6, .type = VKMM_F32);
    snprintf(row->init, sizeof row->init, "int");
    snprintf(row->kernel.name, sizeof row->kernel.name, "tiled");
    row->kernel.tile[0] = row->kernel.tile[1] = 16;
    row->kernel.spec_count = 1;
    row->kernel.spec_ids[0] = 3;
    row->kernel.spec_values[0] = 4000000000u;
    snprintf(row->method, sizeof row->method, "full");
    snprintf(row->sentence, sizeof row->sentence, "fine");
    row->passed = 1;
    row->error = 0.5;
    row->bound = 16;
    row->kernel_ms = row->submit_ms = (cli_bench_series){.ms = samples, .count = 3};
    snprintf(row->clock, sizeof row->clock, "device");
    snprintf(row->stopped, sizeof row->stopped, "time");
    assert_true(cli_bench_row_speed(row));
}

/* What a writer makes of a row; freed by the caller. */
static char *written(const char *format, cli_report report, const cli_bench_row *row)
{
    const cli_writer *writer = cli_writer_find(format);
    char *text = NULL;
    size_t size = 0;
    assert_non_null(writer);
    report.out = open_memstream(&text, &size);
    assert_non_null(report.out);
    report.version = "1";
    report.shader_hash = "fedcba9876543210";
    report.command = "vkmatmul";
    assert_ok(writer->run(&report, row));
    if (writer->run_end != NULL) assert_ok(writer->run_end(&report));
    fclose(report.out);
    return text;
}

TEST(json_survives)
{
    sample s;
    char *text;
    json_t *json;
    make_sample(&s);
    s.row.error = NAN;
    text = written("json", (cli_report){0}, &s.row);
    json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, "device"), "name")),
                        "<b>\"GPU\",\\xff\\x0a\\x1b[31m\xc3\xa9 1");
    assert_true(json_is_null(json_object_get(json_object_get(json, "verify"), "error")));
    assert_true(json_is_null(json_object_get(json_object_get(json, "time"), "total_ms")));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json_object_get(json, "kernel"), "spec_constants"), "3")),
        4000000000u);
    assert_null(memchr(text, '\n', strlen(text) - 1));
    json_decref(json);
    free(text);
}

/* f32 that went through f16, or its parts: every format says so. */
TEST(fewer_bits_are_told)
{
    static const char *const words[][3] = {
        {"table", "f32 (sum f16)", "f32 (split)"},
        {"json", "\"type\":\"f32\",\"out_type\":\"f32\",\"compute\":\"f16\"", "\"method\":\"split\""},
        {"csv", ",f32,f16,gelu,true,,,,,,,,,,,,,3,0,false,0,0,direct\r\n", ",split\r\n"},
        {"quiet", " f32 (sum f16)\n", " f32 (split)\n"}};
    sample s;
    for (int told = 0; told < 3; told++) {
        make_sample(&s);
        if (told == 2) {
            s.row.problem.type = VKMM_F32;
            s.row.problem.method = VKMM_COMPUTE_SPLIT;
        }
        if (told == 1) {
            s.row.problem.has_bias = 1;
            s.row.problem.out_type = VKMM_F32;
            s.row.problem.compute = VKMM_F16;
            s.row.problem.activation = VKMM_GELU;
        }
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            const cli_writer *writer = cli_writer_find(words[i][0]);
            const char *word = words[i][told == 2 ? 2 : 1];
            const cli_ladder ladder = {
                .device = &s.device, .problem = s.row.problem, .init = "int", .rows = &s.row, .count = 1};
            const cli_tune_row tune = {.device = &s.device, .problem = s.row.problem};
            cli_report report = {.utf8 = 1, .version = "", .shader_hash = "", .command = ""};
            char *text = written(words[i][0], report, &s.row);
            size_t bytes;
            assert_int_equal(strstr(text, word) != NULL, told > 0);
            free(text);
            text = NULL;
            s.row.step = "1a";
            report.out = open_memstream(&text, &bytes);
            if (writer->ladder == NULL) assert_ok(writer->run(&report, &s.row));
            for (int ends = 0; ends < 2 && writer->ladder != NULL; ends++)
                assert_ok(writer->ladder(&report, &ladder, ends ? NULL : &s.row));
            if (i == 0) assert_ok(cli_table_tune(&report, &tune));
            if (i == 1) assert_ok(cli_json_line(&report, cli_record_json(&cli_tune_row_record, &tune)));
            fclose(report.out);
            const char *first = strstr(text, word);
            assert_int_equal(first != NULL, told > 0);
            if (told && i < 2) assert_contains(first + 1, word);
            free(text);
        }
    }
}

/* The words follow from the table of types. */
TEST(types_have_names)
{
    uint32_t count = 0;
    for (; vkmm_types_at(count) != NULL; count++) {
        const vkmm_types types = *vkmm_types_at(count), usual = vkmm_types_default(types.in);
        char name[64];
        snprintf(name, sizeof name, "%s%s%s%s%s%s", vkmm_type_of(types.in)->name, types.out != usual.out ? "→" : "",
                 types.out != usual.out ? vkmm_type_of(types.out)->name : "",
                 types.compute != usual.compute ? " (sum " : "",
                 types.compute != usual.compute ? vkmm_type_of(types.compute)->name : "",
                 types.compute != usual.compute ? ")" : "");
        assert_string_equal(vkmm_types_name(types, 1), name);
        assert_int_equal(vkmm_types_index(types), count);
        assert_int_equal(strchr(vkmm_types_name(types, 0), '>') != NULL, types.out != usual.out);
    }
    assert_int_equal(count, VKMM_TYPES_COUNT);
}

TEST(no_verdict_no_speed)
{
    static const char *const formats[] = {"json", "csv", "table", "quiet"};
    sample s;
    make_sample(&s);
    s.row.figures.gflops = 12345;
    s.row.passed = 0;
    assert_false(cli_bench_row_speed(&s.row));
    for (size_t i = 0; i < 4; i++) {
        char *text = written(formats[i], (cli_report){0}, &s.row);
        assert_null(strstr(text, "12345"));
        assert_null(strstr(text, "2.9"));
        free(text);
    }
}

TEST(tables_shrink)
{
    sample s;
    make_sample(&s);
    for (int columns = 76; columns < 130; columns++) {
        char *text = written("table", (cli_report){.utf8 = columns % 2, .columns = columns, .colour = 0}, &s.row);
        assert_in_range(widest_line(text), 60, columns);
        assert_null(strchr(text, '\x1b'));
        free(text);
    }
}

TEST(texts)
{
    static const uint8_t uuid[VK_UUID_SIZE] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255};
    vkmm_problem cube = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8, .type = VKMM_F32);
    char text[64];
    cli_text_uuid(text, uuid);
    assert_string_equal(text, "00010203-0405-0607-0809-0a0b0c0d0eff");
    cli_text_version(VK_MAKE_API_VERSION(0, 1, 3, 230), text);
    assert_string_equal(text, "1.3.230");
    cli_text_bytes(text, sizeof text, 32768);
    assert_string_equal(text, "32 KiB");
    cli_text_bytes(text, sizeof text, UINT64_MAX);
    assert_string_equal(text, "16.0 EiB");
    cli_text_size(text, sizeof text, &cube, 0);
    assert_string_equal(text, "8^3");
}

/* The slowest has half the length of one that is twice as fast, the fastest all columns, and nothing is too short to
 * see. */
TEST(bars)
{
    char bar[3 * 40 + 4];
    for (size_t doublings = 0; doublings < 4; doublings++) {
        cli_text_bar(bar, cli_text_log_share(1 << doublings, 1, 8), 40, 0);
        assert_int_equal(strspn(bar, "#"), 10 * (1 + doublings));
        assert_int_equal(strlen(bar), strspn(bar, "#"));
    }
    cli_text_bar(bar, 1e-9, 40, 0);
    assert_string_equal(bar, "#");
    cli_text_bar(bar, 1e-9, 40, 1);
    assert_string_equal(bar, "▏");
    cli_text_bar(bar, 0.0375, 40, 1);
    assert_string_equal(bar, "█▌");
}

static void expect_texts(const vkmm_problem *problem, const char *size, const char *ascii_size, const char *difference)
{
    char text[CLI_TEXT_DIFFERENCE];
    cli_text_problem(text, sizeof text, problem, 1);
    assert_string_equal(text, size);
    cli_text_problem(text, sizeof text, problem, 0);
    assert_string_equal(text, ascii_size);
    cli_text_difference(text, sizeof text, problem);
    assert_string_equal(text, difference);
}

/* What is as usual stays unsaid: leading dimensions and strides that are given, but packed. */
TEST(problems)
{
    vkmm_problem p = VKMM_PROBLEM(.m = 4096, .n = 1, .k = 14336);
    expect_texts(&p, "4096×1×14336", "4096x1x14336", "");
    p = VKMM_PROBLEM(.m = 4096, .n = 1, .k = 14336, .op_b = VKMM_OP_T, .batch_count = 64, .alpha = 1);
    p.stride_a = UINT64_C(4096) * 14336;
    p.stride_b = 14336;
    p.stride_c = 4096;
    p.ldb = 14336;
    expect_texts(&p, "4096×1×14336 NT ×64", "4096x1x14336 NT x64", "");
    p = VKMM_PROBLEM(.m = 5, .n = 5, .k = 5, .layout = VKMM_COL_MAJOR, .op_a = VKMM_OP_T, .ldc = 8, .offset_b = 3);
    expect_texts(&p, "5³ TN", "5^3 TN", "column-major, offset_b 3, ldc 8");
    p = VKMM_PROBLEM(.m = 2, .n = 3, .k = 4, .lda = 6, .batch_count = 2, .stride_a = 12, .stride_c = 6, .alpha = -0.5,
                     .beta = 0.1);
    expect_texts(&p, "2×3×4 ×2", "2x3x4 x2", "lda 6, stride_b 0, alpha -0.5, beta 0.1");
    p = VKMM_PROBLEM(.m = 8, .n = 8, .k = 8, .has_bias = 1, .activation = VKMM_GELU);
    expect_texts(&p, "8³ +bias gelu", "8^3 +bias gelu", "");
    p = VKMM_PROBLEM(.type = VKMM_U32, .alpha = 4294967295.0, .beta = -2147483648.0);
    expect_texts(&p, "0³", "0^3", "alpha 4294967295, beta -2147483648");
    /* Everything at its longest fits. */
    p = VKMM_PROBLEM(.layout = VKMM_COL_MAJOR, .lda = UINT64_MAX, .ldb = UINT64_MAX, .ldc = UINT64_MAX,
                     .batch_count = UINT32_MAX);
    p.m = p.n = UINT32_MAX;
    p.k = 0;
    p.offset_a = p.offset_b = p.offset_c = p.stride_a = p.stride_b = p.stride_c = UINT64_MAX;
    p.alpha = p.beta = -1.234567891e-300;
    char text[CLI_TEXT_DIFFERENCE];
    cli_text_difference(text, sizeof text, &p);
    assert_contains(text, ", alpha -1.234567891e-300, beta -1.234567891e-300");
}

TEST(matrices_shrink)
{
    static float data[100 * 100];
    vkmm_view view = vkmm_view_rows(data, 100, 100, VKMM_F32);
    cli_report report = {.utf8 = 1, .columns = 60};
    char *text = NULL;
    size_t size = 0;
    data[0] = -1234.5f;
    data[9999] = NAN;
    report.out = open_memstream(&text, &size);
    cli_print_matrix(&report, "A", &view);
    fclose(report.out);
    assert_in_range(widest_line(text), 40, 60);
    assert_contains(text, "A (100×100)\n  -1234.5");
    assert_contains(text, "nan");
    assert_contains(text, "…");
    assert_contains(text, "⋮");
    free(text);
}
