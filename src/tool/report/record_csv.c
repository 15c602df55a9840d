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

const char *cli_record_text(const json_t *record, const char *path, char number[40])
{
    const json_t *value = value_at(record, path);
    if (json_is_string(value)) return json_string_value(value);
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    number[0] = '\0';
    if (json_is_integer(value))
        snprintf(number, 40, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(number, 40, "%.10g", json_real_value(value));
    else if (json_is_array(value))
        snprintf(number, 40, "%zu", json_array_size(value));
    return number;
}

const char *cli_csv_name(const cli_csv_column *column)
{
    const char *dot = strrchr(column->path, '.');
    return column->name != NULL ? column->name : dot != NULL ? dot + 1 : column->path;
}

void cli_csv_header(FILE *out, const cli_csv_column *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) fprintf(out, "%s%s", i > 0 ? "," : "", cli_csv_name(&columns[i]));
    fputs("\r\n", out);
}

int cli_csv_line(FILE *out, const cli_csv_column *columns, uint32_t count, json_t *json)
{
    char number[40];
    for (uint32_t i = 0; i < count && json != NULL; i++) {
        const char *only = columns[i].only;
        const json_t *needed = only != NULL ? value_at(json, only) : json;
        if (i > 0) putc(',', out);
        if (needed == NULL || json_is_null(needed)) continue;
        const int is_text = json_is_string(value_at(json, columns[i].path));
        const char *text = cli_record_text(json, columns[i].path, number);
        if (is_text)
            put_text(out, text);
        else
            fputs(text, out);
    }
    fputs("\r\n", out);
    json_decref(json);
    return json != NULL;
}
