#include "base/clock.h"

#include <time.h>

static double read_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

double vkmm_now_ms(void)
{
    return read_ms(CLOCK_MONOTONIC);
}

double vkmm_cpu_ms(void)
{
    return read_ms(CLOCK_PROCESS_CPUTIME_ID);
}
