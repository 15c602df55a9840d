/* This program as a process of its own, which measures or examines a device: what a driver does to it, it does to
 * that process alone. */
#ifndef VKMM_CLI_CHILD_H
#define VKMM_CLI_CHILD_H

#include "system/process.h"
#include "session/session.h"

#define CLI_CHILD_END_MS 2000.0 /* for a process to end by itself, once it has no more input */

/* Starts a hidden command, of the program that --worker names or of this one, with --validate and --no-layers as
 * they are here; the rest of what decides on drivers lies in the environment, which it has from us. device: its
 * index, or NULL; words: further options, NULL-terminated. */
vkmm_status cli_child_start(const cli_session *session, const char *command, const vkmm_device_info *device,
                            const char *const *words, vkmm_process **process);

/* Ends one that gave no line after waited_ms. sentence: what became of it, for the rows that it cost. */
void cli_child_lose(vkmm_process **process, vkmm_heard heard, double waited_ms, char *sentence, size_t size);

#endif
