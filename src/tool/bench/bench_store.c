#include "bench/bench_store.h"

#include "base/disk.h"
#include "base/file.h"
#include "base/folder.h"
#include "bench/read.h"
#include "report/document_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

vkmm_status cli_bench_store_check(const cli_session *session)
{
    const cli_options *options = session->options;
    const char *path = options->output;
    vkmm_status status;
    char first;

    if (path == NULL && options->resume)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "--resume continues the unfinished run of a file: name it with -o");
    if (path == NULL) return VKMM_OK;
    if (cli_writer_for(path) == NULL)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "-o takes its format from the file's name, but '%.200s' ends with "
                         "none of .json, .jsonl, .csv, .md, .xml",
                         path);
    status = vkmm_tell(session->log, vkmm_output_try(path, 0));
    if (status != VKMM_OK || options->resume || options->force || vkmm_file_head(path, &first, 1) == 0) return status;
    return VKMM_FAIL(session->log, VKMM_INVALID,
                     "%s already exists: --force replaces it, and --resume continues an unfinished run", path);
}

/* ---- resuming ---- */

/* Reports keep nine digits of a number. */
static char *text_of(const json_t *json)
{
    return json_dumps(json != NULL ? json : json_null(), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
}

/* Reports the first difference. */
static void compare(const cli_node *then, json_t *now)
{
    char *old, *new;
    const char *key;
    json_t *value;
    size_t i;

    json_object_foreach(now, key, value)
    {
        const cli_node at = cli_node_key(then, key);
        compare(&at, value);
    }
    json_array_foreach(now, i, value)
    {
        const cli_node at = cli_node_at(then, i);
        compare(&at, value);
    }
    if (json_is_object(now)) return;
    old = text_of(then->json);
    new = text_of(now);
    if (old == NULL || new == NULL)
        then->reading->out_of_memory = 1;
    else if (strcmp(old, new) != 0)
        cli_node_fail(then, "is %.80s, but now it would be %.80s", old, new);
    free(old);
    free(new);
}

static vkmm_status check_same(const cli_session *session, const cli_bench *old, const cli_bench *bench)
{
    const char *path = session->options->output;
    cli_reading reading = {.sentence = ""};
    json_t *then = cli_record_json(&cli_same_record, old), *now = cli_record_json(&cli_same_record, bench);
    const cli_node root = cli_node_root(&reading, then);

    reading.out_of_memory = then == NULL || now == NULL;
    if (!reading.out_of_memory) compare(&root, now);
    json_decref(then);
    json_decref(now);
    if (reading.out_of_memory) return vkmm_tell(session->log, VKMM_NO_MEMORY("to resume %s", path));
    if (reading.sentence[0] == '\0') return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_INVALID, "cannot resume %s: %s", path, reading.sentence);
}

/* Rows that did not run are tried again. */
static void take_rows(cli_bench *old, cli_bench *bench)
{
    for (uint32_t i = 0; i < old->row_count; i++) {
        if (old->rows[i].not_run[0] == '\0')
            old->rows[bench->row_count++] = old->rows[i];
        else
            cli_bench_row_free(&old->rows[i]);
    }
    bench->rows = old->rows;
    old->rows = NULL;
    old->row_count = 0;
    /* Clocks may be different now, which cannot be checked: the report says which rows were measured together. */
    if (bench->row_count > 0)
        VKMM_PUT(bench->note, "resumed at %s; %u row%s measured before, the first of the report", bench->created,
                 bench->row_count, bench->row_count == 1 ? " was" : "s were");
    memcpy(bench->created, old->created, sizeof bench->created);
}

vkmm_status cli_bench_store_resume(const cli_session *session, cli_bench *bench)
{
    const char *path = session->options->output;
    cli_reports old = {0};
    vkmm_status status;

    if (!session->options->resume || vkmm_path_look(path, 0) == VKMM_PATH_MISSING) return VKMM_OK;
    status = cli_reports_open(session->log, path, &old);
    if (status == VKMM_OK && old.count != 1)
        status = VKMM_FAIL(session->log, VKMM_INVALID, "%s has %u reports: only one can be resumed", path, old.count);
    if (status == VKMM_OK) status = check_same(session, &old.benches[0], bench);
    if (status == VKMM_OK) take_rows(&old.benches[0], bench);
    cli_reports_free(&old);
    return status;
}

/* ---- writing ---- */

/* The whole report as text, to be freed with free(); NULL if memory runs out. */
static char *compose(const cli_session *session, const cli_bench *bench, size_t *bytes)
{
    cli_report report = session->report;
    vkmm_status status;
    char *text = NULL;

#ifdef _WIN32
    report.out = tmpfile();
#else
    report.out = open_memstream(&text, bytes);
#endif
    report.colour = 0;
    report.columns = 0;
    report.utf8 = 1;
    report.rows = 0;
    if (report.out == NULL) return NULL;
    status = cli_bench_write(cli_writer_for(session->options->output), &report, bench);
    if (ferror(report.out)) status = VKMM_OUT_OF_MEMORY;
#ifdef _WIN32 /* which has no stream in memory */
    *bytes = (size_t)_ftelli64(report.out);
    rewind(report.out);
    text = malloc(*bytes + 1);
    if (text == NULL || fread(text, 1, *bytes, report.out) != *bytes) status = VKMM_OUT_OF_MEMORY;
#endif
    if (fclose(report.out) == 0 && status == VKMM_OK) return text;
    free(text);
    return NULL;
}

vkmm_status cli_bench_store_write(const cli_session *session, const cli_bench *bench, int is_end)
{
    const char *path = session->options->output;
    vkmm_disk_entry entry;
    size_t bytes = 0;
    vkmm_status status;
    char *text;

    if (path == NULL) return VKMM_OK;
    if (!is_end && vkmm_disk_look(path, &entry) == 0 && entry.kind != VKMM_DISK_FILE) return VKMM_OK;
    text = compose(session, bench, &bytes);
    status = text != NULL ? vkmm_tell(session->log, vkmm_output_whole(path, text, bytes))
                          : vkmm_tell(session->log, VKMM_NO_MEMORY("to write %s", path));
    free(text);
    return status;
}
