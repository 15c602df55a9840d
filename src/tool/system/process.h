/* Child processes that exchange lines with this process. */
#ifndef VKMM_BASE_PROCESS_H
#define VKMM_BASE_PROCESS_H

#include "system/interrupt.h"
#include "vkmatmul.h"

#define VKMM_PROCESS_END 64

/* A child whose standard input and output are this process's end of a socket. Its messages on standard error are
 * dropped. It has its own process group, so Ctrl-C reaches only this process. Used by one thread at a time. */
typedef struct vkmm_process vkmm_process;

/* Starts a program; arguments begin with its name and end with NULL. path NULL: the program that runs now.
 * VKMM_INVALID with the system's reason. Ended by vkmm_process_end. */
vkmm_status vkmm_process_start(const vkmm_log *log, const char *path, char *const *arguments, vkmm_process **process);

/* Sends a text; 0 if the child has ended. */
int vkmm_process_send(vkmm_process *process, const char *text);

typedef enum vkmm_heard {
    VKMM_HEARD_LINE,
    VKMM_HEARD_NOTHING,    /* in time */
    VKMM_HEARD_END,        /* the child closed its output: it ended, or is about to */
    VKMM_HEARD_INTERRUPTED /* vkmm_interrupted() */
} vkmm_heard;

/* The next line without its end, which is at most `most` bytes long; *text is valid until the next call on this
 * process. Waits until the clock (vkmm_now_ms) shows deadline_ms. A longer line ends the exchange: VKMM_HEARD_END. */
vkmm_heard vkmm_process_hear(vkmm_process *process, double deadline_ms, size_t most, const char **text);

/* Waits patience_ms (less once vkmm_interrupted()) for the child to end by itself, now that it has no more input;
 * kills it after that. how (may be NULL): "ended with status 6", "was killed by signal 11 (Segmentation fault)", or
 * "was killed" if this function killed it. Sets NULL; a pointer to NULL is legal. */
void vkmm_process_end(vkmm_process **process, double patience_ms, char how[VKMM_PROCESS_END]);

/* In a child: makes it end when its parent ends, for whatever reason. */
void vkmm_process_follow_parent(void);

#endif
