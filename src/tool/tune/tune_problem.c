#include "tune/tune.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "math/problem.h"
#include "report/records.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define START_PATIENCE_MS 30000.0 /* for the driver to start, and the operands to be made */

enum { CHALLENGERS = 3, MOST_DUELS = 6 };
#define CLEARLY_SLOWER  1.5     /* times the best: one sample is enough */
#define PATIENCE_MS     5000.0  /* for a compiler, */
#define PATIENCE_TIMES  20.0    /* this many times the best time for the rest, */
#define PATIENCE_ASKS   3.0     /* and, for slow compilers, this many times what candidates took so far */
#define FIRST_PATIENCE  30000.0 /* the same for the planner's choice, about which nothing is known, */
#define FIRST_PER_GFLOP 3000.0  /* except that few devices are this slow */
#define FIRST_AT_LEAST  30000.0 /* it may outlast a short budget: without it there is no result at all */
#define DOUBT           0.99    /* a challenger must take less of the planner's time, by the interval's upper end */
#define WORTH_A_DUEL    1.02    /* slower in the search by more: not challenged */
#define SURE_WITHOUT    0.95    /* after an interrupt there is no duel: the search must show this much */
#define DUEL_MS         1500.0  /* at most; short products need less: */
#define SHORT_DUEL_MS   400.0
#define DUEL_PRODUCTS   60.0
#define DUEL_SHARE      0.3 /* of the budget, at most */

typedef struct tuner {
    cli_session *session;
    const vkmm_problem *problem;
    vkmm_tune *tune;
    cli_worker worker; /* started for the first request, and again after it was lost */
    cli_tune_row *row;
    double start, end;    /* of the available time, by vkmm_now_ms */
    double ask_ms, asked; /* all that was spent on candidates, and on how many */
} tuner;

/* ---- asking the process that measures ---- */

/* A process that had less time than its patience, because the tune ended, proves nothing about the candidate. */
static cli_reply judge(cli_reply reply, const cli_worker *worker, double patience_ms, double left_ms)
{
    return reply == CLI_REPLY_LOST && worker->is_timeout && left_ms < patience_ms ? CLI_REPLY_INTERRUPTED : reply;
}

static cli_reply get_ready(tuner *t, double end_ms)
{
    cli_worker *worker = &t->worker;
    json_t *answer = NULL;
    double left = end_ms - vkmm_now_ms();
    if (worker->process != NULL) return CLI_REPLY_ANSWER;
    worker->losses = 0; /* those of candidates do not count */
    cli_reply reply = judge(cli_worker_start(worker, fmin(START_PATIENCE_MS, left)), worker, START_PATIENCE_MS, left);
    if (reply == CLI_REPLY_ANSWER) {
        left = end_ms - vkmm_now_ms();
        reply = cli_worker_ask(
            worker,
            json_pack("{s:s, s:o}", "ask", "problem", "problem", cli_record_json(&cli_problem_record, t->problem)),
            fmin(START_PATIENCE_MS, left), &answer);
        reply = judge(reply, worker, START_PATIENCE_MS, left);
    }
    json_decref(answer);
    if (reply == CLI_REPLY_INTERRUPTED || (reply == CLI_REPLY_ANSWER && worker->status == VKMM_OK)) return reply;
    cli_worker_close(worker);
    return CLI_REPLY_NO_WORKER;
}

/* Sends a request and waits for the answer: patience_ms is the candidate's, end_ms (by vkmm_now_ms) the tune's; if the
 * latter ends the wait, the reply is CLI_REPLY_INTERRUPTED. The worker has status and sentence in any case. */
