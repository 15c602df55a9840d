/* One word a result, for scripts: GFLOP/s, or why there is no such figure. */
#include <string.h>
#include "report/text.h"
#include "report/writers.h"

static vkmm_status write_row(vkmm_report *report, const vkmm_row *row)
{
    char figure[32];

    if (row->skipped != NULL)
        fputs("skipped\n", report->out);
    else if (strcmp(row->verify.method, "none") == 0)
        fputs("unverified\n", report->out);
    else if (!row->verify.passed)
        fputs("wrong\n", report->out);
    else if (!row->timed)
        fputs("empty\n", report->out);
    else {
        vkmm_text_figure(figure, sizeof figure, row->gflops);
        fprintf(report->out, "%s\n", figure);
    }
    return VKMM_OK;
}

static vkmm_status write_ladder(vkmm_report *report, const vkmm_ladder *ladder)
{
    for (size_t i = 0; i < ladder->count; i++) write_row(report, &ladder->rows[i]);
    return VKMM_OK;
}

const vkmm_writer vkmm_writer_quiet = {"quiet", write_row, NULL, write_ladder, NULL, .race = NULL};
