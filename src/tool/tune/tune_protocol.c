#include "tune/tune_protocol.h"

#include <math.h>

#include "report/record.h"

static const vkmm_field candidate_fields[] = {
    {"kernel", VKMM_FIELD_TEXT, VKMM_AT(vkmm_candidate, kernel), .flags = VKMM_NEEDED},
    {"config", VKMM_FIELD_TEXT, VKMM_AT(vkmm_candidate, config)},
};
static const vkmm_record candidate_record = {"candidate", VKMM_FIELDS(candidate_fields),
                                             VKMM_RECORD_OF(vkmm_candidate)};

static const vkmm_field trial_fields[] = {
    {"candidates", VKMM_FIELD_RECORD, VKMM_LIST(cli_trial_request, candidates, count), .flags = VKMM_NEEDED | VKMM_HERE,
     .length = 2, .record = &candidate_record},
    {"limit_ms", VKMM_FIELD_REAL, VKMM_AT(cli_trial_request, limit_ms)},
    {"time_ms", VKMM_FIELD_REAL, VKMM_AT(cli_trial_request, time_ms)},
};
static const vkmm_record trial_record = {"trial", VKMM_FIELDS(trial_fields), VKMM_RECORD_OF(cli_trial_request)};

static const vkmm_field figure_fields[] = {
    {"ms", VKMM_FIELD_REAL, VKMM_ARRAY(cli_answer, ms, 2), .flags = VKMM_NEEDED},
    {"ratio", VKMM_FIELD_REAL, VKMM_AT(cli_answer, ratio)},
    {"upper", VKMM_FIELD_REAL, VKMM_AT(cli_answer, upper)},
    {"rounds", VKMM_FIELD_U32, VKMM_AT(cli_answer, rounds), .flags = VKMM_NEEDED},
};
static const vkmm_record figures_record = {"figures", VKMM_FIELDS(figure_fields), VKMM_RECORD_OF(cli_answer)};

json_t *cli_write_trial(const cli_trial_request *request)
{
    return vkmm_record_json(&trial_record, request);
}

int cli_read_trial(const json_t *json, cli_trial_request *request)
{
    char sentence[VKMM_SENTENCE];

    *request = (cli_trial_request){.count = 0};
    return vkmm_record_parse(json, &trial_record, request, sentence) && request->count > 0;
}

void cli_put_figures(json_t *json, const cli_answer *answer)
{
    json_t *figures = vkmm_record_json(&figures_record, answer);

    json_object_update(json, figures);
    json_decref(figures);
}

static int is_positive(double value)
{
    return isfinite(value) && value > 0;
}

int cli_take_figures(const json_t *json, int is_duel, cli_answer *answer)
{
    char sentence[VKMM_SENTENCE];

    if (!vkmm_record_parse(json, &figures_record, answer, sentence) || !is_positive(answer->ms[0])) return 0;
    return !is_duel || (is_positive(answer->ms[1]) && is_positive(answer->ratio) && is_positive(answer->upper));
}
