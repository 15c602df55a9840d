/* A comparison for programs: JSON, "vkmatmul.compare/1", where contenders are referred to by index, from 0; CSV and
 * JUnit XML. */
#include <math.h>

#include "base/alloc.h"
#include "bench/compare_model.h"
#include "report/document_records.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/records.h"

/* ---- who is compared ---- */

static json_t *put_device(const void *record)
{
    const vkmm_bench_device *device = record;

    return vkmm_json_device(device->is_host ? NULL : &device->info, device->info.name);
}

static const vkmm_field device_fields[] = {
    {"device", VKMM_FIELD_CUSTOM, .put = put_device},
    {"driver", VKMM_FIELD_TEXT, VKMM_AT(vkmm_bench_device, info.driver_name)},
};
static const vkmm_record device_record = {NULL, VKMM_FIELDS(device_fields)};

static const vkmm_field bench_fields[] = {
    {"report", VKMM_FIELD_TEXT, VKMM_AT(vkmm_bench, name), VKMM_MAYBE},
    {VKMM_KEY(TEXT, vkmm_bench, version)},
    {VKMM_KEY(TEXT, vkmm_bench, shader_hash)},
    {VKMM_KEY(TEXT, vkmm_bench, created)},
    {VKMM_KEY(TEXT, vkmm_bench, host)},
    {VKMM_KEY(TRUTH, vkmm_bench, paired)},
    {VKMM_KEY(TRUTH, vkmm_bench, complete)},
};
static const vkmm_record bench_record = {NULL, VKMM_FIELDS(bench_fields)};

VKMM_KNOWN(has_base, vkmm_contender, base != VKMM_NOBODY)

VKMM_KNOWN(is_judged_by_base, vkmm_contender, judged)

#define CONTENDER(member) VKMM_AT(vkmm_contender, member)

static const vkmm_field contender_fields[] = {
    {VKMM_KEY(TEXT, vkmm_contender, label)},
    {NULL, VKMM_FIELD_EMBED, CONTENDER(on), VKMM_POINTER, .record = &device_record},
    {NULL, VKMM_FIELD_EMBED, CONTENDER(bench), VKMM_POINTER, .record = &bench_record},
    {VKMM_KEY(U32, vkmm_contender, base), .known = has_base},
    {"same_device_as", VKMM_FIELD_U32, CONTENDER(base), .known = is_judged_by_base},
    {VKMM_KEY(U32, vkmm_contender, wins)},
};
static const vkmm_record contender_record = {NULL, VKMM_FIELDS(contender_fields)};

/* ---- what they have of a product ---- */

static int is_ratio(const void *record)
{
    return isfinite(((const vkmm_compare_ratio *)record)->of.middle);
}

#define OF(kind, member) VKMM_IN(kind, vkmm_compare_ratio, of, member)

static const vkmm_field ratio_fields[] = {
    {OF(REAL, middle)},
    {OF(REAL, low)},
    {OF(REAL, high)},
    {VKMM_KEY(STRING, vkmm_compare_ratio, verdict)},
};
static const vkmm_record ratio_record = {NULL, VKMM_FIELDS(ratio_fields), .known = is_ratio};

#define ROW(member) VKMM_AT(vkmm_bench_row, member)

#define FIGURES(kind, member) VKMM_IN(kind, vkmm_bench_row, figures, member)

static const vkmm_field result_fields[] = {
    {"kernel", VKMM_FIELD_TEXT, ROW(kernel.name)},
    {FIGURES(REAL, gflops)},
    {"kernel_ms", VKMM_FIELD_REAL, ROW(figures.median_ms)},
    {FIGURES(REAL, noise)},
    {FIGURES(TRUTH, throttled)},
};
static const vkmm_record result_record = {NULL, VKMM_FIELDS(result_fields)};

VKMM_KNOWN(has_row, vkmm_compare_cell, row != NULL)

#define CELL(member) VKMM_AT(vkmm_compare_cell, member)

static const vkmm_field cell_fields[] = {
    {NULL, VKMM_FIELD_EMBED, CELL(row), VKMM_POINTER, .record = &result_record},
    {VKMM_KEY(TRUTH, vkmm_compare_cell, wrong)},
    {VKMM_KEY(RECORD, vkmm_compare_cell, ratio), .record = &ratio_record},
};
static const vkmm_record cell_record = {NULL, VKMM_FIELDS(cell_fields), .known = has_row};

static const vkmm_field like_fields[] = {
    {VKMM_KEY(TEXT, vkmm_bench_row, group)},
    {VKMM_KEY(TEXT, vkmm_bench_row, asked)},
    {VKMM_KEY(RECORD, vkmm_bench_row, problem), .record = &vkmm_problem_record},
    {VKMM_KEY(U64, vkmm_bench_row, rotating_bytes)},
};
static const vkmm_record like_record = {NULL, VKMM_FIELDS(like_fields)};

