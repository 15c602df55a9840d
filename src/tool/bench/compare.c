#include "bench/bench_run.h"
#include "bench/compare.h"
#include "session/commands.h"

/* Names the first report, with which all others are compared. */
static vkmm_status judge(const cli_session *session, const cli_comparison *comparison)
{
    uint32_t count = comparison->regressions;
    if (comparison->regression < 0 || count == 0) return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_WRONG_RESULT,
                     "%u row%s slower than in %s by more than %.4g %%, beyond the noise, or wrong", count,
                     count == 1 ? " is" : "s are", comparison->contenders[0].bench->name, 100 * comparison->regression);
}

/* For at least two contenders. */
static vkmm_status show(cli_session *session, const cli_comparison *comparison)
{
    vkmm_status status;
    if (comparison->row_count == 0)
        return VKMM_FAIL(
            session->log, VKMM_INVALID,
            "no product was measured on two of these %u devices: compare reports of the same suite and kernel",
            comparison->count);
    if (session->writer->compare(comparison) != VKMM_OK)
        return vkmm_tell(session->log, VKMM_NO_MEMORY("to compare %u devices", comparison->count));
    status = cli_report_flush(&session->report, session->log);
    return status == VKMM_OK ? judge(session, comparison) : status;
}

/* Rows of one device cannot be compared, but those of a live run were measured. */
static vkmm_status show_alone(cli_session *session, const cli_comparison *comparison, vkmm_status measured)
{
    const cli_bench *bench = comparison->reports.benches;
    vkmm_status status = VKMM_OK;
    if (session->options->operand_count == 0 && bench->row_count > 0 && session->writer == &cli_table_writer) {
        status = cli_bench_write(session->writer, &session->report, bench);
        if (status == VKMM_OK) status = cli_report_flush(&session->report, session->log);
    }
    if (status != VKMM_OK || measured != VKMM_OK) return status;
    if (comparison->count == 0)
        return VKMM_FAIL(session->log, VKMM_INVALID, "no device has a speed here: there is nothing to compare");
    return VKMM_FAIL(session->log, VKMM_INVALID,
                     "only one device has a speed here, %s: there is nothing to compare it with",
                     comparison->contenders[0].label);
}

/* measured: how the run ended that measured the only report; a failed one has reported its reason, and what it measured
 * is compared if possible. VKMM_OK: reports of files. */
static vkmm_status compare(cli_session *session, const cli_reports *reports, vkmm_status measured)
{
    cli_comparison comparison = {
        .report = &session->report, .reports = *reports, .regression = session->options->regression};
    vkmm_status status;
    if (cli_comparison_make(&comparison) != VKMM_OK)
        status = vkmm_tell(session->log, VKMM_NO_MEMORY("to compare %u reports", reports->count));
    else if (comparison.count >= 2)
        status = show(session, &comparison);
    else
        status = show_alone(session, &comparison, measured);
    cli_comparison_free(&comparison);
    return cli_worse(measured, status);
}

static vkmm_status compare_files(cli_session *session)
{
    char name[32];
    cli_reports reports;
    vkmm_status status;
    if (session->options->measures != NULL) {
        cli_option_name(session->options->measures, name);
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "%s applies only to measuring this machine's devices; comparing reports measures nothing",
                         name);
    }
    status = cli_bench_read(session, &reports);
    if (status == VKMM_OK) status = compare(session, &reports, VKMM_OK);
    cli_reports_free(&reports);
    return status;
}

static vkmm_status compare_live(cli_session *session)
{
    cli_bench bench = {.version = ""};
    vkmm_status status;
    if (session->options->regression >= 0)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "--fail-on-regression needs reports to compare: FILE.json FILE.json");
    status = cli_bench_compare(session, &bench);
    cli_progress_end(&session->console);
    status = compare(session, &(cli_reports){&bench, 1}, status);
    cli_bench_free(&bench);
    return status;
}

vkmm_status cli_command_compare(cli_session *session)
{
    return session->options->operand_count > 0 ? compare_files(session) : compare_live(session);
}
