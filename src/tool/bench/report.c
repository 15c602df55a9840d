#include "base/alloc.h"
#include "base/file.h"
#include "bench/page.h"
#include "bench/read.h"
#include "bench/run.h"
#include "session/commands.h"
#include "session/output.h"

vkmm_status cli_bench_read(cli_session *session, cli_bench_use *use)
{
    const cli_options *options = session->options;
    vkmm_reports reports = {0};
    vkmm_status status = VKMM_OK;

    for (uint32_t i = 0; i < options->operand_count && status == VKMM_OK; i++)
        status = vkmm_reports_open(session->log, options->operands[i], &reports);
    if (status == VKMM_OK) status = use(session, &reports);
    vkmm_reports_free(&reports);
    return status;
}

/* A saved report in another format. */
static vkmm_status convert(cli_session *session, const vkmm_reports *reports)
{
    const vkmm_log *log = session->log;
    const char *format = session->writer->name;

    if (session->options->output != NULL)
        return vkmm_fail(log, VKMM_INVALID, "-o writes an HTML page: leave out --%s", format);
    if (reports->count != 1)
        return vkmm_fail(log, VKMM_INVALID, "--%s writes one report, not %u", format, reports->count);
    if (vkmm_bench_write(session->writer, &session->report, &reports->benches[0]) != VKMM_OK)
        return VKMM_NO_MEMORY(log, "to write the report");
    return vkmm_report_flush(&session->report, log);
}

static vkmm_status show(cli_session *session, const vkmm_reports *reports)
{
    const char *path = session->options->output;
    const vkmm_log *log = session->log;
    char *page = NULL;
    size_t bytes = 0;
    vkmm_status status;

    if (session->writer != &vkmm_table_writer) return convert(session, reports);
    if (path == NULL) {
        status = vkmm_bench_bars(&session->report, reports->benches, reports->count);
        return status == VKMM_OK ? vkmm_report_flush(&session->report, log)
                                 : vkmm_fail(log, status, "no memory to draw");
    }
    status = vkmm_bench_page(&session->report, reports->benches, reports->count, &page, &bytes);
    if (status != VKMM_OK) return vkmm_fail(log, status, "no memory to write the page");
    status = vkmm_output_whole(log, path, page, bytes);
    vkmm_free(page);
    return status;
}

vkmm_status cli_report(cli_session *session)
{
    const cli_options *options = session->options;
    const vkmm_log *log = session->log;
    vkmm_status status;

    if (options->operand_count == 0)
        return vkmm_fail(
            log, VKMM_INVALID,
            "report needs at least one file: the report of 'vkmatmul bench -o FILE.json', or a tune's --json");
    status =
        cli_output_page(session, "-o", options->output, (const char *const *)options->operands, options->operand_count);
    return status == VKMM_OK ? cli_bench_read(session, show) : status;
}
