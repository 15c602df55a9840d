#include "bench/records.h"

#include "report/json.h"

#define BENCH(member)   VKMM_AT(vkmm_bench, member)
#define SETTING(member) VKMM_AT(vkmm_bench_settings, member)

static const vkmm_field tool_fields[] = {
    {"version", VKMM_FIELD_TEXT, BENCH(version), .about = "vkmatmul's version"},
    {"shader_hash", VKMM_FIELD_TEXT, BENCH(shader_hash),
     .about = "of all shaders built into it; two reports compare kernel for kernel where these are equal"},
    {"command", VKMM_FIELD_OWNED, BENCH(command),
     .about = "the exact command line, quoted for a shell; null: not known"},
};

static const vkmm_record tool_record = {"tool", VKMM_FIELDS(tool_fields), VKMM_RECORD_OF(vkmm_bench), .title = "Tool",
                                        .about = "The program that measured."};

static const vkmm_field host_fields[] = {
    {"processor", VKMM_FIELD_TEXT, BENCH(host), VKMM_MAYBE, .about = "model of its processor"},
    {"os", VKMM_FIELD_TEXT, BENCH(os), VKMM_MAYBE, .about = "operating system: name, release, architecture"},
    {"processors", VKMM_FIELD_U32, BENCH(processors), VKMM_MAYBE, .about = "logical processors"},
    {"memory_bytes", VKMM_FIELD_U64, BENCH(memory_bytes), VKMM_MAYBE, .about = "main memory, bytes"},
    {"power_source", VKMM_FIELD_TEXT, BENCH(power_source), VKMM_MAYBE,
     .about = "\"mains\" or \"battery\"; null: the system does not say"},
};

static const vkmm_record host_record = {"host", VKMM_FIELDS(host_fields), VKMM_RECORD_OF(vkmm_bench), .title = "Host",
                                        .about = "The machine."};

static const vkmm_field setting_fields[] = {
    {"suite", VKMM_FIELD_TEXT, SETTING(suite), VKMM_MAYBE,
     .about = "\"quick\", \"standard\", \"full\", or the name of a file of problems"},
    {"seed", VKMM_FIELD_U64, SETTING(seed), .about = "of the generated matrices"},
    {"rotating_bytes", VKMM_FIELD_U64, SETTING(rotating_bytes),
     .about = "operands took turns until they filled so many bytes, so that caches were cold; 0: hot caches"},
    {"max_noise", VKMM_FIELD_REAL, SETTING(max_noise), VKMM_MAYBE, .most = VKMM_MOST_MS,
     .about = "a row ended when half the 95 % interval of its median over the median was below this; 0.01 is 1 %"},
    {"budget_ms", VKMM_FIELD_REAL, SETTING(budget_ms), VKMM_MAYBE, .most = VKMM_MOST_MS,
     .about = "time for each device, milliseconds"},
};

static const vkmm_record settings_record = {"settings", VKMM_FIELDS(setting_fields),
                                            VKMM_RECORD_OF(vkmm_bench_settings), .title = "Settings",
                                            .about = "How the run was asked for."};

static const vkmm_field head_fields[] = {
    {"tool", VKMM_FIELD_RECORD, .record = &tool_record},
    {"created", VKMM_FIELD_TEXT, BENCH(created), VKMM_MAYBE | VKMM_OPTIONAL,
     .about = "when the run began: ISO 8601, UTC"},
    {"host", VKMM_FIELD_RECORD, .flags = VKMM_OPTIONAL, .record = &host_record},
    {"settings", VKMM_FIELD_RECORD, BENCH(settings), VKMM_OPTIONAL, .record = &settings_record},
    {"layers", VKMM_FIELD_TEXT, VKMM_LIST(vkmm_bench, layers, layer_count), VKMM_OPTIONAL, .length = 256,
     .about = "Vulkan layers in effect, by name"},
};

const vkmm_record vkmm_head_record = {NULL, VKMM_FIELDS(head_fields), VKMM_RECORD_OF(vkmm_bench)};

static const vkmm_field end_fields[] = {
    {"complete", VKMM_FIELD_TRUTH, BENCH(complete), .about = "false: the run was interrupted"},
    {"note", VKMM_FIELD_TEXT, BENCH(note), VKMM_MAYBE,
     .about = "why it is not complete, and which rows were measured before it was resumed"},
};

const vkmm_record vkmm_end_record = {NULL, VKMM_FIELDS(end_fields), VKMM_RECORD_OF(vkmm_bench)};

/* ---- tunes ---- */

#define TRIAL(member) VKMM_AT(vkmm_bench_trial, member)

static const vkmm_field trial_fields[] = {
    {"kernel", VKMM_FIELD_TEXT, TRIAL(kernel), .about = "its name"},
    {"config", VKMM_FIELD_TEXT, TRIAL(config), .schema = "{\"type\": [\"string\", \"null\"]}", .about = "its tunables"},
    {"ms", VKMM_FIELD_REAL, TRIAL(ms), VKMM_MAYBE, .most = VKMM_MOST_MS,
     .about = "median kernel time, milliseconds; null: it failed"},
};

const vkmm_record vkmm_trial_record = {"trial", VKMM_FIELDS(trial_fields), VKMM_RECORD_OF(vkmm_bench_trial),
                                       .title = "Trial"};

static json_t *put_device(const void *record)
{
    return vkmm_json_text(((const vkmm_bench_tune *)record)->device);
}

