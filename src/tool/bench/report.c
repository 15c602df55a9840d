#include "base/file.h"
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

/* Whether a file begins with a document of another command, and its schema. */
static int has_documents(const vkmm_mapping *mapping, char schema[64])
{
    char start[200];
    VKMM_PUT(start, "%.*s", (int)(mapping->bytes < sizeof start ? mapping->bytes : sizeof start - 1),
             mapping->bytes > 0 ? (const char *)mapping->data : "");
    return sscanf(start, " { \"schema\" : \"%63[^\"]\"", schema) == 1 && cli_document_has_rows(schema);
}

/* All of a file's documents, which have one schema. */
static vkmm_status read_documents(const char *path, const vkmm_mapping *mapping, const char *schema, json_t *documents)
{
    const int flags = JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES;
    const char *text = mapping->data;
    for (size_t at = 0; at < mapping->bytes;) {
        json_error_t error;
        json_t *document = json_loadb(text + at, (size_t)mapping->bytes - at, flags, &error);
        const char *is = json_string_value(json_object_get(document, "schema"));
        const int is_same = is != NULL && strcmp(is, schema) == 0;
        if (document == NULL)
            return vkmm_fail(VKMM_INVALID, "%s is not valid JSON: byte %zu: %s", path, at + (size_t)error.position,
                             error.text);
        if (cli_json_add(documents, document) != 0) return VKMM_NO_MEMORY("to read %s", path);
        if (!is_same) return vkmm_fail(VKMM_INVALID, "%s holds \"%s\", and after it something else", path, schema);
        for (at += (size_t)error.position; at < mapping->bytes && memchr(" \t\r\n", text[at], 4) != NULL;) at++;
    }
    return VKMM_OK;
}

/* Writes them as their command would have; the table is one in Markdown. */
static vkmm_status write_documents(cli_session *session, const char *path, const vkmm_mapping *mapping,
                                   const char *schema)
{
    const cli_options *options = session->options;
    json_t *documents = json_array();
    vkmm_status status;
    if (options->output != NULL || options->device != NULL || options->types.count > 0)
        status =
            vkmm_fail(VKMM_INVALID, "%s holds \"%s\": -o, --device and --type are for bench reports", path, schema);
    else
        status = read_documents(path, mapping, schema, documents);
    vkmm_tell(session->log, status);
    if (session->writer == &cli_table_writer) session->writer = &cli_md_writer;
    for (size_t i = 0; i < json_array_size(documents) && status == VKMM_OK; i++)
        status = cli_session_document(session, json_incref(json_array_get(documents, i)));
    json_decref(documents);
    return status;
}

vkmm_status cli_command_report(cli_session *session)
{
    const cli_options *options = session->options;
    cli_reports reports;
    vkmm_mapping mapping;
    char schema[64];
    vkmm_status status;
    if (options->operand_count == 0)
        return VKMM_FAIL(session->log, VKMM_INVALID,
                         "report needs at least one file: the report of 'vkmatmul bench -o FILE.json'");
    if (options->operand_count == 1 && vkmm_mapping_open(options->operands[0], &mapping) == VKMM_OK) {
        const int found = has_documents(&mapping, schema);
        status = found ? write_documents(session, options->operands[0], &mapping, schema) : VKMM_OK;
        vkmm_mapping_close(&mapping);
        if (found) return status;
    }
    status =
        cli_output_page(session, "-o", options->output, (const char *const *)options->operands, options->operand_count);
    if (status != VKMM_OK) return status;
    status = cli_bench_read(session, &reports);
    if (status == VKMM_OK) status = show(session, &reports);
    cli_reports_free(&reports);
    return status;
}
