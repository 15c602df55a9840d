/* JSON Lines: one compact object a result, so that one result is plain JSON. */
#include "math/type.h"
#include "report/json.h"
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

json_t *vkmm_json_problem(const vkmm_problem *problem, int typed, uint64_t seed, const char *init)
{
    json_t *object = json_object();
    int bad = typed ? vkmm_json_put_types(object, problem) : 0;

    bad += vkmm_json_put(object, "m", vkmm_json_integer(problem->m));
    bad += vkmm_json_put(object, "n", vkmm_json_integer(problem->n));
    bad += vkmm_json_put(object, "k", vkmm_json_integer(problem->k));
    bad += vkmm_json_put(object, "seed", vkmm_json_integer(seed));
    bad += vkmm_json_put(object, "init", vkmm_json_text(init));
    return vkmm_json_done(object, bad);
}

static json_t *whole_problem(const vkmm_row *row)
{
    json_t *object = vkmm_json_problem(&row->problem, 1, row->seed, row->init);
    int bad = object != NULL ? vkmm_json_put_meaning(object, &row->problem) : 1;

    return vkmm_json_done(object, bad);
}

/* What a row of `run` and of `ladder` have in common. */
static int put_result(json_t *object, const vkmm_row *row)
{
    int bad = vkmm_json_put(object, "kernel", vkmm_json_kernel(row));

    bad += vkmm_json_put(object, "time", vkmm_json_time(row));
    bad += vkmm_json_put(object, "gflops", row->timed ? vkmm_json_number(row->gflops) : json_null());
    bad += vkmm_json_put(object, "verify", row->skipped == NULL ? vkmm_json_verify(row) : json_null());
    return bad;
}

static vkmm_status write_row(vkmm_report *report, const vkmm_row *row)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.run/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(row->device, row->host));
    bad += vkmm_json_put(object, "problem", whole_problem(row));
    bad += put_result(object, row);
    bad +=
        vkmm_json_put(object, "wall_ms", row->timed && row->wall_ms > 0 ? vkmm_json_number(row->wall_ms) : json_null());
    bad += vkmm_json_put(object, "panels", vkmm_json_panels(row));
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}

static json_t *ladder_row(const vkmm_row *row)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "step", vkmm_json_text(row->step));

    bad += vkmm_json_put_types(object, &row->problem);
    bad += put_result(object, row);
    bad += vkmm_json_put(object, "times_serial",
                         row->times_serial > 0 ? vkmm_json_number(row->times_serial) : json_null());
    bad += vkmm_json_put(object, "times_previous",
                         row->times_previous > 0 ? vkmm_json_number(row->times_previous) : json_null());
    bad += vkmm_json_put(object, "skipped", vkmm_json_text(row->skipped));
    return vkmm_json_done(object, bad);
}

static vkmm_status write_ladder(vkmm_report *report, const vkmm_ladder *ladder)
{
    json_t *object = json_object(), *rows = json_array();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.ladder/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(ladder->device, ladder->host));
    bad += vkmm_json_put(object, "host", vkmm_json_text(ladder->host));
    bad += vkmm_json_put(object, "problem", vkmm_json_problem(&ladder->problem, 0, ladder->seed, ladder->init));
    for (size_t i = 0; i < ladder->count; i++) bad += json_array_append_new(rows, ladder_row(&ladder->rows[i])) != 0;
    bad += vkmm_json_put(object, "rows", rows);
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}

const vkmm_writer vkmm_writer_json = {
    "json", write_row, NULL, write_ladder, vkmm_json_devices, .race = vkmm_json_race, .tune = vkmm_json_tune};
