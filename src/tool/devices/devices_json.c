/* vkmatmul.devices/1: one object per run. */
#include "devices/devices.h"
#include "report/json.h"
#include "report/records.h"

#define KERNEL(member) VKMM_AT(cli_ability, member)

static const vkmm_field kernel_fields[] = {
    {"name", VKMM_FIELD_STRING, KERNEL(kernel)},
    {VKMM_KEY(STRING, cli_ability, summary)},
    {"types", VKMM_FIELD_STRING, VKMM_LIST(cli_ability, types, type_count), VKMM_HERE},
};
static const vkmm_record kernel_record = {"ability", VKMM_FIELDS(kernel_fields)};

#define LACK_KEY(kind, member) VKMM_KEY(kind, cli_lack, member)

static const vkmm_field lack_fields[] = {
    {LACK_KEY(TEXT, what)},
    {LACK_KEY(TEXT, reason)},
};
static const vkmm_record lack_record = {"lack", VKMM_FIELDS(lack_fields)};

/* Every combination of types, and what computes a large product of it. */
VKMM_KNOWN(has_way, cli_way, by != NULL)

static const vkmm_field way_fields[] = {
    {"type", VKMM_FIELD_WORD, VKMM_AT(cli_way, types.in), .words = &vkmm_type_words},
    {"out_type", VKMM_FIELD_WORD, VKMM_AT(cli_way, types.out), .words = &vkmm_type_words},
    {VKMM_IN(WORD, cli_way, types, compute), .words = &vkmm_type_words},
    {VKMM_KEY(STRING, cli_way, by)},
    {"kernel", VKMM_FIELD_TEXT, VKMM_AT(cli_way, kernel.name), .known = has_way},
};
static const vkmm_record way_record = {"way", VKMM_FIELDS(way_fields)};

#define CHOICE(member) VKMM_AT(cli_choice, member)

#define PROBLEM(kind, member)    VKMM_IN(kind, cli_choice, problem, member)
#define CHOICE_KEY(kind, member) VKMM_KEY(kind, cli_choice, member)

static const vkmm_field choice_fields[] = {
    {PROBLEM(WORD, type), .words = &vkmm_type_words},
    {"out_type", VKMM_FIELD_WORD, CHOICE(types.out), .words = &vkmm_type_words},
    {VKMM_IN(WORD, cli_choice, types, compute), .words = &vkmm_type_words},
    {PROBLEM(U64, m)},
    {PROBLEM(U64, n)},
    {PROBLEM(U64, k)},
    {CHOICE_KEY(RECORD, kernel), .record = &vkmm_kernel_record},
    {CHOICE_KEY(TEXT, reason), VKMM_MAYBE},
};
static const vkmm_record choice_record = {"choice", VKMM_FIELDS(choice_fields)};

#define LIST(member, counter) VKMM_LIST(cli_device_row, member, counter), VKMM_HERE

static const vkmm_field row_fields[] = {
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(cli_device_row, device), .record = &vkmm_identity_record},
    {NULL, VKMM_FIELD_EMBED, VKMM_AT(cli_device_row, device), .record = &vkmm_hardware_record},
    {"default", VKMM_FIELD_TRUTH, VKMM_AT(cli_device_row, chosen)},
    {"types", VKMM_FIELD_STRING, LIST(types, type_count)},
    {"arithmetic", VKMM_FIELD_RECORD, VKMM_ARRAY(cli_device_row, ways, VKMM_TYPES_COUNT), .record = &way_record},
    {"kernels", VKMM_FIELD_RECORD, LIST(kernels, kernel_count), .record = &kernel_record},
    {"missing", VKMM_FIELD_RECORD, LIST(lacks, lack_count), .record = &lack_record},
    {"best", VKMM_FIELD_RECORD, LIST(choices, choice_count), .record = &choice_record},
    {"matrix_shapes", VKMM_FIELD_RECORD, LIST(shapes, shape_count), .record = &vkmm_shape_record},
    {"no_matrix_shapes", VKMM_FIELD_STRING, VKMM_AT(cli_device_row, no_shapes), VKMM_MAYBE},
};
static const vkmm_record row_record = {NULL, VKMM_FIELDS(row_fields)};

/* An installed driver that no loader looks for. */
static json_t *put_unloaded(const void *record)
{
    const char *manifest = ((const cli_device_list *)record)->unloaded;

    if (manifest == NULL) return json_array();
    return json_pack("[{s:s, s:o}]", "name", "SwiftShader", "manifest", vkmm_json_text(manifest));
}

static const vkmm_field list_fields[] = {
    {"tool", VKMM_FIELD_RECORD, VKMM_AT(cli_device_list, report), VKMM_POINTER, .record = &vkmm_tool_record},
    {"devices", VKMM_FIELD_RECORD, VKMM_LIST(cli_device_list, rows, count), .record = &row_record},
    {VKMM_KEY(STRING, cli_device_list, left_out), VKMM_MAYBE},
    {"unloaded", VKMM_FIELD_CUSTOM, .put = put_unloaded},
};
static const vkmm_record list_record = {NULL, VKMM_FIELDS(list_fields), .schema = "vkmatmul.devices/1"};

vkmm_status cli_devices_json(const cli_device_list *list)
{
    return vkmm_json_line(list->report, vkmm_record_json(&list_record, list));
}
