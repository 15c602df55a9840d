#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/alloc.h"
#include "report/json.h"
#include "report/records.h"

vkmm_status cli_json_line(const cli_report *report, json_t *object)
{
    if (object == NULL) return VKMM_OUT_OF_MEMORY;
    /* A failed write shows in cli_report_flush: the stream remembers it. */
    (void)json_dumpf(object, report->out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(object);
    putc('\n', report->out);
    return VKMM_OK;
}

int cli_json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) != 0;
}

int cli_json_add(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) != 0;
}

json_t *cli_json_done(json_t *object, int failures)
{
    if (failures == 0) return object;
    json_decref(object);
    return NULL;
}

json_t *cli_json_of_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_integer(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *cli_json_of_text(const char *text)
{
    const size_t room = text != NULL ? 4 * strlen(text) + 1 : 0; /* a byte becomes \xNN at most */
    char few[512], *clean = room > sizeof few ? vkmm_alloc(room, 1) : few;
    json_t *json;
    if (text == NULL || clean == NULL) return text == NULL ? json_null() : NULL;
    vkmm_clean(clean, room, text);
    json = json_string(clean);
    if (clean != few) vkmm_free(clean);
    return json;
}

json_t *cli_json_known_text(const char *text)
{
    return text[0] != '\0' ? cli_json_of_text(text) : json_null();
}

/* The host's processor has the same keys, with null for what only a Vulkan device has. */
json_t *cli_json_device(const vkmm_device_info *info, const char *host)
{
    cli_bench_device device;
    cli_bench_device_of(&device, info, host);
    return cli_record_json(&cli_identity_record, &device);
}

json_t *cli_json_document(const cli_report *report, const char *schema, const vkmm_device_info *device,
                          const char *host, json_t *rest)
{
    json_t *object = json_pack("{s:s,s:o,s:o}", "schema", schema, "tool", cli_record_json(&cli_tool_record, report),
                               "device", cli_json_device(device, host));
    const int bad = json_object_update(object, rest) != 0;
    json_decref(rest);
    return cli_json_done(object, bad);
}

json_t *cli_json_run(const cli_report *report, const cli_bench_row *row)
{
    return cli_json_document(report, "vkmatmul.run/1", row->on, row->host, cli_record_json(&cli_run_record, row));
}

/* "<" occurs in JSON only in strings, where an escape replaces it: no string can then contain </script> or <!--. */
vkmm_status cli_page_make(const cli_template *around, const char *json, char **page, size_t *bytes)
{
    static const char less[] = {'\\', 'u', '0', '0', '3', 'c'};
    size_t whole = around->head_bytes + strlen(json) + around->tail_bytes;
    char *at;
    for (const char *c = json; *c != '\0'; c++) whole += *c == '<' ? sizeof less - 1 : 0;
    at = *page = vkmm_alloc(whole + 1, 1);
    *bytes = at != NULL ? whole : 0;
    if (at == NULL) return VKMM_OUT_OF_MEMORY;
    memcpy(at, around->head, around->head_bytes);
    at += around->head_bytes;
    for (; *json != '\0'; json++) {
        const int is_less = *json == '<';
        memcpy(at, is_less ? less : json, is_less ? sizeof less : 1);
        at += is_less ? sizeof less : 1;
    }
    memcpy(at, around->tail, around->tail_bytes);
    return VKMM_OK;
}
