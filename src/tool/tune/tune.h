/* The parts of `vkmatmul tune`. */
#ifndef VKMM_CLI_TUNE_H
#define VKMM_CLI_TUNE_H

#include "session/session.h"
#include "tune/tune_protocol.h"

/* ---- tune_worker.c: a worker that is started when there is something to ask, and again after it was lost ---- */

typedef struct cli_worker_link {
    cli_session *session;
    vkmm_problem problem;
    vkmm_process *process;  /* NULL: none runs */
    uint32_t failed_starts; /* in a row */
    uint32_t lost;          /* workers that crashed or hung */
} cli_worker_link;

typedef enum cli_reply {
    CLI_REPLY_ANSWER, /* *answer is the worker's word */
    CLI_REPLY_LOST,   /* the worker crashed, hung until the deadline, or spoke nonsense: answer->sentence says which */
    CLI_REPLY_LATE,   /* the tune's own time was over before the deadline: says nothing about the candidate */
    CLI_REPLY_INTERRUPTED, /* by a signal */
    CLI_REPLY_NO_WORKER    /* none can be started: answer has status and sentence */
} cli_reply;

/* Sends a request and waits for the answer: patience_ms is the candidate's, end_ms (by vkmm_now_ms) the tune's. A
 * worker that gave no answer, or lost its device, is ended. */
cli_reply cli_worker_ask(cli_worker_link *link, const char *request, int duel, double patience_ms, double end_ms,
                         cli_answer *answer);
void cli_worker_close(cli_worker_link *link);

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
