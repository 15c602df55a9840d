#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

int vkmm_lock_take(const char *path, double patience_ms)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    double start = vkmm_now_ms();
    if (fd < 0) return -1;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || vkmm_now_ms() - start >= patience_ms) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    return fd;
}

void vkmm_lock_leave(int lock)
{
    if (lock >= 0) close(lock);
}
