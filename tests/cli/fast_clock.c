/* Preloaded (LD_PRELOAD) into a program and its Vulkan driver: the monotonic clock runs SPEED times as fast. A
 * measurement that repeats until times agree or until a budget has passed is then over in a fraction of the time, on
 * the same paths. For tests whose programs wait for no other process. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPEED = 20 };
static const long long second_ns = 1000000000;

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now);

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int code = (int)syscall(SYS_clock_gettime, clock, now);
    if (code != 0 || clock != CLOCK_MONOTONIC) return code;
    const long long ns = (now->tv_sec * second_ns + now->tv_nsec) * SPEED;
    *now = (struct timespec){.tv_sec = ns / second_ns, .tv_nsec = ns % second_ns};
    return 0;
}
