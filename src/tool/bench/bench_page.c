#include "bench/compare.h"
#include "report/records.h"
#include "report/json.h"
#include "report/text.h"

/* The names of a problem on the terminal, so that the page uses the same. */
static json_t *names_of(const json_t *problem)
{
    char rest[CLI_TEXT_DIFFERENCE], sentence[CLI_SENTENCE];
    vkmm_problem read;
    if (!cli_record_parse(problem, &cli_problem_record, &read, sentence)) return NULL;
    cli_text_difference(rest, sizeof rest, &read);
    return json_pack("{s:s, s:s, s:s}", "type", cli_text_type(&read, 1), "size", CLI_NAME(&read, 1), "rest", rest);
}

/* Names every problem of a document; returns failures. */
static int name_problems(json_t *json)
{
    json_t *problem = json_object_get(json, "problem"), *value;
    int bad = json_is_object(problem) ? cli_json_put(problem, "names", names_of(problem)) : 0;
    const char *key;
    json_object_foreach(json, key, value)
    {
        bad += name_problems(value);
    }
    for (size_t i = 0; i < json_array_size(json); i++) bad += name_problems(json_array_get(json, i));
    return bad;
}

/* The reports, the contenders with their unique labels, and the comparison; null if no row is shared. */
static json_t *data_of(const cli_report *report, const cli_reports *from)
{
    cli_comparison comparison = {.report = report, .reports = *from, .regression = -1};
    json_t *data = json_object(), *reports = json_array(), *contenders = json_array();
    int bad = cli_comparison_make(&comparison) != VKMM_OK;
    for (uint32_t i = 0; i < from->count; i++)
        bad += cli_json_add(reports, json_pack("{s:o, s:o}", "name", cli_json_known_text(from->benches[i].name),
                                               "report", cli_record_json(&cli_report_record, &from->benches[i])));
    for (uint32_t i = 0; i < comparison.count; i++) {
        const cli_contender *who = &comparison.contenders[i];
        bad += cli_json_add(contenders, json_pack("{s:i, s:i, s:o}", "report", (int)(who->bench - from->benches),
                                                  "device", (int)who->device, "label", cli_json_of_text(who->label)));
    }
    bad += cli_json_put(data, "tool", cli_record_json(&cli_tool_record, report));
    bad += cli_json_put(data, "reports", reports);
    bad += cli_json_put(data, "contenders", contenders);
    bad += cli_json_put(data, "comparison", comparison.row_count > 0 ? cli_comparison_json(&comparison) : json_null());
    if (bad == 0) bad += name_problems(data);
    cli_comparison_free(&comparison);
    return cli_json_done(data, bad);
}

char *cli_bench_page_json(const cli_report *report, const cli_reports *reports)
{
    json_t *data = data_of(report, reports);
    char *text = data != NULL ? json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(data);
    return text;
}
