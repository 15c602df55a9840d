#include "schema.h"

#include "report/document_records.h"
#include "report/json.h"

static json_t *reference(const char *name)
{
    return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

static json_t *words_schema(const vkmm_words *words)
{
    json_t *list;
    int bad = 0;

    if (words->name != NULL) return json_pack("{s:s}", "type", "string");
    list = json_array();
    for (uint32_t i = words->first; i < words->count; i++)
        bad += json_array_append_new(list, json_string(words->word(i))) != 0;
    return bad > 0 ? vkmm_json_done(list, bad) : json_pack("{s:o}", "enum", list);
}

/* Schema of one value, or of one entry of a list; does not allow null. */
static json_t *value_schema(json_t *defs, const vkmm_field *field)
{
    switch (field->kind) {
    case VKMM_FIELD_U32:
        return json_pack("{s:s,s:i,s:I}", "type", "integer", "minimum", 0, "maximum",
                         field->most > 0 ? (json_int_t)field->most : (json_int_t)UINT32_MAX);
    case VKMM_FIELD_U64:
        return json_pack("{s:s,s:i}", "type", "integer", "minimum", 0);
    case VKMM_FIELD_REAL:
        return (field->flags & VKMM_SIGNED) ? json_pack("{s:s}", "type", "number")
                                            : json_pack("{s:s,s:i}", "type", "number", "minimum", 0);
    case VKMM_FIELD_TRUTH:
        return json_pack("{s:s}", "type", "boolean");
    case VKMM_FIELD_WORD:
        return words_schema(field->words);
    case VKMM_FIELD_RECORD:
    case VKMM_FIELD_EMBED:
        return record_schema(defs, field->record);
    case VKMM_FIELD_CUSTOM:
        return json_object();
    default:
        return json_pack("{s:s}", "type", "string");
    }
}

static int may_be_null(const vkmm_field *field)
{
    const int is_list = field->length > 0 || field->element > 0;

    if ((field->flags & VKMM_OMIT) || field->kind == VKMM_FIELD_CUSTOM) return 0; /* a custom schema says it itself */
    if ((field->flags & (VKMM_MAYBE | VKMM_POINTER)) || field->known != NULL) return 1;
    if (is_list) return 0;
    return field->kind == VKMM_FIELD_REAL || field->kind == VKMM_FIELD_OWNED || field->kind == VKMM_FIELD_STRING ||
           (field->kind == VKMM_FIELD_RECORD && field->record->known != NULL);
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

static json_t *list_schema(json_t *defs, const vkmm_field *field)
{
    vkmm_field entry = *field;
    json_t *items, *schema;

    entry.flags &= ~(uint32_t)VKMM_MAYBE;
    items = value_schema(defs, &entry);
    if (field->element == 0 && field->kind == VKMM_FIELD_REAL) items = or_null(items);
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

static json_t *field_schema(json_t *defs, const vkmm_field *field)
{
    const int is_list = field->length > 0 || field->element > 0;
    json_t *schema = is_list ? list_schema(defs, field) : value_schema(defs, field);

    return schema != NULL && may_be_null(field) ? or_null(schema) : schema;
}

/* Adds the record's own keys; parts: schemas of the named records that it embeds. Returns failures. */
static int add_keys(json_t *defs, const vkmm_record *record, json_t *keys, json_t *parts)
{
    int bad = record->schema != NULL ? vkmm_json_put(keys, "schema", json_pack("{s:s}", "type", "string")) : 0;

    for (uint32_t i = 0; i < record->count; i++) {
        const vkmm_field *field = &record->fields[i];
        if (field->kind != VKMM_FIELD_EMBED)
            bad += vkmm_json_put(keys, field->key, field_schema(defs, field));
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
    bad += vkmm_json_put(defs, record->name, schema);
    return bad == 0 ? reference(record->name) : NULL;
}

json_t *bench_schema(void)
{
    static const vkmm_record *const all[] = {&vkmm_report_record,   &vkmm_head_line_record, &vkmm_device_line_record,
                                             &vkmm_row_line_record, &vkmm_tune_line_record, &vkmm_end_line_record};
    json_t *defs = json_object(), *any = json_array();
    int bad = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bad += json_array_append_new(any, record_schema(defs, all[i])) != 0;
    return vkmm_json_done(json_pack("{s:o, s:o}", "oneOf", any, "$defs", defs), bad);
}