static cli_reply ask(tuner *t, const cli_trial_request *request, double patience_ms, double end_ms, cli_answer *answer)
{
    const int is_duel = request->count == 2;
    cli_worker *worker = &t->worker;
    json_t *asked, *figures = NULL;
    cli_reply reply = get_ready(t, end_ms);
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

/* ---- the search ---- */

static double gflops_of(const tuner *t, double ms)
{
    return ms > 0 ? vkmm_problem_flops(t->problem) / ms * 1e-6 : 0;
}

static double best_ms(const tuner *t)
{
    vkmm_candidate candidate;
    double ms = 0;
    return vkmm_tune_ranked(t->tune, 0, &candidate, &ms) ? ms : 0;
}

static void show_progress(const tuner *t, const char *phase)
{
    const vkmm_tune_state state = vkmm_tune_look(t->tune);
    const double left = (t->end - vkmm_now_ms()) / 1000;
    cli_console *console = &t->session->console;
    char best[320] = "";
    vkmm_candidate candidate;
    double ms;
    if (!console->interactive) return;
    if (vkmm_tune_ranked(t->tune, 0, &candidate, &ms))
        VKMM_PUT(best, ", best %s GFLOP/s (%s %s)", CLI_FIGURE(gflops_of(t, ms)), candidate.kernel, candidate.config);
    cli_progress(console, "tune %s %s: %s%u of ~%u, %.0f s left%s", CLI_NAME(t->problem, console->utf8),
                 cli_text_type(t->problem, console->utf8), phase, state.measured + state.failed, state.size,
                 left > 0 ? left : 0, best);
}

static int is_same(const vkmm_candidate *a, const vkmm_candidate *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->config, b->config) == 0;
}

/* Keeps the worker's reason why a candidate has no time. */
static vkmm_status note_failure(tuner *t, const vkmm_candidate *candidate)
{
    const cli_worker *worker = &t->worker;
    cli_tune_row *row = t->row;
    cli_tune_failure *failure = vkmm_list_add(&row->failures, &row->failure_count, 1, sizeof *failure);
    if (failure == NULL) return vkmm_tell(t->session->log, VKMM_NO_MEMORY("for %u results", row->failure_count + 1));
    failure->candidate = *candidate;
    failure->status = worker->status;
    failure->reason = worker->status != VKMM_DEVICE_LOST ? vkmm_status_name(worker->status)
                      : worker->is_timeout               ? "no answer in time"
                                                         : "process or device lost";
    VKMM_PUT(failure->sentence, "%s", worker->sentence);
    row->wrong += worker->status == VKMM_WRONG_RESULT;
    vkmm_tune_tell(t->tune, candidate, 0);
    return VKMM_OK;
}

/* The time kept for the duels, by what candidates took so far. */
static double reserve_ms(const tuner *t)
{
    double each = t->asked > 0 ? t->ask_ms / t->asked : 0, most = DUEL_SHARE * (t->end - t->start);
    double duel = SHORT_DUEL_MS + DUEL_PRODUCTS * best_ms(t),
           wanted = CHALLENGERS * (2 * each + (duel < DUEL_MS ? duel : DUEL_MS));
    return wanted < most ? wanted : most;
}

/* The time that an answer may take after the end: otherwise, a budget that is short compared with one product would
 * give no result. */
static double grace_ms(const tuner *t)
{
    double share = 0.15 * (t->end - t->start);
    return share > 8000 ? 8000 : share < 3000 ? 3000 : share;
}

/* How long a candidate may take, and when the tune ends. */
static void set_limits(const tuner *t, double best, double *patience, double *end)
{
    double first_end = t->end + grace_ms(t), least = vkmm_now_ms() + FIRST_AT_LEAST;
    *patience = PATIENCE_MS + PATIENCE_TIMES * best + (t->asked > 0 ? PATIENCE_ASKS * t->ask_ms / t->asked : 0);
    *end = t->end;
    if (best > 0) return;
    *patience = FIRST_PATIENCE + FIRST_PER_GFLOP * vkmm_problem_flops(t->problem) * 1e-9;
    *end = first_end > least ? first_end : least;
}

