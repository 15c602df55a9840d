#include "base/meant.h"
#include "bench/bench_run.h"
#include "bench/compare.h"
#include "bench/read.h"
#include "math/problem.h"
#include "report/records.h"
#include "report/columns.h"
#include "session/commands.h"
#include "session/output_file.h"
#include "report_page_parts.h" /* made by embed.py: the page before and after its data */

#include <stdlib.h>
#include <string.h>

/* Whether --device names it: by its whole value, because a name may have commas, or by one of its list. */
static int is_wanted(const char *what, const cli_bench_device *device)
{
    const uint32_t index = device->is_host ? UINT32_MAX : device->info.index;
    int wanted = vkmm_device_is_meant(&device->info, index, what);
    for (const char *at = what; *at != '\0' && !wanted; at += strspn(at, ",")) {
        char item[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
        const size_t length = strcspn(at, ",");
        VKMM_PUT(item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), at);
        wanted = item[0] != '\0' && vkmm_device_is_meant(&device->info, index, item);
        at += length;
    }
    return wanted;
}

static int has_type(const cli_types *types, const vkmm_problem *problem)
{
    int has = types->count == 0;
    for (uint32_t i = 0; i < types->count && !has; i++) has = types->type[i] == vkmm_problem_types(problem).in;
    return has;
}

/* Keeps what --device and --type ask for. */
static void filter(const cli_options *options, cli_bench *bench)
{
    uint32_t places[CLI_MOST_DEVICES] = {0}, devices = 0, rows = 0;
    for (uint32_t i = 0; i < bench->device_count; i++) {
        places[i] = UINT32_MAX;
        if (options->device != NULL && !is_wanted(options->device, &bench->devices[i])) continue;
        places[i] = devices;
        bench->devices[devices++] = bench->devices[i];
    }
    for (uint32_t i = 0; i < bench->row_count; i++) {
        cli_bench_row row = bench->rows[i];
        row.device = places[row.device];
        if (row.device != UINT32_MAX && has_type(&options->types, &row.problem))
            bench->rows[rows++] = row;
        else
            cli_bench_row_free(&row);
    }
    bench->device_count = devices;
    bench->row_count = rows;
}

static vkmm_status filter_all(const cli_session *session, cli_reports *reports)
{
    char labels[1024] = "";
    uint32_t left = 0;
    if (session->options->device == NULL && session->options->types.count == 0) return VKMM_OK;
    for (uint32_t i = 0; i < reports->count; i++) {
        cli_bench *bench = &reports->benches[i];
        for (uint32_t d = 0; d < bench->device_count; d++) VKMM_JOIN(labels, ", ", "%s", bench->devices[d].label);
        filter(session->options, bench);
        left += bench->row_count;
    }
    if (left > 0) return VKMM_OK;
    return VKMM_FAIL(session->log, VKMM_INVALID,
                     "--device and --type leave nothing of these reports; their devices: %s", labels);
}

vkmm_status cli_bench_read(const cli_session *session, cli_reports *reports)
{
    const cli_options *options = session->options;
    vkmm_status status = VKMM_OK;
    *reports = (cli_reports){0};
    for (uint32_t i = 0; i < options->operand_count && status == VKMM_OK; i++)
        status = vkmm_tell(session->log, cli_reports_open(options->operands[i], reports));
    return status == VKMM_OK ? filter_all(session, reports) : status;
}

/* Saved reports as bench would have written them; several only as tables, each below its file's name. */
static vkmm_status write(cli_session *session, const cli_reports *reports)
{
    const vkmm_log *log = session->log;
    cli_report *report = &session->report;
    const char *format = session->writer->name;
    const int is_table = session->writer == &cli_table_writer;
    if (session->options->output != NULL)
        return VKMM_FAIL(log, VKMM_INVALID, "-o writes an HTML page: leave out --%s", format);
    if (reports->count != 1 && !is_table)
        return VKMM_FAIL(log, VKMM_INVALID, "--%s writes one report, not %u", format, reports->count);
    for (uint32_t i = 0; i < reports->count; i++) {
        if (i > 0) putc('\n', report->out);
        if (reports->count > 1) cli_report_say(report, 0, CLI_STRONG, "%s", reports->benches[i].name);
        if (cli_bench_write(session->writer, report, &reports->benches[i]) != VKMM_OK)
            return vkmm_tell(log, VKMM_NO_MEMORY("to write the report"));
    }
    return cli_report_flush(report, log);
}

static vkmm_status show(cli_session *session, const cli_reports *reports)
{
    const char *path = session->options->output;
    if (session->writer != &cli_table_writer || path == NULL) return write(session, reports);
    char *json = cli_bench_page_json(&session->report, reports);
    const vkmm_status status = cli_output_write_page(session, path, &cli_report_template, json);
    free(json);
    return status;
}

vkmm_status cli_command_report(cli_session *session)
{
    const cli_options *options = session->options;
    cli_reports reports;
    vkmm_status status;
    if (options->operand_count == 0)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "report needs at least one file: the report of 'vkmatmul bench -o FILE.json'");
    status =
        cli_output_page(session, "-o", options->output, (const char *const *)options->operands, options->operand_count);
    if (status != VKMM_OK) return status;
    status = cli_bench_read(session, &reports);
    if (status == VKMM_OK) status = show(session, &reports);
    cli_reports_free(&reports);
    return status;
}
