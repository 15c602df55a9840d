/* JSON: a line for each result of run ("vkmatmul.run/1"), so that one result is plain JSON; one document for a ladder
 * or a bench report ("vkmatmul.bench/1"); and JSON Lines of a bench, written during the run. */
#include "report/records.h"
#include "report/json.h"
#include "report/report.h"

/* Failures are known only at the end, so everything is written there. */
static vkmm_status json_end(cli_report *report, const cli_bench *bench)
{
    json_t *object = cli_record_json(&cli_report_record, bench);
    if (object == NULL) return VKMM_OUT_OF_MEMORY;
    (void)json_dumpf(object, report->out,
                     JSON_INDENT(2) | JSON_REAL_PRECISION(9)); /* the stream remembers a failed write */
    json_decref(object);
    putc('\n', report->out);
    return VKMM_OK;
}

static vkmm_status put_line(const cli_report *report, const vkmm_record *record, const void *data)
{
    return cli_json_line(report, cli_record_json(record, data));
}

static vkmm_status put_device(const cli_report *report, const cli_bench *bench, uint32_t index)
{
    const cli_device_line line = {index, &bench->devices[index]};
    return put_line(report, &cli_device_line_record, &line);
}

static vkmm_status lines_begin(cli_report *report, const cli_bench *bench)
{
    vkmm_status status = put_line(report, &cli_head_line_record, bench);
    for (uint32_t i = 0; i < bench->device_count && status == VKMM_OK; i++) status = put_device(report, bench, i);
    return status;
}

static vkmm_status lines_row(cli_report *report, const cli_bench *bench, const cli_bench_row *row)
{
    (void)bench;
    return put_line(report, &cli_row_line_record, row);
}

/* A device that failed meanwhile is written again: the later line applies. */
static vkmm_status lines_end(cli_report *report, const cli_bench *bench)
{
    vkmm_status status = VKMM_OK;
    for (uint32_t i = 0; i < bench->device_count && status == VKMM_OK; i++)
        if (bench->devices[i].failed[0] != '\0') status = put_device(report, bench, i);
    return status == VKMM_OK ? put_line(report, &cli_end_line_record, bench) : status;
}

/* ---- run and ladder ---- */

/* Statistics are enough, unless all samples are requested. */
static json_t *without_samples(const cli_report *report, json_t *json)
{
    void *at = json_object_iter(json);
    if (report->samples) return json;
    for (; at != NULL; at = json_object_iter_next(json, at)) without_samples(report, json_object_iter_value(at));
    for (size_t i = 0; i < json_array_size(json); i++) without_samples(report, json_array_get(json, i));
    json_object_del(json, "samples");
    return json;
}

static vkmm_status json_row(cli_report *report, const cli_bench_row *row)
{
    return cli_json_line(report, without_samples(report, cli_json_run(report, row)));
}

json_t *cli_json_ladder(const cli_report *report, const cli_ladder *ladder)
{
    return without_samples(report, cli_json_document(report, "vkmatmul.ladder/1", ladder->device, ladder->host,
                                                     cli_record_json(&cli_ladder_record, ladder)));
}

/* One document, so all rows at once. */
static vkmm_status json_ladder(cli_report *report, const cli_ladder *ladder, const cli_bench_row *row)
{
    return row != NULL ? VKMM_OK : cli_json_line(report, cli_json_ladder(report, ladder));
}

const cli_writer cli_json_writer = {"json",
                                    ".json",
                                    .end = json_end,
                                    .run = json_row,
                                    .ladder = json_ladder,
                                    .compare = cli_compare_json,
                                    .document = cli_json_line};
const cli_writer cli_jsonl_writer = {
    "jsonl", ".jsonl", lines_begin, lines_row, lines_end, .run = json_row, .document = cli_json_line};
