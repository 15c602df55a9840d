/* The commands. Each has a row in the table of commands.c, and a file with its function. */
#pragma once

#include "session/session.h"

typedef struct cli_command {
    const char *name;
    unsigned bit; /* in cli_option.commands */
    const char *summary;
    const char *operand;  /* what may follow the options; NULL: nothing */
    const char *examples; /* lines of "command # comment"; NULL: none */
    vkmm_status (*run)(cli_session *session);
} cli_command;

const cli_command *cli_command_at(uint32_t index);     /* NULL past the end; the first is the default */
const cli_command *cli_command_find(const char *name); /* includes commands that are not listed */

/* Reports "unknown command", and the nearest known one. */
vkmm_status cli_command_unknown(const vkmm_log *log, const char *name);

vkmm_status cli_command_run(cli_session *session);               /* run.c */
vkmm_status cli_command_ladder(cli_session *session);            /* ladder.c */
vkmm_status cli_command_statistics(cli_session *session);        /* statistics.c */
vkmm_status cli_command_trace(cli_session *session);             /* trace_command.c */
vkmm_status cli_command_devices(cli_session *session);           /* devices.c */
vkmm_status cli_command_race(cli_session *session);              /* race_command.c */
vkmm_status cli_command_explain(cli_session *session);           /* explain.c */
vkmm_status cli_command_tune(cli_session *session);              /* tune.c */
vkmm_status cli_command_bench(cli_session *session);             /* bench.c */
vkmm_status cli_command_compare(cli_session *session);           /* compare.c */
vkmm_status cli_command_report(cli_session *session);            /* report.c */
vkmm_status cli_command_doctor(cli_session *session);            /* doctor.c */
vkmm_status cli_command_peak(cli_session *session);              /* peak.c */
vkmm_status cli_command_record(cli_session *session);            /* survey.c */
vkmm_status cli_command_check(cli_session *session);             /* conform.c */
vkmm_status cli_command_blas(cli_session *session);              /* blas_command.c */
vkmm_status cli_command_example(cli_session *session);           /* example.c */
vkmm_status cli_command_help(cli_session *session);              /* help.c */
vkmm_status cli_command_tune_worker(cli_session *session);       /* tune_worker.c */
vkmm_status cli_command_bench_worker(cli_session *session);      /* bench_worker.c */
vkmm_status cli_command_statistics_worker(cli_session *session); /* statistics_worker.c */
vkmm_status cli_command_doctor_worker(cli_session *session);     /* doctor_worker.c */
vkmm_status cli_command_peak_worker(cli_session *session);       /* peak.c */
vkmm_status cli_command_check_worker(cli_session *session);      /* conform_worker.c */

/* --help of one command, on stdout. */
void cli_print_help(const cli_command *command);