/* VKMM_OK also when time is up. */
static vkmm_status search(tuner *t)
{
    vkmm_candidate candidate;
    vkmm_status status = VKMM_OK;
    while (status == VKMM_OK && !cli_interrupted() && vkmm_tune_next(t->tune, &candidate)) {
        cli_answer answer;
        double best = best_ms(t), now = vkmm_now_ms(), patience, end;
        cli_reply reply;

        if (now >= t->end - reserve_ms(t) && (best > 0 || now >= t->end + grace_ms(t))) break;
        set_limits(t, best, &patience, &end);
        show_progress(t, "");
        const cli_trial_request request = {{candidate}, 1, .limit_ms = CLEARLY_SLOWER * best};
        reply = ask(t, &request, patience, end, &answer);
        if (reply == CLI_REPLY_NO_WORKER) return VKMM_FAIL(t->session->log, t->worker.status, "%s", t->worker.sentence);
        if (reply == CLI_REPLY_INTERRUPTED) break;
        t->ask_ms += reply == CLI_REPLY_ANSWER ? vkmm_now_ms() - now : 0;
        t->asked += reply == CLI_REPLY_ANSWER;
        if (reply == CLI_REPLY_ANSWER && t->worker.status == VKMM_OK)
            vkmm_tune_tell(t->tune, &candidate, answer.ms[0]);
        else
            status = note_failure(t, &candidate);
    }
    return status;
}

static void take(tuner *t, const vkmm_candidate *best, double ms, double planned_ms)
{
    t->row->tuned.best = *best;
    t->row->tuned.gflops = gflops_of(t, ms);
    t->row->tuned.planned_gflops = gflops_of(t, planned_ms);
}

/* The place-th of the ranking that may be faster than the planner's choice. */
static int find_challenger(const tuner *t, const vkmm_tune_state *state, uint32_t place, vkmm_candidate *candidate)
{
    double ms;
    for (uint32_t i = 0; vkmm_tune_ranked(t->tune, i, candidate, &ms) && ms < WORTH_A_DUEL * state->planned_ms; i++)
        if (!is_same(candidate, &state->planned) && place-- == 0) return 1;
    return 0;
}

/* Duels of the fastest candidates with the planner's choice, one after another: a noisy search alone does not show
 * which is faster. */
static vkmm_status fight(tuner *t, const vkmm_tune_state *state)
{
    vkmm_candidate pair[2] = {state->planned};
    double best_ratio = 1, grace = t->end + grace_ms(t);
    uint32_t place = 0;
    for (int duels = 0; place < CHALLENGERS && duels < MOST_DUELS && find_challenger(t, state, place, &pair[1]);
         duels++) {
        cli_answer answer;
        double left = (t->end - vkmm_now_ms()) / (CHALLENGERS - place), time_ms = left < DUEL_MS ? left : DUEL_MS;
        cli_reply reply;

        show_progress(t, "confirming, ");
        const cli_trial_request request = {{pair[0], pair[1]}, 2, .time_ms = time_ms > 0 ? time_ms : 0};
        reply = ask(t, &request, 2 * PATIENCE_MS + 4 * PATIENCE_TIMES * state->planned_ms, grace, &answer);
        if (reply == CLI_REPLY_NO_WORKER) return VKMM_FAIL(t->session->log, t->worker.status, "%s", t->worker.sentence);
        if (reply == CLI_REPLY_INTERRUPTED) break;
        if (reply != CLI_REPLY_ANSWER || t->worker.status != VKMM_OK) {
            const vkmm_status status = note_failure(t, &pair[1]);
            if (status != VKMM_OK) return status;
            continue; /* the next one moves up */
        }
        place++;
        if (answer.upper < DOUBT && answer.ratio < best_ratio) {
            best_ratio = answer.ratio;
            take(t, &pair[1], answer.ms[1], answer.ms[0]);
        }
        if (vkmm_now_ms() > t->end) break;
    }
    return VKMM_OK;
}

/* After an interrupt: the result of the search alone, if it is clear. */
static void guess(tuner *t, const vkmm_tune_state *state)
{
    vkmm_candidate candidate;
    double ms;
    if (vkmm_tune_ranked(t->tune, 0, &candidate, &ms) && ms < SURE_WITHOUT * state->planned_ms)
        take(t, &candidate, ms, state->planned_ms);
}