VKMM_KNOWN(has_winner, vkmm_compare_row, winner != VKMM_NOBODY)

static const vkmm_field row_fields[] = {
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(vkmm_compare_row, like), VKMM_POINTER, .record = &like_record},
    {"contenders", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_compare_row, cells, count), .record = &cell_record},
    {VKMM_KEY(U32, vkmm_compare_row, winner), .known = has_winner},
};
static const vkmm_record row_record = {NULL, VKMM_FIELDS(row_fields)};

/* ---- what follows ---- */

static const vkmm_field mean_cell_fields[] = {
    {"rows", VKMM_FIELD_U32, CELL(mean.count)},
    {VKMM_KEY(RECORD, vkmm_compare_cell, ratio), .record = &ratio_record},
};
static const vkmm_record mean_cell_record = {NULL, VKMM_FIELDS(mean_cell_fields)};

VKMM_KNOWN(is_of_group, vkmm_compare_mean, group != NULL)

#define MEAN(member) VKMM_AT(vkmm_compare_mean, member)

static const vkmm_field mean_fields[] = {
    {VKMM_KEY(STRING, vkmm_compare_mean, group)},
    {"type", VKMM_FIELD_WORD, MEAN(types.in), .words = &vkmm_type_words, .known = is_of_group},
    {"out_type", VKMM_FIELD_WORD, MEAN(types.out), .words = &vkmm_type_words, .known = is_of_group},
    {VKMM_IN(WORD, vkmm_compare_mean, types, compute), .words = &vkmm_type_words, .known = is_of_group},
    {VKMM_KEY(U32, vkmm_compare_mean, rows)},
    {"contenders", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_compare_mean, cells, count), .record = &mean_cell_record},
};
static const vkmm_record mean_record = {NULL, VKMM_FIELDS(mean_fields)};

static const vkmm_field regression_fields[] = {
    {VKMM_KEY(U32, vkmm_regression, row)},
    {VKMM_KEY(U32, vkmm_regression, contender)},
    {VKMM_KEY(U32, vkmm_regression, base)},
    {VKMM_KEY(TRUTH, vkmm_regression, wrong)},
    {VKMM_KEY(RECORD, vkmm_regression, ratio), .record = &ratio_record},
};
static const vkmm_record regression_record = {NULL, VKMM_FIELDS(regression_fields)};

/* ---- the whole ---- */

VKMM_KNOWN(is_judged, vkmm_compare_model, asked.regression >= 0)

VKMM_KNOWN(has_reports, vkmm_compare_model, asked.reports.count > 0)

#define MODEL(member)     VKMM_AT(vkmm_compare_model, member)
#define LIST(list, count) VKMM_LIST(vkmm_compare_model, list, count)

static const vkmm_field model_fields[] = {
    {"tool", VKMM_FIELD_RECORD, MODEL(report), VKMM_POINTER, .record = &vkmm_tool_record},
    {"contenders", VKMM_FIELD_RECORD, LIST(asked.contenders, asked.count), .record = &contender_record},
    {"notes", VKMM_FIELD_TEXT, LIST(notes, note_count)},
    {"rows", VKMM_FIELD_RECORD, LIST(rows, count), .record = &row_record},
    {"means", VKMM_FIELD_RECORD, LIST(means, mean_count), .record = &mean_record},
    {VKMM_KEY(U32, vkmm_compare_model, unclear)},
    {VKMM_KEY(U32, vkmm_compare_model, alone)},
    {"tolerated", VKMM_FIELD_REAL, MODEL(asked.regression), .known = is_judged},
    {"regressions", VKMM_FIELD_RECORD, LIST(regressions, regression_count), .record = &regression_record},
    {"reports", VKMM_FIELD_RECORD, LIST(asked.reports.benches, asked.reports.count), VKMM_OMIT,
     .record = &vkmm_saved_record, .known = has_reports},
};
static const vkmm_record model_record = {NULL, VKMM_FIELDS(model_fields), .schema = VKMM_COMPARE_SCHEMA};

vkmm_status vkmm_compare_found(vkmm_compare_model *model)
{
    model->asked.found = vkmm_record_json(&model_record, model);
    return model->asked.found != NULL ? VKMM_OK : VKMM_OUT_OF_MEMORY;
}

vkmm_status vkmm_compare_json(vkmm_compare_model *model)
{
    return vkmm_json_line(model->report, vkmm_record_json(&model_record, model));
}

/* ---- CSV ---- */

