/* Temporary files that must not outlive the process: a table of their names, which a signal handler may read. */
#ifndef VKMM_BASE_LEFTOVERS_H
#define VKMM_BASE_LEFTOVERS_H

/* Notes a path, before a file of that name is made: an absolute one, or one below the present working directory.
 * Returns what vkmm_leftover_remove takes; -1 when the table is full or the path too long, and then nothing is
 * noted. Any thread. */
int vkmm_leftover_add(const char *path);

/* Forgets it, once the file has another name or is gone. -1 is legal, and so is one that vkmm_leftovers_unlink has
 * been at. Any thread. */
void vkmm_leftover_remove(int leftover);

/* Unlinks all files noted by this process, and forgets them; keeps errno. A signal handler may call it, whatever it
 * has interrupted: it takes no lock and no memory. A child that has been forked has noted none. */
void vkmm_leftovers_unlink(void);

#endif
