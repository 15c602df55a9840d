/* Cases that are one small shader: its input is made, it runs, and what it wrote is judged. */
#pragma once

#include "check/conform.h"
#include "look/probe.h"

enum { CLI_TRIAL_WORDS = 1 << 18 /* at most, of input and of output */ };

typedef struct cli_trial {
    const vkmm_device_info *info;
    vkmm_probe probe;      /* its input and output have CLI_TRIAL_WORDS, zeroed */
    uint32_t *in, *want;   /* the same input; the right output, as large */
    uint32_t first, count; /* the words of the input that a wrong result depends on; 0: many */
    char why[CLI_CASE_TEXT];
    char defines[120]; /* lines of the shader, for its macros */
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

int cli_trial_find(const cli_session *session, const cli_trial_kind *kind, cli_case *found);

/* Workgroups of `invocations` at most, over `count` of them, a power of two; and the shader's second constant. */
void cli_trial_spread(cli_trial *trial, uint32_t invocations, uint32_t count, uint32_t constant);

int cli_trial_wrong(cli_trial *trial, const char *format, ...) VKMM_PRINTF(2, 3); /* sets why: 0 */
