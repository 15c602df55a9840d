/* The parts of `vkmatmul tune`. */
#ifndef VKMM_CLI_TUNE_H
#define VKMM_CLI_TUNE_H

#include "session/session.h"
#include "tune/tune_protocol.h"

/* ---- tune_worker.c: a process that is started when there is something to ask, and again after it was lost ---- */

typedef struct cli_tune_link {
    cli_worker worker;
    vkmm_problem problem;
} cli_tune_link;

/* Sends a request and waits for the answer: patience_ms is the candidate's, end_ms (by vkmm_now_ms) the tune's; when
 * that ends the wait, the reply is CLI_REPLY_INTERRUPTED. answer has status and sentence in any case. */
cli_reply cli_tune_ask(cli_tune_link *link, const cli_trial_request *request, double patience_ms, double end_ms,
                       cli_answer *answer);

/* ---- tune_problem.c: one problem ---- */

/* Searches for about budget_ms, lets the fastest and the planner's choice take turns, and stores what is faster
 * beyond doubt. row is zeroed by the caller. The status is that of the problem; the row is worth showing when
 * row->tuned.gflops is above 0. An interrupt ends it early, with what there is by then. row->trials is the caller's
 * to free. */
vkmm_status cli_tune_problem(cli_session *session, const vkmm_problem *problem, double budget_ms, vkmm_tune_row *row);

/* ---- tune_trials.c ---- */

/* All that the search measured, into row->trials, which is freed with vkmm_free. 0 when memory ends. */
int cli_tune_trials(const vkmm_tune *tune, vkmm_tune_row *row);

#endif
