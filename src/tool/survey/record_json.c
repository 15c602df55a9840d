#include "survey/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/read.h"
#include "report/records.h"
#include "report/json.h"

enum { MOST_SAMPLES = 40 };

static json_t *put_part(const void *member)
{
    json_t *part = *(json_t *const *)member;
    return part != NULL ? json_deep_copy(part) : json_null();
}

#define PART(member) CLI_KEY(CUSTOM, cli_survey, member), .put = put_part

static const cli_field fields[] = {
    {PART(device)},
    {PART(doctor)},
    {PART(check)},
    {PART(peak)},
    {PART(pipelines)},
    {PART(tunes)},
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_survey, bench), .record = &cli_report_body_record},
};
const vkmm_record cli_survey_record = {"record", CLI_FIELDS(fields), .schema = CLI_RECORD_SCHEMA};

/* ---- nothing personal ---- */

/* Keys whose values name this machine, this GPU among those of its model, or the user's files. */
static int is_personal(const char *key)
{
    static const char *const keys[] = {"uuid", "driver_uuid", "pci", "command"};
    for (size_t i = 0; i < VKMM_COUNT(keys); i++)
        if (strcmp(key, keys[i]) == 0) return 1;
    return 0;
}

/* The length of a path that begins here: "/home/…", "~/…", "C:\…", "C:/…", "\\server\…"; 0: none does. A path in quotes
 * may contain spaces. */
static size_t path_length(const char *text, const char *at)
{
    const char quote[2] = {at > text && (at[-1] == '\'' || at[-1] == '"') ? at[-1] : '\0', '\0'};
    const int begins = at == text || strchr(" '\"(=:,", at[-1]) != NULL,
              is_path = (at[0] == '/' && at[1] != '\0' && at[1] != ' ') || (at[0] == '~' && at[1] == '/') ||
                        (at[0] == '\\' && at[1] == '\\') ||
                        (at[0] != '\0' && at[1] == ':' && (at[2] == '\\' || at[2] == '/'));
    return begins && is_path ? strcspn(at, quote[0] != '\0' ? quote : " '\"),;") : 0;
}

/* Replaces the paths in a sentence. 0 if memory runs out. */
static int hide_paths(json_t *string)
{
    static const char instead[] = "(path)";
    const char *text = json_string_value(string), *at = text;
    char *clean = malloc(strlen(text) * sizeof instead + 1), *end = clean;
    int fine;
    if (clean == NULL) return 0;
    while (*at != '\0') {
        const size_t length = path_length(text, at);
        if (length > 0) {
            memcpy(end, instead, sizeof instead - 1);
            end += sizeof instead - 1;
            at += length;
        } else {
            *end++ = *at++;
        }
    }
    *end = '\0';
    fine = json_string_set(string, clean) == 0;
    free(clean);
    return fine;
}

/* Removes everything personal; returns failures. */
static int depersonalize(json_t *json)
{
    json_t *value;
    const char *key;
    int bad = 0;
    if (json_is_string(json)) return !hide_paths(json);
    for (size_t i = 0; i < json_array_size(json); i++) bad += depersonalize(json_array_get(json, i));
    json_object_foreach(json, key, value)
    {
        bad += is_personal(key) ? json_object_set_new(json, key, json_null()) != 0 : depersonalize(value);
    }
    return bad;
}

/* ---- fewer samples ---- */

/* Keeps at most `most` samples of a series, evenly spaced within each round. ends: where its rounds end, adjusted;
 * NULL: it has no rounds. Returns failures. */
static int thin_series(json_t *series, json_t *ends, size_t most)
{
    const json_t *samples = json_object_get(series, "samples");
    const size_t rounds = json_array_size(ends), share = rounds == 0 ? most : most > rounds ? most / rounds : 1;
    json_t *kept = json_array();
    int bad = 0;
    for (size_t i = 0, first = 0, end; i == 0 || i < rounds; i++, first = end) {
        end = rounds > 0 ? (size_t)json_integer_value(json_array_get(ends, i)) : json_array_size(samples);
        const size_t count = end - first, some = count < share ? count : share;
        for (size_t j = 0; j < some; j++)
            bad += json_array_append(kept, json_array_get(samples, first + j * count / some)) != 0;
        if (rounds > 0) bad += json_array_set_new(ends, i, json_integer((json_int_t)json_array_size(kept))) != 0;
    }
    return bad + (json_object_set_new(series, "samples", kept) != 0);
}

static int thin_rows(json_t *rows, size_t most)
{
    int bad = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *time = json_object_get(json_array_get(rows, i), "time"), *series;
        const char *key;
        json_object_foreach(time, key, series)
        {
            const int is_kernel = strcmp(key, "kernel_ms") == 0;
            if (!json_is_object(series)) continue;
            bad += thin_series(series, is_kernel ? json_object_get(time, "round_ends") : NULL,
                               is_kernel || most < 4 ? most : most / 4);
        }
    }
    return bad;
}

json_t *cli_survey_json(const cli_survey *survey, uint32_t most_samples)
{
    json_t *json = cli_record_json(&cli_survey_record, survey);
    if (json == NULL) return NULL;
    return cli_json_done(json, depersonalize(json) + thin_rows(json_object_get(json, "rows"), most_samples));
}

/* Releases the JSON; NULL: memory ran out. */
static char *text_of(json_t *json)
{
    char *text = json != NULL ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(json);
    return text;
}

/* The text with the figures of the samples that are left, as every reader will compute them. */
static char *thinned_text(const cli_survey *survey, uint32_t most)
{
    char *text = text_of(cli_survey_json(survey, most));
    cli_reports reports = {0};
    cli_survey read = *survey;
    if (text != NULL && cli_reports_parse("the record", text, strlen(text), &reports) == VKMM_OK) {
        read.bench = reports.benches[0];
        free(text);
        text = text_of(cli_survey_json(&read, most));
    }
    cli_reports_free(&reports);
    return text;
}

char *cli_survey_text(const cli_survey *survey, size_t *bytes)
{
    char *text = NULL;
    for (uint32_t most = MOST_SAMPLES; most > 0; most /= 2) {
        free(text);
        text = thinned_text(survey, most);
        if (text == NULL) return NULL;
        *bytes = strlen(text);
        text[(*bytes)++] = '\n'; /* in place of the 0 that ends it */
        if (*bytes <= CLI_MOST_RECORD) break;
    }
    return text;
}
