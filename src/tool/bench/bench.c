#include "bench/bench_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/disk.h"
#include "base/file.h"
#include "base/folder.h"
#include "session/commands.h"
#include "system/process.h"

/* ---- the file of -o ---- */

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

vkmm_status cli_bench_store(cli_bench_live *live, const cli_bench *bench, int is_end)
{
    const char *path = live->session->options->output;
    vkmm_disk_entry entry;
    size_t bytes = 0;
    char *text;
    if (path == NULL || (!is_end && vkmm_disk_look(path, &entry) == 0 && entry.kind != VKMM_DISK_FILE)) return VKMM_OK;
    text = live->compose(live->session, bench, &bytes);
    live->stored = vkmm_tell(live->session->log, text != NULL ? vkmm_output_whole(path, 0, text, bytes)
                                                              : VKMM_NO_MEMORY("to write %s", path));
    free(text);
    return live->stored;
}

/* ---- rows as they come ---- */

vkmm_status cli_bench_begin(cli_bench_live *live, const cli_bench *bench)
{
    vkmm_status status = VKMM_OK;
    if (live->writer->begin != NULL) status = live->writer->begin(&live->session->report, bench);
    live->begun = status == VKMM_OK;
    return status;
}

vkmm_status cli_bench_know(cli_bench_live *live, const cli_bench *bench, uint32_t first)
{
    cli_session *session = live->session;
    vkmm_status shown = VKMM_OK;
    /* Rows are stored on the disk before they are shown; they are shown even if the disk is full. */
    if (first < bench->row_count) cli_bench_store(live, bench, 0);
    cli_progress_end(&session->console);
    for (uint32_t i = first; i < bench->row_count && live->writer->row != NULL && shown == VKMM_OK; i++)
        shown = cli_session_wrote(session, live->writer->row(&session->report, bench, &bench->rows[i]));
    return live->stored != VKMM_OK ? live->stored : shown;
}

static vkmm_status finish(cli_bench_live *live, const cli_bench *bench)
{
    vkmm_status status = VKMM_OK;
    if (!live->begun) return live->stored;
    if (live->stored == VKMM_OK) cli_bench_store(live, bench, 1);
    if (live->writer->end != NULL && !ferror(live->session->report.out)) {
        status = live->writer->end(&live->session->report, bench);
        if (status == VKMM_OK) status = cli_report_flush(&live->session->report, live->session->log);
    }
    return live->stored != VKMM_OK ? live->stored : status;
}

vkmm_status cli_bench_end(cli_bench_live *live, const cli_bench *bench, vkmm_status status)
{
    const vkmm_log *log = live->session->log;
    const char *path = live->session->options->output, *s = bench->row_count == 1 ? "" : "s";
    vkmm_status finished;
    int signal;
    cli_interrupt_release();
    signal = cli_interrupted();
    finished = finish(live, bench);
    if (finished != VKMM_OK) return cli_worse(finished, status);
    if (signal == 0) return status;
    if (path == NULL)
        vkmm_say(log, VKMM_LOG_WARNING, "interrupted after %u row%s", bench->row_count, s);
    else if (!live->begun)
        vkmm_say(log, VKMM_LOG_WARNING, "interrupted before the first row");
    else
        vkmm_say(log, VKMM_LOG_WARNING, "interrupted; %s has %u row%s", path, bench->row_count, s);
    return (vkmm_status)(128 + signal); /* as in shells */
}

/* Before anything is measured: a comparison needs two devices that the suite has rows for. */
static vkmm_status check_contenders(const cli_session *session, const cli_suite *suite, const cli_bench *bench)
{
    uint32_t able = 0, last = 0;
    for (uint32_t i = 0; i < bench->device_count; i++) {
        if (cli_bench_rows(suite, &bench->devices[i]) == 0) continue;
        able++;
        last = i;
    }
    if (able != 1) return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_INVALID,
                     "nothing to compare %s with: %s; 'vkmatmul ladder' compares the kernels of one device, and "
                     "'vkmatmul bench' measures it",
                     bench->devices[last].label,
                     bench->device_count > 1 ? "no other device has rows of this suite"
                     : session->options->no_host
                         ? "leave out --no-host, or name more devices"
                         : "name saved reports, or install a BLAS library, as 'vkmatmul doctor' says");
}

static vkmm_status run(cli_session *session, int every_device, const cli_writer *writer, cli_bench *bench)
{
    cli_bench_live live = {.session = session, .writer = writer, .compose = compose};
    cli_suite suite = {.items = NULL};
    vkmm_status status = cli_bench_suite(session, &suite);
    /* Rows appear one by one, but what they will contain is known. */
    for (uint32_t i = 0; i < suite.count; i++) cli_session_widen(session, &suite.items[i].problem);
    if (status == VKMM_OK) status = cli_bench_store_check(session);
    if (status == VKMM_OK) status = cli_bench_head(session, &suite, every_device, bench);
    if (status == VKMM_OK && every_device) status = check_contenders(session, &suite, bench);
    if (status == VKMM_OK) {
        cli_interrupt_catch(0);
        status = cli_bench_end(&live, bench, cli_bench_go(session, &suite, bench, &live));
    }
    cli_suite_free(&suite);
    return status;
}

vkmm_status cli_bench_compare(cli_session *session, cli_bench *bench)
{
    return run(session, 1, &cli_quiet_writer, bench);
}

vkmm_status cli_command_bench(cli_session *session)
{
    cli_bench bench = {.version = ""};
    vkmm_status status = run(session, 0, session->writer, &bench);
    cli_bench_free(&bench);
    return status;
}
