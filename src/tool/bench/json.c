/* Bench reports as JSON, whole ("vkmatmul.bench/1") or as lines that are written as the run goes on. */
#include "base/alloc.h"
#include "bench/records.h"
#include "bench/writers.h"
#include "report/json.h"

/* What failed is known at the end alone, so all is written there. */
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

/* A line, to be freed with vkmm_free. Jansson's own allocator is not this program's. */
static char *line_of(const vkmm_record *record, const void *data)
{
    json_t *object = vkmm_record_json(record, data);
    size_t bytes = object != NULL ? json_dumpb(object, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(9)) : 0;
    char *line = bytes > 0 ? vkmm_alloc(bytes + 1, 1) : NULL;

    if (line != NULL) json_dumpb(object, line, bytes, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(object);
    return line;
}

char *vkmm_bench_head_line(const vkmm_bench *bench)
{
    return line_of(&vkmm_head_line_record, bench);
}

char *vkmm_bench_device_line(const vkmm_bench *bench, uint32_t device)
{
    const vkmm_device_line line = {device, &bench->devices[device]};

    return line_of(&vkmm_device_line_record, &line);
}

char *vkmm_bench_row_line(const vkmm_bench_row *row)
{
    return line_of(&vkmm_row_line_record, row);
}

char *vkmm_bench_end_line(const vkmm_bench *bench)
{
    return line_of(&vkmm_end_line_record, bench);
}

static vkmm_status put_line(vkmm_report *report, char *line)
{
    if (line == NULL) return VKMM_OUT_OF_MEMORY;
    fputs(line, report->out);
    putc('\n', report->out);
    vkmm_free(line);
    return VKMM_OK;
}

static vkmm_status lines_begin(vkmm_report *report, const vkmm_bench *bench)
{
    vkmm_status status = put_line(report, vkmm_bench_head_line(bench));

    for (uint32_t i = 0; i < bench->device_count && status == VKMM_OK; i++)
        status = put_line(report, vkmm_bench_device_line(bench, i));
    return status;
}

static vkmm_status lines_row(vkmm_report *report, const vkmm_bench *bench, const vkmm_bench_row *row)
{
    (void)bench;
    return put_line(report, vkmm_bench_row_line(row));
}

/* A device that failed meanwhile is written again: the later line counts. */
static vkmm_status lines_end(vkmm_report *report, const vkmm_bench *bench)
{
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < bench->device_count && status == VKMM_OK; i++)
        if (bench->devices[i].failed[0] != '\0') status = put_line(report, vkmm_bench_device_line(bench, i));
    for (uint32_t i = 0; i < bench->tune_count && status == VKMM_OK; i++)
        status = put_line(report, line_of(&vkmm_tune_line_record, &bench->tunes[i]));
    return status == VKMM_OK ? put_line(report, vkmm_bench_end_line(bench)) : status;
}

const vkmm_bench_writer vkmm_bench_json = {"json", ".json", NULL, NULL, json_end};
const vkmm_bench_writer vkmm_bench_jsonl = {"jsonl", ".jsonl", lines_begin, lines_row, lines_end};
