#include "base/clock.h"

#include <windows.h>

double vkmm_now_ms(void)
{
    LARGE_INTEGER now, per_second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&per_second);
    return (double)now.QuadPart * 1e3 / (double)per_second.QuadPart;
}

static double ms_of(const FILETIME *time)
{
    return ((double)time->dwHighDateTime * 0x1p32 + (double)time->dwLowDateTime) * 1e-4;
}

double vkmm_cpu_ms(void)
{
    FILETIME start, end, kernel = {0}, user = {0};
    GetProcessTimes(GetCurrentProcess(), &start, &end, &kernel, &user);
    return ms_of(&kernel) + ms_of(&user);
}
