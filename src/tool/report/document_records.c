#include "report/document_records.h"

#include "report/json.h"

#define BENCH(member)             VKMM_AT(vkmm_bench, member)
#define BENCH_KEY(kind, member)   VKMM_KEY(kind, vkmm_bench, member)
#define SETTING_KEY(kind, member) VKMM_KEY(kind, vkmm_bench_settings, member)

static const vkmm_field tool_fields[] = {
    {BENCH_KEY(TEXT, version)},
    {BENCH_KEY(TEXT, shader_hash)},
    {BENCH_KEY(OWNED, command)},
};

static const vkmm_record tool_record = {"tool", VKMM_FIELDS(tool_fields)};

static const vkmm_field host_fields[] = {
    {"processor", VKMM_FIELD_TEXT, BENCH(host), VKMM_MAYBE},
    {BENCH_KEY(TEXT, os), VKMM_MAYBE},
    {BENCH_KEY(U32, processors), VKMM_MAYBE},
    {BENCH_KEY(U64, memory_bytes), VKMM_MAYBE},
    {BENCH_KEY(TEXT, power_source), VKMM_MAYBE},
};

static const vkmm_record host_record = {"host", VKMM_FIELDS(host_fields)};

static const vkmm_field setting_fields[] = {
    {SETTING_KEY(TEXT, suite), VKMM_MAYBE},
    {SETTING_KEY(U64, seed)},
    {SETTING_KEY(U64, rotating_bytes)},
    {SETTING_KEY(REAL, max_noise), VKMM_MAYBE, .most = VKMM_MOST_MS},
    {SETTING_KEY(REAL, budget_ms), VKMM_MAYBE, .most = VKMM_MOST_MS}, /* last: same_settings_record omits it */
};

static const vkmm_record settings_record = {"settings", VKMM_FIELDS(setting_fields)};

static const vkmm_field head_fields[] = {
    {"tool", VKMM_FIELD_RECORD, .record = &tool_record},
    {BENCH_KEY(TEXT, created), VKMM_MAYBE},
    {"host", VKMM_FIELD_RECORD, .record = &host_record},
    {BENCH_KEY(RECORD, settings), .record = &settings_record},
    {"layers", VKMM_FIELD_TEXT, VKMM_LIST(vkmm_bench, layers, layer_count), .length = 256},
    {BENCH_KEY(TRUTH, paired)},
};

const vkmm_record vkmm_head_record = {NULL, VKMM_FIELDS(head_fields)};

static const vkmm_field end_fields[] = {
    {BENCH_KEY(TRUTH, complete)},
    {BENCH_KEY(TEXT, note), VKMM_MAYBE},
};

const vkmm_record vkmm_end_record = {NULL, VKMM_FIELDS(end_fields)};

static const vkmm_record same_settings_record = {NULL, setting_fields, VKMM_COUNT(setting_fields) - 1};

static const vkmm_field same_fields[] = {
    {BENCH_KEY(TEXT, version)},
    {BENCH_KEY(TEXT, shader_hash)},
    {"host", VKMM_FIELD_RECORD, .record = &host_record},
    {BENCH_KEY(RECORD, settings), .record = &same_settings_record},
    {"layers", VKMM_FIELD_TEXT, VKMM_LIST(vkmm_bench, layers, layer_count)},
    {"devices", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench, devices, device_count), .record = &vkmm_identity_record},
};

const vkmm_record vkmm_same_record = {NULL, VKMM_FIELDS(same_fields)};

/* ---- tunes ---- */

#define TRIAL_KEY(kind, member) VKMM_KEY(kind, vkmm_bench_trial, member)

static const vkmm_field trial_fields[] = {
    {TRIAL_KEY(TEXT, kernel)},
    {TRIAL_KEY(TEXT, config)},
    {TRIAL_KEY(REAL, ms), VKMM_MAYBE, .most = VKMM_MOST_MS},
};

const vkmm_record vkmm_trial_record = {"trial", VKMM_FIELDS(trial_fields)};

static json_t *put_device(const void *record)
{
    return vkmm_json_text(((const vkmm_bench_tune *)record)->device);
}

/* A device's label, or the device as written by `vkmatmul tune --json`. */
static void take_device(const vkmm_node *node, void *record)
{
    const vkmm_node name = vkmm_node_key(node, "name");

    vkmm_node_text(json_is_object(node->json) ? &name : node, ((vkmm_bench_tune *)record)->device, VKMM_BENCH_TEXT);
}

