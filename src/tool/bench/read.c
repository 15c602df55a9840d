#include "bench/read.h"
#include "bench/derive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/disk.h"
#include "base/file.h"
#include "report/records.h"

#define MOST_BYTES (UINT64_C(256) << 20)

/* The first number of the document's version if it has this schema: "vkmatmul.bench/1", "vkmatmul.bench/1.4"; 0
 * otherwise. */
static unsigned long version_of(const json_t *json, const char *schema)
{
    const char *text = json_string_value(json_object_get(json, "schema"));
    const size_t length = strcspn(schema, "/") + 1;
    char *end;
    unsigned long version;
    if (text == NULL || strncmp(text, schema, length) != 0) return 0;
    version = strtoul(text + length, &end, 10);
    return *end == '\0' || *end == '.' ? version : 0;
}

/* Reports what it is instead of a report. */
static vkmm_status fail_schema(const char *name, const json_t *json)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    const unsigned long version = version_of(json, cli_report_record.schema);
    if (version > 1)
        return vkmm_fail(VKMM_INVALID, "%s has version %lu of the schema; this program reads version 1", name, version);
    if (schema != NULL)
        return vkmm_fail(VKMM_INVALID,
                         "%s: its schema is \"%.60s\"; reports have \"%s\", records \"" CLI_RECORD_SCHEMA "\"", name,
                         schema, cli_report_record.schema);
    return vkmm_fail(VKMM_INVALID, "%s is JSON, but not a report: it has no schema \"%s\"", name,
                     cli_report_record.schema);
}

/* Integers above 2^63 - 1, which other programs may write where this one writes 1.8e19, are read as reals. */
static json_t *load(const char *text, size_t bytes, json_error_t *error)
{
    json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, error);
    if (json == NULL && json_error_code(error) == json_error_numeric_overflow)
        json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, error);
    return json;
}

/* A report, or a comparison with its reports. */
static vkmm_status read_document(const char *name, const json_t *json, cli_reports *reports)
{
    cli_reading reading = {.samples_left = CLI_MOST_SAMPLES};
    const cli_node root = cli_node_root(&reading, json);
    if (version_of(json, CLI_COMPARE_SCHEMA) == 1) {
        cli_record_read(&root, &cli_reports_record, reports);
    } else if (version_of(json, cli_report_record.schema) == 1 || version_of(json, CLI_RECORD_SCHEMA) == 1) {
        cli_bench *bench = vkmm_list_add(&reports->benches, &reports->count, 1, sizeof *bench);
        reading.out_of_memory = bench == NULL;
        if (bench != NULL) cli_record_read(&root, &cli_report_record, bench);
    } else {
        return fail_schema(name, json);
    }
    if (reading.out_of_memory) return vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: out of memory", name);
    if (reading.sentence[0] != '\0') return vkmm_fail(VKMM_INVALID, "%s: %s", name, reading.sentence);
    return VKMM_OK;
}

static vkmm_status parse(const char *name, const char *text, size_t bytes, cli_reports *reports)
{
    json_error_t error;
    json_t *json = NULL;
    vkmm_status status;
    if (bytes == 0) return vkmm_fail(VKMM_INVALID, "%s is empty", name);
    json = load(text, bytes, &error);
    if (json != NULL)
        status = read_document(name, json, reports);
    else if (json_error_code(&error) == json_error_out_of_memory)
        status = vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: out of memory", name);
    else if (json_error_code(&error) == json_error_end_of_input_expected)
        status = vkmm_fail(VKMM_INVALID,
                           "%s: line %d: other data follow; a report is one JSON object, and JSON Lines are not read",
                           name, error.line);
    else
        status = vkmm_fail(VKMM_INVALID, "%s is not valid JSON: line %d, column %d: %s", name, error.line, error.column,
                           error.text);
    json_decref(json);
    return status;
}

vkmm_status cli_reports_parse(const char *name, const void *data, size_t bytes, cli_reports *reports)
{
    const char *text = data;
    cli_reports read = {0};
    vkmm_status status;
    void *room;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3, bytes -= 3; /* the byte order mark of some editors */
    status = parse(name, text, bytes, &read);
    for (uint32_t i = 0; i < read.count && status == VKMM_OK; i++) {
        cli_bench *bench = &read.benches[i]; /* in a comparison, they have names */
        if (bench->name[0] == '\0') VKMM_PUT(bench->name, "%s", vkmm_path_name(name));
        for (uint32_t j = 0; j < bench->row_count; j++) cli_bench_derive(bench, &bench->rows[j]);
        cli_bench_raise_peaks(bench);
    }
    if (status == VKMM_OK && read.count > 0) {
        room = vkmm_list_add(&reports->benches, &reports->count, read.count, sizeof *read.benches);
        if (room == NULL) status = vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: out of memory", name);
        if (room != NULL) memcpy(room, read.benches, read.count * sizeof *read.benches), read.count = 0;
    }
    cli_reports_free(&read);
    return status;
}

vkmm_status cli_reports_open(const char *path, cli_reports *reports)
{
    const uint32_t before = reports->count;
    vkmm_mapping mapping;
    vkmm_status status = vkmm_mapping_open(path, &mapping);
    if (status != VKMM_OK) return status;
    if (mapping.bytes > MOST_BYTES)
        status = vkmm_fail(VKMM_INVALID, "%s has %llu bytes; the maximum for a report is %llu", path,
                           (unsigned long long)mapping.bytes, (unsigned long long)MOST_BYTES);
    else
        status = cli_reports_parse(path, mapping.data, (size_t)mapping.bytes, reports);
    if (status == VKMM_OK && (status = vkmm_mapping_check(path, &mapping)) != VKMM_OK)
        while (reports->count > before) cli_bench_free(&reports->benches[--reports->count]);
    vkmm_mapping_close(&mapping);
    return status;
}
