/* Temporary files that must not outlive the process: a table of their names, which a signal handler may read. */
#pragma once

/* Records a path before a file of that name is created; nothing if the table is full (32 paths). The string must stay
 * as it is until vkmm_leftover_remove. Any thread. */
void vkmm_leftover_add(const char *path);

/* Removes it from the table, once the file is renamed or deleted. 0: vkmm_leftovers_unlink has taken the path and may
 * still read it, so it must not be freed. Any thread. */
int vkmm_leftover_remove(const char *path);

/* Unlinks all recorded files and clears the table; keeps errno. For a process that is about to end. A signal handler
 * may call it at any time: it takes no lock and allocates no memory. Relative paths are those of the working directory
 * at that time. In a forked child that has recorded nothing itself, it does nothing. */
void vkmm_leftovers_unlink(void);
