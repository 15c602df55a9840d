/* Bench reports as JSON, whole ("vkmatmul.bench/1") or as lines that are written as the run goes on;
 * doc/bench.schema.json describes both. */
#include <string.h>
#include "base/alloc.h"
#include "math/type.h"
#include "bench/writers.h"
#include "report/json.h"

static json_t *tool(const vkmm_bench *bench)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "version", vkmm_json_text(bench->version));

    bad += vkmm_json_put(object, "shader_hash", vkmm_json_text(bench->shader_hash));
    bad += vkmm_json_put(object, "command", vkmm_json_command(bench->command));
    return vkmm_json_done(object, bad);
}

static json_t *host(const vkmm_bench *bench)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "processor", vkmm_json_known_text(bench->host));

    bad += vkmm_json_put(object, "os", vkmm_json_known_text(bench->os));
    bad += vkmm_json_put(object, "processors", bench->processors > 0 ? json_integer(bench->processors) : json_null());
    bad += vkmm_json_put(object, "memory_bytes",
                         bench->memory_bytes > 0 ? vkmm_json_integer(bench->memory_bytes) : json_null());
    bad += vkmm_json_put(object, "power_source", vkmm_json_known_text(bench->power_source));
    return vkmm_json_done(object, bad);
}

static json_t *settings(const vkmm_bench_settings *settings)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "suite", vkmm_json_known_text(settings->suite));

    bad += vkmm_json_put(object, "seed", vkmm_json_integer(settings->seed));
    bad += vkmm_json_put(object, "rotating_bytes", vkmm_json_integer(settings->rotating_bytes));
    bad += vkmm_json_put(object, "max_noise",
                         settings->max_noise > 0 ? vkmm_json_number(settings->max_noise) : json_null());
    bad += vkmm_json_put(object, "budget_ms",
                         settings->budget_ms > 0 ? vkmm_json_number(settings->budget_ms) : json_null());
    return vkmm_json_done(object, bad);
}

static json_t *layers(const vkmm_bench *bench)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; i < bench->layer_count; i++)
        bad += json_array_append_new(array, vkmm_json_text(bench->layers[i])) != 0;
    return vkmm_json_done(array, bad);
}

/* All but devices, rows, and how the run ended. */
static json_t *head(const vkmm_bench *bench, const char *schema)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "schema", json_string(schema));

    bad += vkmm_json_put(object, "tool", tool(bench));
    bad += vkmm_json_put(object, "created", vkmm_json_known_text(bench->created));
    bad += vkmm_json_put(object, "host", host(bench));
    bad += vkmm_json_put(object, "settings", settings(&bench->settings));
    bad += vkmm_json_put(object, "layers", layers(bench));
    return vkmm_json_done(object, bad);
}

static int put_end(json_t *object, const vkmm_bench *bench)
{
    int bad = vkmm_json_put(object, "complete", json_boolean(bench->complete));

    return bad + vkmm_json_put(object, "note", vkmm_json_known_text(bench->note));
}

static json_t *tune(const vkmm_bench_tune *tune)
{
    json_t *object = json_object(), *trials = json_array();
    int bad = vkmm_json_put(object, "device", vkmm_json_text(tune->device));

    bad += vkmm_json_put(object, "problem", vkmm_json_bench_problem(&tune->problem));
    for (uint32_t i = 0; i < tune->count; i++)
        bad += json_array_append_new(
                   trials, vkmm_json_trial(tune->trials[i].kernel, tune->trials[i].config, tune->trials[i].ms)) != 0;
    bad += vkmm_json_put(object, "trials", trials);
    return vkmm_json_done(object, bad);
}

