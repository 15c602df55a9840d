/* What `vkmatmul tune` and its workers say to one another, a line each. The tune asks, on the worker's standard input;
 * the worker answers, on its standard output:
 *
 *     problem M N K TYPE …                       ready UUID
 *     try LIMIT KERNEL CONFIG                    ok MS SAMPLES | wrong SENTENCE | failed STATUS SENTENCE
 *     duel TIME KERNEL CONFIG KERNEL CONFIG      ok MS MS RATIO UPPER ROUNDS | likewise
 *  `problem` comes once, first. `try` multiplies with a configuration ("-": none), checks the product and then times
 * it: MS is the median of its kernel times; one that takes longer than LIMIT at once (0: none) is not timed again.
 * `duel` times two in turn for about TIME ms: the median of each, the median of the second's time over the first's
 * in each round, and the upper end of the 95 % interval of that median. Times are in milliseconds, STATUS is a
 * vkmm_status. A worker ends with its input. */
#ifndef VKMM_CLI_TUNE_PROTOCOL_H
#define VKMM_CLI_TUNE_PROTOCOL_H

#include "system/process.h"

#define CLI_LINE VKMM_PROCESS_LINE

/* The line of a problem, with its end; and back: 0 when it is none. */
void cli_write_problem(const vkmm_problem *problem, char line[CLI_LINE]);
int cli_read_problem(const char *line, vkmm_problem *problem);

void cli_write_try(const vkmm_candidate *candidate, double limit_ms, char line[CLI_LINE]);
int cli_read_try(const char *line, vkmm_candidate *candidate, double *limit_ms);

void cli_write_duel(const vkmm_candidate pair[2], double time_ms, char line[CLI_LINE]);
int cli_read_duel(const char *line, vkmm_candidate pair[2], double *time_ms);

/* A worker's last word on a candidate. */
typedef struct cli_answer {
    vkmm_status status; /* VKMM_OK, VKMM_WRONG_RESULT, or why it failed */
    char sentence[512]; /* unless OK */
    double ms[2];       /* of a duel both, else the first */
    double ratio, upper;
    uint32_t rounds; /* or samples */
} cli_answer;

void cli_write_answer(const cli_answer *answer, int duel, char line[CLI_LINE]);

/* 0: the line makes no sense; a speed that is no positive number makes none. */
int cli_read_answer(const char *line, int duel, cli_answer *answer);

#endif
