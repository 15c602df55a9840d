#include "base/folder.h"
#include "system/process.h"
#include "bench/bench_run.h"
#include "bench/bench_store.h"
#include "session/commands.h"

#include <stdio.h>

static vkmm_status show(cli_bench_live *live, const cli_bench *bench, const cli_bench_row *row)
{
    cli_session *session = live->session;
    vkmm_status status = VKMM_OK;

    if (live->writer == NULL) return VKMM_OK;
    cli_progress_end(&session->console);
    if (live->writer->row != NULL) status = live->writer->row(&session->report, bench, row);
    return cli_session_wrote(session, status);
}

vkmm_status cli_bench_begin(cli_bench_live *live, const cli_bench *bench)
{
    vkmm_status status = VKMM_OK;

    if (live->writer != NULL && live->writer->begin != NULL)
        status = live->writer->begin(&live->session->report, bench);
    live->begun = status == VKMM_OK;
    return status == VKMM_OK ? cli_bench_know(live, bench, 0) : status;
}

vkmm_status cli_bench_know(cli_bench_live *live, const cli_bench *bench, uint32_t first)
{
    vkmm_status shown = VKMM_OK;

    /* Rows are stored on the disk before they are shown; they are shown even if the disk is full. */
    if (first < bench->row_count) live->stored = live->store(live->session, bench, 0);
    for (uint32_t i = first; i < bench->row_count && shown == VKMM_OK; i++) shown = show(live, bench, &bench->rows[i]);
    return live->stored != VKMM_OK ? live->stored : shown;
}

static vkmm_status finish(cli_bench_live *live, const cli_bench *bench)
{
    vkmm_status status = VKMM_OK;

    if (live->begun && live->stored == VKMM_OK) live->stored = live->store(live->session, bench, 1);
    if (live->begun && live->writer != NULL && live->writer->end != NULL && !ferror(live->session->report.out)) {
        status = live->writer->end(&live->session->report, bench);
        if (status == VKMM_OK) status = cli_report_flush(&live->session->report, live->session->log);
    }
    return live->stored != VKMM_OK ? live->stored : status;
}

static vkmm_status tell_interrupt(const cli_bench_live *live, const cli_bench *bench, int signal)
{
    const vkmm_log *log = live->session->log;
    const char *path = live->session->options->output, *s = bench->row_count == 1 ? "" : "s";

    if (path == NULL)
        vkmm_say(log, VKMM_LOG_WARNING, "interrupted after %u row%s", bench->row_count, s);
    else if (!live->begun)
        vkmm_say(log, VKMM_LOG_WARNING, "interrupted before the first row");
    else
        vkmm_say(log, VKMM_LOG_WARNING, "interrupted; %s has %u row%s", path, bench->row_count, s);
    return (vkmm_status)(128 + signal); /* as in shells */
}

vkmm_status cli_bench_end(cli_bench_live *live, const cli_bench *bench, vkmm_status status)
{
    vkmm_status finished;
    int signal;

    cli_interrupt_release();
    signal = cli_interrupted();
    finished = finish(live, bench);
    if (signal != 0 && finished == VKMM_OK) return tell_interrupt(live, bench, signal);
    return finished != VKMM_OK ? cli_worse(finished, status) : status;
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
    cli_bench_live live = {.session = session, .writer = writer, .store = cli_bench_store_write};
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
    return run(session, 1, NULL, bench);
}

vkmm_status cli_command_bench(cli_session *session)
{
    cli_bench bench = {.version = ""};
    vkmm_status status = run(session, 0, session->writer, &bench);

    cli_bench_free(&bench);
    return status;
}
