#include "base/clock.h"

#include <windows.h>

double vkmm_now_ms(void)
{
    LARGE_INTEGER now, per_second;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&per_second);
    return (double)now.QuadPart * 1e3 / (double)per_second.QuadPart;
}
