#include "tune/tune.h"

#include <math.h>

#include "base/clock.h"
#include "report/records.h"

#define START_PATIENCE_MS 30000.0 /* for the driver to start, and the operands to be made */

#define CANDIDATE_KEY(kind, member) CLI_KEY(kind, vkmm_candidate, member)

static const cli_field candidate_fields[] = {
    {CANDIDATE_KEY(TEXT, kernel), .flags = CLI_NEEDED},
    {CANDIDATE_KEY(TEXT, config)},
};
static const vkmm_record candidate_record = {"candidate", CLI_FIELDS(candidate_fields)};

#define REQUEST_KEY(kind, member) CLI_KEY(kind, cli_trial_request, member)

static const cli_field trial_fields[] = {
    {"candidates", CLI_FIELD_RECORD, CLI_LIST(cli_trial_request, candidates, count), .flags = CLI_NEEDED | CLI_HERE,
     .length = 2, .record = &candidate_record},
    {REQUEST_KEY(REAL, limit_ms)},
    {REQUEST_KEY(REAL, time_ms)},
};
static const vkmm_record trial_record = {"trial", CLI_FIELDS(trial_fields)};

#define ANSWER_KEY(kind, member) CLI_KEY(kind, cli_answer, member)

static const cli_field figure_fields[] = {
    {CLI_KEYS(REAL, cli_answer, ms, 2), .flags = CLI_NEEDED},
    {ANSWER_KEY(REAL, ratio)},
    {ANSWER_KEY(REAL, upper)},
    {ANSWER_KEY(U32, rounds), .flags = CLI_NEEDED},
};
static const vkmm_record figures_record = {"figures", CLI_FIELDS(figure_fields)};

json_t *cli_write_trial(const cli_trial_request *request)
{
    return cli_record_json(&trial_record, request);
}

int cli_read_trial(const json_t *json, cli_trial_request *request)
{
    char sentence[CLI_SENTENCE];

    *request = (cli_trial_request){.count = 0};
    return cli_record_parse(json, &trial_record, request, sentence) && request->count > 0;
}

void cli_put_figures(json_t *json, const cli_answer *answer)
{
    json_t *figures = cli_record_json(&figures_record, answer);

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

    if (!cli_record_parse(json, &figures_record, answer, sentence) || !is_positive(answer->ms[0])) return 0;
    return !is_duel || (is_positive(answer->ms[1]) && is_positive(answer->ratio) && is_positive(answer->upper));
}

/* end_ms: the end of the tune. A process that had less time than its patience proves nothing about the candidate. */
static cli_reply judge(cli_reply reply, const cli_worker *worker, double patience_ms, double left_ms)
{
    return reply == CLI_REPLY_LOST && worker->is_timeout && left_ms < patience_ms ? CLI_REPLY_INTERRUPTED : reply;
}

static cli_reply get_ready(cli_tune_link *link, double end_ms)
{
    cli_worker *worker = &link->worker;
    json_t *answer = NULL;
    double left = end_ms - vkmm_now_ms();

    if (worker->process != NULL) return CLI_REPLY_ANSWER;
    worker->losses = 0; /* those of candidates do not count */
    cli_reply reply = judge(cli_worker_start(worker, fmin(START_PATIENCE_MS, left)), worker, START_PATIENCE_MS, left);
    if (reply == CLI_REPLY_ANSWER) {
        left = end_ms - vkmm_now_ms();
        reply = cli_worker_ask(
            worker,
            json_pack("{s:s, s:o}", "ask", "problem", "problem", cli_record_json(&cli_problem_record, &link->problem)),
            fmin(START_PATIENCE_MS, left), &answer);
        reply = judge(reply, worker, START_PATIENCE_MS, left);
    }
    json_decref(answer);
    if (reply == CLI_REPLY_INTERRUPTED || (reply == CLI_REPLY_ANSWER && worker->status == VKMM_OK)) return reply;
    cli_worker_close(worker);
    return CLI_REPLY_NO_WORKER;
}

cli_reply cli_tune_ask(cli_tune_link *link, const cli_trial_request *request, double patience_ms, double end_ms,
                       cli_answer *answer)
{
    const int is_duel = request->count == 2;
    cli_worker *worker = &link->worker;
    json_t *asked, *figures = NULL;
    cli_reply reply = get_ready(link, end_ms);

    *answer = (cli_answer){.rounds = 0};
    if (reply != CLI_REPLY_ANSWER) return reply;
    const double left = end_ms - vkmm_now_ms();
    asked = cli_write_trial(request);
    json_object_set_new(asked, "ask", json_string(is_duel ? "duel" : "try"));
    reply = judge(cli_worker_ask(worker, asked, fmin(patience_ms, left), &figures), worker, patience_ms, left);
    if (reply == CLI_REPLY_ANSWER && worker->status == VKMM_OK && !cli_take_figures(figures, is_duel, answer))
        reply = cli_worker_distrust(worker, "invalid times");
    json_decref(figures);
    return reply;
}
