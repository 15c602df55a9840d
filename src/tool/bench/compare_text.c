/* A comparison as Markdown and as CSV. */
#include <math.h>
#include <string.h>

#include "bench/columns.h"
#include "bench/compare_words.h"
#include "report/markdown.h"
#include "report/records.h"
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

/* One line per row and contender, so that the columns do not depend on how many are compared. */
typedef struct line {
    const vkmm_bench_row *like, *row; /* the problem; what the contender has of it */
    const char *label, *driver, *report, *version, *shader_hash, *verdict;
    uint32_t contender; /* from 1 */
    char difference[VKMM_TEXT_DIFFERENCE];
    vkmm_interval ratio; /* to the first contender */
    int wrong, wins, regressed;
} line;

#define LINE(member) VKMM_AT(line, member)

static const vkmm_field line_fields[] = {
    {NULL, VKMM_FIELD_EMBED, LINE(like), VKMM_POINTER, .record = &vkmm_row_record},
    {"result", VKMM_FIELD_RECORD, LINE(row), VKMM_POINTER, .record = &vkmm_row_record},
    {"difference", VKMM_FIELD_TEXT, LINE(difference)},
    {"contender", VKMM_FIELD_U32, LINE(contender)},
    {"label", VKMM_FIELD_STRING, LINE(label)},
    {"driver", VKMM_FIELD_STRING, LINE(driver)},
    {"report", VKMM_FIELD_STRING, LINE(report)},
    {"version", VKMM_FIELD_STRING, LINE(version)},
    {"shader_hash", VKMM_FIELD_STRING, LINE(shader_hash)},
    {"wrong", VKMM_FIELD_TRUTH, LINE(wrong)},
    {"ratio", VKMM_FIELD_REAL, LINE(ratio.middle)},
    {"ratio_low", VKMM_FIELD_REAL, LINE(ratio.low)},
    {"ratio_high", VKMM_FIELD_REAL, LINE(ratio.high)},
    {"verdict", VKMM_FIELD_STRING, LINE(verdict)},
    {"winner", VKMM_FIELD_TRUTH, LINE(wins)},
    {"regression", VKMM_FIELD_TRUTH, LINE(regressed)},
};
static const vkmm_record line_record = {NULL, VKMM_FIELDS(line_fields), VKMM_RECORD_OF(line)};

static const vkmm_csv_column columns[] = {
    {"group"},
    VKMM_CSV_PROBLEM,
    {"problem.batch_count"},
    {"difference"},
    {"asked"},
    {"rotating_bytes"},
    {"contender"},
    {"label"},
    {"driver"},
    {"report"},
    {"version"},
    {"shader_hash"},
    {"result.kernel.name", "kernel"},
    {"wrong"},
    {"result.gflops"},
    {"result.time.kernel_ms.median", "kernel_ms"},
    {"result.noise"},
    {"ratio"},
    {"ratio_low"},
    {"ratio_high"},
    {"verdict"},
    {"winner"},
    {"regression"},
    VKMM_CSV_REST,
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static int is_named(const vkmm_compare_model *model, uint32_t row, uint32_t contender)
{
    for (uint32_t i = 0; i < model->regression_count; i++)
        if (model->regressions[i].row == row && model->regressions[i].contender == contender) return 1;
    return 0;
}

static line line_of(const vkmm_compare_model *model, uint32_t index, uint32_t c)
{
    static const char *const verdicts[] = {"slower", "unclear", "faster"};
    const vkmm_compare_row *row = &model->rows[index];
    const vkmm_contender *contender = &model->comparison->contenders[c];
    const vkmm_bench *bench = contender->bench;
    line all = {.like = row->like,
                .row = row->of[c],
                .label = contender->label,
                .driver = bench->devices[contender->device].info.driver_name,
                .report = bench->name,
                .version = bench->version,
                .shader_hash = bench->shader_hash,
                .contender = c + 1,
                .ratio = row->ratio[c],
                .wrong = vkmm_bench_is_wrong(row->of[c]),
                .wins = row->winner == c,
                .regressed = is_named(model, index, c)};

    vkmm_text_difference(all.difference, sizeof all.difference, &row->like->problem);
    if (c == 0)
        all.verdict = "base";
    else if (isfinite(row->ratio[c].middle))
        all.verdict = verdicts[vkmm_interval_verdict(&row->ratio[c]) + 1];
    return all;
}

vkmm_status vkmm_compare_csv(vkmm_report *report, vkmm_comparison *comparison)
{
    vkmm_compare_model model = {0};
    vkmm_status status = vkmm_compare_model_make(comparison, &model);

    if (status == VKMM_OK && model.count > 0) vkmm_csv_header(report->out, columns, COLUMNS);
    for (uint32_t i = 0; i < model.count; i++) {
        for (uint32_t c = 0; status == VKMM_OK && c < comparison->count; c++) {
            if (model.rows[i].of[c] == NULL) continue;
            const line all = line_of(&model, i, c);
            if (!vkmm_csv_record(report->out, columns, COLUMNS, &line_record, &all)) status = VKMM_OUT_OF_MEMORY;
        }
    }
    vkmm_compare_model_free(&model);
    return status;
}