static json_t *whole(const vkmm_bench *bench)
{
    json_t *object = head(bench, VKMM_BENCH_SCHEMA), *devices = json_array(), *rows = json_array(),
           *tunes = json_array();
    int bad = object == NULL || put_end(object, bench);

    for (uint32_t i = 0; i < bench->device_count; i++)
        bad += json_array_append_new(devices, vkmm_json_bench_device(&bench->devices[i])) != 0;
    for (uint32_t i = 0; i < bench->row_count; i++)
        bad += json_array_append_new(rows, vkmm_json_bench_row(&bench->rows[i])) != 0;
    for (uint32_t i = 0; i < bench->tune_count; i++) bad += json_array_append_new(tunes, tune(&bench->tunes[i])) != 0;
    bad += vkmm_json_put(object, "devices", devices);
    bad += vkmm_json_put(object, "rows", rows);
    bad += vkmm_json_put(object, "tunes", tunes);
    return vkmm_json_done(object, bad);
}

/* What failed is known at the end alone, so all is written there. */
static vkmm_status json_end(vkmm_report *report, const vkmm_bench *bench)
{
    json_t *object = whole(bench);

    if (object == NULL) return VKMM_OUT_OF_MEMORY;
    (void)json_dumpf(object, report->out,
                     JSON_INDENT(2) | JSON_REAL_PRECISION(9)); /* the stream remembers a failed write */
    json_decref(object);
    putc('\n', report->out);
    return VKMM_OK;
}

/* A line, to be freed with vkmm_free. Jansson's own allocator is not this program's. */
static char *line_of(json_t *object)
{
    size_t bytes = object != NULL ? json_dumpb(object, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(9)) : 0;
    char *line = bytes > 0 ? vkmm_alloc(bytes + 1, 1) : NULL;

    if (line != NULL) json_dumpb(object, line, bytes, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(object);
    return line;
}

char *vkmm_bench_head_line(const vkmm_bench *bench)
{
    return line_of(head(bench, VKMM_BENCH_HEAD_SCHEMA));
}

/* The object under a schema of its own, which stands first. */
static json_t *with_schema(const char *schema, json_t *object)
{
    json_t *all = json_object();
    int bad = object == NULL || vkmm_json_put(all, "schema", json_string(schema));

    bad = bad || json_object_update(all, object) != 0;
    json_decref(object);
    return vkmm_json_done(all, bad);
}

char *vkmm_bench_device_line(const vkmm_bench *bench, uint32_t device)
{
    json_t *object = json_object(), *keys = vkmm_json_bench_device(&bench->devices[device]);
    int bad = keys == NULL || vkmm_json_put(object, "device", json_integer(device));

    bad = bad || json_object_update(object, keys) != 0;
    json_decref(keys);
    return line_of(with_schema(VKMM_BENCH_DEVICE_SCHEMA, vkmm_json_done(object, bad)));
}

char *vkmm_bench_row_line(const vkmm_bench_row *row)
{
    return line_of(with_schema(VKMM_BENCH_ROW_SCHEMA, vkmm_json_bench_row(row)));
}

char *vkmm_bench_end_line(const vkmm_bench *bench)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "schema", json_string(VKMM_BENCH_END_SCHEMA));

    return line_of(vkmm_json_done(object, bad + put_end(object, bench)));
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

/* A device that failed meanwhile is told again: the later line counts. */
static vkmm_status lines_end(vkmm_report *report, const vkmm_bench *bench)
{
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < bench->device_count && status == VKMM_OK; i++)
        if (bench->devices[i].failed[0] != '\0') status = put_line(report, vkmm_bench_device_line(bench, i));
    for (uint32_t i = 0; i < bench->tune_count && status == VKMM_OK; i++)
        status = put_line(report, line_of(with_schema(VKMM_BENCH_TUNE_SCHEMA, tune(&bench->tunes[i]))));
    return status == VKMM_OK ? put_line(report, vkmm_bench_end_line(bench)) : status;
}

const vkmm_bench_writer vkmm_bench_json = {"json", ".json", NULL, NULL, json_end};
const vkmm_bench_writer vkmm_bench_jsonl = {"jsonl", ".jsonl", lines_begin, lines_row, lines_end};