/* A device's label, or the device as `vkmatmul tune --json` has it. */
static void take_device(const vkmm_node *node, void *record)
{
    char *device = ((vkmm_bench_tune *)record)->device;

    if (json_is_object(node->json))
        vkmm_key_text(node, "name", device, VKMM_BENCH_TEXT);
    else
        vkmm_node_text(node, device, VKMM_BENCH_TEXT);
}

static const vkmm_field tune_fields[] = {
    {"device", VKMM_FIELD_CUSTOM, .put = put_device, .take = take_device, .schema = "{\"type\": \"string\"}",
     .about = "the device's label or name"},
    {"problem", VKMM_FIELD_RECORD, VKMM_AT(vkmm_bench_tune, problem), VKMM_NEEDED, .record = &vkmm_problem_record},
    {"trials", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench_tune, trials, count), .cost = 16, .record = &vkmm_trial_record,
     .about = "candidates"}, /* an entry is larger than a sample */
};

const vkmm_record vkmm_tune_record = {"tune", VKMM_FIELDS(tune_fields), VKMM_RECORD_OF(vkmm_bench_tune),
                                      .title = "Tune", .about = "What a tune measured."};

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
    {"complete", VKMM_FIELD_TRUTH, BENCH(complete), VKMM_OPTIONAL, .about = "false: the run was interrupted"},
    {"note", VKMM_FIELD_TEXT, BENCH(note), VKMM_MAYBE | VKMM_OPTIONAL,
     .about = "why it is not complete, and which rows were measured before it was resumed"},
    {"devices", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench, devices, device_count), VKMM_NEEDED,
     .length = VKMM_MOST_DEVICES, .record = &vkmm_device_record, .about = "what was measured"},
    {"rows", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench, rows, row_count), VKMM_NEEDED, .length = VKMM_MOST_ROWS,
     .record = &vkmm_row_record, .about = "one product on one device each"},
    {"tunes", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_bench, tunes, tune_count), VKMM_OPTIONAL, .length = VKMM_MOST_TUNES,
     .record = &vkmm_tune_record, .about = "of `vkmatmul tune --json`"},
};

const vkmm_record vkmm_report_record = {"report",
                                        VKMM_FIELDS(report_fields),
                                        VKMM_RECORD_OF(vkmm_bench),
                                        .title = "Report",
                                        .about = "A whole run.",
                                        .schema = VKMM_BENCH_SCHEMA,
                                        .check = check_report};

/* ---- lines ---- */

static const vkmm_field head_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_head_record}},
                        row_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_row_record}},
                        tune_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_tune_record}},
                        end_line_fields[] = {{NULL, VKMM_FIELD_EMBED, .record = &vkmm_end_record}};

static const vkmm_field device_line_fields[] = {
    {"device", VKMM_FIELD_U32, VKMM_AT(vkmm_device_line, index), .schema = "{\"maximum\": 255}",
     .about = "its index in rows"},
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(vkmm_device_line, device), VKMM_POINTER, .record = &vkmm_device_record},
};

const vkmm_record vkmm_head_line_record = {
    "head_line", VKMM_FIELDS(head_line_fields), .title = "First line", .schema = VKMM_BENCH_HEAD_SCHEMA,
    .about = "Of a report in lines: what a whole report has beside devices and rows."};
const vkmm_record vkmm_device_line_record = {
    "device_line", VKMM_FIELDS(device_line_fields), .title = "Line of a device", .schema = VKMM_BENCH_DEVICE_SCHEMA,
    .about = "Its keys, and its index; a later line for the same index replaces an earlier one."};
const vkmm_record vkmm_row_line_record = {"row_line", VKMM_FIELDS(row_line_fields), .title = "Line of a row",
                                          .schema = VKMM_BENCH_ROW_SCHEMA};
const vkmm_record vkmm_tune_line_record = {"tune_line", VKMM_FIELDS(tune_line_fields), .title = "Line of a tune",
                                           .schema = VKMM_BENCH_TUNE_SCHEMA};
const vkmm_record vkmm_end_line_record = {"end_line", VKMM_FIELDS(end_line_fields), .title = "Last line",
                                          .schema = VKMM_BENCH_END_SCHEMA,
                                          .about = "Absent from the lines of a run that did not come to its end."};

json_t *vkmm_bench_schema(void)
{
    static const char about[] =
        "Reports of `vkmatmul bench` and `vkmatmul compare`: a whole one (.json), or any line of one that is written "
        "as the run goes on (.jsonl). Keys may be added in later versions, never renamed or removed; readers ignore "
        "those that they do not know. A figure that does not exist is null, never 0. Times are milliseconds. Numbers "
        "have nine significant digits. Names from drivers and files have control characters and bytes that are not "
        "UTF-8 written as \\xNN.";
    static const vkmm_record *const all[] = {&vkmm_report_record,   &vkmm_head_line_record, &vkmm_device_line_record,
                                             &vkmm_row_line_record, &vkmm_tune_line_record, &vkmm_end_line_record};
    json_t *defs = json_object(), *any = json_array(), *schema = json_object();
    int bad = vkmm_json_put(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bad += json_array_append_new(any, vkmm_record_schema(defs, all[i])) != 0;
    bad += vkmm_json_put(schema, "$id", json_string("urn:vkmatmul:bench:1"));
    bad += vkmm_json_put(schema, "title", json_string(VKMM_BENCH_SCHEMA));
    bad += vkmm_json_put(schema, "description", json_string(about));
    bad += vkmm_json_put(schema, "oneOf", any);
    bad += vkmm_json_put(schema, "$defs", defs);
    return vkmm_json_done(schema, bad);
}
