/* The JSON Schema of records: what their tables promise to readers of other programs. */
#include <string.h>

#include "report/json.h"
#include "report/record.h"

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

/* Of one value, or of one entry of a list; never null. */
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
        return vkmm_record_schema(defs, field->record);
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

static int add_json(json_t *schema, const char *text)
{
    json_t *more = text != NULL ? json_loads(text, 0, NULL) : NULL;
    int bad = text != NULL && (more == NULL || json_object_update(schema, more) != 0);

    json_decref(more);
    return bad;
}

static json_t *field_schema(json_t *defs, const vkmm_field *field)
{
    const int is_list = field->length > 0 || field->element > 0;
    json_t *schema = is_list ? list_schema(defs, field) : value_schema(defs, field);
    int bad;

    if (schema != NULL && may_be_null(field)) schema = or_null(schema);
    bad = schema == NULL || add_json(schema, field->schema);
    if (field->about != NULL) bad += vkmm_json_put(schema, "description", json_string(field->about));
    return vkmm_json_done(schema, bad);
}

/* "vkmatmul.bench/1" and its later second numbers. */
static json_t *name_schema(const char *schema)
{
    char pattern[128] = "^";
    size_t used = 1;

    for (const char *c = schema; *c != '\0' && used < 100; c++) {
        if (*c == '.') pattern[used++] = '\\';
        pattern[used++] = *c;
    }
    memcpy(pattern + used, "(\\.[0-9]+)?$", sizeof "(\\.[0-9]+)?$");
    return json_pack("{s:s,s:s}", "type", "string", "pattern", pattern);
}

/* Adds the record's own keys; parts: schemas of the named records that it embeds. Returns failures. */
static int add_keys(json_t *defs, const vkmm_record *record, json_t *keys, json_t *required, json_t *parts)
{
    int bad = 0;

    if (record->schema != NULL) {
        bad += vkmm_json_put(keys, "schema", name_schema(record->schema));
        bad += json_array_append_new(required, json_string("schema")) != 0;
    }
    for (uint32_t i = 0; i < record->count; i++) {
        const vkmm_field *field = &record->fields[i];
        if (field->kind == VKMM_FIELD_EMBED) {
            if (field->record->name == NULL)
                bad += add_keys(defs, field->record, keys, required, parts);
            else
                bad += json_array_append_new(parts, vkmm_record_schema(defs, field->record)) != 0;
            continue;
        }
        bad += vkmm_json_put(keys, field->key, field_schema(defs, field));
        if (!(field->flags & (VKMM_OPTIONAL | VKMM_OMIT)))
            bad += json_array_append_new(required, json_string(field->key)) != 0;
    }
    return bad;
}

static json_t *own_schema(json_t *defs, const vkmm_record *record, json_t *parts)
{
    json_t *schema = json_pack("{s:s}", "type", "object"), *keys = json_object(), *required = json_array();
    int bad = add_keys(defs, record, keys, required, parts);

    bad += vkmm_json_put(schema, "properties", keys);
    bad += vkmm_json_put(schema, "required", required);
    bad += add_json(schema, record->rules);
    return vkmm_json_done(schema, bad);
}

json_t *vkmm_record_schema(json_t *defs, const vkmm_record *record)
{
    json_t *parts, *schema;
    int bad;

    if (json_object_get(defs, record->name) != NULL) return reference(record->name);
    parts = json_array();
    schema = own_schema(defs, record, parts);
    if (json_array_size(parts) > 0 && schema != NULL) {
        bad = json_object_size(json_object_get(schema, "properties")) > 0 && json_array_append(parts, schema) != 0;
        json_decref(schema);
        schema = bad ? NULL : json_pack("{s:O}", "allOf", parts);
    }
    json_decref(parts);
    bad = schema == NULL;
    if (record->title != NULL) bad += vkmm_json_put(schema, "title", json_string(record->title));
    if (record->about != NULL) bad += vkmm_json_put(schema, "description", json_string(record->about));
    schema = vkmm_json_done(schema, bad);
    return vkmm_json_put(defs, record->name, schema) == 0 ? reference(record->name) : NULL;
}
