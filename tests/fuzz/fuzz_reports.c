/* Any bytes as the file of a bench report, for the parser alone, which is many times faster than fuzz_bench.c with
 * all writers: it refuses them with one sentence, or gives a report as report/result.h promises. The dictionary has
 * the keys. */
#include "fuzz_bench.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    unsigned errors = 0;
    const vkmm_log log = {fuzz_hear, &errors};
    cli_reports reports = {0};
    fuzz_judge(vkmm_tell(&log, cli_reports_parse("fuzz", data, bytes, &reports)), &errors);
    for (uint32_t i = 0; i < reports.count; i++) fuzz_bench_check(&reports.benches[i]);
    cli_reports_free(&reports);
    return 0;
}
