/* vkmatmul.devices/1: one object per run. */
#include "devices/devices.h"
#include "report/json.h"
#include "report/records.h"

static const cli_field kernel_fields[] = {
    {"name", CLI_FIELD_STRING, CLI_AT(cli_ability, kernel)},
    {CLI_KEY(STRING, cli_ability, summary)},
    {"types", CLI_FIELD_STRING, CLI_LIST(cli_ability, types, type_count), CLI_HERE},
};
static const vkmm_record kernel_record = {"ability", CLI_FIELDS(kernel_fields)};

static const cli_field lack_fields[] = {
    {CLI_KEY(TEXT, cli_lack, what)},
    {CLI_KEY(TEXT, cli_lack, reason)},
};
static const vkmm_record lack_record = {"lack", CLI_FIELDS(lack_fields)};

/* Every combination of types, and what computes a large product of it. */
CLI_KNOWN(has_way, cli_way, by != NULL)

static const cli_field way_fields[] = {
    {"type", CLI_FIELD_WORD, CLI_AT(cli_way, types.in), .words = &cli_words_of_type},
    {"out_type", CLI_FIELD_WORD, CLI_AT(cli_way, types.out), .words = &cli_words_of_type},
    {CLI_IN(WORD, cli_way, types, compute), .words = &cli_words_of_type},
    {CLI_KEY(STRING, cli_way, by)},
    {"kernel", CLI_FIELD_TEXT, CLI_AT(cli_way, kernel.name), .known = has_way},
};
static const vkmm_record way_record = {"way", CLI_FIELDS(way_fields)};

static const cli_field choice_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_choice, problem), .record = &cli_types_record},
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_choice, problem), .record = &cli_extents_record},
    {CLI_KEY(RECORD, cli_choice, kernel), .record = &cli_kernel_record},
    {CLI_KEY(TEXT, cli_choice, reason), CLI_MAYBE},
};
static const vkmm_record choice_record = {"choice", CLI_FIELDS(choice_fields)};

static const cli_field matrices_fields[] = {
    {"matrix_shapes", CLI_FIELD_RECORD, CLI_LIST(vkmm_device_info, matrices.shapes, matrices.shape_count), CLI_HERE,
     .record = &cli_shape_record},
    {"no_matrix_shapes", CLI_FIELD_STRING, CLI_AT(vkmm_device_info, matrices.refusal), CLI_MAYBE},
};
static const vkmm_record matrices_record = {NULL, CLI_FIELDS(matrices_fields)};

#define LIST(member, counter) CLI_LIST(cli_device_row, member, counter), CLI_HERE

/* *member: the device's vkmm_device_info. */
static json_t *put_check(const void *member)
{
    const vkmm_device_check *check = (*(const vkmm_device_info *const *)member)->check;
    json_t *findings = json_array();
    for (uint32_t i = 0; check != NULL && i < check->finding_count; i++)
        json_array_append_new(findings, cli_json_of_text(check->findings[i]));
    return json_pack("{s:o, s:o}", "date", cli_json_of_text(check != NULL ? check->date : NULL), "findings", findings);
}

static const cli_field row_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_device_row, device), .record = &cli_identity_record},
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_device_row, device), .record = &cli_hardware_record},
    {"default", CLI_FIELD_TRUTH, CLI_AT(cli_device_row, chosen)},
    {"check", CLI_FIELD_CUSTOM, CLI_AT(cli_device_row, info), .put = put_check},
    {"types", CLI_FIELD_STRING, LIST(types, type_count)},
    {"arithmetic", CLI_FIELD_RECORD, CLI_ARRAY(cli_device_row, ways, VKMM_TYPES_COUNT), .record = &way_record},
    {"kernels", CLI_FIELD_RECORD, LIST(kernels, kernel_count), .record = &kernel_record},
    {"missing", CLI_FIELD_RECORD, LIST(lacks, lack_count), .record = &lack_record},
    {"best", CLI_FIELD_RECORD, LIST(choices, choice_count), .record = &choice_record},
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_device_row, info), CLI_POINTER, .record = &matrices_record},
};
static const vkmm_record row_record = {NULL, CLI_FIELDS(row_fields)};

json_t *cli_device_json(const cli_device_row *row)
{
    return cli_record_json(&row_record, row);
}

/* An installed driver that no loader looks for. */
static json_t *put_unloaded(const void *record)
{
    const char *manifest = ((const cli_device_list *)record)->unloaded;
    if (manifest == NULL) return json_array();
    return json_pack("[{s:s, s:o}]", "name", "SwiftShader", "manifest", cli_json_of_text(manifest));
}

static const cli_field list_fields[] = {
    {"tool", CLI_FIELD_RECORD, CLI_AT(cli_device_list, report), CLI_POINTER, .record = &cli_tool_record},
    {"devices", CLI_FIELD_RECORD, CLI_LIST(cli_device_list, rows, count), .record = &row_record},
    {CLI_KEY(STRING, cli_device_list, left_out), CLI_MAYBE},
    {"unloaded", CLI_FIELD_CUSTOM, .put = put_unloaded},
};
static const vkmm_record list_record = {NULL, CLI_FIELDS(list_fields), .schema = "vkmatmul.devices/1"};

json_t *cli_devices_json(const cli_device_list *list)
{
    return cli_record_json(&list_record, list);
}
