/* What the tests of reading share: reports as text, and what the parser says of them. */
#pragma once

#include "unit.h"

#include <jansson.h>
#include "base/alloc.h"
#include "bench/read.h"
#include "make_bench.h"
#include "bench/compare.h"

#include <math.h>
#include <stdlib.h>

/* A bench as one of the formats writes it; to be freed. */
static inline char *written(const char *format, const cli_bench *bench)
{
    char *text = NULL;
    size_t bytes = 0;
    cli_report report = {.out = open_memstream(&text, &bytes), .utf8 = 1};
    assert_non_null(report.out);
    assert_int_equal(cli_bench_write(cli_writer_find(format), &report, bench), VKMM_OK);
    fclose(report.out);
    return text;
}

/* A file of one report. */
static inline vkmm_status parse(heard *h, const char *text, cli_bench *bench)
{
    const vkmm_log log = {hear, h};
    cli_reports reports = {0};
    const vkmm_status status = vkmm_tell(&log, cli_reports_parse("old.json", text, strlen(text), &reports));
    assert_int_equal(reports.count, status == VKMM_OK);
    if (status == VKMM_OK) *bench = reports.benches[0];
    vkmm_free(reports.benches);
    return status;
}

/* The text must be refused with a sentence that has all of the words. */
static inline void refused(const char *text, size_t bytes, const char *words)
{
    heard h = {0};
    const vkmm_log log = {hear, &h};
    cli_reports reports = {0};
    const vkmm_status status = vkmm_tell(&log, cli_reports_parse("old.json", text, bytes, &reports));
    if (status != VKMM_INVALID || h.count != 1 || strstr(h.last, words) == NULL || strncmp(h.last, "old.json", 8) != 0)
        fail_msg("status %d, %u sentences: \"%s\" has no \"%s\"", status, h.count, h.last, words);
    assert_true(reports.count == 0 && reports.benches == NULL);
}

static inline void taken(const char *text, cli_bench *bench)
{
    heard h = {0};
    if (parse(&h, text, bench) != VKMM_OK) fail_msg("%s", h.last);
}

static inline json_t *small_report(void)
{
    cli_bench bench = {0};
    make_small_bench(&bench);
    char *text = written("json", &bench);
    json_t *report = json_loads(text, 0, NULL);
    assert_non_null(report);
    free(text);
    cli_bench_free(&bench);
    return report;
}

/* Sets the value at a path of keys and indices ("rows", 0, …) by text, and refuses or takes the report. */
static inline json_t *walk(json_t *at, const char *path, char last[64])
{
    char part[64];
    int length;
    while (sscanf(path, "%63[^/]%n", part, &length) == 1 && path[length] == '/') {
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(part)) : json_object_get(at, part);
        assert_non_null(at);
        path += length + 1;
    }
    snprintf(last, 64, "%s", path);
    return at;
}

static inline char *changed(const char *path, const char *value)
{
    json_t *report = small_report(), *new_value = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    char last[64];
    json_t *parent = walk(report, path, last);
    if (!value)
        json_object_del(parent, last);
    else if (json_is_array(parent))
        json_array_set_new(parent, (size_t)atoi(last), new_value);
    else
        json_object_set_new(parent, last, new_value);
    char *text = json_dumps(report, 0);
    json_decref(report);
    return text;
}
