/* One word per result, for scripts: GFLOP/s, or why there is none; and the types, if sums have fewer bits than what is
 * summed, or the method. */
#include <math.h>
#include <string.h>

#include "math/problem.h"
#include "math/type.h"
#include "report/report.h"

static vkmm_status quiet_row(cli_report *report, const cli_bench_row *row)
{
    const int rounds =
        row->problem.method != VKMM_COMPUTE_DIRECT ||
        vkmm_type_of(vkmm_problem_compute(&row->problem))->bytes < vkmm_type_of(row->problem.type)->bytes;
    if (row->not_run[0] != '\0')
        fputs("skipped\n", report->out);
    else if (strcmp(row->method, "none") == 0)
        fputs("unverified\n", report->out);
    else if (!row->passed)
        fputs("wrong\n", report->out);
    else if (!isfinite(row->figures.gflops))
        fputs("empty\n", report->out);
    else
        fprintf(report->out, "%s%s%s\n", CLI_FIGURE(row->figures.gflops), rounds ? " " : "",
                rounds ? cli_text_type(&row->problem, report->utf8) : "");
    return VKMM_OK;
}

const cli_writer cli_quiet_writer = {"quiet", .run = quiet_row};