/* Copies all that the search measured into the row. */
static vkmm_status keep_trials(tuner *t, uint32_t most)
{
    cli_tune_trial *trials = vkmm_alloc(most, sizeof *trials);
    uint32_t count = 0;
    if (trials == NULL) return vkmm_tell(t->session->log, VKMM_NO_MEMORY("for %u results", most));
    while (count < most && vkmm_tune_ranked(t->tune, count, &trials[count].candidate, &trials[count].ms)) count++;
    t->row->trials = trials;
    t->row->trial_count = count;
    return VKMM_OK;
}

static vkmm_status decide(tuner *t)
{
    vkmm_tune_state state = vkmm_tune_look(t->tune);
    vkmm_candidate candidate;
    vkmm_status status = VKMM_OK;
    double ms;
    if (state.planned_ms > 0) {
        take(t, &state.planned, state.planned_ms, state.planned_ms);
        if (!cli_interrupted()) status = fight(t, &state);
        if (cli_interrupted() && status == VKMM_OK && is_same(&t->row->tuned.best, &state.planned)) guess(t, &state);
    } else if (vkmm_tune_ranked(t->tune, 0, &candidate, &ms)) {
        take(t, &candidate, ms, 0); /* the planner's choice failed here */
    }
    state = vkmm_tune_look(t->tune);
    t->row->planned = state.planned;
    t->row->failed = state.failed;
    t->row->tuned.candidates = state.measured;
    return status == VKMM_OK ? keep_trials(t, state.measured) : status;
}

static vkmm_status store(tuner *t)
{
    vkmm_status status = VKMM_OK;
    if (t->row->tuned.gflops > 0 && !t->row->unstored && !t->session->options->no_cache) {
        status = vkmm_tuned_put(t->session->instance, t->session->info, t->problem, &t->row->tuned);
        t->row->stored = status == VKMM_OK;
    }
    return status;
}

/* Wrong products are reported even if another configuration is right. */
static vkmm_status report_failures(tuner *t)
{
    const vkmm_log *log = t->session->log;
    const cli_tune_row *row = t->row;
    const cli_tune_failure *wrong = NULL, *planned = NULL;
    for (uint32_t i = row->failure_count; i-- > 0;) {
        if (row->failures[i].status == VKMM_WRONG_RESULT) wrong = &row->failures[i];
        if (is_same(&row->failures[i].candidate, &row->planned)) planned = &row->failures[i];
    }
    if (wrong != NULL)
        vkmm_say(log, VKMM_LOG_WARNING, "%u configuration%s gave wrong products, the first being %s %s: %.500s",
                 row->wrong, row->wrong == 1 ? "" : "s", wrong->candidate.kernel, wrong->candidate.config,
                 wrong->sentence);
    if (planned != NULL)
        return VKMM_FAIL(log, planned->status, "the planner's own choice cannot be used: %s", planned->sentence);
    if (wrong != NULL && t->session->options->validate)
        return VKMM_FAIL(log, VKMM_WRONG_RESULT, "under validation every configuration must be right");
    return VKMM_OK;
}

vkmm_status cli_tune_problem(cli_session *session, const vkmm_problem *problem, double budget_ms, cli_tune_row *row)
{
    const vkmm_tune_params params = {*problem};
    tuner t = {.session = session, .problem = problem, .row = row, .start = vkmm_now_ms()};
    vkmm_status status;
    t.end = t.start + budget_ms;
    t.worker =
        (cli_worker){.session = session, .command = "tune-worker", .device = session->info, .words = {"--no-cache"}};
    row->device = session->info;
    row->problem = *problem;
    status = vkmm_tune_create(session->instance, session->info, &params, &t.tune);
    if (status != VKMM_OK) return status;
    status = search(&t);
    if (status == VKMM_OK) status = decide(&t);
    cli_worker_close(&t.worker);
    if (status == VKMM_OK) status = store(&t);
    vkmm_tune_destroy(&t.tune);
    row->seconds = (vkmm_now_ms() - t.start) / 1000;
    return status == VKMM_OK ? report_failures(&t) : status;
}
