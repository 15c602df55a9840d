/* The signals that ask a process to end: SIGINT (Ctrl-C), SIGTERM and SIGHUP. A signal that was
 * ignored when the process started (nohup) stays ignored.
 *   Ending at once: temporary files are removed, a progress line is erased, and the process exits with 128 plus the
 *   signal's number, as in shells.
 *   On Windows, Ctrl-C and Ctrl-Break count as SIGINT, a console that is closed as SIGHUP, and the end of the session
 * as SIGTERM. */
#pragma once

/* From now on these signals end the process at once. SIGPIPE and SIGBUS also end it as usual, but temporary files are
 * removed first, and SIGBUS is explained. Called once, before threads start. */
void cli_interrupt_install(void);

/* From now on the first of them is only remembered, so that work can end in good order: call cli_interrupted often.
 * A second signal ends the process at once. So does a second without a call of cli_interrupted, and, after a call
 * that reported the signal, the time limit for ending the work: the process never hangs. patient: for work that calls
 * cli_interrupted only at its end; only a second signal ends the process at once. cli_interrupt_install comes first. */
void cli_interrupt_catch(int patient);
/* They end the process at once again. A remembered signal stays remembered: call cli_interrupted afterwards, or a
 * signal that came between the two is lost. */
void cli_interrupt_release(void);
int cli_interrupted(void);             /* the number of the signal; 0: none came */
void cli_interrupt_repeat(int number); /* as if that signal came now */

/* A sentence with its line end for standard error when a signal ends the process at once; NULL: none. Static storage.
 */
void cli_interrupt_says(const char *sentence);

/* While not 0, the terminal of standard error shows a line that is erased if the process ends at once. */
void cli_interrupt_wipes(int shown);
