/* vkmatmul.tune/1: one object per problem. */
#include "report/json.h"
#include "report/records.h"
#include "tune/tune.h"

#define TRIAL(member) VKMM_AT(vkmm_tune_trial, member)
#define ROW(member)   VKMM_AT(vkmm_tune_row, member)

static const vkmm_field trial_fields[] = {
    {"kernel", VKMM_FIELD_TEXT, TRIAL(candidate.kernel)},
    {"config", VKMM_FIELD_TEXT, TRIAL(candidate.config)},
    {"ms", VKMM_FIELD_REAL, TRIAL(ms), VKMM_MAYBE},
};
static const vkmm_record trial_record = {NULL, VKMM_FIELDS(trial_fields), VKMM_RECORD_OF(vkmm_tune_trial)};

static const vkmm_field best_fields[] = {
    {"kernel", VKMM_FIELD_TEXT, ROW(tuned.best.kernel)},
    {"config", VKMM_FIELD_TEXT, ROW(tuned.best.config)},
    {"gflops", VKMM_FIELD_REAL, ROW(tuned.gflops), VKMM_MAYBE},
};
static const vkmm_record best_record = {NULL, VKMM_FIELDS(best_fields), VKMM_RECORD_OF(vkmm_tune_row)};

static const vkmm_field planned_fields[] = {
    {"kernel", VKMM_FIELD_TEXT, ROW(planned.kernel)},
    {"config", VKMM_FIELD_TEXT, ROW(planned.config)},
    {"gflops", VKMM_FIELD_REAL, ROW(tuned.planned_gflops), VKMM_MAYBE},
};
static const vkmm_record planned_record = {NULL, VKMM_FIELDS(planned_fields), VKMM_RECORD_OF(vkmm_tune_row)};

static int was_measured(const void *record)
{
    return ((const vkmm_tune_row *)record)->skipped[0] == '\0';
}

static const vkmm_field row_fields[] = {
    {"problem", VKMM_FIELD_RECORD, ROW(problem), .record = &vkmm_problem_record},
    {"skipped", VKMM_FIELD_TEXT, ROW(skipped), VKMM_MAYBE},
    {"best", VKMM_FIELD_RECORD, .record = &best_record, .known = was_measured},
    {"planned", VKMM_FIELD_RECORD, .record = &planned_record, .known = was_measured},
    {"candidates", VKMM_FIELD_U32, ROW(tuned.candidates)},
    {"failed", VKMM_FIELD_U32, ROW(failed)},
    {"wrong", VKMM_FIELD_U32, ROW(wrong)},
    {"resumed", VKMM_FIELD_U32, ROW(resumed)},
    {"stored", VKMM_FIELD_TRUTH, ROW(stored)},
    {"seconds", VKMM_FIELD_REAL, ROW(seconds)},
    {"trials", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_tune_row, trials, trial_count), .record = &trial_record,
     .known = was_measured},
};
static const vkmm_record row_record = {NULL, VKMM_FIELDS(row_fields), VKMM_RECORD_OF(vkmm_tune_row)};

vkmm_status vkmm_json_tune(vkmm_report *report, const vkmm_tune_row *row)
{
    return vkmm_json_line(
        report, vkmm_json_document(report, "vkmatmul.tune/1", row->device, NULL, vkmm_record_json(&row_record, row)));
}
