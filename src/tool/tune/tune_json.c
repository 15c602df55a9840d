/* vkmatmul.tune/1: one object per problem. */
#include "report/json.h"
#include "report/records.h"
#include "tune/tune.h"

#define ROW(member) VKMM_AT(vkmm_tune_row, member)

#define CANDIDATE(kind, member) VKMM_IN(kind, vkmm_tune_trial, candidate, member)

static const vkmm_field trial_fields[] = {
    {CANDIDATE(TEXT, kernel)},
    {CANDIDATE(TEXT, config)},
    {VKMM_KEY(REAL, vkmm_tune_trial, ms), VKMM_MAYBE},
};
static const vkmm_record trial_record = {NULL, VKMM_FIELDS(trial_fields)};

#define BEST(kind, member)  VKMM_IN(kind, vkmm_tune_row, tuned.best, member)
#define TUNED(kind, member) VKMM_IN(kind, vkmm_tune_row, tuned, member)

static const vkmm_field best_fields[] = {
    {BEST(TEXT, kernel)},
    {BEST(TEXT, config)},
    {TUNED(REAL, gflops), VKMM_MAYBE},
};
static const vkmm_record best_record = {NULL, VKMM_FIELDS(best_fields)};

#define PLANNED(kind, member) VKMM_IN(kind, vkmm_tune_row, planned, member)

static const vkmm_field planned_fields[] = {
    {PLANNED(TEXT, kernel)},
    {PLANNED(TEXT, config)},
    {"gflops", VKMM_FIELD_REAL, ROW(tuned.planned_gflops), VKMM_MAYBE},
};
static const vkmm_record planned_record = {NULL, VKMM_FIELDS(planned_fields)};

#define FAILURE(kind, member) VKMM_KEY(kind, cli_tune_failure, member)

static const vkmm_field failure_fields[] = {
    {VKMM_IN(TEXT, cli_tune_failure, candidate, kernel)},
    {VKMM_IN(TEXT, cli_tune_failure, candidate, config)},
    {FAILURE(STRING, reason)},
    {FAILURE(TEXT, sentence), VKMM_MAYBE},
};
static const vkmm_record failure_record = {NULL, VKMM_FIELDS(failure_fields)};

VKMM_KNOWN(was_measured, vkmm_tune_row, skipped[0] == '\0')

#define ROW_KEY(kind, member) VKMM_KEY(kind, vkmm_tune_row, member)

static const vkmm_field row_fields[] = {
    {ROW_KEY(RECORD, problem), .record = &vkmm_problem_record},
    {ROW_KEY(TEXT, skipped), VKMM_MAYBE},
    {"best", VKMM_FIELD_RECORD, .record = &best_record, .known = was_measured},
    {"planned", VKMM_FIELD_RECORD, .record = &planned_record, .known = was_measured},
    {TUNED(U32, candidates)},
    {ROW_KEY(U32, failed)},
    {ROW_KEY(U32, wrong)},
    {ROW_KEY(U32, resumed)},
    {ROW_KEY(TRUTH, stored)},
    {ROW_KEY(REAL, seconds)},
    {"trials", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_tune_row, trials, trial_count), .record = &trial_record,
     .known = was_measured},
    {"failures", VKMM_FIELD_RECORD, VKMM_LIST(vkmm_tune_row, failures, failure_count), .record = &failure_record,
     .known = was_measured},
};
static const vkmm_record row_record = {NULL, VKMM_FIELDS(row_fields)};

vkmm_status vkmm_json_tune(vkmm_report *report, const vkmm_tune_row *row)
{
    return vkmm_json_line(
        report, vkmm_json_document(report, "vkmatmul.tune/1", row->device, NULL, vkmm_record_json(&row_record, row)));
}
