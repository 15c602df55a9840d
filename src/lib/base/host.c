#include "base/host.h"

#include <stdio.h>
#include <string.h>
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

/* The number after `key` in a small text file of the kernel's; "" for one that is a number alone. 0: none, or "max". */
static uint64_t read_number(const char *path, const char *key)
{
    char line[256];
    unsigned long long value = 0;
    size_t length = strlen(key);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    while (value == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, length) == 0 && sscanf(line + length, "%llu", &value) != 1) value = 0;
    fclose(file);
    return value;
}

uint64_t vkmm_host_free_memory(void)
{
    uint64_t bytes = read_number("/proc/meminfo", "MemAvailable:") * 1024;
    const uint64_t limit = read_number("/sys/fs/cgroup/memory.max", ""),
                   used = read_number("/sys/fs/cgroup/memory.current", "");
    /* Pages of files count as used there, but give way. */
    const uint64_t files = read_number("/sys/fs/cgroup/memory.stat", "inactive_file "),
                   held = used > files ? used - files : 0;
    if (limit > 0 && (bytes == 0 || (limit > held ? limit - held : 1) < bytes)) bytes = limit > held ? limit - held : 1;
    return bytes;
}

void vkmm_host_time(char text[VKMM_HOST_TIME])
{
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL || strftime(text, VKMM_HOST_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
}
