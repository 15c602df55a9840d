/* Locks between processes. */
#ifndef VKMM_BASE_LOCK_H
#define VKMM_BASE_LOCK_H

/* Takes the lock that a file stands for, which is made when it is missing; waits so long for others to leave it.
 * Advisory: it keeps out those alone who ask. -1: not to be had (in time, or the file cannot be made). A process
 * that ends leaves all its locks. */
int vkmm_lock_take(const char *path, double patience_ms);
void vkmm_lock_leave(int lock); /* -1 is legal */

#endif