static const vkmm_field tune_fields[] = {
    {"device", VKMM_FIELD_CUSTOM, .put = put_device, .take = take_device},
    {VKMM_KEY(RECORD, vkmm_bench_tune, problem), VKMM_NEEDED, .record = &vkmm_problem_record},
    {"trials", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench_tune, trials, count), .cost = 16,
     .record = &vkmm_trial_record}, /* an entry is larger than a sample */
};

const vkmm_record vkmm_tune_record = {"tune", VKMM_FIELDS(tune_fields)};

/* ---- whole reports ---- */

void vkmm_bench_check_place(const vkmm_node *node, const vkmm_bench *bench, const vkmm_bench_row *row)
{
    const vkmm_node device = vkmm_node_key(node, "device");

    if (row->device >= bench->device_count)
        vkmm_node_fail(&device, "is %u; the report has %u device%s", row->device, bench->device_count,
                       bench->device_count == 1 ? "" : "s");
}

static void check_report(const vkmm_node *node, void *record)
{
    const vkmm_bench *bench = record;
    const vkmm_node rows = vkmm_node_key(node, "rows");

    for (uint32_t i = 0; i < bench->row_count; i++) {
        const vkmm_node row = vkmm_node_at(&rows, i);
        vkmm_bench_check_place(&row, bench, &bench->rows[i]);
    }
}

static const vkmm_field report_fields[] = {
    {NULL, VKMM_FIELD_EMBED, .record = &vkmm_head_record},
    {BENCH_KEY(TRUTH, complete)},
    {BENCH_KEY(TEXT, note), VKMM_MAYBE},
    {"devices", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench, devices, device_count), VKMM_NEEDED,
     .length = VKMM_MOST_DEVICES, .record = &vkmm_device_record},
    {"rows", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench, rows, row_count), VKMM_NEEDED, .length = VKMM_MOST_ROWS,
     .record = &vkmm_row_record},
    {"tunes", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench, tunes, tune_count), .length = VKMM_MOST_TUNES,
     .record = &vkmm_tune_record},
};

const vkmm_record vkmm_report_record = {"report", VKMM_FIELDS(report_fields), .schema = "vkmatmul.bench/1",
                                        .check = check_report};

/* ---- several ---- */

static const vkmm_field saved_fields[] = {{"report", VKMM_FIELD_TEXT, BENCH(name), VKMM_MAYBE},
                                          {NULL, VKMM_FIELD_EMBED, .record = &vkmm_report_record}};
const vkmm_record vkmm_saved_record = {NULL, VKMM_FIELDS(saved_fields)};

static const vkmm_field reports_fields[] = {
    {"reports", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_reports, benches, count), VKMM_NEEDED, .length = VKMM_MOST_REPORTS,
     .record = &vkmm_saved_record},
};
const vkmm_record vkmm_reports_record = {NULL, VKMM_FIELDS(reports_fields)};

/* ---- lines ---- */

static const vkmm_field head_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_head_record}},
                        row_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_row_record}},
                        tune_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_tune_record}},
                        end_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_end_record}};

static const vkmm_field device_line_fields[] = {
    {"device", VKMM_FIELD_U32, VKMM_AT(vkmm_device_line, index)},
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(vkmm_device_line, device), VKMM_POINTER, .record = &vkmm_device_record},
};

const vkmm_record vkmm_head_line_record = {"head_line", VKMM_FIELDS(head_line_fields),
                                           .schema = "vkmatmul.bench.head/1"};
const vkmm_record vkmm_device_line_record = {"device_line", VKMM_FIELDS(device_line_fields),
                                             .schema = "vkmatmul.bench.device/1"};
const vkmm_record vkmm_row_line_record = {"row_line", VKMM_FIELDS(row_line_fields), .schema = "vkmatmul.bench.row/1"};
const vkmm_record vkmm_tune_line_record = {"tune_line", VKMM_FIELDS(tune_line_fields),
                                           .schema = "vkmatmul.bench.tune/1"};
const vkmm_record vkmm_end_line_record = {"end_line", VKMM_FIELDS(end_line_fields), .schema = "vkmatmul.bench.end/1"};
