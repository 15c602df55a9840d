/* Records as JSON, written and read. */
#include "report/record.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/json.h"

enum { MOST_VIEW = 512 }; /* bytes of a copy that is shown */

static size_t element_of(const cli_field *field)
{
    return field->element > 0 ? field->element : field->length > 0 ? field->size / field->length : field->size;
}

static const void *pointer_at(const void *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static uint32_t *count_of(const cli_field *field, const void *record)
{
    return (uint32_t *)((uintptr_t)record + field->count);
}

/* ---- writing ---- */

static json_t *word_json(const cli_field *field, const void *at)
{
    const uint32_t value = *(const uint32_t *)at;
    char text[32];
    if (field->words->name != NULL) return json_string(field->words->name(value, text));
    return value >= field->words->first && value < field->words->count ? json_string(field->words->word(value))
                                                                       : json_null();
}

static json_t *real_json(const cli_field *field, double value)
{
    return (field->flags & CLI_MAYBE) && !(value > 0) ? json_null() : cli_json_of_number(value);
}

static json_t *whole_json(const cli_field *field, uint64_t value)
{
    return (field->flags & CLI_MAYBE) && value == 0 ? json_null() : cli_json_integer(value);
}

static json_t *text_json(const cli_field *field, const char *text)
{
    return (field->flags & CLI_MAYBE) && text != NULL ? cli_json_known_text(text) : cli_json_of_text(text);
}

/* One value, or one entry of an array. */
static json_t *value_json(const cli_field *field, const void *at)
{
    switch (field->kind) {
    case CLI_FIELD_U32:
        return whole_json(field, *(const uint32_t *)at);
    case CLI_FIELD_U64:
        return whole_json(field, *(const uint64_t *)at);
    case CLI_FIELD_REAL:
        return real_json(field, *(const double *)at);
    case CLI_FIELD_TRUTH:
        return json_boolean(*(const int *)at != 0);
    case CLI_FIELD_TEXT:
        return text_json(field, at);
    case CLI_FIELD_STRING:
    case CLI_FIELD_OWNED:
        return text_json(field, pointer_at(at));
    case CLI_FIELD_WORD:
        return word_json(field, at);
    default:
        return cli_record_json(field->record, at);
    }
}

static json_t *list_json(const cli_field *field, const void *record)
{
    const char *at = (const char *)record + field->offset;
    const uint32_t count = field->element > 0 ? *count_of(field, record) : field->length;
    const size_t size = element_of(field);
    json_t *array = json_array();
    int bad = 0;
    if (field->element > 0 && !(field->flags & CLI_HERE)) at = pointer_at(at);
    for (uint32_t i = 0; i < count; i++) bad += cli_json_add(array, value_json(field, at + i * size));
    return cli_json_done(array, bad);
}

static json_t *field_json(const cli_field *field, const void *record)
{
    const void *at = (const char *)record + field->offset;
    if (field->known != NULL && !field->known(record)) return json_null();
    if (field->kind == CLI_FIELD_CUSTOM) return field->put(at);
    if (field->element > 0) return list_json(field, record);
    if (field->length > 0)
        return (field->flags & CLI_MAYBE) && *(const uint32_t *)at == 0 ? json_null() : list_json(field, record);
    if (field->flags & CLI_POINTER) at = pointer_at(at);
    return at != NULL ? value_json(field, at) : json_null();
}

/* Adds the record's keys; returns failures. */
static int put_fields(json_t *object, const vkmm_record *record, const void *data)
{
    _Alignas(max_align_t) unsigned char shown[MOST_VIEW];
    int bad = 0;
    if (record->show != NULL) {
        assert(record->size > 0 && record->size <= sizeof shown);
        data = memcpy(shown, data, record->size);
        record->show(shown);
    }
    if (record->schema != NULL) bad += cli_json_put(object, "schema", json_string(record->schema));
    for (uint32_t i = 0; i < record->count && bad == 0; i++) {
        const cli_field *field = &record->fields[i];
        json_t *value;
        if (field->kind == CLI_FIELD_EMBED) {
            const void *at = (const char *)data + field->offset;
            const void *inner = (field->flags & CLI_POINTER) ? pointer_at(at) : at;
            if (inner != NULL) bad += put_fields(object, field->record, inner);
            continue;
        }
        value = field_json(field, data);
        if ((field->flags & CLI_OMIT) && json_is_null(value)) continue; /* the constant null is not counted */
        bad += cli_json_put(object, field->key, value);
    }
    return bad;
}

json_t *cli_record_json(const vkmm_record *record, const void *data)
{
    json_t *object;
    if (record->known != NULL && !record->known(data)) return json_null();
    object = json_object();
    return cli_json_done(object, object == NULL || put_fields(object, record, data));
}

double cli_record_figure(const vkmm_record *record, const void *data, const char *path, const cli_field **titled)
{
    const size_t length = strcspn(path, ".");
    const cli_field *field = record->fields;
    while (strncmp(field->key, path, length) != 0 || field->key[length] != '\0') field++;
    assert(field < record->fields + record->count);
    if (field->heading != NULL) *titled = field;
    if (data != NULL && field->known != NULL && !field->known(data)) data = NULL;
    if (data != NULL) data = (const char *)data + field->offset;
    if (path[length] == '.') return cli_record_figure(field->record, data, path + length + 1, titled);
    return data != NULL ? *(const double *)data : NAN;
}

/* ---- reading ---- */

static void read_word(const cli_node *node, const cli_field *field, uint32_t *value)
{
    const cli_field_words *words = field->words;
    char word[64] = "";
    cli_node_text(node, word, sizeof word);
    if (words->parse != NULL && words->parse(word, value)) return;
    for (uint32_t i = words->first; i < words->count; i++)
        if (strcmp(words->word(i), word) == 0) {
            *value = i;
            return;
        }
    cli_node_fail(node, "is \"%s\", which is not a known %s", word, words->what);
}

static void read_owned(const cli_node *node, char **owned)
{
    const char *text = json_string_value(node->json);
    char unused[8], *copy;
    cli_node_text(node, unused, sizeof unused); /* which reports the error */
    if (text == NULL) return;
    copy = vkmm_strdup(text);
    if (copy == NULL) {
        node->reading->out_of_memory = 1;
        return;
    }
    vkmm_free(*owned);
    *owned = copy;
}

static void read_value(const cli_node *node, const cli_field *field, void *at)
{
    uint64_t whole;
    switch (field->kind) {
    case CLI_FIELD_U32:
        whole = *(const uint32_t *)at;
        cli_node_integer(node, field->most > 0 ? (uint64_t)field->most : UINT32_MAX, &whole);
        *(uint32_t *)at = (uint32_t)whole;
        break;
    case CLI_FIELD_U64:
        cli_node_integer(node, field->most > 0 ? (uint64_t)field->most : UINT64_MAX, at);
        break;
    case CLI_FIELD_REAL:
        if (field->flags & CLI_SIGNED)
            cli_node_signed(node, at);
        else
            cli_node_number(node, field->most > 0 ? field->most : (double)INFINITY, at);
        break;
    case CLI_FIELD_TRUTH:
        cli_node_truth(node, at);
        break;
    case CLI_FIELD_TEXT:
        cli_node_text(node, at, element_of(field));
        break;
    case CLI_FIELD_OWNED:
        read_owned(node, at);
        break;
    case CLI_FIELD_WORD:
        read_word(node, field, at);
        break;
    case CLI_FIELD_RECORD:
        cli_record_read(node, field->record, at);
        break;
    default: /* strings are borrowed: they are only written */
        break;
    }
}

/* No entry of an array may be null. */
static void read_entry(const cli_node *entry, const cli_field *field, void *at)
{
    if (entry->json == NULL && field->kind != CLI_FIELD_RECORD)
        cli_node_fail(entry, "is null, not %s", field->kind == CLI_FIELD_TEXT ? "a string" : "a number");
    else
        read_value(entry, field, at);
}

static int is_over(const cli_reading *reading)
{
    return reading->sentence[0] != '\0' || reading->out_of_memory;
}

/* Reads a node as one more entry. */
static void read_list_entry(const cli_node *node, const cli_field *field, void *record)
{
    char *at = (char *)record + field->offset, *entry;
    uint32_t *count = count_of(field, record);
    if (field->flags & CLI_HERE)
        entry = memset(at + (size_t)(*count)++ * field->element, 0, field->element);
    else
        entry = vkmm_list_add(at, count, 1, field->element);
    if (entry == NULL) {
        node->reading->out_of_memory = 1;
        return;
    }
    read_entry(node, field, entry);
}

static void read_list(const cli_node *node, const cli_field *field, void *record)
{
    const size_t found = json_array_size(node->json);
    const uint32_t cost = field->cost;
    size_t most = field->length > 0 ? field->length : SIZE_MAX;
    if (cost > 0 && node->reading->samples_left / cost < most) most = node->reading->samples_left / cost;
    if (!cli_node_is_list(node, most)) return;
    node->reading->samples_left -= cost * (uint32_t)found;
    *count_of(field, record) = 0;
    for (size_t i = 0; i < found && !is_over(node->reading); i++) {
        const cli_node entry = cli_node_at(node, i);
        read_list_entry(&entry, field, record);
    }
}

static void read_array(const cli_node *node, const cli_field *field, void *at)
{
    if (!cli_node_is_list(node, SIZE_MAX)) return;
    if (json_array_size(node->json) != field->length) {
        cli_node_fail(node, "has %zu entries, not %u", json_array_size(node->json), field->length);
        return;
    }
    for (uint32_t i = 0; i < field->length; i++) {
        const cli_node entry = cli_node_at(node, i);
        read_entry(&entry, field, (char *)at + i * element_of(field));
    }
}

static void read_fields(const cli_node *node, const vkmm_record *record, void *data);

static void read_field(const cli_node *object, const cli_field *field, void *record)
{
    cli_node node = cli_node_key(object, field->key);
    void *at = (char *)record + field->offset;
    if (node.json == NULL && field->was != NULL) node = cli_node_key(object, field->was);
    if (field->flags & (CLI_DERIVED | CLI_POINTER)) return;
    if (field->known != NULL && !field->known(record)) return;
    if (field->kind == CLI_FIELD_CUSTOM) {
        if (field->take != NULL) field->take(&node, at);
        return;
    }
    if (node.json == NULL) {
        if (field->flags & CLI_NEEDED) cli_node_fail(&node, "is missing");
        return;
    }
    if (field->element > 0) {
        read_list(&node, field, record);
    } else if (field->length > 0) {
        read_array(&node, field, at);
    } else {
        read_value(&node, field, at);
    }
}

static void read_fields(const cli_node *node, const vkmm_record *record, void *data)
{
    if (record->start != NULL) record->start(data);
    for (uint32_t i = 0; i < record->count && !is_over(node->reading); i++) {
        const cli_field *field = &record->fields[i];
        if (field->kind == CLI_FIELD_EMBED)
            read_fields(node, field->record, (char *)data + field->offset);
        else
            read_field(node, field, data);
    }
    if (record->check != NULL && !is_over(node->reading)) record->check(node, data);
}

void cli_record_read(const cli_node *node, const vkmm_record *record, void *data)
{
    if (cli_node_is_object(node, 1)) read_fields(node, record, data);
}

int cli_record_parse(const json_t *json, const vkmm_record *record, void *data, char sentence[CLI_SENTENCE])
{
    cli_reading reading = {.samples_left = CLI_MOST_SAMPLES};
    const cli_node root = cli_node_root(&reading, json);
    cli_record_read(&root, record, data);
    snprintf(sentence, CLI_SENTENCE, "%s", reading.out_of_memory ? "out of memory" : reading.sentence);
    return sentence[0] == '\0';
}
