#include "base/file.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/leftovers.h"
#include "base/log.h"
#include "base/output.h"
#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void destroy(vkmm_output **output)
{
    vkmm_output *o = *output;
    if (o == NULL) return;
    if (o->fd >= 0) close(o->fd);
    if (o->spool >= 0) close(o->spool);
    if (o->partial != NULL) unlink(o->partial);
    vkmm_leftover_remove(o->leftover);
    vkmm_free(o->partial);
    vkmm_free(o->target);
    vkmm_free(o->path);
    vkmm_free(o);
    *output = NULL;
}

vkmm_status vkmm_output_cannot(const vkmm_output *o, int error)
{
    return vkmm_fail(&o->log, VKMM_INVALID, "cannot write %s: %s", o->path, strerror(error));
}

/* The descriptor that a name like /dev/stdout or /dev/fd/5 stands for, -1 for other names. Duplicating it shares its
 * position with whatever else writes there; opening the name again would start over at the first byte of a
 * redirected file. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0) continue;
        char *end = NULL;
        long fd = strtol(path + length, &end, 10);
        if (end != path + length && *end == '\0' && fd >= 0 && fd < 1 << 20) return (int)fd;
    }
    return -1;
}

/* The name that the rename replaces. */
static vkmm_status resolve(vkmm_output *o, int exists)
{
    struct stat status;
    if (!exists) {
        if (lstat(o->path, &status) == 0 && S_ISLNK(status.st_mode))
            return vkmm_fail(&o->log, VKMM_INVALID, "cannot write %s: it is a dangling symbolic link", o->path);
        o->target = vkmm_strdup(o->path);
    } else {
        /* A link keeps pointing where it pointed: the file at its end is replaced, not the link. */
        char *real = realpath(o->path, NULL);
        if (real == NULL) return vkmm_output_cannot(o, errno);
        o->target = vkmm_strdup(real);
        free(real);
        /* A rename would replace a read-only file without a word. */
        if (o->target != NULL && access(o->target, W_OK) != 0) return vkmm_output_cannot(o, errno);
    }
    return o->target != NULL ? VKMM_OK
                             : vkmm_fail(&o->log, VKMM_OUT_OF_MEMORY, "no memory for the name of %s", o->path);
}

/* A new file beside the target. O_EXCL never follows or reuses what is already there; mode 0666 is cut by the umask as
 * for any new file, which mkstemp's 0600 would not be. */
static vkmm_status create_partial(vkmm_output *o, mode_t mode)
{
    enum { TRIES = 100, NAME_BYTES = 40 };
    const char *slash = strrchr(o->target, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - o->target) + 1 : 0;
    char *name = vkmm_alloc(folder + NAME_BYTES, 1);
    if (name == NULL) return vkmm_fail(&o->log, VKMM_OUT_OF_MEMORY, "no memory for the temporary name of %s", o->path);
    memcpy(name, o->target, folder);
    uint64_t seed = (uint64_t)(vkmm_now_ms() * 1e6) ^ ((uint64_t)getpid() << 32) ^ (uint64_t)(uintptr_t)o;
    for (uint64_t i = 0; i < TRIES && o->fd < 0; i++) {
        snprintf(name + folder, NAME_BYTES, ".vkmatmul-%016llx.tmp", (unsigned long long)vkmm_random_bits(seed, i));
        vkmm_leftover_remove(o->leftover);
        o->leftover = vkmm_leftover_add(name);
        o->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (o->fd < 0 && errno != EEXIST) break;
    }
    if (o->fd >= 0) {
        o->partial = name;
        return VKMM_OK;
    }
    vkmm_output_cannot(o, errno);
    vkmm_leftover_remove(o->leftover); /* whoever has a file of that name */
    o->leftover = -1;
    vkmm_free(name);
    return VKMM_INVALID;
}

static vkmm_status open_target(vkmm_output *o)
{
    struct stat status;
    int shared = descriptor_of(o->path);
    int exists = shared < 0 && stat(o->path, &status) == 0;
    if (shared < 0 && !exists && errno != ENOENT) return vkmm_output_cannot(o, errno);
    if (shared >= 0 || (exists && !S_ISREG(status.st_mode))) {
        o->fd = shared >= 0 ? fcntl(shared, F_DUPFD_CLOEXEC, 0) : open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return o->fd >= 0 ? VKMM_OK : vkmm_output_cannot(o, errno);
    }
    vkmm_status result = resolve(o, exists);
    /* Until it has the mode of the file that it replaces, nobody else may open it. */
    if (result == VKMM_OK) result = create_partial(o, exists ? 0600 : o->mode);
    /* An existing file keeps its permissions. Where the file system has none, that is no reason to fail. */
    if (result == VKMM_OK && exists && fchmod(o->fd, status.st_mode & 0777) != 0) errno = 0;
    return result;
}

