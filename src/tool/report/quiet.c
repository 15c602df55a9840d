/* One word a result, for scripts: GFLOP/s, or why there is no such figure; and the types, where sums are of fewer
 * bits than what is summed. */
#include <math.h>
#include <string.h>
#include "math/type.h"
#include "report/text.h"
#include "report/writers.h"

static vkmm_status write_row(vkmm_report *report, const vkmm_bench_row *row)
{
    char figure[32];
    const int rounds =
        vkmm_type_of(vkmm_problem_compute(&row->problem))->bytes < vkmm_type_of(row->problem.type)->bytes;

    if (row->not_run[0] != '\0')
        fputs("skipped\n", report->out);
    else if (strcmp(row->method, "none") == 0)
        fputs("unverified\n", report->out);
    else if (!row->passed)
        fputs("wrong\n", report->out);
    else if (!isfinite(row->figures.gflops))
        fputs("empty\n", report->out);
    else {
        vkmm_text_figure(figure, sizeof figure, row->figures.gflops);
        fprintf(report->out, "%s%s%s\n", figure, rounds ? " " : "",
                rounds ? vkmm_text_type(&row->problem, report->utf8) : "");
    }
    return VKMM_OK;
}

static vkmm_status write_ladder(vkmm_report *report, const vkmm_ladder *ladder)
{
    for (uint32_t i = 0; i < ladder->count; i++) write_row(report, &ladder->rows[i]);
    return VKMM_OK;
}

const vkmm_writer vkmm_writer_quiet = {"quiet", write_row, NULL, write_ladder};
