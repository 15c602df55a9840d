#include "bench/bench_store.h"

#include "base/disk.h"
#include "base/file.h"
#include "base/folder.h"

#include <stdio.h>
#include <stdlib.h>

vkmm_status cli_bench_store_check(const cli_session *session)
{
    const cli_options *options = session->options;
    const char *path = options->output;
    vkmm_status status;
    char first;

    if (path == NULL) return VKMM_OK;
    if (cli_writer_for(path) == NULL)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "-o takes its format from the file's name, but '%.200s' ends with "
                         "none of .json, .jsonl, .csv, .md, .xml",
                         path);
    status = vkmm_tell(session->log, vkmm_output_try(path, 0));
    if (status != VKMM_OK || options->force || vkmm_file_head(path, &first, 1) == 0) return status;
    return VKMM_FAIL(session->log, VKMM_INVALID, "%s already exists: --force replaces it", path);
}

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

vkmm_status cli_bench_store_text(const cli_session *session, const char *text, size_t bytes)
{
    const char *path = session->options->output;

    return vkmm_tell(session->log,
                     text != NULL ? vkmm_output_whole(path, 0, text, bytes) : VKMM_NO_MEMORY("to write %s", path));
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
    status = cli_bench_store_text(session, text, bytes);
    free(text);
    return status;
}
