#include "system/append.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"

#ifdef _WIN32
#include <io.h>
#define fsync _commit
enum { HOW = O_BINARY | O_NOINHERIT };
#else
enum { HOW = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };
#endif

struct vkmm_append {
    vkmm_log log;
    int fd;
    char *path;
};

static vkmm_status cannot_write(const vkmm_append *a, const char *reason)
{
    return vkmm_fail(&a->log, VKMM_INVALID, "cannot write %s: %s", a->path, reason);
}

static int write_all(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(fd, text, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return 0;
        text += written;
        bytes -= (size_t)written;
    }
    return 1;
}

/* Bytes up to the end of the last whole line; -1 when they cannot be read. */
static off_t whole_lines(int fd, off_t size)
{
    char block[4096];
    for (off_t end = size; end > 0;) {
        off_t start = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
        size_t wanted = (size_t)(end - start);
        if (lseek(fd, start, SEEK_SET) != start || read(fd, block, wanted) != (ssize_t)wanted) return -1;
        for (size_t i = wanted; i > 0; i--)
            if (block[i - 1] == '\n') return start + (off_t)i;
        end = start;
    }
    return 0;
}

static vkmm_status open_file(vkmm_append *a)
{
    struct stat status;
    a->fd = open(a->path, O_RDWR | O_CREAT | O_APPEND | HOW, 0666);
    if (a->fd < 0 || fstat(a->fd, &status) != 0) return cannot_write(a, strerror(errno));
    if (!S_ISREG(status.st_mode)) return cannot_write(a, "it is not a regular file");
    off_t whole = whole_lines(a->fd, status.st_size);
    if (whole < 0 || (whole < status.st_size && ftruncate(a->fd, whole) != 0)) return cannot_write(a, strerror(errno));
    return VKMM_OK;
}

vkmm_status vkmm_append_open(const vkmm_log *log, const char *path, vkmm_append **append)
{
    vkmm_append *a = vkmm_alloc(1, sizeof *a);
    *append = NULL;
    if (a) {
        a->fd = -1;
        if (log) a->log = *log;
        a->path = vkmm_strdup(path);
    }
    if (!a || !a->path) {
        vkmm_append_close(&a, 0);
        return VKMM_NO_MEMORY(log, "to write %s", path);
    }
    vkmm_status status = open_file(a);
    if (status != VKMM_OK) vkmm_append_close(&a, 0);
    *append = a;
    return status;
}

vkmm_status vkmm_append_line(vkmm_append *a, const char *line)
{
    if (!write_all(a->fd, line, strlen(line)) || !write_all(a->fd, "\n", 1)) return cannot_write(a, strerror(errno));
    /* Some file systems have no fsync. */
    if (fsync(a->fd) != 0 && errno != EINVAL && errno != ENOTSUP) return cannot_write(a, strerror(errno));
    return VKMM_OK;
}

void vkmm_append_close(vkmm_append **append, int remove)
{
    vkmm_append *a = *append;
    if (!a) return;
    if (a->fd >= 0) close(a->fd);
    if (remove) unlink(a->path);
    vkmm_free(a->path);
    vkmm_free(a);
    *append = NULL;
}
