/* A comparison as Markdown and as CSV. */
#include <math.h>
#include <string.h>

#include "math/problem.h"
#include "math/type.h"
#include "bench/columns.h"
#include "bench/compare_words.h"
#include "report/csv_fields.h"
#include "report/markdown.h"
#include "report/text.h"

static void put_cell(const vkmm_report *report, const char *text)
{
    size_t length = strlen(text);
    char trimmed[256];

    while (length > 0 && text[length - 1] == ' ') length--; /* the place of a star */
    snprintf(trimmed, sizeof trimmed, "%.*s", (int)length, text);
    fputs("| ", report->out);
    vkmm_md_text(report->out, trimmed);
    putc(' ', report->out);
}

static void put_contenders(const vkmm_report *report, const vkmm_comparison *comparison)
{
    char text[1000];

    for (uint32_t i = 0; i < comparison->count; i++) {
        const vkmm_bench *bench = comparison->contenders[i].bench;
        vkmm_bench_device_text(report, &bench->devices[comparison->contenders[i].device], text, sizeof text);
        fprintf(report->out, "%u. ", i + 1);
        vkmm_md_text(report->out, text);
        if (bench->name[0] != '\0') {
            fputs(", ", report->out);
            vkmm_md_text(report->out, bench->name);
        }
        fputs(", vkmatmul ", report->out);
        vkmm_md_text(report->out, bench->version);
        putc('\n', report->out);
    }
}

static void put_titles(const vkmm_report *report, uint32_t count)
{
    fputs("\n| size | type | kernel | GFLOP/s 1 ", report->out);
    for (uint32_t c = 1; c < count; c++) fprintf(report->out, "| GFLOP/s %u | %u : 1 ", c + 1, c + 1);
    fputs("|\n| --- | --- | --- | --: ", report->out);
    for (uint32_t c = 1; c < count; c++) fputs("| --: | --- ", report->out);
    fputs("|\n", report->out);
}

static void put_row(const vkmm_report *report, const vkmm_compare_row *row, uint32_t count)
{
    char size[VKMM_TEXT_PROBLEM + 8];

    vkmm_bench_size_text(report, row->like, size, sizeof size);
    put_cell(report, size);
    put_cell(report, vkmm_text_type(&row->like->problem, report->utf8));
    put_cell(report, row->like->asked);
    for (uint32_t c = 0; c < count; c++) {
        vkmm_cell speed = {"", VKMM_PLAIN}, ratio = {"", VKMM_PLAIN};
        vkmm_compare_speed_cell(report, row, c, &speed);
        vkmm_compare_ratio_cell(report, &row->ratio[c], &ratio);
        put_cell(report, speed.text);
        if (c > 0) put_cell(report, ratio.text);
    }
    fputs("|\n", report->out);
}

static void put_mean(const vkmm_report *report, const vkmm_compare_mean *mean, uint32_t count)
{
    char text[64];

    vkmm_compare_mean_name(report, mean, text, sizeof text);
    put_cell(report, text);
    fputs("| | mean | ", report->out);
    for (uint32_t c = 1; c < count; c++) {
        vkmm_cell ratio = {"", VKMM_PLAIN};
        vkmm_compare_ratio_cell(report, &mean->ratio[c], &ratio);
        snprintf(text, sizeof text, "%u row%s", mean->counted[c], mean->counted[c] == 1 ? "" : "s");
        put_cell(report, text);
        put_cell(report, ratio.text);
    }
    fputs("|\n", report->out);
}

static void put_words(const vkmm_report *report, const vkmm_compare_model *model)
{
    char text[1000];

    fputs(
        "\n▲ faster than 1, ▼ slower, ≈ no difference beyond the noise; in brackets the 95 % interval. ★ fastest\n\n- ",
        report->out);
    vkmm_compare_wins(model, text, sizeof text);
    vkmm_md_text(report->out, text);
    putc('\n', report->out);
    for (unsigned i = 0; vkmm_compare_note(model, i, text); i++) {
        fputs("- ", report->out);
        vkmm_md_text(report->out, text);
        putc('\n', report->out);
    }
    for (uint32_t i = 0; model->comparison->regression >= 0 && i < model->regression_count; i++) {
        vkmm_compare_regression(report, model, &model->regressions[i], text, sizeof text);
        fputs("- regression: ", report->out);
        vkmm_md_text(report->out, text);
        putc('\n', report->out);
    }
}

