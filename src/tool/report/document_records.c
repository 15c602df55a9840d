#include "report/records.h"

#define BENCH(member)             CLI_AT(cli_bench, member)
#define BENCH_KEY(kind, member)   CLI_KEY(kind, cli_bench, member)
#define SETTING_KEY(kind, member) CLI_KEY(kind, cli_bench_settings, member)

static const cli_field tool_fields[] = {
    {BENCH_KEY(TEXT, version)},
    {BENCH_KEY(TEXT, shader_hash)},
    {BENCH_KEY(OWNED, command)},
};

static const vkmm_record tool_record = {"tool", CLI_FIELDS(tool_fields)};

static const cli_field host_fields[] = {
    {"processor", CLI_FIELD_TEXT, BENCH(host), CLI_MAYBE},
    {BENCH_KEY(TEXT, os), CLI_MAYBE},
    {BENCH_KEY(U32, processors), CLI_MAYBE},
    {BENCH_KEY(U64, memory_bytes), CLI_MAYBE},
    {BENCH_KEY(TEXT, power_source), CLI_MAYBE},
};

static const vkmm_record host_record = {"host", CLI_FIELDS(host_fields)};

static const cli_field setting_fields[] = {
    {SETTING_KEY(TEXT, suite), CLI_MAYBE},
    {SETTING_KEY(U64, seed)},
    {SETTING_KEY(U64, rotating_bytes)},
    {SETTING_KEY(REAL, max_noise), CLI_MAYBE, .most = CLI_MOST_MS},
    {SETTING_KEY(REAL, budget_ms), CLI_MAYBE, .most = CLI_MOST_MS},
};

static const vkmm_record settings_record = {"settings", CLI_FIELDS(setting_fields)};

static const cli_field head_fields[] = {
    {"tool", CLI_FIELD_RECORD, .record = &tool_record},
    {BENCH_KEY(TEXT, created), CLI_MAYBE},
    {"host", CLI_FIELD_RECORD, .record = &host_record},
    {BENCH_KEY(RECORD, settings), .record = &settings_record},
    {"layers", CLI_FIELD_TEXT, CLI_LIST(cli_bench, layers, layer_count), .length = 256},
    {BENCH_KEY(TRUTH, paired)},
};

const vkmm_record cli_head_record = {NULL, CLI_FIELDS(head_fields)};

/* ---- whole reports ---- */

/* The device of a row is an index. */
static void check_report(const cli_node *node, void *record)
{
    const cli_bench *bench = record;
    const cli_node rows = cli_node_key(node, "rows");
    for (uint32_t i = 0; i < bench->row_count; i++) {
        const cli_node row = cli_node_at(&rows, i), device = cli_node_key(&row, "device");
        if (bench->rows[i].device >= bench->device_count)
            cli_node_fail(&device, "is %u; the report has %u device%s", bench->rows[i].device, bench->device_count,
                          bench->device_count == 1 ? "" : "s");
    }
}

static const cli_field report_fields[] = {
    {NULL, CLI_FIELD_EMBED, .record = &cli_head_record},
    {BENCH_KEY(TRUTH, complete)},
    {BENCH_KEY(TEXT, note), CLI_MAYBE},
    {"devices", CLI_FIELD_RECORD, CLI_LIST(cli_bench, devices, device_count), CLI_NEEDED, .length = CLI_MOST_DEVICES,
     .record = &cli_device_record},
    {"rows", CLI_FIELD_RECORD, CLI_LIST(cli_bench, rows, row_count), CLI_NEEDED, .length = CLI_MOST_ROWS,
     .record = &cli_row_record},
};

const vkmm_record cli_report_body_record = {NULL, CLI_FIELDS(report_fields)};
const vkmm_record cli_report_record = {"report", CLI_FIELDS(report_fields), .schema = "vkmatmul.bench/1",
                                       .check = check_report};

/* ---- several ---- */

static const cli_field saved_fields[] = {{"report", CLI_FIELD_TEXT, BENCH(name), CLI_MAYBE},
                                         {NULL, CLI_FIELD_EMBED, .record = &cli_report_record}};
const vkmm_record cli_saved_record = {NULL, CLI_FIELDS(saved_fields)};

static const cli_field reports_fields[] = {
    {"reports", CLI_FIELD_RECORD, CLI_LIST(cli_reports, benches, count), CLI_NEEDED, .length = CLI_MOST_REPORTS,
     .record = &cli_saved_record},
};
const vkmm_record cli_reports_record = {NULL, CLI_FIELDS(reports_fields)};

/* ---- lines ---- */

static const cli_field head_line_fields[] = {{NULL, CLI_FIELD_EMBED, .record = &cli_head_record}},
                       row_line_fields[] = {{NULL, CLI_FIELD_EMBED, .record = &cli_row_record}};

static const cli_field end_line_fields[] = {
    {BENCH_KEY(TRUTH, complete)},
    {BENCH_KEY(TEXT, note), CLI_MAYBE},
};

static const cli_field device_line_fields[] = {
    {"device", CLI_FIELD_U32, CLI_AT(cli_device_line, index)},
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_device_line, device), CLI_POINTER, .record = &cli_device_record},
};

const vkmm_record cli_head_line_record = {"head_line", CLI_FIELDS(head_line_fields), .schema = "vkmatmul.bench.head/1"};
const vkmm_record cli_device_line_record = {"device_line", CLI_FIELDS(device_line_fields),
                                            .schema = "vkmatmul.bench.device/1"};
const vkmm_record cli_row_line_record = {"row_line", CLI_FIELDS(row_line_fields), .schema = "vkmatmul.bench.row/1"};
const vkmm_record cli_end_line_record = {"end_line", CLI_FIELDS(end_line_fields), .schema = "vkmatmul.bench.end/1"};
