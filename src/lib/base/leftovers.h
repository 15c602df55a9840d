/* Temporary files that must not outlive the process: a table of their names, which a signal handler may read. */
#ifndef VKMM_BASE_LEFTOVERS_H
#define VKMM_BASE_LEFTOVERS_H

/* Records a path, before a file of that name is created: an absolute one, or one below the present working directory.
 * Returns what vkmm_leftover_remove takes; -1 if the table is full or the path too long; nothing is then recorded. Any
 * thread. */
int vkmm_leftover_add(const char *path);

/* Removes it from the table, once the file is renamed or deleted. -1 is legal, and so is an entry that
 * vkmm_leftovers_unlink has removed. Any thread. */
void vkmm_leftover_remove(int leftover);

/* Unlinks all files recorded by this process and clears the table; keeps errno. A signal handler may call it at any
 * time: it takes no lock and allocates no memory. A forked child has recorded none. */
void vkmm_leftovers_unlink(void);

#endif
