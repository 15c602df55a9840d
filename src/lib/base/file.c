#include "base/file.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/folder.h"
#include "base/leftovers.h"
#include "base/log.h"
#include "base/random.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Parts of rows share pages, which would be written to the disk again with each part. */
enum { WORTH_BEGINNING = 1 << 20 };

struct vkmm_output {
    int fd;            /* -1: none */
    int spool;         /* reserved, and not a regular file: its bytes until the commit; -1: none */
    uint64_t reserved; /* bytes */
    atomic_int failed; /* a write failed: commit must not put the file in place */
    int is_private;    /* a new file has mode 0600 before the umask, else 0666 */
    char *path;        /* as the user gave it, for messages */
    char *target;      /* what the rename replaces: path with its links resolved; NULL when written directly */
    char *partial;     /* the temporary file, recorded in base/leftovers.h; NULL when written directly */
};

vkmm_status vkmm_mapping_open(const char *path, vkmm_mapping *mapping)
{
    vkmm_disk_entry entry;
    int fd = vkmm_disk_open(path, VKMM_DISK_READ, 0);
    if (fd < 0) return vkmm_fail(VKMM_INVALID, "cannot read %s: %s", path, strerror(errno));
    vkmm_status result = VKMM_INVALID;
    if (vkmm_disk_look_open(fd, &entry) != 0)
        vkmm_fail(result, "cannot read %s: %s", path, strerror(errno));
    else if (entry.kind == VKMM_DISK_FOLDER)
        vkmm_fail(result, "cannot read %s: it is a directory", path);
    else if (entry.kind != VKMM_DISK_FILE)
        vkmm_fail(result, "cannot read %s: it is not a regular file, and only those can be mapped", path);
    else
        result = vkmm_mapping_of(path, fd, entry.bytes, 0, mapping);
    close(fd);
    return result;
}

vkmm_status vkmm_mapping_check(const char *path, const vkmm_mapping *mapping)
{
    vkmm_disk_entry entry;
    if (mapping->data == NULL || mapping->fd < 0 || vkmm_disk_look_open(mapping->fd, &entry) != 0) return VKMM_OK;
    if (entry.bytes >= mapping->bytes) return VKMM_OK;
    return vkmm_fail(VKMM_INVALID, "%s was truncated while it was read: it had %llu bytes", path,
                     (unsigned long long)mapping->bytes);
}

/* A path that a signal handler may be reading is not freed: the process is ending. */
static void forget_partial(vkmm_output *o)
{
    if (o->partial != NULL && vkmm_leftover_remove(o->partial)) vkmm_free(o->partial);
    o->partial = NULL;
}

void vkmm_output_discard(vkmm_output **output)
{
    vkmm_output *o = *output;
    if (o == NULL) return;
    if (o->fd >= 0) close(o->fd);
    if (o->spool >= 0) close(o->spool);
    if (o->partial != NULL) vkmm_disk_remove(o->partial);
    forget_partial(o);
    vkmm_free(o->target);
    vkmm_free(o->path);
    vkmm_free(o);
    *output = NULL;
}

/* Why the output cannot be written: an errno. */
static vkmm_status cannot(const vkmm_output *o, int error)
{
    return vkmm_fail(VKMM_INVALID, "cannot write %s: %s", o->path, strerror(error));
}

/* The descriptor that a name like /dev/stdout or /dev/fd/5 stands for, -1 for other names. Duplicating it shares its
 * position with whatever else writes there; opening the name again would start over at the first byte of a
 * redirected file. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < VKMM_COUNT(folders); i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0) continue;
        char *end = NULL;
        long fd = strtol(path + length, &end, 10);
        if (end != path + length && *end == '\0' && fd >= 0 && fd < 1 << 20) return (int)fd;
    }
    return -1;
}

/* A new file beside the target. Mode 0666 is cut by the umask as for any new file, which mkstemp's 0600 would not be.
 */
static vkmm_status create_partial(vkmm_output *o, unsigned mode)
{
    enum { TRIES = 100, NAME_BYTES = 40 };
    const size_t folder = (size_t)(vkmm_path_name(o->target) - o->target);
    char *name = o->partial = vkmm_alloc(folder + NAME_BYTES, 1);
    if (name == NULL) return VKMM_NO_MEMORY("for the temporary name of %s", o->path);
    memcpy(name, o->target, folder);
    uint64_t seed = (uint64_t)(vkmm_now_ms() * 1e6) ^ ((uint64_t)getpid() << 32) ^ (uint64_t)(uintptr_t)o;
    for (uint64_t i = 0; i < TRIES; i++) {
        snprintf(name + folder, NAME_BYTES, ".vkmatmul-%016llx.tmp", (unsigned long long)vkmm_random_bits(seed, i));
        vkmm_leftover_add(name);
        o->fd = vkmm_disk_open(name, VKMM_DISK_NEW, mode);
        if (o->fd >= 0) return VKMM_OK;
        if (errno != EEXIST) break;
        vkmm_leftover_remove(name); /* somebody else's file */
    }
    cannot(o, errno);
    forget_partial(o);
    return VKMM_INVALID;
}

