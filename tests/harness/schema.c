#include "schema.h"

#include "report/records.h"
#include "report/json.h"
#include "survey/survey.h"

static json_t *reference(const char *name)
{
    return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

static json_t *words_schema(const cli_field_words *words)
{
    json_t *list;
    int bad = 0;
    if (words->name != NULL) return json_pack("{s:s}", "type", "string");
    list = json_array();
    for (uint32_t i = words->first; i < words->count; i++)
        bad += json_array_append_new(list, json_string(words->word(i))) != 0;
    return bad > 0 ? cli_json_done(list, bad) : json_pack("{s:o}", "enum", list);
}

/* Schema of one value, or of one entry of a list; does not allow null. */
static json_t *value_schema(json_t *defs, const cli_field *field)
{
    switch (field->kind) {
    case CLI_FIELD_U32:
        return json_pack("{s:s,s:i,s:I}", "type", "integer", "minimum", 0, "maximum",
                         field->most > 0 ? (json_int_t)field->most : (json_int_t)UINT32_MAX);
    case CLI_FIELD_U64:
        return json_pack("{s:s,s:i}", "type", "integer", "minimum", 0);
    case CLI_FIELD_REAL:
        return (field->flags & CLI_SIGNED) ? json_pack("{s:s}", "type", "number")
                                           : json_pack("{s:s,s:i}", "type", "number", "minimum", 0);
    case CLI_FIELD_TRUTH:
        return json_pack("{s:s}", "type", "boolean");
    case CLI_FIELD_WORD:
        return words_schema(field->words);
    case CLI_FIELD_RECORD:
    case CLI_FIELD_EMBED:
        return record_schema(defs, field->record);
    case CLI_FIELD_CUSTOM:
        return json_object();
    default:
        return json_pack("{s:s}", "type", "string");
    }
}

static int may_be_null(const cli_field *field)
{
    const int is_list = field->length > 0 || field->element > 0;
    if ((field->flags & CLI_OMIT) || field->kind == CLI_FIELD_CUSTOM) return 0; /* a custom schema says it itself */
    if ((field->flags & (CLI_MAYBE | CLI_POINTER)) || field->known != NULL) return 1;
    if (is_list) return 0;
    return field->kind == CLI_FIELD_REAL || field->kind == CLI_FIELD_OWNED || field->kind == CLI_FIELD_STRING ||
           (field->kind == CLI_FIELD_RECORD && field->record->known != NULL);
}

static json_t *or_null(json_t *schema)
{
    json_t *type = json_object_get(schema, "type");
    if (json_is_string(type)) {
        json_object_set_new(schema, "type", json_pack("[O,s]", type, "null"));
        return schema;
    }
    return json_pack("{s:[{s:s},o]}", "oneOf", "type", "null", schema);
}

static json_t *list_schema(json_t *defs, const cli_field *field)
{
    cli_field entry = *field;
    json_t *items, *schema;
    entry.flags &= ~(uint32_t)CLI_MAYBE;
    items = value_schema(defs, &entry);
    if (field->element == 0 && field->kind == CLI_FIELD_REAL) items = or_null(items);
    schema = json_pack("{s:s,s:o}", "type", "array", "items", items);
    if (schema == NULL) return NULL;
    if (field->element > 0) {
        if (field->length > 0) json_object_set_new(schema, "maxItems", json_integer(field->length));
        return schema;
    }
    json_object_set_new(schema, "minItems", json_integer(field->length));
    json_object_set_new(schema, "maxItems", json_integer(field->length));
    return schema;
}

static json_t *field_schema(json_t *defs, const cli_field *field)
{
    const int is_list = field->length > 0 || field->element > 0;
    json_t *schema = is_list ? list_schema(defs, field) : value_schema(defs, field);
    return schema != NULL && may_be_null(field) ? or_null(schema) : schema;
}

/* Adds the record's own keys; parts: schemas of the named records that it embeds. Returns failures. */
static int add_keys(json_t *defs, const vkmm_record *record, json_t *keys, json_t *parts)
{
    int bad = record->schema != NULL ? cli_json_put(keys, "schema", json_pack("{s:s}", "type", "string")) : 0;
    for (uint32_t i = 0; i < record->count; i++) {
        const cli_field *field = &record->fields[i];
        if (field->kind != CLI_FIELD_EMBED)
            bad += cli_json_put(keys, field->key, field_schema(defs, field));
        else if (field->record->name == NULL)
            bad += add_keys(defs, field->record, keys, parts);
        else
            bad += json_array_append_new(parts, record_schema(defs, field->record)) != 0;
    }
    return bad;
}

json_t *record_schema(json_t *defs, const vkmm_record *record)
{
    json_t *parts, *schema, *keys;
    int bad;
    if (json_object_get(defs, record->name) != NULL) return reference(record->name);
    parts = json_array();
    keys = json_object();
    bad = add_keys(defs, record, keys, parts);
    schema = json_pack("{s:s, s:O}", "type", "object", "properties", keys);
    if (json_array_size(parts) > 0) {
        if (json_object_size(keys) > 0) bad += json_array_append(parts, schema) != 0;
        json_decref(schema);
        schema = json_pack("{s:O}", "allOf", parts);
    }
    json_decref(parts);
    json_decref(keys);
    bad += cli_json_put(defs, record->name, schema);
    return bad == 0 ? reference(record->name) : NULL;
}

json_t *bench_schema(void)
{
    static const vkmm_record *const all[] = {&cli_report_record,   &cli_head_line_record, &cli_device_line_record,
                                             &cli_row_line_record, &cli_end_line_record,  &cli_survey_record};
    json_t *defs = json_object(), *any = json_array();
    int bad = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bad += json_array_append_new(any, record_schema(defs, all[i])) != 0;
    return cli_json_done(json_pack("{s:o, s:o}", "oneOf", any, "$defs", defs), bad);
}
