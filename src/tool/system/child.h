/* A child process as the operating system has it. Private to system/process.c, which reads lines and waits. */
#ifndef VKMM_BASE_CHILD_H
#define VKMM_BASE_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "system/process.h"

typedef struct vkmm_child vkmm_child;

/* See vkmm_process_start. */
vkmm_status vkmm_child_start(const vkmm_log *log, const char *path, char *const *arguments, vkmm_child **child);

int vkmm_child_send(vkmm_child *child, const char *bytes, size_t count); /* 0 if the child has ended */

/* Waits at most so many ms, and reads at most so many bytes: how many, 0 if none came, -1 if no more will come. */
int64_t vkmm_child_read(vkmm_child *child, int wait_ms, char *bytes, size_t room);

void vkmm_child_close_input(vkmm_child *child); /* the child reads the end of its standard input */
int vkmm_child_ended(vkmm_child *child);
void vkmm_child_kill(vkmm_child *child);
void vkmm_child_how(const vkmm_child *child, char how[VKMM_PROCESS_END]); /* it ended by itself: see vkmm_process_end */
void vkmm_child_free(vkmm_child *child);

#endif
