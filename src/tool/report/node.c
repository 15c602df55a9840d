#include "report/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 160 };

cli_node cli_node_root(cli_reading *reading, const json_t *json)
{
    return (cli_node){.json = json, .key = "", .reading = reading};
}

static cli_node node_of(const cli_node *parent, const json_t *json, const char *key, size_t index)
{
    return (cli_node){json_is_null(json) ? NULL : json, parent, key, index, parent->reading};
}

cli_node cli_node_key(const cli_node *parent, const char *key)
{
    return node_of(parent, json_object_get(parent->json, key), key, 0);
}

cli_node cli_node_at(const cli_node *parent, size_t index)
{
    return node_of(parent, json_array_get(parent->json, index), NULL, index);
}

/* "rows[3].time.kernel_ms"; the root is "". */
static void put_path(const cli_node *node, char path[PATH])
{
    if (node->parent != NULL) put_path(node->parent, path);
    if (node->key != NULL)
        vkmm_join(path, PATH, ".", "%.60s", node->key);
    else
        vkmm_join(path, PATH, "", "[%zu]", node->index);
}

int cli_node_fail(const cli_node *node, const char *format, ...)
{
    char path[PATH] = "", *sentence = node->reading->sentence;
    va_list arguments;
    int used;
    if (sentence[0] != '\0') return 0;
    put_path(node, path);
    used = snprintf(sentence, CLI_SENTENCE, "%s ", path[0] != '\0' ? path : "it");
    va_start(arguments, format);
    vsnprintf(sentence + used, CLI_SENTENCE - (size_t)used, format, arguments);
    va_end(arguments);
    return 0;
}

static const char *kind_of(const json_t *json)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "a string", [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",    [JSON_FALSE] = "false",     [JSON_NULL] = "null"};
    return kinds[json != NULL ? json_typeof(json) : JSON_NULL];
}

static int is_wrong(const cli_node *node, const char *wanted)
{
    return cli_node_fail(node, "is %s, not %s", kind_of(node->json), wanted);
}

int cli_node_is_object(const cli_node *node, int needed)
{
    if (node->json == NULL) return needed ? cli_node_fail(node, "is missing") : 0;
    return json_is_object(node->json) ? 1 : is_wrong(node, "an object");
}

int cli_node_is_list(const cli_node *node, size_t most)
{
    if (node->json == NULL) return 0;
    if (!json_is_array(node->json)) return is_wrong(node, "a list");
    if (json_array_size(node->json) > most)
        return cli_node_fail(node, "has %zu entries; at most %zu are read", json_array_size(node->json), most);
    return 1;
}

void cli_node_signed(const cli_node *node, double *value)
{
    if (node->json == NULL) return;
    if (json_is_number(node->json))
        *value = json_number_value(node->json);
    else
        is_wrong(node, "a number");
}

void cli_node_number(const cli_node *node, double most, double *value)
{
    double number = 0;
    cli_node_signed(node, &number);
    if (!json_is_number(node->json)) return;
    if (!(number >= 0 && number <= most))
        cli_node_fail(node, "is %.9g; it must lie between 0 and %.9g", number, most);
    else
        *value = number;
}

void cli_node_integer(const cli_node *node, uint64_t most, uint64_t *value)
{
    /* 2^64 - 1 has nine digits in a report, which may round it up. */
    const double nearly = 1.8446745e19, real = json_number_value(node->json);
    uint64_t whole;
    if (node->json == NULL) return;
    if (!json_is_number(node->json)) {
        is_wrong(node, "a number");
        return;
    }
    if (real < 0 || real > nearly || real != floor(real)) {
        cli_node_fail(node, "is %.9g; it must be a non-negative integer", real);
        return;
    }
    if (json_is_integer(node->json))
        whole = (uint64_t)json_integer_value(node->json);
    else
        whole = real < 18446744073709551616.0 ? (uint64_t)real : UINT64_MAX;
    if (whole > most)
        cli_node_fail(node, "is %llu; the maximum is %llu", (unsigned long long)whole, (unsigned long long)most);
    else
        *value = whole;
}

void cli_node_truth(const cli_node *node, int *value)
{
    if (node->json == NULL) return;
    if (json_is_boolean(node->json))
        *value = json_is_true(node->json);
    else
        is_wrong(node, "true or false");
}

void cli_node_text(const cli_node *node, char *text, size_t size)
{
    const char *value = json_string_value(node->json);
    size_t length;
    if (node->json == NULL) return;
    if (value == NULL) {
        is_wrong(node, "a string");
        return;
    }
    length = strlen(value);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)value[length] & 0xc0) == 0x80) length--;
    }
    memcpy(text, value, length);
    text[length] = '\0';
}
