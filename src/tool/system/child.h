/* A child process as the operating system has it. Private to system/process.c, which reads lines and waits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "system/process.h"

typedef struct cli_child cli_child;

/* See cli_process_start. */
vkmm_status cli_child_start(const vkmm_log *log, const char *path, char *const *arguments, cli_child **child);

int cli_child_send(cli_child *child, const char *bytes, size_t count); /* 0 if the child has ended */

/* Waits at most so many ms, and reads at most so many bytes: how many, 0 if none came, -1 if no more will come. */
int64_t cli_child_read(cli_child *child, int wait_ms, char *bytes, size_t room);

void cli_child_close_input(cli_child *child); /* the child reads the end of its standard input */
int cli_child_ended(cli_child *child);
void cli_child_kill(cli_child *child);
void cli_child_how(const cli_child *child, char how[CLI_PROCESS_END]); /* it ended by itself: see cli_process_end */
void cli_child_free(cli_child *child);
