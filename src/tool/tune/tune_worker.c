#include "tune/tune.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "report/records.h"

#define START_PATIENCE_MS 30000.0 /* for the driver to start, and the operands to be made */

static cli_reply say(cli_reply reply, const cli_worker *worker, cli_answer *answer)
{
    answer->status = worker->status;
    snprintf(answer->sentence, sizeof answer->sentence, "%.500s", worker->sentence);
    return reply;
}

/* end_ms: the tune's own. A process that had less than its patience says nothing about the candidate. */
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
        reply = cli_worker_ask(worker,
                               json_pack("{s:s, s:o}", "ask", "problem", "problem",
                                         vkmm_record_json(&vkmm_problem_record, &link->problem)),
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

    *answer = (cli_answer){.status = VKMM_OK};
    if (reply != CLI_REPLY_ANSWER) return say(reply, worker, answer);
    const double left = end_ms - vkmm_now_ms();
    asked = cli_write_trial(request);
    json_object_set_new(asked, "ask", json_string(is_duel ? "duel" : "try"));
    reply = judge(cli_worker_ask(worker, asked, fmin(patience_ms, left), &figures), worker, patience_ms, left);
    if (reply == CLI_REPLY_ANSWER && worker->status == VKMM_OK && !cli_take_figures(figures, is_duel, answer))
        reply = cli_worker_distrust(worker, "times that make no sense");
    json_decref(figures);
    return say(reply, worker, answer);
}
