#include "base/host.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

void vkmm_host_system(char *text, size_t size)
{
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(text, size, "%s %s %s", name.sysname, name.release, name.machine);
    else
        text[0] = '\0';
}

uint32_t vkmm_host_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 0;
}

uint64_t vkmm_host_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
}

void vkmm_host_time(char text[VKMM_HOST_TIME])
{
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL || strftime(text, VKMM_HOST_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) text[0] = '\0';
}
