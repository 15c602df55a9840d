/* Child processes that exchange lines with this process. */
#pragma once

#include "system/interrupt.h"
#include "vkmatmul.h"

#define CLI_PROCESS_END 64

/* A child whose standard input and output are this process's end of a socket. Its messages on standard error are
 * dropped. It has its own process group, so Ctrl-C reaches only this process. Used by one thread at a time. */
typedef struct cli_process cli_process;

/* Starts a program; arguments begin with its name and end with NULL. path NULL: the program that runs now.
 * VKMM_INVALID with the system's reason. Ended by cli_process_end. */
vkmm_status cli_process_start(const vkmm_log *log, const char *path, char *const *arguments, cli_process **process);

/* Sends a text; 0 if the child has ended. */
int cli_process_send(cli_process *process, const char *text);

typedef enum cli_heard {
    CLI_HEARD_LINE,
    CLI_HEARD_NOTHING,    /* in time */
    CLI_HEARD_END,        /* the child closed its output: it ended, or is about to */
    CLI_HEARD_INTERRUPTED /* cli_interrupted() */
} cli_heard;

/* The next line without its end, which is at most `most` bytes long; *text is valid until the next call on this
 * process. Waits until the clock (vkmm_now_ms) shows deadline_ms. A longer line ends the exchange: CLI_HEARD_END. */
cli_heard cli_process_hear(cli_process *process, double deadline_ms, size_t most, const char **text);

/* Waits patience_ms (less once cli_interrupted()) for the child to end by itself, now that it has no more input;
 * kills it after that. how (may be NULL): "ended with status 6", "was killed by signal 11 (Segmentation fault)", or
 * "was killed" if this function killed it. Sets NULL; a pointer to NULL is legal. */
void cli_process_end(cli_process **process, double patience_ms, char how[CLI_PROCESS_END]);

/* In a child: makes it end when its parent ends, for whatever reason. */
void cli_process_follow_parent(void);