static vkmm_status open_output(const vkmm_log *log, const char *path, mode_t mode, vkmm_output **output)
{
    vkmm_output *o = vkmm_alloc(1, sizeof *o);
    *output = NULL;
    if (o != NULL) {
        o->fd = o->spool = o->leftover = -1;
        o->mode = mode;
        if (log != NULL) o->log = *log;
        o->path = vkmm_strdup(path);
    }
    if (o == NULL || o->path == NULL) {
        destroy(&o);
        return vkmm_fail(log, VKMM_OUT_OF_MEMORY, "no memory for the output %s", path);
    }
    vkmm_status result = open_target(o);
    if (result != VKMM_OK) destroy(&o);
    *output = o;
    return result;
}

vkmm_status vkmm_output_open(const vkmm_log *log, const char *path, vkmm_output **output)
{
    return open_output(log, path, 0666, output);
}

vkmm_status vkmm_output_open_private(const vkmm_log *log, const char *path, vkmm_output **output)
{
    return open_output(log, path, 0600, output);
}

vkmm_status vkmm_output_all(vkmm_output *o, int fd, off_t offset, const void *data, uint64_t bytes)
{
    enum { CHUNK = 1 << 30 }; /* one write() moves less than 2 GiB on Linux, whatever it is asked for */
    const char *at = data;
    while (bytes > 0) {
        const size_t some = bytes < CHUNK ? (size_t)bytes : CHUNK;
        ssize_t written = offset < 0 ? write(fd, at, some) : pwrite(fd, at, some, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            o->failed = 1;
            return vkmm_output_cannot(o, errno);
        }
        at += written;
        if (offset >= 0) offset += written;
        bytes -= (uint64_t)written;
    }
    return VKMM_OK;
}

vkmm_status vkmm_output_write(vkmm_output *output, const void *data, uint64_t bytes)
{
    return vkmm_output_all(output, output->fd, -1, data, bytes);
}

static vkmm_status put_in_place(vkmm_output *o)
{
    if (o->failed) return vkmm_fail(&o->log, VKMM_INVALID, "%s is unchanged, because writing it failed", o->path);
    if (o->spool >= 0 && vkmm_output_empty(o) != VKMM_OK) return VKMM_INVALID;
    /* Without fsync a crash of the machine could leave the new name with none of its bytes. Some file systems have
     * no fsync. */
    if (o->partial != NULL && fsync(o->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        return vkmm_output_cannot(o, errno);
    int closed = close(o->fd); /* network file systems report a full disk only here */
    o->fd = -1;
    if (closed != 0 && errno != EINTR) return vkmm_output_cannot(o, errno);
    if (o->partial == NULL) return VKMM_OK;
    if (rename(o->partial, o->target) != 0) return vkmm_output_cannot(o, errno);
    vkmm_free(o->partial); /* the name is gone: nothing to remove */
    o->partial = NULL;
    return VKMM_OK;
}

vkmm_status vkmm_output_commit(vkmm_output **output)
{
    vkmm_status result = put_in_place(*output);
    destroy(output);
    return result;
}

void vkmm_output_discard(vkmm_output **output)
{
    destroy(output);
}

vkmm_status vkmm_output_try(const vkmm_log *log, const char *path, uint64_t bytes)
{
    struct stat about;
    vkmm_output *output = NULL;
    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode) && access(path, W_OK) == 0) return VKMM_OK;
    vkmm_status status = vkmm_output_open(log, path, &output);
    if (status == VKMM_OK && bytes > 0) status = vkmm_output_reserve(output, bytes);
    vkmm_output_discard(&output);
    return status;
}

vkmm_status vkmm_output_whole(const vkmm_log *log, const char *path, const void *data, uint64_t bytes)
{
    vkmm_output *output = NULL;
    vkmm_status status = vkmm_output_open(log, path, &output);
    if (status == VKMM_OK) status = vkmm_output_write(output, data, bytes);
    if (status == VKMM_OK) status = vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    return status;
}

int vkmm_lock_take(const char *path, double patience_ms)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    double start = vkmm_now_ms();
    if (fd < 0) return -1;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || vkmm_now_ms() - start >= patience_ms) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    return fd;
}

void vkmm_lock_leave(int lock)
{
    if (lock >= 0) close(lock);
}
