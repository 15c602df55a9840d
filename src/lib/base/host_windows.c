#include "base/host.h"

#include <stdio.h>
#include <windows.h>

#include "base/dynlib.h"

void vkmm_host_system(char *text, size_t size)
{
    typedef LONG WINAPI version_function(OSVERSIONINFOW * version); /* GetVersionEx calls every newer Windows 8 */
    typedef const char *__cdecl wine_function(void);
    HMODULE system = GetModuleHandleW(L"ntdll.dll");
    version_function *ask = (version_function *)vkmm_dynlib_symbol(system, "RtlGetVersion");
    wine_function *ask_wine = (wine_function *)vkmm_dynlib_symbol(system, "wine_get_version");
    OSVERSIONINFOW v = {.dwOSVersionInfoSize = sizeof v};
    text[0] = '\0';
    if (ask == NULL || ask(&v) != 0) return;
    snprintf(text, size, "Windows %lu.%lu.%lu x86_64%s%s", v.dwMajorVersion, v.dwMinorVersion, v.dwBuildNumber,
             ask_wine != NULL ? ", Wine " : "", ask_wine != NULL ? ask_wine() : "");
}

uint32_t vkmm_host_processors(void)
{
    SYSTEM_INFO info; /* of one group of processors, of 64 at most; Wine without /sys knows no groups */
    const DWORD all = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    GetSystemInfo(&info);
    return all > 0 ? all : info.dwNumberOfProcessors;
}

static MEMORYSTATUSEX memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    if (!GlobalMemoryStatusEx(&status)) status.ullTotalPhys = status.ullAvailPhys = 0;
    return status;
}

uint64_t vkmm_host_memory(void)
{
    return memory().ullTotalPhys;
}

uint64_t vkmm_host_free_memory(void)
{
    return memory().ullAvailPhys;
}

void vkmm_host_time(char text[VKMM_HOST_TIME])
{
    SYSTEMTIME now;
    GetSystemTime(&now);
    snprintf(text, VKMM_HOST_TIME, "%04d-%02d-%02dT%02d:%02d:%02dZ", now.wYear, now.wMonth, now.wDay, now.wHour,
             now.wMinute, now.wSecond);
}
