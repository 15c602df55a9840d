/* make_report json SPEED: the sample report (harness/make_bench.h) as JSON on stdout, for tests to change and to show.
 * make_report memory: the page of two samples, while allocations fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "make_bench.h"
#include "bench/compare.h"

static cli_report report = {
    .version = "0.1.0", .shader_hash = "0123456789abcdef", .command = "vkmatmul report", .utf8 = 1};

/* Allocations fail, more and more of them apart: nothing but VKMM_OUT_OF_MEMORY comes of it, or a page with a figure
 * less (an interval). */
static int survives(cli_bench benches[2])
{
    for (uint64_t n = 1;; n += 1 + n / 4) {
        char *page = NULL;
        size_t bytes = 0;
        vkmm_alloc_fail_after(n);
        const vkmm_status status = cli_bench_page(&report, &(cli_reports){benches, 2}, &page, &bytes);
        vkmm_alloc_fail_after(0);
        if ((status == VKMM_OK) != (page != NULL) || (status != VKMM_OK && status != VKMM_OUT_OF_MEMORY)) return 0;
        vkmm_free(page);
        if (n > 100000) return status == VKMM_OK; /* past the last allocation */
    }
}

int main(int argc, char **argv)
{
    cli_bench benches[2] = {{.name = "new.json"}, {.name = "old.json"}};
    int ok;

    make_bench(&benches[0], argc > 2 ? atof(argv[2]) : 1, 0.02);
    make_bench(&benches[1], 0.9, 0.02);
    report.out = stdout;
    if (argc > 1 && strcmp(argv[1], "memory") == 0)
        ok = survives(benches);
    else
        ok = cli_bench_write(cli_writer_find("json"), &report, &benches[0]) == VKMM_OK;
    cli_bench_free(&benches[0]);
    cli_bench_free(&benches[1]);
    return ok && fflush(stdout) == 0 ? 0 : 1;
}