static vkmm_status open_target(vkmm_output *o)
{
    vkmm_disk_entry entry;
    int shared = descriptor_of(o->path);
    int exists = shared < 0 && vkmm_disk_look(o->path, &entry) == 0;
    if (shared < 0 && !exists && errno != ENOENT) return cannot(o, errno);
    if (o->is_private && exists && entry.kind != VKMM_DISK_FILE)
        return vkmm_fail(VKMM_INVALID, "cannot write %s: it is not a regular file", o->path);
    if (shared >= 0 || (exists && entry.kind != VKMM_DISK_FILE)) {
        o->fd = shared >= 0 ? vkmm_disk_duplicate(shared) : vkmm_disk_open(o->path, VKMM_DISK_DEVICE, 0);
        return o->fd >= 0 ? VKMM_OK : cannot(o, errno);
    }
    o->target = vkmm_disk_target(o->path, exists);
    if (o->target == NULL && errno == ELOOP && !exists)
        return vkmm_fail(VKMM_INVALID, "cannot write %s: it is a dangling symbolic link", o->path);
    if (o->target == NULL && errno == ENOMEM) return VKMM_NO_MEMORY("for the name of %s", o->path);
    if (o->target == NULL) return cannot(o, errno);
    /* Until it has the mode of the file that it replaces, nobody else may open it. */
    vkmm_status result = create_partial(o, exists || o->is_private ? 0600 : 0666);
    /* An existing file keeps its permissions. Where the file system has none, that is no reason to fail. */
    if (result == VKMM_OK && exists && vkmm_disk_set_mode(o->fd, entry.mode) != 0) errno = 0;
    return result;
}

vkmm_status vkmm_output_open(const char *path, int is_private, vkmm_output **output)
{
    vkmm_output *o = vkmm_alloc(1, sizeof *o);
    *output = NULL;
    if (o != NULL) {
        o->fd = o->spool = -1;
        o->is_private = is_private;
        o->path = vkmm_strdup(path);
    }
    if (o == NULL || o->path == NULL) {
        vkmm_output_discard(&o);
        return VKMM_NO_MEMORY("for the output %s", path);
    }
    vkmm_status result = open_target(o);
    if (result != VKMM_OK) vkmm_output_discard(&o);
    *output = o;
    return result;
}

/* Writes it all, at an offset or, if that is negative, at the descriptor's position. */
static vkmm_status write_all(vkmm_output *o, int fd, int64_t offset, const void *data, uint64_t bytes)
{
    enum { CHUNK = 1 << 30 }; /* one write() moves less than 2 GiB on Linux, whatever it is asked for */
    const char *at = data;
    while (bytes > 0) {
        const size_t some = bytes < CHUNK ? (size_t)bytes : CHUNK;
        const int64_t written = vkmm_disk_write(fd, offset, at, some);
        if (written < 0) {
            o->failed = 1;
            return cannot(o, errno);
        }
        at += written;
        if (offset >= 0) offset += written;
        bytes -= (uint64_t)written;
    }
    return VKMM_OK;
}

vkmm_status vkmm_output_write(vkmm_output *output, const void *data, uint64_t bytes)
{
    return write_all(output, output->fd, -1, data, bytes);
}

/* Whatever ends the process, the system takes the file back. */
static vkmm_status open_spool(vkmm_output *o)
{
    const char *folder = vkmm_folder_temporary();
    o->spool = vkmm_disk_open_unnamed(folder);
    if (o->spool >= 0) return VKMM_OK;
    return vkmm_fail(errno == ENOMEM ? VKMM_OUT_OF_MEMORY : VKMM_INVALID,
                     "cannot keep the bytes of %s in %s (TMPDIR): %s", o->path, folder, strerror(errno));
}

