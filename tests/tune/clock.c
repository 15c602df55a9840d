/* Preloaded (LD_PRELOAD) into a program whose time a test sets: the monotonic clock goes on by a millisecond whenever
 * somebody looks at it. What a program does within its budget then no longer depends on how fast the machine is. */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now);

static void __attribute__((constructor)) keep_to_this_process(void)
{
    unsetenv("LD_PRELOAD");
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static atomic_long looks;
    if (clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, now);
    const long ms = 1000000 + atomic_fetch_add(&looks, 1);
    *now = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    return 0;
}
