/* vkmatmul.devices/1: one object per run. */
#include "devices/devices.h"
#include "report/json.h"
#include "report/records.h"

#define KERNEL(member) VKMM_AT(cli_ability, member)

static const vkmm_field kernel_fields[] = {
    {"name", VKMM_FIELD_STRING, KERNEL(kernel)},
    {"summary", VKMM_FIELD_STRING, KERNEL(summary)},
    {"types", VKMM_FIELD_STRING, VKMM_LIST(cli_ability, types, type_count), VKMM_HERE},
};
static const vkmm_record kernel_record = {"ability", VKMM_FIELDS(kernel_fields), VKMM_RECORD_OF(cli_ability)};

static const vkmm_field lack_fields[] = {
    {"what", VKMM_FIELD_TEXT, VKMM_AT(cli_lack, what)},
    {"reason", VKMM_FIELD_TEXT, VKMM_AT(cli_lack, reason)},
};
static const vkmm_record lack_record = {"lack", VKMM_FIELDS(lack_fields), VKMM_RECORD_OF(cli_lack)};

/* Every combination of types, and what computes a large product of it. */
static int has_way(const void *record)
{
    return ((const cli_way *)record)->by != NULL;
}

static const vkmm_field way_fields[] = {
    {"type", VKMM_FIELD_WORD, VKMM_AT(cli_way, types.in), .words = &vkmm_type_words},
    {"out_type", VKMM_FIELD_WORD, VKMM_AT(cli_way, types.out), .words = &vkmm_type_words},
    {"compute", VKMM_FIELD_WORD, VKMM_AT(cli_way, types.compute), .words = &vkmm_type_words},
    {"by", VKMM_FIELD_STRING, VKMM_AT(cli_way, by)},
    {"kernel", VKMM_FIELD_TEXT, VKMM_AT(cli_way, kernel.name), .known = has_way},
};
static const vkmm_record way_record = {"way", VKMM_FIELDS(way_fields), VKMM_RECORD_OF(cli_way)};

#define CHOICE(member) VKMM_AT(cli_choice, member)

static const vkmm_field choice_fields[] = {
    {"type", VKMM_FIELD_WORD, CHOICE(problem.type), .words = &vkmm_type_words},
    {"out_type", VKMM_FIELD_WORD, CHOICE(types.out), .words = &vkmm_type_words},
    {"compute", VKMM_FIELD_WORD, CHOICE(types.compute), .words = &vkmm_type_words},
    {"m", VKMM_FIELD_U64, CHOICE(problem.m)},
    {"n", VKMM_FIELD_U64, CHOICE(problem.n)},
    {"k", VKMM_FIELD_U64, CHOICE(problem.k)},
    {"kernel", VKMM_FIELD_RECORD, CHOICE(kernel), .record = &vkmm_kernel_record},
    {"reason", VKMM_FIELD_TEXT, CHOICE(reason), VKMM_MAYBE},
};
static const vkmm_record choice_record = {"choice", VKMM_FIELDS(choice_fields), VKMM_RECORD_OF(cli_choice)};

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
static const vkmm_record row_record = {NULL, VKMM_FIELDS(row_fields), VKMM_RECORD_OF(cli_device_row)};

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
    {"left_out", VKMM_FIELD_STRING, VKMM_AT(cli_device_list, left_out), VKMM_MAYBE},
    {"unloaded", VKMM_FIELD_CUSTOM, .put = put_unloaded},
};
static const vkmm_record list_record = {NULL, VKMM_FIELDS(list_fields), VKMM_RECORD_OF(cli_device_list),
                                        .schema = "vkmatmul.devices/1"};

vkmm_status cli_devices_json(const cli_device_list *list)
{
    return vkmm_json_line(list->report, vkmm_record_json(&list_record, list));
}
