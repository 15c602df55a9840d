#include "bench/store.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a run that was killed are not deleted unless the user asks for it. */
static vkmm_status check_journal(const cli_bench_store *store)
{
    vkmm_mapping file = {0};
    vkmm_status status;
    uint64_t bytes;

    if (store->session->options->resume || vkmm_path_look(store->journal_path, 0) == VKMM_PATH_MISSING) return VKMM_OK;
    status = vkmm_mapping_open(store->session->log, store->journal_path, &file);
    bytes = file.bytes;
    vkmm_mapping_close(&file);
    if (status != VKMM_OK || bytes == 0) return status;
    return vkmm_fail(store->session->log, VKMM_INVALID,
                     "%s holds the results of an unfinished run: --resume continues it; remove the file to start again",
                     store->journal_path);
}

/* Nor is a report, which took long to measure. */
static vkmm_status check_report(const cli_bench_store *store)
{
    const cli_options *options = store->session->options;
    char first;

    if (options->resume || options->force || vkmm_file_head(store->path, &first, 1) == 0) return VKMM_OK;
    return vkmm_fail(store->session->log, VKMM_INVALID,
                     "%s already exists: --force replaces it, and --resume continues an unfinished run", store->path);
}

vkmm_status cli_bench_store_open(cli_session *session, cli_bench_store *store)
{
    static const char ending[] = ".journal";
    size_t bytes;
    vkmm_status status;

    store->session = session;
    store->path = session->options->output;
    if (store->path == NULL && session->options->resume)
        return vkmm_fail(store->session->log, VKMM_INVALID,
                         "--resume continues the unfinished run of a file: name it with -o");
    if (store->path == NULL) return VKMM_OK;
    store->writer = vkmm_bench_writer_for(store->path);
    if (store->writer == NULL)
        return vkmm_fail(
            store->session->log, VKMM_INVALID,
            "-o takes its format from the file's name, but '%.200s' ends with none of .json, .jsonl, .csv, "
            ".md, .xml",
            store->path);
    bytes = strlen(store->path) + sizeof ending;
    store->journal_path = vkmm_alloc(bytes, 1);
    if (store->journal_path == NULL) return VKMM_NO_MEMORY(store->session->log, "for the name of the journal");
    snprintf(store->journal_path, bytes, "%s%s", store->path, ending);
    status = vkmm_output_try(store->session->log, store->path, 0);
    if (status == VKMM_OK) status = check_journal(store);
    return status == VKMM_OK ? check_report(store) : status;
}

vkmm_status cli_bench_store_row(cli_bench_store *store, const vkmm_bench_row *row)
{
    char *line;
    vkmm_status status;

    if (store->journal == NULL) return VKMM_OK;
    line = vkmm_bench_row_line(row);
    if (line == NULL) return VKMM_NO_MEMORY(store->session->log, "for a line of %s", store->journal_path);
    status = vkmm_append_line(store->journal, line);
    vkmm_free(line);
    return status;
}

/* The whole report as text, to be freed with free(); NULL if memory runs out. */
static char *compose(const cli_bench_store *store, const vkmm_bench_writer *writer, const vkmm_bench *bench,
                     size_t *bytes)
{
    vkmm_report report = store->session->report;
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
    status = vkmm_bench_write(writer, &report, bench);
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

static vkmm_status write_whole(const cli_bench_store *store, const char *path, const vkmm_bench_writer *writer,
                               const vkmm_bench *bench)
{
    size_t bytes = 0;
    char *text = compose(store, writer, bench, &bytes);
    vkmm_status status = text != NULL ? vkmm_output_whole(store->session->log, path, text, bytes)
                                      : VKMM_NO_MEMORY(store->session->log, "to write %s", path);

    free(text);
    return status;
}

vkmm_status cli_bench_store_begin(cli_bench_store *store, const vkmm_bench *bench)
{
    vkmm_bench_writer lines = *vkmm_bench_writer_find("jsonl");
    vkmm_status status;

    if (store->path == NULL) return VKMM_OK;
    lines.end = NULL; /* which has not come */
    status = write_whole(store, store->journal_path, &lines, bench);
    return status == VKMM_OK ? vkmm_append_open(store->session->log, store->journal_path, &store->journal) : status;
}

static int can_be_read_back(const vkmm_bench_writer *writer)
{
    return strcmp(writer->name, "json") == 0 || strcmp(writer->name, "jsonl") == 0;
}

vkmm_status cli_bench_store_finish(cli_bench_store *store, const vkmm_bench *bench)
{
    vkmm_status status;

    if (store->journal == NULL) return VKMM_OK; /* nothing has begun */
    status = write_whole(store, store->path, store->writer, bench);
    if (status != VKMM_OK)
        vkmm_say(store->session->log, VKMM_LOG_WARNING,
                 "the results so far are in %s: the same command with --resume continues from there",
                 store->journal_path);
    vkmm_append_close(&store->journal, status == VKMM_OK && (bench->complete || can_be_read_back(store->writer)));
    return status;
}

void cli_bench_store_end(cli_bench_store *store)
{
    vkmm_append_close(&store->journal, 0);
    vkmm_free(store->journal_path);
    store->journal_path = NULL;
}
