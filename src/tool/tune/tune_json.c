/* JSON of tunes: requests, answers, and vkmatmul.tune/1, one object per problem. */
#include <math.h>

#include "report/json.h"
#include "report/records.h"
#include "tune/tune.h"

static const cli_field candidate_fields[] = {
    {CLI_KEY(TEXT, vkmm_candidate, kernel), CLI_NEEDED},
    {CLI_KEY(TEXT, vkmm_candidate, config)},
};
static const vkmm_record candidate_record = {NULL, CLI_FIELDS(candidate_fields)};

/* ---- the protocol ---- */

static const cli_field request_fields[] = {
    {"candidates", CLI_FIELD_RECORD, CLI_LIST(cli_trial_request, candidates, count), CLI_NEEDED | CLI_HERE, .length = 2,
     .record = &candidate_record},
    {CLI_KEY(REAL, cli_trial_request, limit_ms)},
    {CLI_KEY(REAL, cli_trial_request, time_ms)},
};
static const vkmm_record request_record = {NULL, CLI_FIELDS(request_fields)};

static const cli_field answer_fields[] = {
    {CLI_KEYS(REAL, cli_answer, ms, 2), CLI_NEEDED},
    {CLI_KEY(REAL, cli_answer, ratio)},
    {CLI_KEY(REAL, cli_answer, upper)},
    {CLI_KEY(U32, cli_answer, rounds), CLI_NEEDED},
};
static const vkmm_record answer_record = {NULL, CLI_FIELDS(answer_fields)};

json_t *cli_write_trial(const cli_trial_request *request)
{
    return cli_record_json(&request_record, request);
}

int cli_read_trial(const json_t *json, cli_trial_request *request)
{
    char sentence[CLI_SENTENCE];
    *request = (cli_trial_request){.count = 0};
    return cli_record_parse(json, &request_record, request, sentence) && request->count > 0;
}

void cli_put_figures(json_t *json, const cli_answer *answer)
{
    json_t *figures = cli_record_json(&answer_record, answer);
    json_object_update(json, figures);
    json_decref(figures);
}

static int is_positive(double value)
{
    return isfinite(value) && value > 0;
}

int cli_take_figures(const json_t *json, int is_duel, cli_answer *answer)
{
    char sentence[CLI_SENTENCE];
    if (!cli_record_parse(json, &answer_record, answer, sentence) || !is_positive(answer->ms[0])) return 0;
    return !is_duel || (is_positive(answer->ms[1]) && is_positive(answer->ratio) && is_positive(answer->upper));
}

/* ---- results ---- */

static const cli_field trial_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_tune_trial, candidate), .record = &candidate_record},
    {CLI_KEY(REAL, cli_tune_trial, ms), CLI_MAYBE},
};
static const vkmm_record trial_record = {NULL, CLI_FIELDS(trial_fields)};

static const cli_field best_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_tune_row, tuned.best), .record = &candidate_record},
    {CLI_IN(REAL, cli_tune_row, tuned, gflops), CLI_MAYBE},
};
static const vkmm_record best_record = {NULL, CLI_FIELDS(best_fields)};

static const cli_field planned_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_tune_row, planned), .record = &candidate_record},
    {"gflops", CLI_FIELD_REAL, CLI_AT(cli_tune_row, tuned.planned_gflops), CLI_MAYBE},
};
static const vkmm_record planned_record = {NULL, CLI_FIELDS(planned_fields)};

static const cli_field failure_fields[] = {
    {NULL, CLI_FIELD_EMBED, CLI_AT(cli_tune_failure, candidate), .record = &candidate_record},
    {CLI_KEY(STRING, cli_tune_failure, reason)},
    {CLI_KEY(TEXT, cli_tune_failure, sentence), CLI_MAYBE},
};
static const vkmm_record failure_record = {NULL, CLI_FIELDS(failure_fields)};

CLI_KNOWN(was_measured, cli_tune_row, skipped[0] == '\0')

static const cli_field result_fields[] = {
    {CLI_KEY(RECORD, cli_tune_row, problem), .record = &cli_problem_record},
    {"best", CLI_FIELD_RECORD, .record = &best_record, .known = was_measured},
    {"planned", CLI_FIELD_RECORD, .record = &planned_record, .known = was_measured},
    {CLI_IN(U32, cli_tune_row, tuned, candidates)},
    {CLI_KEY(U32, cli_tune_row, failed)},
    {CLI_KEY(U32, cli_tune_row, wrong)},
    {CLI_KEY(REAL, cli_tune_row, seconds)},
};
const vkmm_record cli_tune_result_record = {NULL, CLI_FIELDS(result_fields)};

static const cli_field row_fields[] = {
    {NULL, CLI_FIELD_EMBED, .record = &cli_tune_result_record},
    {CLI_KEY(TEXT, cli_tune_row, skipped), CLI_MAYBE},
    {CLI_KEY(TRUTH, cli_tune_row, stored)},
    {"trials", CLI_FIELD_RECORD, CLI_LIST(cli_tune_row, trials, trial_count), .record = &trial_record,
     .known = was_measured},
    {"failures", CLI_FIELD_RECORD, CLI_LIST(cli_tune_row, failures, failure_count), .record = &failure_record,
     .known = was_measured},
};
const vkmm_record cli_tune_row_record = {NULL, CLI_FIELDS(row_fields)};
