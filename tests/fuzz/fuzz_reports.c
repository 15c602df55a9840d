/* Any bytes as the file of a bench report, for the parser alone, which is many times faster than fuzz_bench.c with
 * all writers: it refuses them with one sentence, or gives a report as report/result.h promises. The dictionary has
 * the keys. Documents of other commands are shown in every format. */
#include "fuzz_bench.h"

#include "fuzz.h"
#include "report/json.h"

/* As `vkmatmul report` shows what another command wrote. */
static void show(const char *text, size_t bytes)
{
    const cli_report report = {.out = fopen("/dev/null", "w"), .command = ""};
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    const char *schema = json_string_value(json_object_get(document, "schema"));
    for (int i = 0; schema != NULL && cli_document_has_rows(schema) && i < 3; i++)
        if ((i == 0   ? cli_csv_document
             : i == 1 ? cli_md_document
                      : cli_junit_document)(&report, json_incref(document)) != VKMM_OK)
            abort();
    json_decref(document);
    fclose(report.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    unsigned errors = 0;
    const vkmm_log log = {fuzz_hear, &errors};
    cli_reports reports = {0};
    fuzz_judge(vkmm_tell(&log, cli_reports_parse("fuzz", data, bytes, &reports)), &errors);
    for (uint32_t i = 0; i < reports.count; i++) fuzz_bench_check(&reports.benches[i]);
    cli_reports_free(&reports);
    show((const char *)data, bytes);
    return 0;
}
