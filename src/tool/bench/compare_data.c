/* A comparison for programs: JSON, "vkmatmul.compare/1", where contenders are referred to by index, from 0; CSV and
 * JUnit XML. */
#include <math.h>

#include "base/alloc.h"
#include "bench/compare.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/records.h"

/* ---- who is compared ---- */

static json_t *put_device(const void *record)
{
    const cli_bench_device *device = record;
    return cli_json_device(device->is_host ? NULL : &device->info, device->info.name);
}

static const cli_field device_fields[] = {
    {"device", CLI_FIELD_CUSTOM, .put = put_device},
    {"driver", CLI_FIELD_TEXT, CLI_AT(cli_bench_device, info.driver.name)},
};
static const vkmm_record device_record = {NULL, CLI_FIELDS(device_fields)};

static const cli_field bench_fields[] = {
    {"report", CLI_FIELD_TEXT, CLI_AT(cli_bench, name), CLI_MAYBE},
    {CLI_KEY(TEXT, cli_bench, version)},
    {CLI_KEY(TEXT, cli_bench, shader_hash)},
    {CLI_KEY(TEXT, cli_bench, created)},
    {CLI_KEY(TEXT, cli_bench, host)},
    {CLI_KEY(TRUTH, cli_bench, paired)},
    {CLI_KEY(TRUTH, cli_bench, complete)},
};
static const vkmm_record bench_record = {NULL, CLI_FIELDS(bench_fields)};

CLI_KNOWN(has_base, cli_contender, base != CLI_NOBODY)

CLI_KNOWN(is_judged_by_base, cli_contender, judged)

#define CONTENDER(member) CLI_AT(cli_contender, member)

static const cli_field contender_fields[] = {
    {CLI_KEY(TEXT, cli_contender, label)},
    {NULL, CLI_FIELD_EMBED, CONTENDER(on), CLI_POINTER, .record = &device_record},
    {NULL, CLI_FIELD_EMBED, CONTENDER(bench), CLI_POINTER, .record = &bench_record},
    {CLI_KEY(U32, cli_contender, base), .known = has_base},
    {"same_device_as", CLI_FIELD_U32, CONTENDER(base), .known = is_judged_by_base},
    {CLI_KEY(U32, cli_contender, wins)},
};
static const vkmm_record contender_record = {NULL, CLI_FIELDS(contender_fields)};

/* ---- what they have of a product ---- */

static int is_ratio(const void *record)
{
    return isfinite(((const cli_compare_ratio *)record)->of.middle);
}

#define OF(kind, member) CLI_IN(kind, cli_compare_ratio, of, member)

static const cli_field ratio_fields[] = {
    {OF(REAL, middle)},
    {OF(REAL, low)},
    {OF(REAL, high)},
    {CLI_KEY(STRING, cli_compare_ratio, verdict)},
};
static const vkmm_record ratio_record = {NULL, CLI_FIELDS(ratio_fields), .known = is_ratio};

#define ROW(member) CLI_AT(cli_bench_row, member)

#define FIGURES(kind, member) CLI_IN(kind, cli_bench_row, figures, member)

static const cli_field result_fields[] = {
    {"kernel", CLI_FIELD_TEXT, ROW(kernel.name)},
    {FIGURES(REAL, gflops)},
    {"kernel_ms", CLI_FIELD_REAL, ROW(figures.median_ms)},
    {FIGURES(REAL, noise)},
    {FIGURES(TRUTH, throttled)},
};
static const vkmm_record result_record = {NULL, CLI_FIELDS(result_fields)};

CLI_KNOWN(has_row, cli_compare_cell, row != NULL)

#define CELL(member) CLI_AT(cli_compare_cell, member)

static const cli_field cell_fields[] = {
    {NULL, CLI_FIELD_EMBED, CELL(row), CLI_POINTER, .record = &result_record},
    {CLI_KEY(TRUTH, cli_compare_cell, wrong)},
    {CLI_KEY(RECORD, cli_compare_cell, ratio), .record = &ratio_record},
};
static const vkmm_record cell_record = {NULL, CLI_FIELDS(cell_fields), .known = has_row};

