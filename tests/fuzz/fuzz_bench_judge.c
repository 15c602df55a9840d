#include "fuzz.h"
#include "fuzz_bench.h"

#include "base/alloc.h"
#include "make_bench.h"
#include "report/json.h"
#include "survey/survey.h"

#include <math.h>
#include <string.h>

static cli_report report_to(FILE *out, unsigned choice)
{
    return (cli_report){.out = out,
                        .utf8 = choice & 1,
                        .colour = choice >> 1 & 1,
                        .columns = choice & 4 ? 60 : 0,
                        .version = "0",
                        .shader_hash = "0",
                        .command = "vkmatmul"};
}

static void write_as(const cli_writer *writer, cli_report *report, const cli_bench *bench)
{
    must(cli_bench_write(writer, report, bench) == VKMM_OK, writer->name);
}

char *fuzz_bench_text(const char *format, const cli_bench *bench)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    cli_report report = report_to(out, 1);
    write_as(cli_writer_find(format), &report, bench);
    fclose(out);
    return text;
}

/* Promises of report/result.h, for any file. */
static void check_row(const cli_bench *bench, const cli_bench_row *row)
{
    const cli_bench_figures *f = &row->figures;
    uint32_t end = 0;
    must(row->device < bench->device_count, "a row has no device");
    for (uint32_t i = 0; i < row->rounds; end = row->round_ends[i++])
        must(row->round_ends[i] >= end && row->round_ends[i] <= row->kernel_ms.count, "rounds are out of order");
    must(row->kernel.spec_count <= VKMM_MAX_SPEC_CONSTANTS, "too many constants");
    must(isnan(f->gflops) || (cli_bench_is_timed(row) && f->gflops > 0 && isfinite(f->gflops)),
         "a row that has no speed shows one");
    /* The interval of a single sample is unknown. */
    must(!cli_bench_is_timed(row) || (row->passed && f->median_ms > 0 &&
                                      (f->interval_ms[0] <= f->interval_ms[1]) == (row->kernel_ms.count > 1)),
         "a row's figures are wrong");
    must(cli_bench_same(row, row), "a row differs from itself");
}

void fuzz_bench_check(const cli_bench *bench)
{
    for (uint32_t i = 0; i < bench->row_count; i++) check_row(bench, &bench->rows[i]);
}

/* Frees the text. */
static void read_again(const cli_bench *bench, char *text)
{
    cli_reports read = {0};
    must(text && cli_reports_parse("again", text, strlen(text), &read) == VKMM_OK && read.count == 1,
         "what was written is not read");
    must(read.benches->row_count == bench->row_count && read.benches->device_count == bench->device_count,
         "something was lost");
    free(text);
    cli_reports_free(&read);
}

/* The report as a record. */
static char *record_text(const cli_bench *bench)
{
    const cli_survey survey = {.bench = *bench};
    size_t bytes = 0;
    char *text = cli_survey_text(&survey, &bytes);
    must(text && text[bytes - 1] == '\n', "no record");
    text[bytes - 1] = '\0';
    return text;
}

/* Against the good report, and against itself. */
static void compare(cli_report *report, const cli_bench *bench, const cli_bench *good, unsigned choice)
{
    static const char *const formats[] = {"table", "json", "md", "csv"};
    cli_bench both[] = {*bench, choice & 1 ? *good : *bench};
    cli_comparison comparison = {.report = report, .reports = {both, 2}, .regression = choice & 2 ? 0.05 : -1};
    must(cli_comparison_make(&comparison) == VKMM_OK, "no comparison");
    if (comparison.row_count > 0)
        must(cli_writer_find(formats[choice >> 2 & 3])->compare(&comparison) == VKMM_OK, "nothing written");
    cli_comparison_free(&comparison);
}

static void draw(cli_report *report, const cli_bench *bench, const cli_bench *good, unsigned choice)
{
    static const cli_template empty = {(const unsigned char *)"", (const unsigned char *)"", 0, 0};
    cli_bench both[] = {*bench, *good};
    char *json = cli_bench_page_json(report, &(cli_reports){both, 1 + (choice & 1)}), *page = NULL;
    size_t bytes = 0;
    must(json && cli_page_make(&empty, json, &page, &bytes) == VKMM_OK, "no page");
    must(strlen(page) == bytes, "the page has a hole");
    free(json);
    vkmm_free(page);
}

void fuzz_bench_judge(const char *text, size_t bytes, unsigned choice)
{
    static const char *const formats[] = {"table", "json", "jsonl", "csv", "md", "junit"};
    static cli_bench good;
    static FILE *nowhere;
    cli_reports read = {0};
    cli_bench bench;
    cli_report report;
    if (!good.rows) {
        make_small_bench(&good);
        nowhere = fopen("/dev/null", "w");
        must(nowhere != NULL, "no /dev/null");
    }
    if (cli_reports_parse("fuzz", text, bytes, &read) != VKMM_OK || read.count == 0) return;
    bench = read.benches[0];
    fuzz_bench_check(&bench);
    report = report_to(nowhere, choice);
    switch (choice % 8) { /* one way for each: all of them would take as long as ten inputs */
    case 0:
        draw(&report, &bench, &good, choice >> 3);
        break;
    case 1:
        compare(&report, &bench, &good, choice >> 3);
        break;
    default:
        write_as(cli_writer_find(formats[choice % 8 - 2]), &report, &bench);
    }
    if (choice >> 3 == 1) read_again(&bench, fuzz_bench_text("json", &bench));
    if (choice >> 3 == 2) read_again(&bench, record_text(&bench));
    cli_reports_free(&read);
}
