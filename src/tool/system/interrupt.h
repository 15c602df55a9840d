/* The signals that ask a process to end: SIGINT (Ctrl-C), SIGTERM and SIGHUP. One that was ignored when the process
 * started (nohup) stays so.
 *   Ending at once: temporary files are removed, a line of progress is wiped, and the process exits with 128 and the
 *   signal's number, as shells count it. */
#ifndef VKMM_BASE_INTERRUPT_H
#define VKMM_BASE_INTERRUPT_H

/* From now on these signals end the process at once; and SIGPIPE does what it always does, but temporary files are
 * removed before. Called once, before threads start. */
void vkmm_interrupt_install(void);

/* From now on the first of them is remembered instead, for work that ends in good order: vkmm_interrupted is to be
 * asked often. A second one ends the process at once; so does a second in which nobody asked, and, once somebody
 * has, the time that the end of the work takes at most: whatever hangs, the process does not. patient: work that takes
 * its time and asks at its end; only a second signal ends it at once. */
void vkmm_interrupt_catch(int patient);
void vkmm_interrupt_release(void); /* back to what they did before; what was remembered is */
int vkmm_interrupted(void);        /* the number of the signal; 0: none came */

/* A sentence with its line end for standard error when a signal ends the process at once; NULL: none. Static storage.
 */
void vkmm_interrupt_says(const char *sentence);

/* While not 0, a line stands on the terminal of standard error that an end at once wipes. */
void vkmm_interrupt_wipes(int shown);

#endif