static const cli_field like_fields[] = {
    {CLI_KEY(TEXT, cli_bench_row, group)},
    {CLI_KEY(TEXT, cli_bench_row, asked)},
    {CLI_KEY(RECORD, cli_bench_row, problem), .record = &cli_problem_record},
    {CLI_KEY(U64, cli_bench_row, rotating_bytes)},
};
static const vkmm_record like_record = {NULL, CLI_FIELDS(like_fields)};

CLI_KNOWN(has_winner, cli_compare_row, winner != CLI_NOBODY)

static const cli_field row_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_compare_row, like), CLI_POINTER, .record = &like_record},
    {"contenders", CLI_FIELD_RECORD, CLI_LIST(cli_compare_row, cells, count), .record = &cell_record},
    {CLI_KEY(U32, cli_compare_row, winner), .known = has_winner},
};
static const vkmm_record row_record = {NULL, CLI_FIELDS(row_fields)};

/* ---- what follows ---- */

static const cli_field mean_cell_fields[] = {
    {"rows", CLI_FIELD_U32, CELL(mean.count)},
    {CLI_KEY(RECORD, cli_compare_cell, ratio), .record = &ratio_record},
};
static const vkmm_record mean_cell_record = {NULL, CLI_FIELDS(mean_cell_fields)};

CLI_KNOWN(is_of_group, cli_compare_mean, group != NULL)

#define MEAN(member) CLI_AT(cli_compare_mean, member)

static const cli_field mean_fields[] = {
    {CLI_KEY(STRING, cli_compare_mean, group)},
    {"type", CLI_FIELD_WORD, MEAN(types.in), .words = &cli_words_of_type, .known = is_of_group},
    {"out_type", CLI_FIELD_WORD, MEAN(types.out), .words = &cli_words_of_type, .known = is_of_group},
    {CLI_IN(WORD, cli_compare_mean, types, compute), .words = &cli_words_of_type, .known = is_of_group},
    {CLI_KEY(U32, cli_compare_mean, rows)},
    {"contenders", CLI_FIELD_RECORD, CLI_LIST(cli_compare_mean, cells, count), .record = &mean_cell_record},
};
static const vkmm_record mean_record = {NULL, CLI_FIELDS(mean_fields)};

static json_t *put_regressions(const void *record)
{
    const cli_comparison *model = record;
    json_t *list = json_array();
    int bad = 0;
    for (uint32_t i = 0; i < model->row_count; i++) {
        for (uint32_t c = 0; c < model->count; c++) {
            const cli_compare_cell *cell = &model->rows[i].cells[c];
            if (cell->regressed)
                bad += cli_json_add(list, json_pack("{s:i, s:i, s:i, s:b, s:o}", "row", i, "contender", c, "base",
                                                    model->contenders[c].base, "wrong", cell->wrong, "ratio",
                                                    cli_record_json(&ratio_record, &cell->ratio)));
        }
    }
    return cli_json_done(list, bad);
}

/* ---- the whole ---- */

CLI_KNOWN(is_judged, cli_comparison, regression >= 0)

#define MODEL(member)     CLI_AT(cli_comparison, member)
#define LIST(list, count) CLI_LIST(cli_comparison, list, count)

static const cli_field model_fields[] = {
    {"tool", CLI_FIELD_RECORD, MODEL(report), CLI_POINTER, .record = &cli_tool_record},
    {"contenders", CLI_FIELD_RECORD, LIST(contenders, count), .record = &contender_record},
    {"notes", CLI_FIELD_TEXT, LIST(notes, note_count)},
    {"rows", CLI_FIELD_RECORD, LIST(rows, row_count), .record = &row_record},
    {"means", CLI_FIELD_RECORD, LIST(means, mean_count), .record = &mean_record},
    {CLI_KEY(U32, cli_comparison, unclear)},
    {CLI_KEY(U32, cli_comparison, alone)},
    {"tolerated", CLI_FIELD_REAL, MODEL(regression), .known = is_judged},
    {"regressions", CLI_FIELD_CUSTOM, .put = put_regressions},
};
static const vkmm_record model_record = {NULL, CLI_FIELDS(model_fields), .schema = CLI_COMPARE_SCHEMA};

/* With the reports. */
static const cli_field saved_fields[] = {
    {NULL, CLI_FIELD_EMBED, .record = &model_record},
    {NULL, CLI_FIELD_EMBED, MODEL(reports), .record = &cli_reports_record},
};
static const vkmm_record saved_record = {NULL, CLI_FIELDS(saved_fields)};

