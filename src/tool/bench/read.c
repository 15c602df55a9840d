#include "bench/read.h"
#include "bench/derive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/disk.h"
#include "base/file.h"
#include "report/document_records.h"
#include "report/text.h"

#define MOST_BYTES (UINT64_C(256) << 20)

/* ---- kinds of documents ---- */

/* The version's first number if the text is `schema` and a version, "vkmatmul.bench/1" or "vkmatmul.bench/1.4"; 0
 * otherwise. */
static unsigned long version_of(const char *text, const char *schema)
{
    const size_t length = strlen(schema);
    char *end;
    unsigned long version;

    if (text == NULL || strncmp(text, schema, length) != 0 || text[length] != '/') return 0;
    version = strtoul(text + length + 1, &end, 10);
    return *end == '\0' || *end == '.' ? version : 0;
}

/* The schema of a record, whatever its second number. */
static int is_schema(const json_t *json, const char *schema)
{
    char stem[64];

    VKMM_PUT(stem, "%.*s", (int)strcspn(schema, "/"), schema);
    return version_of(json_string_value(json_object_get(json, "schema")), stem) == 1;
}

static int is_of(const json_t *json, const vkmm_record *record)
{
    return is_schema(json, record->schema);
}

/* Reports what it is instead of a report. */
static vkmm_status fail_schema(const char *name, const json_t *json)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    const unsigned long version = version_of(schema, "vkmatmul.bench");

    if (version > 1)
        return vkmm_fail(VKMM_INVALID, "%s has version %lu of the schema; this program reads version 1", name, version);
    if (schema != NULL)
        return vkmm_fail(VKMM_INVALID,
                         "%s: its schema is \"%.60s\"; reports have \"%s\", records \"" CLI_RECORD_SCHEMA "\"", name,
                         schema, cli_report_record.schema);
    return vkmm_fail(VKMM_INVALID, "%s is JSON, but not a report: it has no schema \"%s\"", name,
                     cli_report_record.schema);
}

/* Skips white space, and counts lines. */
static const char *skip(const char *text, const char *end, int *line)
{
    for (; text < end && strchr(" \t\r\n", *text) != NULL && *text != '\0'; text++) *line += *text == '\n';
    return text;
}

/* Integers above 2^63 - 1, which other programs may write where this one writes 1.8e19, are read as reals. */
static json_t *load(const char *text, size_t bytes, size_t flags, json_error_t *error)
{
    json_t *json = json_loadb(text, bytes, flags | JSON_REJECT_DUPLICATES, error);

    if (json == NULL && json_error_code(error) == json_error_numeric_overflow)
        json = json_loadb(text, bytes, flags | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, error);
    return json;
}

static vkmm_status status_of(const char *where, const cli_reading *reading)
{
    if (reading->out_of_memory) return vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: out of memory", where);
    if (reading->sentence[0] != '\0') return vkmm_fail(VKMM_INVALID, "%s: %s", where, reading->sentence);
    return VKMM_OK;
}

/* A device occurs once, and once more if something happened to it. */
static void read_device(const cli_node *root, cli_bench *bench)
{
    const cli_node place = cli_node_key(root, "device");
    cli_bench_device *device;
    uint64_t index = 0;

    if (place.json == NULL) cli_node_fail(&place, "is missing");
    cli_node_integer(&place, UINT32_MAX, &index);
    if (index >= CLI_MOST_DEVICES || index > bench->device_count)
        cli_node_fail(&place, "is %u; the next device is %u", (unsigned)index, bench->device_count);
    if (root->reading->sentence[0] != '\0') return;
    device = index < bench->device_count ? &bench->devices[index] : cli_bench_add_device(bench);
    root->reading->out_of_memory = device == NULL;
    if (device == NULL) return;
    cli_record_read(root, &cli_device_record, device);
}

static void read_row(const cli_node *root, cli_bench *bench)
{
    cli_record_read_entry(root, &cli_report_record, "rows", bench);
    if (root->reading->sentence[0] == '\0' && !root->reading->out_of_memory)
        cli_bench_check_place(root, bench, &bench->rows[bench->row_count - 1]);
}

/* Adds a report in lines, of which `root` is the first. */
static void begin_lines(const cli_node *root, cli_reports *reports)
{
    cli_bench *bench = vkmm_list_add(&reports->benches, &reports->count, 1, sizeof *bench);

    root->reading->out_of_memory = bench == NULL;
    if (bench != NULL) cli_record_read(root, &cli_head_record, bench);
}

