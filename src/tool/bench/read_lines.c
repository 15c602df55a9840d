/* Reports that were written line by line, by a run that may not have come to its end. */
#include "bench/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The version's first number when the text is `schema` and a version, "vkmatmul.bench/1" or "vkmatmul.bench/1.4"; 0
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

/* A schema of document.h, whatever its second number. */
static int is_schema(const json_t *json, const char *schema)
{
    char stem[64];

    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(schema, "/"), schema);
    return version_of(json_string_value(json_object_get(json, "schema")), stem) == 1;
}

#define TUNE_SCHEMA "vkmatmul.tune/1"

static int is_tune(const json_t *json)
{
    return is_schema(json, TUNE_SCHEMA) || is_schema(json, VKMM_BENCH_TUNE_SCHEMA);
}

vkmm_schema vkmm_schema_of(const json_t *json)
{
    if (is_schema(json, VKMM_BENCH_SCHEMA)) return VKMM_SCHEMA_REPORT;
    return is_schema(json, VKMM_BENCH_HEAD_SCHEMA) || is_tune(json) ? VKMM_SCHEMA_LINE : VKMM_SCHEMA_OTHER;
}

vkmm_status vkmm_schema_fail(const vkmm_log *log, const char *name, const json_t *json)
{
    const char *schema = json_string_value(json_object_get(json, "schema"));
    const unsigned long version = version_of(schema, "vkmatmul.bench");

    if (version > 1)
        return vkmm_fail(log, VKMM_INVALID, "%s is of version %lu of the schema; this program reads version 1", name,
                         version);
    if (schema != NULL)
        return vkmm_fail(log, VKMM_INVALID, "%s: its schema is \"%.60s\"; reports have \"%s\"", name, schema,
                         VKMM_BENCH_SCHEMA);
    return vkmm_fail(log, VKMM_INVALID, "%s is JSON, but no report: it has no schema \"%s\"", name, VKMM_BENCH_SCHEMA);
}

int vkmm_is_blank(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n') return 0;
    return 1;
}

/* Whole numbers beyond 2^63 - 1, as other programs write what stands here as 1.8e19, are taken for reals. */
static json_t *load(const char *text, size_t bytes, size_t flags, json_error_t *error)
{
    json_t *json = json_loadb(text, bytes, flags | JSON_REJECT_DUPLICATES, error);

    if (json == NULL && json_error_code(error) == json_error_numeric_overflow)
        json = json_loadb(text, bytes, flags | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, error);
    return json;
}

vkmm_status vkmm_json_first(const vkmm_log *log, const char *name, const char *text, size_t bytes, json_t **json,
                            size_t *used)
{
    json_error_t error;

    *json = load(text, bytes, JSON_DISABLE_EOF_CHECK, &error);
    if (*json != NULL) {
        *used = (size_t)error.position;
        return VKMM_OK;
    }
    if (json_error_code(&error) == json_error_out_of_memory)
        return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "%s: no memory to read it", name);
    return vkmm_fail(log, VKMM_INVALID, "%s is no JSON: line %d, column %d: %s", name, error.line, error.column,
                     error.text);
}

/* A device is told once, and once more when something happened to it. */
static void read_device_line(const vkmm_node *root, vkmm_bench *bench)
{
    const vkmm_node place = vkmm_node_key(root, "device");
    vkmm_bench_device *device;
    uint32_t index = 0;

    if (place.json == NULL) vkmm_node_fail(&place, "is missing");
    vkmm_key_u32(root, "device", &index);
    if (index >= VKMM_MOST_DEVICES || index > bench->device_count)
        vkmm_node_fail(&place, "is %u; the next device is %u", index, bench->device_count);
    if (root->reading->sentence[0] != '\0') return;
    device = index < bench->device_count ? &bench->devices[index] : vkmm_bench_add_device(bench);
    if (device == NULL) {
        root->reading->out_of_memory = 1;
        return;
    }
    memset(device, 0, sizeof *device);
    vkmm_read_device(root, device);
}

/* What a line holds goes into the bench. A kind of line that is not known is a later version's. */
static void read_line(const vkmm_node *root, int *has_head, vkmm_bench *bench)
{
    if (is_schema(root->json, VKMM_BENCH_HEAD_SCHEMA)) {
        vkmm_read_head(root, bench);
        *has_head = 1;
    } else if (is_tune(root->json)) {
        const vkmm_node tool = vkmm_node_key(root, "tool");
        if (!*has_head && vkmm_node_is_object(&tool, 0)) vkmm_read_head(root, bench);
        if (bench->tune_count < VKMM_MOST_TUNES)
            vkmm_read_next_tune(root, bench);
        else
            vkmm_node_fail(root, "is tune number %d; at most %d are read", VKMM_MOST_TUNES + 1, VKMM_MOST_TUNES);
    } else if (is_schema(root->json, VKMM_BENCH_DEVICE_SCHEMA)) {
        read_device_line(root, bench);
    } else if (is_schema(root->json, VKMM_BENCH_ROW_SCHEMA)) {
        if (bench->row_count < VKMM_MOST_ROWS)
            vkmm_read_next_row(root, bench);
        else
            vkmm_node_fail(root, "is row number %d; at most %d are read", VKMM_MOST_ROWS + 1, VKMM_MOST_ROWS);
    } else if (is_schema(root->json, VKMM_BENCH_END_SCHEMA)) {
        vkmm_read_outcome(root, bench);
    } else if (!json_is_string(json_object_get(root->json, "schema"))) {
        vkmm_node_fail(root, "has no schema");
    }
}

/* A line of text that is no JSON: the last one may be torn. */
static vkmm_status judge_broken(const vkmm_log *log, const char *where, const json_error_t *error, int is_last)
{
    if (json_error_code(error) == json_error_out_of_memory)
        return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "%s: no memory to read it", where);
    if (!is_last)
        return vkmm_fail(log, VKMM_INVALID, "%s is no JSON: column %d: %s", where, error->column, error->text);
    vkmm_say(log, VKMM_LOG_WARNING, "%s is torn, and left out: the run was stopped as it was written", where);
    return VKMM_OK;
}

vkmm_status vkmm_read_lines(const vkmm_log *log, const char *name, const char *text, size_t bytes,
                            vkmm_reading *reading, vkmm_bench *bench)
{
    const char *end = text + bytes, *next;
    int has_head = 0;
    unsigned long number = 1;

    for (const char *line = text; line < end; line = next, number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const size_t length = stop != NULL ? (size_t)(stop - line) : (size_t)(end - line);
        char where[1024];
        json_error_t error;
        json_t *json;
        vkmm_status status;
        next = stop != NULL ? stop + 1 : end;
        if (vkmm_is_blank(line, length)) continue;
        snprintf(where, sizeof where, "%.900s: line %lu", name, number);
        json = load(line, length, 0, &error);
        if (json != NULL) {
            const vkmm_node root = vkmm_node_root(reading, json);
            read_line(&root, &has_head, bench);
            status = vkmm_reading_status(log, where, reading);
        } else {
            status = judge_broken(log, where, &error, vkmm_is_blank(next, (size_t)(end - next)));
        }
        json_decref(json);
        if (status != VKMM_OK) return status;
    }
    if (!has_head) bench->complete = 1; /* results of tunes alone */
    if (!bench->complete && bench->note[0] == '\0')
        snprintf(bench->note, sizeof bench->note, "the run did not come to its end");
    return VKMM_OK;
}
