/* `vkmatmul check`: what a driver gets wrong. A part is a list of cases; a case is one small computation with a known
 * result. Cases run in a separate process (worker/worker.h), so that a driver that crashes costs one case:
 *
 *     {"ask": "case", "part": P, "first": N}    runs the first case from N on that this device has. The answer: "end",
 *                                               or "index", "case" (its name), "finding" and "passed"; if it failed
 *                                               also "why", "again" and "shader": a command line and a shader
 *     {"ask": "name", "part": P, "first": N}    only finds it: "end", or "index", "case", "finding" */
#pragma once

#include "report/record.h"
#include "session/session.h"
#include "worker/worker.h"

enum { CLI_CASE_NAME = 160, CLI_CASE_TEXT = 500, CLI_MOST_FAILURES = 12 /* that are described, of a part */ };

/* One case, in the process that runs it. */
typedef struct cli_case {
    char name[CLI_CASE_NAME], finding[VKMM_FINDING]; /* what to avoid if it fails (vkmm_device_check); "": nothing */
    int passed;
    char why[CLI_CASE_TEXT], again[CLI_CASE_TEXT];
    char *shader; /* owned, vkmm_free; NULL: none */
} cli_case;

/* A part. find: whether the device has the index-th case, which it names; 0 also past the last. run: of a case that
 * was found; VKMM_OK whatever the result; a failure ends the part. Or a table of small shaders (conform_trial.h). */
typedef struct cli_case_part {
    const char *name;
    uint32_t (*count)(const cli_session *session);
    int (*find)(const cli_session *session, uint32_t index, cli_case *found);
    vkmm_status (*run)(cli_session *session, uint32_t index, cli_case *result);
    const struct cli_trial_kind *kinds; /* NULL: none */
    uint32_t kind_count;
} cli_case_part;

/* conform_NAME.c has its part. */
extern const cli_case_part cli_numbers_part, cli_device_part, cli_matrices_part, cli_reductions_part, cli_products_part;

const cli_case_part *cli_case_part_at(uint32_t index); /* in the order that they run; NULL past the end */

/* ---- in the process that asks ---- */

typedef struct cli_failure {
    char name[CLI_CASE_NAME], why[CLI_CASE_TEXT], again[CLI_CASE_TEXT];
    char file[CLI_CASE_TEXT]; /* its shader; "": none was written */
} cli_failure;

typedef struct cli_part_result {
    const char *name;
    uint32_t run, passed, failure_count;
    char incomplete[CLI_CASE_TEXT]; /* why cases are missing; "": none is */
    cli_failure failures[CLI_MOST_FAILURES];
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
 * after an interrupt. Freed by vkmm_free; NULL: memory ran out. */
cli_conformance *cli_conform(cli_session *session, double budget_ms, const char *stem, vkmm_status *status);

void cli_conform_show(const cli_report *report, const cli_conformance *result); /* for people */

#define CLI_CHECK_MS     120000.0 /* the default time, */
#define CLI_CHECK_CPU_MS 10000.0  /* and that of a record on a processor */
