#include "base/file.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

vkmm_status vkmm_mapping_of(const char *path, int fd, uint64_t bytes, int shared, vkmm_mapping *mapping)
{
    void *data = NULL;
    if (bytes > SIZE_MAX)
        return vkmm_fail(VKMM_INVALID, "cannot map %s: its %llu bytes exceed the address space", path,
                         (unsigned long long)bytes);
    if (bytes > 0) data = mmap(NULL, (size_t)bytes, PROT_READ, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return vkmm_fail(VKMM_INVALID, "cannot map %s: %s", path, strerror(errno));
    *mapping = (vkmm_mapping){data, bytes, data != NULL ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1};
    return VKMM_OK;
}

void vkmm_mapping_close(vkmm_mapping *mapping)
{
    if (mapping->data != NULL) {
        munmap((void *)(uintptr_t)mapping->data, (size_t)mapping->bytes);
        if (mapping->fd >= 0) close(mapping->fd);
    }
    *mapping = (vkmm_mapping){0};
}
