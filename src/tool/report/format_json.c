/* JSON: a line for each result of run ("vkmatmul.run/1"), so that one result is plain JSON; one document for a ladder
 * or a bench report ("vkmatmul.bench/1"); and JSON Lines of a bench, written during the run. */
#include "report/document_records.h"
#include "report/json.h"
#include "report/report.h"

/* Failures are known only at the end, so everything is written there. */
static vkmm_status json_end(vkmm_report *report, const vkmm_bench *bench)
{
    json_t *object = vkmm_record_json(&vkmm_report_record, bench);

    if (object == NULL) return VKMM_OUT_OF_MEMORY;
    (void)json_dumpf(object, report->out,
                     JSON_INDENT(2) | JSON_REAL_PRECISION(9)); /* the stream remembers a failed write */
    json_decref(object);
    putc('\n', report->out);
    return VKMM_OK;
}

static vkmm_status put_line(const vkmm_report *report, const vkmm_record *record, const void *data)
{
    return vkmm_json_line(report, vkmm_record_json(record, data));
}

static vkmm_status put_device(const vkmm_report *report, const vkmm_bench *bench, uint32_t index)
{
    const vkmm_device_line line = {index, &bench->devices[index]};

    return put_line(report, &vkmm_device_line_record, &line);
}

static vkmm_status lines_begin(vkmm_report *report, const vkmm_bench *bench)
{
    vkmm_status status = put_line(report, &vkmm_head_line_record, bench);

    for (uint32_t i = 0; i < bench->device_count && status == VKMM_OK; i++) status = put_device(report, bench, i);
    return status;
}

static vkmm_status lines_row(vkmm_report *report, const vkmm_bench *bench, const vkmm_bench_row *row)
{
    (void)bench;
    return put_line(report, &vkmm_row_line_record, row);
}

/* A device that failed meanwhile is written again: the later line applies. */
static vkmm_status lines_end(vkmm_report *report, const vkmm_bench *bench)
{
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < bench->device_count && status == VKMM_OK; i++)
        if (bench->devices[i].failed[0] != '\0') status = put_device(report, bench, i);
    for (uint32_t i = 0; i < bench->tune_count && status == VKMM_OK; i++)
        status = put_line(report, &vkmm_tune_line_record, &bench->tunes[i]);
    return status == VKMM_OK ? put_line(report, &vkmm_end_line_record, bench) : status;
}

/* ---- run and ladder ---- */

/* Statistics are enough, unless all samples are requested. */
static json_t *without_samples(const vkmm_report *report, json_t *json)
{
    void *at = json_object_iter(json);

    if (report->samples) return json;
    for (; at != NULL; at = json_object_iter_next(json, at)) without_samples(report, json_object_iter_value(at));
    for (size_t i = 0; i < json_array_size(json); i++) without_samples(report, json_array_get(json, i));
    json_object_del(json, "samples");
    return json;
}

static vkmm_status json_row(vkmm_report *report, const vkmm_bench_row *row)
{
    return vkmm_json_line(report, without_samples(report, vkmm_json_run(report, row)));
}

/* One document, so all rows at once. */
static vkmm_status json_ladder(vkmm_report *report, const vkmm_ladder *ladder, const vkmm_bench_row *row)
{
    json_t *document;

    if (row != NULL) return VKMM_OK;
    document = vkmm_json_document(report, "vkmatmul.ladder/1", ladder->device, ladder->host,
                                  vkmm_record_json(&vkmm_ladder_record, ladder));
    return vkmm_json_line(report, without_samples(report, document));
}

const vkmm_writer vkmm_json_writer = {
    "json", ".json", .end = json_end, .run = json_row, .ladder = json_ladder, .compare = vkmm_compare_json};
const vkmm_writer vkmm_jsonl_writer = {"jsonl", ".jsonl", lines_begin, lines_row, lines_end};
