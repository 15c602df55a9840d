/* Records as lines of CSV. */
#include <stdlib.h>
#include <string.h>

#include "report/record.h"

static void put_text(FILE *out, const char *text)
{
    const char *guard = text[0] != '\0' && strchr("=+-@", text[0]) != NULL ? "'" : "";
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fprintf(out, "%s%s", guard, text);
        return;
    }
    fprintf(out, "\"%s", guard);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"') putc('"', out);
        putc(*c, out);
    }
    putc('"', out);
}

static void put_value(FILE *out, const json_t *value)
{
    if (json_is_string(value))
        put_text(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.10g", json_real_value(value));
    else if (json_is_array(value))
        fprintf(out, "%zu", json_array_size(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
}

static const json_t *value_at(const json_t *record, const char *path)
{
    const json_t *json = record;
    char key[64];
    while (*path != '\0' && *path != '|') {
        const size_t length = strcspn(path, ".|");
        VKMM_PUT(key, "%.*s", (int)length, path);
        json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10)) : json_object_get(json, key);
        path += length + (path[length] == '.');
    }
    return *path == '|' && (json == NULL || json_is_null(json)) ? value_at(record, path + 1) : json;
}

void cli_csv_header(FILE *out, const cli_csv_column *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *dot = strrchr(columns[i].path, '.');
        const char *key = dot != NULL ? dot + 1 : columns[i].path;
        fprintf(out, "%s%s", i > 0 ? "," : "", columns[i].name != NULL ? columns[i].name : key);
    }
    fputs("\r\n", out);
}

int cli_csv_line(FILE *out, const cli_csv_column *columns, uint32_t count, json_t *json)
{
    for (uint32_t i = 0; i < count && json != NULL; i++) {
        const char *only = columns[i].only;
        const json_t *needed = only != NULL ? value_at(json, only) : json;
        if (i > 0) putc(',', out);
        if (needed != NULL && !json_is_null(needed)) put_value(out, value_at(json, columns[i].path));
    }
    fputs("\r\n", out);
    json_decref(json);
    return json != NULL;
}