/* Reads one more line. An unknown kind of line is from a later version. */
static void read_line(const cli_node *root, cli_bench *bench)
{
    if (is_of(root->json, &cli_device_line_record))
        read_device(root, bench);
    else if (is_of(root->json, &cli_row_line_record))
        read_row(root, bench);
    else if (is_of(root->json, &cli_end_line_record))
        cli_record_read(root, &cli_end_record, bench);
    else if (!json_is_string(json_object_get(root->json, "schema")))
        cli_node_fail(root, "has no schema");
}

/* Makes labels unique, whatever the file contains. */
static void part_labels(cli_bench *bench)
{
    for (uint32_t i = 1; i < bench->device_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            char *label = bench->devices[i].label;
            const size_t length = strlen(label), room = CLI_BENCH_TEXT - 8; /* at most 256 devices */
            if (strcmp(label, bench->devices[j].label) != 0) continue;
            snprintf(label + (length < room ? length : room), 8, " #%u", i % 1000);
            break;
        }
    }
}

/* A value of a file: a report, a comparison, or a line of a report. */
static vkmm_status read_value(const char *where, const json_t *json, cli_reading *reading, int *in_lines,
                              cli_reports *reports)
{
    const cli_node root = cli_node_root(reading, json);
    cli_bench *bench;

    if (*in_lines && !is_of(json, &cli_head_line_record)) {
        read_line(&root, &reports->benches[reports->count - 1]);
    } else if (reports->count > 0) {
        return vkmm_fail(VKMM_INVALID, "%s: the report is followed by other data", where);
    } else if (is_of(json, &cli_head_line_record)) {
        begin_lines(&root, reports);
        *in_lines = 1;
    } else if (is_schema(json, CLI_COMPARE_SCHEMA)) {
        cli_record_read(&root, &cli_reports_record, reports);
    } else if (is_of(json, &cli_report_record) || is_schema(json, CLI_RECORD_SCHEMA)) {
        bench = vkmm_list_add(&reports->benches, &reports->count, 1, sizeof *bench);
        reading->out_of_memory = bench == NULL;
        if (bench != NULL) cli_record_read(&root, &cli_report_record, bench);
    } else {
        return fail_schema(where, json);
    }
    return status_of(where, reading);
}

static vkmm_status parse(const char *name, const char *text, size_t bytes, cli_reports *reports)
{
    const char *const end = bytes > 0 ? text + bytes : text; /* which may be NULL */
    cli_reading reading = {.samples_left = CLI_MOST_SAMPLES};
    int line = 1, in_lines = 0;
    vkmm_status status = VKMM_OK;

    text = skip(text, end, &line);
    if (text == end) return vkmm_fail(VKMM_INVALID, "%s is empty", name);
    while (text < end && status == VKMM_OK) {
        json_error_t error;
        json_t *json = load(text, (size_t)(end - text), JSON_DISABLE_EOF_CHECK, &error);
        char where[1024];
        VKMM_PUT(where, reports->count > 0 ? "%.900s: line %d" : "%.900s", name, line);
        if (json != NULL) {
            status = read_value(where, json, &reading, &in_lines, reports);
            for (int i = 0; i < error.position; i++) line += *text++ == '\n';
            text = skip(text, end, &line);
        } else if (json_error_code(&error) == json_error_out_of_memory) {
            status = vkmm_fail(VKMM_OUT_OF_MEMORY, "%s: out of memory", where);
        } else {
            status = vkmm_fail(VKMM_INVALID, "%s is not valid JSON: line %d, column %d: %s", name,
                               line + error.line - 1, error.column, error.text);
        }
        json_decref(json);
    }
    return status;
}

/* The reports of the text; in a comparison, reports have names. */
static vkmm_status read_all(const char *name, const char *text, size_t bytes, cli_reports *read)
{
    vkmm_status status;

    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3, bytes -= 3; /* the byte order mark of some editors */
    status = parse(name, text, bytes, read);
    for (uint32_t i = 0; i < read->count && status == VKMM_OK; i++) {
        cli_bench *bench = &read->benches[i];
        if (bench->name[0] == '\0') VKMM_PUT(bench->name, "%s", vkmm_path_name(name));
        part_labels(bench);
        for (uint32_t j = 0; j < bench->row_count; j++) cli_bench_derive(bench, &bench->rows[j]);
        cli_bench_raise_peaks(bench);
    }
    return status;
}

vkmm_status cli_reports_parse(const char *name, const void *data, size_t bytes, cli_reports *reports)
{
    cli_reports read = {0};
    vkmm_status status = read_all(name, data, bytes, &read);
    void *room;

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
