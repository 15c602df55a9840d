#include "system/room.h"

#include "base/alloc.h"
#include "base/disk.h"
#include "base/folder.h"
#include "base/host.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>

#ifdef _WIN32
#include "base/wide.h"

#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

/* What is left for everything else. */
#define RESERVE (UINT64_C(256) << 20)

/* Linux overcommits memory, and kills a process that uses what is not there. */
static int is_free(uint64_t bytes)
{
    uint64_t free_bytes = vkmm_host_free_memory();
    return free_bytes == 0 || bytes + RESERVE < free_bytes;
}

/* Maps a new file, whose blocks are then allocated: 0, or an errno. */
#ifdef _WIN32
static int map_pages(int fd, uint64_t bytes, void **data)
{
    HANDLE section =
        CreateFileMappingW((HANDLE)_get_osfhandle(fd), NULL, PAGE_READWRITE, (DWORD)(bytes >> 32), (DWORD)bytes, NULL);
    *data = section != NULL ? MapViewOfFile(section, FILE_MAP_WRITE, 0, 0, bytes) : NULL;
    if (*data == NULL) vkmm_windows_failed();
    if (section != NULL) CloseHandle(section); /* the view keeps it */
    return *data != NULL ? 0 : errno;
}

static void unmap_pages(const cli_room *room)
{
    UnmapViewOfFile(room->data);
}
#else
static int map_pages(int fd, uint64_t bytes, void **data)
{
    const int error = bytes > INT64_MAX ? EFBIG : posix_fallocate(fd, 0, (off_t)bytes);
    if (error != 0) return error;
    *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return *data != MAP_FAILED ? 0 : errno;
}

static void unmap_pages(const cli_room *room)
{
    munmap(room->data, room->bytes);
}
#endif

static vkmm_status map_file(const vkmm_log *log, uint64_t bytes, const char *what, cli_room *room)
{
    const char *folder = vkmm_folder_temporary();
    void *data = NULL;
    const int fd = vkmm_disk_open_unnamed(folder), error = fd >= 0 ? map_pages(fd, bytes, &data) : errno;
    if (error == 0) {
        *room = (cli_room){data, bytes, 1, fd};
        return VKMM_OK;
    }
    if (fd >= 0) close(fd);
    return VKMM_FAIL(
        log, VKMM_OUT_OF_MEMORY,
        "%s needs %llu bytes of host memory, but they are not free, and no file for them can be made in %s: %s", what,
        (unsigned long long)bytes, folder, strerror(error));
}

vkmm_status cli_room_open(const vkmm_log *log, uint64_t bytes, const char *what, cli_room *room)
{
    *room = (cli_room){0};
    if (bytes == 0) return VKMM_OK;
    void *data = is_free(bytes) ? vkmm_alloc(1, bytes) : NULL;
    if (data == NULL) return map_file(log, bytes, what, room);
    *room = (cli_room){data, bytes, 0, -1};
    return VKMM_OK;
}

void cli_room_close(cli_room *room)
{
    if (room->is_mapped) {
        unmap_pages(room);
        close(room->fd);
    } else {
        vkmm_free(room->data);
    }
    *room = (cli_room){0};
}