vkmm_status vkmm_compare_md(vkmm_report *report, vkmm_comparison *comparison)
{
    vkmm_compare_model model = {0};
    vkmm_status status = vkmm_compare_model_make(comparison, &model);
    vkmm_report as_utf8 = *report;

    as_utf8.utf8 = 1;
    if (status == VKMM_OK && model.count > 0) {
        put_contenders(&as_utf8, comparison);
        put_titles(report, comparison->count);
        for (uint32_t i = 0; i < model.count; i++) put_row(&as_utf8, &model.rows[i], comparison->count);
        for (uint32_t i = 0; i < model.mean_count; i++) put_mean(&as_utf8, &model.means[i], comparison->count);
        put_words(&as_utf8, &model);
    }
    vkmm_compare_model_free(&model);
    return status;
}

/* A line a row and contender, so that the columns do not depend on how many are compared. */
static const char header[] =
    "group,type,m,n,k,batch_count,difference,asked,rotating_bytes,contender,label,driver,report,version,shader_hash,"
    "kernel,wrong,gflops,kernel_ms,noise,ratio,ratio_low,ratio_high,verdict,winner,regression,"
    "out_type,compute,activation,bias";

static int is_named(const vkmm_compare_model *model, uint32_t row, uint32_t contender)
{
    for (uint32_t i = 0; i < model->regression_count; i++)
        if (model->regressions[i].row == row && model->regressions[i].contender == contender) return 1;
    return 0;
}

static void put_line(const vkmm_report *report, const vkmm_compare_model *model, uint32_t index, uint32_t c)
{
    static const char *const verdicts[] = {"slower", "unclear", "faster"};
    const vkmm_compare_row *row = &model->rows[index];
    const vkmm_contender *contender = &model->comparison->contenders[c];
    const vkmm_problem *problem = &row->like->problem;
    const vkmm_bench_row *bench = row->of[c];
    char difference[VKMM_TEXT_DIFFERENCE];
    FILE *out = report->out;

    vkmm_text_difference(difference, sizeof difference, problem);
    vkmm_csv_text(out, row->like->group);
    fprintf(out, ",%s,%llu,%llu,%llu,%llu", vkmm_type_of(problem->type)->name, (unsigned long long)problem->m,
            (unsigned long long)problem->n, (unsigned long long)problem->k,
            (unsigned long long)vkmm_problem_batches(problem));
    vkmm_csv_next_text(out, difference);
    vkmm_csv_next_text(out, row->like->asked);
    fprintf(out, ",%llu,%u", (unsigned long long)row->like->rotating_bytes, c + 1);
    vkmm_csv_next_text(out, contender->label);
    vkmm_csv_next_text(out, contender->bench->devices[contender->device].info.driver_name);
    vkmm_csv_next_text(out, contender->bench->name);
    vkmm_csv_next_text(out, contender->bench->version);
    vkmm_csv_next_text(out, contender->bench->shader_hash);
    vkmm_csv_next_text(out, bench->kernel.name);
    vkmm_csv_next_text(out, vkmm_bench_is_wrong(bench) ? "true" : "false");
    vkmm_csv_next_number(out, bench->figures.gflops);
    vkmm_csv_next_number(out, bench->figures.median_ms);
    vkmm_csv_next_number(out, bench->figures.noise);
    vkmm_csv_next_number(out, row->ratio[c].middle);
    vkmm_csv_next_number(out, row->ratio[c].low);
    vkmm_csv_next_number(out, row->ratio[c].high);
    vkmm_csv_next_text(out, c == 0                           ? "base"
                            : isfinite(row->ratio[c].middle) ? verdicts[vkmm_interval_verdict(&row->ratio[c]) + 1]
                                                             : "");
    vkmm_csv_next_text(out, row->winner == c ? "true" : "false");
    vkmm_csv_next_text(out, is_named(model, index, c) ? "true" : "false");
    vkmm_csv_next_types(out, problem);
    fputs("\r\n", out);
}

vkmm_status vkmm_compare_csv(vkmm_report *report, vkmm_comparison *comparison)
{
    vkmm_compare_model model = {0};
    vkmm_status status = vkmm_compare_model_make(comparison, &model);

    if (status == VKMM_OK && model.count > 0) fprintf(report->out, "%s\r\n", header);
    for (uint32_t i = 0; status == VKMM_OK && i < model.count; i++)
        for (uint32_t c = 0; c < comparison->count; c++)
            if (model.rows[i].of[c] != NULL) put_line(report, &model, i, c);
    vkmm_compare_model_free(&model);
    return status;
}