/* A full disk shows here, not when half of the file is written; except where the file system cannot set bytes aside. */
vkmm_status vkmm_output_reserve(vkmm_output *o, uint64_t bytes)
{
    vkmm_status status = o->partial == NULL ? open_spool(o) : VKMM_OK;
    if (status == VKMM_OK && bytes > 0 && vkmm_disk_reserve(o->partial == NULL ? o->spool : o->fd, bytes) != 0)
        status = vkmm_fail(VKMM_INVALID, "cannot write %s: no space for its %llu bytes%s: %s", o->path,
                           (unsigned long long)bytes, o->partial == NULL ? " in a temporary file (TMPDIR)" : "",
                           strerror(errno));
    if (status != VKMM_OK) o->failed = 1;
    o->reserved = bytes;
    return status;
}

vkmm_status vkmm_output_write_at(vkmm_output *o, uint64_t offset, const void *data, uint64_t bytes)
{
    if (offset <= o->reserved && bytes <= o->reserved - offset) {
        const vkmm_status status = write_all(o, o->partial == NULL ? o->spool : o->fd, (int64_t)offset, data, bytes);
        if (status == VKMM_OK && o->partial != NULL && bytes >= WORTH_BEGINNING)
            vkmm_disk_sync_soon(o->fd, (int64_t)offset, bytes);
        return status;
    }
    o->failed = 1;
    return vkmm_fail(VKMM_INVALID, "cannot write %s: bytes %llu to %llu are beyond the %llu reserved", o->path,
                     (unsigned long long)offset, (unsigned long long)(offset + bytes), (unsigned long long)o->reserved);
}

vkmm_status vkmm_output_look(vkmm_output *o, vkmm_mapping *mapping)
{
    return vkmm_mapping_of(o->path, o->partial == NULL ? o->spool : o->fd, o->reserved, 1, mapping);
}

/* Copies what was written in parts to an output that cannot be written in parts. */
static vkmm_status empty_spool(vkmm_output *o)
{
    char block[1 << 16];
    vkmm_status status = VKMM_OK;
    for (uint64_t at = 0; at < o->reserved && status == VKMM_OK;) {
        const uint64_t left = o->reserved - at;
        const int64_t got =
            vkmm_disk_read(o->spool, (int64_t)at, block, left < sizeof block ? (size_t)left : sizeof block);
        if (got <= 0) return cannot(o, got < 0 ? errno : EIO);
        status = write_all(o, o->fd, -1, block, (uint64_t)got);
        at += (uint64_t)got;
    }
    return status;
}

static vkmm_status put_in_place(vkmm_output *o)
{
    if (o->failed) return vkmm_fail(VKMM_INVALID, "%s is unchanged, because writing it failed", o->path);
    if (o->spool >= 0 && empty_spool(o) != VKMM_OK) return VKMM_INVALID;
    /* Otherwise a crash of the machine could leave the new name with none of its bytes. */
    if (o->partial != NULL && vkmm_disk_sync(o->fd) != 0) return cannot(o, errno);
    int closed = close(o->fd); /* network file systems report a full disk only here */
    o->fd = -1;
    if (closed != 0 && errno != EINTR) return cannot(o, errno);
    if (o->partial == NULL) return VKMM_OK;
    if (vkmm_disk_replace(o->partial, o->target) != 0) return cannot(o, errno);
    forget_partial(o); /* the name is gone: nothing to remove */
    return VKMM_OK;
}

vkmm_status vkmm_output_commit(vkmm_output **output)
{
    vkmm_status result = put_in_place(*output);
    vkmm_output_discard(output);
    return result;
}

vkmm_status vkmm_output_try(const char *path, uint64_t bytes)
{
    vkmm_disk_entry entry;
    vkmm_output *output = NULL;
    if (vkmm_disk_look(path, &entry) == 0 && entry.kind == VKMM_DISK_PIPE && access(path, W_OK) == 0) return VKMM_OK;
    vkmm_status status = vkmm_output_open(path, 0, &output);
    if (status == VKMM_OK && bytes > 0) status = vkmm_output_reserve(output, bytes);
    vkmm_output_discard(&output);
    return status;
}

vkmm_status vkmm_output_whole(const char *path, int is_private, const void *data, uint64_t bytes)
{
    vkmm_output *output = NULL;
    vkmm_status status = vkmm_output_open(path, is_private, &output);
    if (status == VKMM_OK) status = vkmm_output_write(output, data, bytes);
    if (status == VKMM_OK) status = vkmm_output_commit(&output);
    vkmm_output_discard(&output);
    return status;
}

int vkmm_lock_take(const char *path, double patience_ms)
{
    int fd = vkmm_disk_open(path, VKMM_DISK_LOCK, 0600);
    double start = vkmm_now_ms();
    if (fd < 0) return -1;
    while (vkmm_disk_try_lock(fd) != 0) {
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
