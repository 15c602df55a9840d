/* Starting a program; shared by the files of process.h. */
#ifndef VKMM_BASE_PROCESS_SPAWN_H
#define VKMM_BASE_PROCESS_SPAWN_H

#include <sys/types.h>

/* Starts a program in a process group of its own, with these descriptors as its standard input, output and error; a
 * negative one: /dev/null. path NULL: arguments[0] is looked for in PATH. Returns 0, or the error's number. */
int vkmm_process_spawn(const char *path, char *const *arguments, const int streams[3], pid_t *pid);

#endif
