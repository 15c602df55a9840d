/* `vkmatmul check`: what a driver gets wrong. A part is a list of cases; a case is one small computation with a known
 * result. Cases run in a separate process (worker/worker.h), so that a driver that crashes costs one case:
 *
 *     {"ask": "case", "part": P, "first": N, "file": F}    runs the first case from N on that this device has
 *     {"ask": "name", "part": P, "first": N}               only finds it
 *
 * The answer is that case (cli_case_record), without "case" past the last. If it failed, a shader that shows this is
 * written to F, unless it is "". */
#pragma once

#include "look/probe.h"
#include "report/record.h"
#include "session/session.h"
#include "worker/worker.h"

enum { CLI_CASE_NAME = 160, CLI_CASE_TEXT = 500, CLI_MOST_FAILURES = 12 /* that are described, of a part */ };

typedef struct cli_case {
    uint32_t index;             /* in its part */
    char name[CLI_CASE_NAME];   /* "": there are no more */
    char finding[VKMM_FINDING]; /* what to avoid if it fails (vkmm_device_check); "": nothing */
    int passed;
    char why[CLI_CASE_TEXT], again[CLI_CASE_TEXT]; /* if it failed; again: a command line, or "" */
    char file[CLI_CASE_TEXT];                      /* where the shader that shows the failure is written; "": nowhere */
} cli_case;

extern const vkmm_record cli_case_record;

/* ---- in the process that runs them ---- */

struct cli_trial_kind;

/* A part. find: whether the device has the index-th case, which it names; CLI_NO_CASE past the last. run: of a case
 * that was found; VKMM_OK whatever the result; a failure ends the part. Or a table of small shaders. */
typedef struct cli_case_part {
    const char *name;
    int (*find)(const cli_session *session, uint32_t index, cli_case *found);
    vkmm_status (*run)(cli_session *session, uint32_t index, cli_case *result);
    const struct cli_trial_kind *kinds; /* NULL: none */
    uint32_t kind_count;
} cli_case_part;

enum { CLI_NO_CASE = -1 };

/* conform_NAME.c has its part; conform_matrices.c also that of reductions. */
extern const cli_case_part cli_numbers_part, cli_device_part, cli_matrices_part, cli_reductions_part, cli_products_part;

extern const cli_case_part *const cli_case_parts[]; /* in the order that they run; NULL after the last */

/* ---- cases that are one small shader: its input is made, it runs, and what it wrote is judged ---- */

enum { CLI_TRIAL_WORDS = 1 << 18 /* at most, of input and of output */ };

typedef struct cli_trial {
    const vkmm_device_info *info;
    vkmm_probe probe;      /* its input and output have CLI_TRIAL_WORDS, zeroed */
    uint32_t *in, *want;   /* the same input; the right output, as large */
    uint32_t first, count; /* the words of the input that a wrong result depends on; 0: many */
    char defines[120];     /* lines of the shader, for its macros */
    cli_case *result;
} cli_trial;

/* A row of a table. make: fills in the probe and the input. judge: whether the output is right, otherwise `why`; NULL:
 * it should be trial->want. */
typedef struct cli_trial_kind {
    const char *name;
    int (*has)(const void *info); /* vkmm_device_info; NULL: every device */
    const char *module;
    uint32_t operation;
    void (*make)(cli_trial *trial, uint32_t operation);
    int (*judge)(cli_trial *trial, uint32_t operation);
} cli_trial_kind;

/* Runs it and sets the result, with a shader that shows the failure. */
vkmm_status cli_trial_run(cli_session *session, const cli_trial_kind *kind, uint32_t operation, cli_case *result);

/* A part of which each case is a row of a table. */
#define CLI_TRIALS(table) .kinds = (table), .kind_count = VKMM_COUNT(table)

/* Workgroups of `invocations` at most, over `count` of them, a power of two; and the shader's second constant. */
void cli_trial_spread(cli_trial *trial, uint32_t invocations, uint32_t count, uint32_t constant);

int cli_trial_wrong(cli_trial *trial, const char *format, ...) VKMM_PRINTF(2, 3); /* sets the result's why: 0 */

/* ---- in the process that asks ---- */

typedef struct cli_part_result {
    const char *name;
    uint32_t run, passed, failure_count;
    char incomplete[CLI_CASE_TEXT]; /* why cases are missing; "": none is */
    cli_case failures[CLI_MOST_FAILURES];
} cli_part_result;

enum { CLI_MOST_PARTS = 8 };

typedef struct cli_conformance {
    cli_part_result parts[CLI_MOST_PARTS];
    uint32_t part_count;
    int passed; /* everything that ran */
} cli_conformance;

extern const vkmm_record cli_conformance_record;

/* Runs all parts (with --part only that one) on the session's device, for as long as budget_ms allows. Shaders of
 * failures are written to files that begin with `stem`; NULL: nowhere. VKMM_WRONG_RESULT: a case failed; VKMM_OK also
 * after an interrupt. */
vkmm_status cli_conform(cli_session *session, double budget_ms, const char *stem, cli_conformance *all);

#define CLI_CHECK_MS     120000.0 /* the default time, */
#define CLI_CHECK_CPU_MS 10000.0  /* and that of a record on a processor */
