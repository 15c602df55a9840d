/* vkmatmul.tune/1: one object per problem. */
#include "report/json.h"
#include "report/records.h"
#include "tune/tune.h"

#define ROW(member) CLI_AT(cli_tune_row, member)

#define CANDIDATE(kind, member) CLI_IN(kind, cli_tune_trial, candidate, member)

static const cli_field trial_fields[] = {
    {CANDIDATE(TEXT, kernel)},
    {CANDIDATE(TEXT, config)},
    {CLI_KEY(REAL, cli_tune_trial, ms), CLI_MAYBE},
};
static const vkmm_record trial_record = {NULL, CLI_FIELDS(trial_fields)};

#define BEST(kind, member)  CLI_IN(kind, cli_tune_row, tuned.best, member)
#define TUNED(kind, member) CLI_IN(kind, cli_tune_row, tuned, member)

static const cli_field best_fields[] = {
    {BEST(TEXT, kernel)},
    {BEST(TEXT, config)},
    {TUNED(REAL, gflops), CLI_MAYBE},
};
static const vkmm_record best_record = {NULL, CLI_FIELDS(best_fields)};

#define PLANNED(kind, member) CLI_IN(kind, cli_tune_row, planned, member)

static const cli_field planned_fields[] = {
    {PLANNED(TEXT, kernel)},
    {PLANNED(TEXT, config)},
    {"gflops", CLI_FIELD_REAL, ROW(tuned.planned_gflops), CLI_MAYBE},
};
static const vkmm_record planned_record = {NULL, CLI_FIELDS(planned_fields)};

#define FAILURE(kind, member) CLI_KEY(kind, cli_tune_failure, member)

static const cli_field failure_fields[] = {
    {CLI_IN(TEXT, cli_tune_failure, candidate, kernel)},
    {CLI_IN(TEXT, cli_tune_failure, candidate, config)},
    {FAILURE(STRING, reason)},
    {FAILURE(TEXT, sentence), CLI_MAYBE},
};
static const vkmm_record failure_record = {NULL, CLI_FIELDS(failure_fields)};

CLI_KNOWN(was_measured, cli_tune_row, skipped[0] == '\0')

#define ROW_KEY(kind, member) CLI_KEY(kind, cli_tune_row, member)

static const cli_field result_fields[] = {
    {ROW_KEY(RECORD, problem), .record = &cli_problem_record},
    {"best", CLI_FIELD_RECORD, .record = &best_record, .known = was_measured},
    {"planned", CLI_FIELD_RECORD, .record = &planned_record, .known = was_measured},
    {TUNED(U32, candidates)},
    {ROW_KEY(U32, failed)},
    {ROW_KEY(U32, wrong)},
    {ROW_KEY(REAL, seconds)},
};
const vkmm_record cli_tune_result_record = {NULL, CLI_FIELDS(result_fields)};

static const cli_field row_fields[] = {
    {NULL, CLI_FIELD_EMBED, .record = &cli_tune_result_record},
    {ROW_KEY(TEXT, skipped), CLI_MAYBE},
    {ROW_KEY(TRUTH, stored)},
    {"trials", CLI_FIELD_RECORD, CLI_LIST(cli_tune_row, trials, trial_count), .record = &trial_record,
     .known = was_measured},
    {"failures", CLI_FIELD_RECORD, CLI_LIST(cli_tune_row, failures, failure_count), .record = &failure_record,
     .known = was_measured},
};
static const vkmm_record row_record = {NULL, CLI_FIELDS(row_fields)};

vkmm_status cli_json_tune(cli_report *report, const cli_tune_row *row)
{
    return cli_json_line(
        report, cli_json_document(report, "vkmatmul.tune/1", row->device, NULL, cli_record_json(&row_record, row)));
}