/* One line per row and contender, so that the columns do not depend on how many are compared. */
typedef struct line {
    const vkmm_bench_row *like;
    const vkmm_contender *who;
    const vkmm_compare_cell *cell;
    const char *verdict;
    uint32_t contender, ratio_to; /* from 1; 0: nobody */
    char difference[VKMM_TEXT_DIFFERENCE];
    int wins, regressed;
} line;

#define LINE(member) VKMM_AT(line, member)

VKMM_KNOWN(has_ratio_to, line, ratio_to > 0)

static const vkmm_field line_fields[] = {
    {NULL, VKMM_FIELD_EMBED, LINE(like), VKMM_POINTER, .record = &like_record},
    {VKMM_KEY(TEXT, line, difference)},
    {VKMM_KEY(U32, line, contender)},
    {VKMM_KEY(U32, line, ratio_to), .known = has_ratio_to},
    {NULL, VKMM_FIELD_EMBED, LINE(who), VKMM_POINTER, .record = &contender_record},
    {NULL, VKMM_FIELD_EMBED, LINE(cell), VKMM_POINTER, .record = &cell_record},
    {VKMM_KEY(STRING, line, verdict)},
    {"winner", VKMM_FIELD_TRUTH, LINE(wins)},
    {"regression", VKMM_FIELD_TRUTH, LINE(regressed)},
};
static const vkmm_record line_record = {NULL, VKMM_FIELDS(line_fields)};

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
    {"kernel"},
    {"wrong"},
    {"gflops"},
    {"kernel_ms"},
    {"noise"},
    {"ratio.middle", "ratio"},
    {"ratio.low", "ratio_low"},
    {"ratio.high", "ratio_high"},
    {"verdict"},
    {"winner"},
    {"regression"},
    VKMM_CSV_REST,
    {"problem.method"},
    {"ratio_to"},
};

enum { COLUMNS = VKMM_COUNT(columns) };

static int is_named(const vkmm_compare_model *model, uint32_t row, uint32_t contender)
{
    for (uint32_t i = 0; i < model->regression_count; i++)
        if (model->regressions[i].row == row && model->regressions[i].contender == contender) return 1;
    return 0;
}

vkmm_status vkmm_compare_csv(vkmm_compare_model *model)
{
    FILE *out = model->report->out;

    vkmm_csv_header(out, columns, COLUMNS);
    for (uint32_t i = 0; i < model->count; i++) {
        const vkmm_compare_row *row = &model->rows[i];
        for (uint32_t c = 0; c < row->count; c++) {
            const vkmm_compare_cell *cell = &row->cells[c];
            const vkmm_contender *who = &model->asked.contenders[c];
            line all = {.like = row->like,
                        .who = who,
                        .cell = cell,
                        .verdict = cell->ratio.verdict,
                        .contender = c + 1,
                        .ratio_to = who->base + 1, /* VKMM_NOBODY + 1 is 0 */
                        .wins = row->winner == c,
                        .regressed = is_named(model, i, c)};
            if (cell->row == NULL) continue;
            vkmm_text_difference(all.difference, sizeof all.difference, &row->like->problem);
            if (!vkmm_csv_line(out, columns, COLUMNS, vkmm_record_json(&line_record, &all))) return VKMM_OUT_OF_MEMORY;
        }
    }
    return VKMM_OK;
}

/* ---- JUnit ---- */

/* A suite per contender. Regressions fail where --fail-on-regression is given, as the exit code does. */
vkmm_status vkmm_compare_junit(vkmm_compare_model *model)
{
    const vkmm_contender *all = model->asked.contenders;
    vkmm_junit_case *cases = vkmm_alloc((size_t)model->count, sizeof *cases);
    FILE *out = model->report->out;

    if (cases == NULL) return VKMM_OUT_OF_MEMORY;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vkmatmul compare\">\n", out);
    for (uint32_t c = 0; c < model->asked.count; c++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < model->count; i++) {
            const vkmm_compare_cell *cell = &model->rows[i].cells[c];
            const vkmm_interval *ratio = &cell->ratio.of;
            if (cell->row == NULL) continue;
            cases[count] = (vkmm_junit_case){.row = cell->row};
            if (model->asked.regression >= 0 && is_named(model, i, c))
                VKMM_PUT(cases[count].failure, "%.3g times as fast (%.3g to %.3g) as %s", ratio->middle, ratio->low,
                         ratio->high, all[all[c].base].label);
            count++;
        }
        vkmm_junit_suite(out, all[c].bench, all[c].on, all[c].label, cases, count);
    }
    fputs("</testsuites>\n", out);
    vkmm_free(cases);
    return VKMM_OK;
}
