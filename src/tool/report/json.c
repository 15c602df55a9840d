/* JSON Lines: one compact object a result, so that one result is plain JSON. */
#include "math/type.h"
#include "report/json.h"
#include "report/records.h"
#include "report/writers.h"

vkmm_status vkmm_json_line(const vkmm_report *report, json_t *object)
{
    if (object == NULL) return VKMM_OUT_OF_MEMORY;
    /* A failed write shows in vkmm_report_flush: the stream remembers it. */
    (void)json_dumpf(object, report->out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(object);
    putc('\n', report->out);
    return VKMM_OK;
}

static vkmm_status write_row(vkmm_report *report, const vkmm_bench_row *row)
{
    const vkmm_result result = {report, row};

    return vkmm_json_line(report, vkmm_record_json(&vkmm_run_record, &result));
}

static vkmm_status write_ladder(vkmm_report *report, const vkmm_ladder *ladder)
{
    const vkmm_ladder_result result = {report, ladder};

    return vkmm_json_line(report, vkmm_record_json(&vkmm_ladder_record, &result));
}

const vkmm_writer vkmm_writer_json = {"json", write_row, NULL, write_ladder, .tune = vkmm_json_tune};
