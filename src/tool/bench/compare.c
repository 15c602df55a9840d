#include "base/alloc.h"
#include "bench/bench_run.h"
#include "session/commands.h"
#include "bench/compare.h"

/* Names the first report, with which all others are compared. */
static vkmm_status judge(const cli_session *session, const cli_comparison *comparison)
{
    const cli_scalar *allowed = &session->options->regression;
    uint32_t count = comparison->regressions;

    if (!allowed->given || count == 0) return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_WRONG_RESULT,
                     "%u row%s slower than in %s by more than %.4g %%, beyond the noise, or wrong", count,
                     count == 1 ? " is" : "s are", comparison->contenders[0].bench->name, 100 * allowed->value);
}

static vkmm_status show(cli_session *session, cli_comparison *comparison)
{
    vkmm_status status = cli_compare_write(session->writer->compare, &session->report, comparison);

    if (status != VKMM_OK) return VKMM_FAIL(session->log, status, "no memory to compare %u devices", comparison->count);
    if (comparison->rows == 0)
        return VKMM_FAIL(
            session->log, VKMM_INVALID,
            "no product was measured on two of these %u devices: compare reports of the same suite and kernel",
            comparison->count);
    status = cli_report_flush(&session->report, session->log);
    return status == VKMM_OK ? judge(session, comparison) : status;
}

static vkmm_status compare(cli_session *session, const cli_reports *reports)
{
    const cli_scalar *allowed = &session->options->regression;
    cli_comparison comparison = {.reports = *reports, .regression = allowed->given ? allowed->value : -1};
    cli_contender *contenders = cli_contenders_of(reports->benches, reports->count, &comparison.count);
    const vkmm_log *log = session->log;
    vkmm_status status;

    comparison.contenders = contenders;
    if (contenders == NULL)
        status = vkmm_tell(log, VKMM_NO_MEMORY("to compare %u reports", reports->count));
    else if (comparison.count >= 2)
        status = show(session, &comparison);
    else if (comparison.count == 1)
        status =
            VKMM_FAIL(log, VKMM_INVALID, "only one device has a speed here, %s: there is nothing to compare it with",
                      contenders[0].label);
    else
        status = VKMM_FAIL(log, VKMM_INVALID, "no device has a speed here: there is nothing to compare");
    vkmm_free(contenders);
    return status;
}

static vkmm_status compare_files(cli_session *session)
{
    char name[32];

    if (session->options->measures == NULL) return cli_bench_read(session, compare);
    cli_option_name(session->options->measures, name);
    return VKMM_FAIL(session->log, VKMM_INVALID,
                     "%s applies only to measuring this machine's devices; comparing reports measures nothing", name);
}

static vkmm_status compare_live(cli_session *session)
{
    const cli_options *options = session->options;
    cli_bench bench = {.version = ""};
    vkmm_status status, shown = VKMM_OK;
    uint32_t contenders;

    if (options->regression.given)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "--fail-on-regression needs reports to compare: FILE.json FILE.json");
    status = cli_bench_compare(session, &bench);
    cli_progress_end(&session->console);
    vkmm_free(cli_contenders_of(&bench, 1, &contenders));
    /* Rows of one device cannot be compared, but they were measured. */
    if (contenders < 2 && bench.row_count > 0 && session->writer == &cli_table_writer) {
        shown = cli_bench_write(session->writer, &session->report, &bench);
        if (shown == VKMM_OK) shown = cli_report_flush(&session->report, session->log);
    }
    /* A failed run has reported its reason; what it measured is compared if possible. */
    if (shown == VKMM_OK && (status == VKMM_OK || contenders >= 2)) shown = compare(session, &(cli_reports){&bench, 1});
    cli_bench_free(&bench);
    return cli_worse(status, shown);
}

vkmm_status cli_command_compare(cli_session *session)
{
    return session->options->operand_count > 0 ? compare_files(session) : compare_live(session);
}