json_t *cli_comparison_json(const cli_comparison *model)
{
    return cli_record_json(&model_record, model);
}

vkmm_status cli_compare_json(const cli_comparison *model)
{
    return cli_json_line(model->report, cli_record_json(&saved_record, model));
}

/* ---- CSV ---- */

/* One line per row and contender, so that the columns do not depend on how many are compared. */
typedef struct line {
    const cli_bench_row *like;
    const cli_contender *who;
    const cli_compare_cell *cell;
    const char *verdict;
    uint32_t contender, ratio_to; /* from 1; 0: nobody */
    char difference[CLI_TEXT_DIFFERENCE];
    int wins, regressed;
} line;

#define LINE(member) CLI_AT(line, member)

CLI_KNOWN(has_ratio_to, line, ratio_to > 0)

static const cli_field line_fields[] = {
    {NULL, CLI_FIELD_EMBED, LINE(like), CLI_POINTER, .record = &like_record},
    {CLI_KEY(TEXT, line, difference)},
    {CLI_KEY(U32, line, contender)},
    {CLI_KEY(U32, line, ratio_to), .known = has_ratio_to},
    {NULL, CLI_FIELD_EMBED, LINE(who), CLI_POINTER, .record = &contender_record},
    {NULL, CLI_FIELD_EMBED, LINE(cell), CLI_POINTER, .record = &cell_record},
    {CLI_KEY(STRING, line, verdict)},
    {"winner", CLI_FIELD_TRUTH, LINE(wins)},
    {"regression", CLI_FIELD_TRUTH, LINE(regressed)},
};
static const vkmm_record line_record = {NULL, CLI_FIELDS(line_fields)};

static const cli_csv_column columns[] = {
    {"group"},
    CLI_CSV_PROBLEM,
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
    CLI_CSV_REST,
    {"problem.method"},
    {"ratio_to"},
};

enum { COLUMNS = VKMM_COUNT(columns) };

vkmm_status cli_compare_csv(const cli_comparison *model)
{
    FILE *out = model->report->out;
    cli_csv_header(out, columns, COLUMNS);
    for (uint32_t i = 0; i < model->row_count; i++) {
        const cli_compare_row *row = &model->rows[i];
        for (uint32_t c = 0; c < row->count; c++) {
            const cli_compare_cell *cell = &row->cells[c];
            const cli_contender *who = &model->contenders[c];
            line all = {.like = row->like,
                        .who = who,
                        .cell = cell,
                        .verdict = cell->ratio.verdict,
                        .contender = c + 1,
                        .ratio_to = who->base + 1, /* CLI_NOBODY + 1 is 0 */
                        .wins = row->winner == c,
                        .regressed = cell->regressed};
            if (cell->row == NULL) continue;
            cli_text_difference(all.difference, sizeof all.difference, &row->like->problem);
            if (!cli_csv_line(out, columns, COLUMNS, cli_record_json(&line_record, &all))) return VKMM_OUT_OF_MEMORY;
        }
    }
    return VKMM_OK;
}

/* ---- JUnit ---- */

/* A suite per contender. Regressions fail where --fail-on-regression is given, as the exit code does. */
vkmm_status cli_compare_junit(const cli_comparison *model)
{
    const cli_contender *all = model->contenders;
    cli_junit_case *cases = vkmm_alloc((size_t)model->row_count, sizeof *cases);
    FILE *out = model->report->out;
    if (cases == NULL) return VKMM_OUT_OF_MEMORY;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vkmatmul compare\">\n", out);
    for (uint32_t c = 0; c < model->count; c++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < model->row_count; i++) {
            const cli_compare_cell *cell = &model->rows[i].cells[c];
            const cli_interval *ratio = &cell->ratio.of;
            if (cell->row == NULL) continue;
            cases[count] = (cli_junit_case){.row = cell->row};
            if (model->regression >= 0 && cell->regressed)
                VKMM_PUT(cases[count].failure, "%.3g times as fast (%.3g to %.3g) as %s", ratio->middle, ratio->low,
                         ratio->high, all[all[c].base].label);
            count++;
        }
        cli_junit_suite(out, all[c].bench, all[c].on, all[c].label, cases, count);
    }
    fputs("</testsuites>\n", out);
    vkmm_free(cases);
    return VKMM_OK;
}
