#include "base/leftovers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "base/disk.h"

enum { SLOTS = 32 };

static _Atomic(const char *) paths[SLOTS]; /* NULL: free */
static _Atomic(pid_t) owner;               /* a forked child has a copy of the table */
static atomic_int ending;                  /* vkmm_leftovers_unlink was called */

/* Puts `to` in the place of the first `from`; 0: there is none. */
static int exchange(const char *from, const char *to)
{
    for (int i = 0; i < SLOTS; i++) {
        const char *there = from;
        if (atomic_compare_exchange_strong(&paths[i], &there, to)) return 1;
    }
    return 0;
}

void vkmm_leftover_add(const char *path)
{
    atomic_store(&owner, getpid());
    exchange(NULL, path);
}

int vkmm_leftover_remove(const char *path)
{
    return exchange(path, NULL) || !atomic_load(&ending);
}

void vkmm_leftovers_unlink(void)
{
    const int error = errno;
    if (atomic_load(&owner) != getpid()) return;
    atomic_store(&ending, 1);
    for (int i = 0; i < SLOTS; i++) {
        const char *path = atomic_exchange(&paths[i], NULL);
        if (path != NULL) vkmm_disk_remove(path);
    }
    errno = error;
}
