/* vkmatmul.tune/1: one object a problem. */
#include "bench/writer.h"
#include "report/records.h"
#include "report/json.h"
#include "report/writers.h"

static json_t *trials(const vkmm_tune_row *row)
{
    json_t *array = json_array();
    int bad = 0;

    for (uint32_t i = 0; i < row->trial_count; i++) {
        const vkmm_tune_trial *trial = &row->trials[i];
        bad += json_array_append_new(array,
                                     vkmm_json_trial(trial->candidate.kernel, trial->candidate.config, trial->ms)) != 0;
    }
    return vkmm_json_done(array, bad);
}

static json_t *choice(const vkmm_candidate *candidate, double gflops)
{
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "kernel", vkmm_json_text(candidate->kernel));

    bad += vkmm_json_put(object, "config", vkmm_json_text(candidate->config));
    bad += vkmm_json_put(object, "gflops", gflops > 0 ? json_real(gflops) : json_null());
    return vkmm_json_done(object, bad);
}

vkmm_status vkmm_json_tune(vkmm_report *report, const vkmm_tune_row *row)
{
    const vkmm_tuned *tuned = &row->tuned;
    int skipped = row->skipped[0] != '\0';
    json_t *object = json_object();
    int bad = vkmm_json_put(object, "schema", json_string("vkmatmul.tune/1"));

    bad += vkmm_json_put(object, "tool", vkmm_json_tool(report));
    bad += vkmm_json_put(object, "device", vkmm_json_device(row->device, NULL));
    bad += vkmm_json_put(object, "problem", vkmm_record_json(&vkmm_problem_record, &row->problem));
    bad += vkmm_json_put(object, "skipped", vkmm_json_text(skipped ? row->skipped : NULL));
    bad += vkmm_json_put(object, "best", skipped ? json_null() : choice(&tuned->best, tuned->gflops));
    bad += vkmm_json_put(object, "planned", skipped ? json_null() : choice(&row->planned, tuned->planned_gflops));
    bad += vkmm_json_put(object, "candidates", json_integer(tuned->candidates));
    bad += vkmm_json_put(object, "failed", json_integer(row->failed));
    bad += vkmm_json_put(object, "wrong", json_integer(row->wrong));
    bad += vkmm_json_put(object, "resumed", json_integer(row->resumed));
    bad += vkmm_json_put(object, "stored", json_boolean(row->stored));
    bad += vkmm_json_put(object, "seconds", vkmm_json_number(row->seconds));
    bad += vkmm_json_put(object, "trials", skipped ? json_null() : trials(row));
    return vkmm_json_line(report, vkmm_json_done(object, bad));
}
