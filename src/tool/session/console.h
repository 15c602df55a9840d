/* What people see besides results: messages and progress, on stderr. */
#pragma once

#include "base/log.h"

typedef struct cli_console {
    vkmm_log log;    /* writes errors and warnings as "vkmatmul: …" */
    int interactive; /* stderr is a terminal that can erase a line: progress is shown */
    int utf8;
    int muted;             /* messages are kept in last_error, not shown */
    int holding;           /* errors are kept in last_error, one after another */
    int progress_shown;    /* a progress line must be erased before anything else is written */
    char last_error[1024]; /* the latest error, or all that were held; cut to fit */
} cli_console;

/* console must not move: its log points to it. */
void cli_console_start(cli_console *console);

/* Shows one short line that the next one replaces, only on a terminal; NULL and messages erase it. */
void cli_progress(cli_console *console, const char *format, ...) VKMM_PRINTF(2, 3);
void cli_progress_end(cli_console *console);

/* One line on stderr that is neither an error nor a warning. Shown even if the console is muted. */
void cli_note(cli_console *console, const char *format, ...) VKMM_PRINTF(2, 3);

/* hold: from now on, errors are collected in last_error instead of being shown; the caller may show them. Warnings are
 * shown. release: ends this. */
void cli_console_hold(cli_console *console);
void cli_console_release(cli_console *console);
