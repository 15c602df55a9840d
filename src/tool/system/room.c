#include "system/room.h"

#include "base/alloc.h"
#include "base/folder.h"
#include "base/host.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is left for everything else. */
#define RESERVE (UINT64_C(256) << 20)

/* Linux overcommits memory, and kills a process that uses what is not there. */
static int is_free(uint64_t bytes)
{
    uint64_t free_bytes = vkmm_host_free_memory();
    return free_bytes == 0 || bytes + RESERVE < free_bytes;
}

/* A file that no other process sees, and that disappears with this process. */
static int open_nameless(const char *folder)
{
    char name[4096];
    int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    int length = snprintf(name, sizeof name, "%s/vkmatmul-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof name) return -1;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    return fd;
}

static vkmm_status map_file(const vkmm_log *log, uint64_t bytes, const char *what, vkmm_room *room)
{
    const char *folder = vkmm_folder_temporary();
    void *data = MAP_FAILED;
    int fd = open_nameless(folder), error = fd >= 0 ? 0 : errno;
    if (fd >= 0 && bytes > INT64_MAX) error = EFBIG;
    if (fd >= 0 && error == 0) error = posix_fallocate(fd, 0, (off_t)bytes);
    if (fd >= 0 && error == 0) {
        data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (data == MAP_FAILED) error = errno;
    }
    if (fd >= 0) close(fd);
    if (error != 0)
        return vkmm_fail(
            log, VKMM_OUT_OF_MEMORY,
            "%s needs %llu bytes of host memory, but they are not free, and no file for them can be made in %s: %s",
            what, (unsigned long long)bytes, folder, strerror(error));
    *room = (vkmm_room){data, bytes, 1};
    return VKMM_OK;
}

vkmm_status vkmm_room_open(const vkmm_log *log, uint64_t bytes, const char *what, vkmm_room *room)
{
    *room = (vkmm_room){0};
    if (bytes == 0) return VKMM_OK;
    void *data = is_free(bytes) ? vkmm_alloc(1, bytes) : NULL;
    if (data == NULL) return map_file(log, bytes, what, room);
    *room = (vkmm_room){data, bytes, 0};
    return VKMM_OK;
}

void vkmm_room_close(vkmm_room *room)
{
    if (room->is_mapped)
        munmap(room->data, room->bytes);
    else
        vkmm_free(room->data);
    *room = (vkmm_room){0};
}
