/* The parts of `vkmatmul tune`. Its requests to the processes that measure for it (worker/worker.h), in addition to
 * hello:
 *
 *     {"ask": "problem", "problem": {…}}                        once, first; as in a report
 *     {"ask": "try", "candidates": [C], "limit_ms": L}          "ms": [MS, 0], "rounds": SAMPLES
 *     {"ask": "duel", "candidates": [C, C], "time_ms": T}       "ms": [MS, MS], "ratio": R, "upper": U, "rounds": N
 *  A candidate is {"kernel": K, "config": "rows=64,cols=64"}. `try` multiplies with it, checks the product and then
 * times it: MS is the median of its kernel times; one whose first time exceeds LIMIT (0: none) is not timed again.
 * `duel` times two in turn for about TIME ms: the median of each, the median of the second's time over the first's in
 * each round, and the upper end of the 95 % interval of that median. Times are in milliseconds. */
#pragma once

#include "report/record.h"
#include "worker/worker.h"

/* A try or a duel. */
typedef struct cli_trial_request {
    vkmm_candidate candidates[2];
    uint32_t count; /* of candidates: 2 in a duel */
    double limit_ms, time_ms;
} cli_trial_request;

/* The answer, if its status is VKMM_OK. */
typedef struct cli_answer {
    double ms[2]; /* in a duel both, else the first */
    double ratio, upper;
    uint32_t rounds; /* or samples */
} cli_answer;

/* The request as an object without "ask"; NULL if memory runs out. Reading returns 0 if the request is invalid. */
json_t *cli_write_trial(const cli_trial_request *request);
int cli_read_trial(const json_t *json, cli_trial_request *request);

/* Adds the figures of an answer. Taking them returns 0 if they are invalid; a time must be positive. */
void cli_put_figures(json_t *json, const cli_answer *answer);
int cli_take_figures(const json_t *json, int is_duel, cli_answer *answer);

/* A candidate that a tune measured. */
typedef struct cli_tune_trial {
    vkmm_candidate candidate;
    double ms;
} cli_tune_trial;

/* A candidate without a time. */
typedef struct cli_tune_failure {
    vkmm_candidate candidate;
    vkmm_status status;
    const char *reason;                 /* a few words that many failures share: static */
    char sentence[VKMM_SENTENCE_BYTES]; /* the whole reason; "": unknown */
} cli_tune_failure;

/* What a tune found for one problem. Borrows all that it points to. */
typedef struct cli_tune_row {
    const vkmm_device_info *device;
    vkmm_problem problem;
    vkmm_tuned tuned;       /* candidates: measured; planned_gflops 0: the planner's choice failed */
    vkmm_candidate planned; /* the planner's choice */
    uint32_t failed;        /* candidates without a time: refused, crashed, hung or wrong; */
    uint32_t wrong;         /* of them, with a wrong product */
    int unstored;           /* set by the caller: the result is not kept in the cache folder */
    int stored;
    double seconds;
    char skipped[160];            /* "", or why the problem was left out: then there is no result */
    const cli_tune_trial *trials; /* all that have a time, the fastest first */
    uint32_t trial_count;
    cli_tune_failure *failures; /* those of this tune; an earlier one kept no reasons */
    uint32_t failure_count;
} cli_tune_row;

/* What a row found, without its trials and failures. */
extern const vkmm_record cli_tune_result_record;

/* For people, and as "vkmatmul.tune/1". VKMM_OUT_OF_MEMORY is the only failure. */
vkmm_status cli_table_tune(cli_report *report, const cli_tune_row *row);
extern const vkmm_record cli_tune_row_record;

/* Searches for about budget_ms, measures the fastest and the planner's choice in turns, and stores a configuration that
 * is significantly faster. row is zeroed by the caller, except for `unstored`. The status is that of the problem; the
 * row is worth showing if row->tuned.gflops is above 0; otherwise, after VKMM_OK, no product could be timed in that
 * time. An interrupt ends the search early, with the results so far. The caller frees row->trials and row->failures. */
vkmm_status cli_tune_problem(cli_session *session, const vkmm_problem *problem, double budget_ms, cli_tune_row *row);
