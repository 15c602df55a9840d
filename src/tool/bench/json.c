/* Bench reports as JSON, whole ("vkmatmul.bench/1") or as lines that are written during the run. */
#include "bench/records.h"
#include "bench/writer.h"
#include "report/json.h"

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

const vkmm_bench_writer vkmm_bench_json = {"json", ".json", NULL, NULL, json_end};
const vkmm_bench_writer vkmm_bench_jsonl = {"jsonl", ".jsonl", lines_begin, lines_row, lines_end};
