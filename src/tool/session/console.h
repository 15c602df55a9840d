/* What people see besides results: messages and progress, on stderr. */
#ifndef VKMM_CLI_CONSOLE_H
#define VKMM_CLI_CONSOLE_H

#include "base/log.h"

typedef struct cli_console {
    vkmm_log log;    /* writes errors and warnings as "vkmatmul: …" */
    int interactive; /* stderr is a terminal that can wipe a line: progress is shown */
    int utf8;
    int muted;             /* messages are kept in last_error, not shown */
    int holding;           /* errors are kept in last_error, one after another */
    int progress_shown;    /* a progress line has to be wiped before anything else is written */
    char last_error[1024]; /* the latest error, or all that were held; cut to fit */
} cli_console;

/* console must stay where it is: its log points to it. */
void cli_console_start(cli_console *console);

/* Shows one short line that the next one replaces, on a terminal only; wiped by NULL and by messages. */
void cli_progress(cli_console *console, const char *format, ...) VKMM_PRINTF(2, 3);
void cli_progress_end(cli_console *console);

/* hold: from here on errors are not shown, but kept in last_error together, for the caller to show or not; warnings
 * are shown. release: no longer. */
void cli_console_hold(cli_console *console);
void cli_console_release(cli_console *console);

#endif
