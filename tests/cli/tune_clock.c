/* Preloaded (LD_PRELOAD) into a program whose time a test sets: the monotonic clock is what the file VKMM_TEST_TIME
 * says, in milliseconds. What a program does within its budget then does not depend on how fast the machine is. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now);

static int file = -1;

static void __attribute__((constructor)) keep_to_this_process(void)
{
    const char *path = getenv("VKMM_TEST_TIME");
    file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        fputs("test_clock: VKMM_TEST_TIME names no file that can be read\n", stderr);
        abort();
    }
    unsetenv("LD_PRELOAD");
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    char text[24] = "";
    if (clock != CLOCK_MONOTONIC || file < 0) return (int)syscall(SYS_clock_gettime, clock, now);
    if (pread(file, text, sizeof text - 1, 0) <= 0) abort();
    const long ms = 1000000 + strtol(text, NULL, 10);
    *now = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    return 0;
}
