#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/folder.h"
#include "base/log.h"

/* A temporary file that has no name any more: whatever ends the process, the system takes it back. */
static vkmm_status open_spool(vkmm_output *o)
{
    static const char name[] = "/vkmatmul-XXXXXX";
    const char *folder = vkmm_folder_temporary();
    char *path = vkmm_alloc(strlen(folder) + sizeof name, 1);
    if (path == NULL) return vkmm_fail(&o->log, VKMM_OUT_OF_MEMORY, "no memory for the temporary name of %s", o->path);
    strcat(strcpy(path, folder), name);
    o->spool = mkostemp(path, O_CLOEXEC);
    const int error = errno;
    if (o->spool >= 0) unlink(path);
    vkmm_free(path);
    if (o->spool >= 0) return VKMM_OK;
    return vkmm_fail(&o->log, VKMM_INVALID, "cannot keep the bytes of %s in %s (TMPDIR): %s", o->path, folder,
                     strerror(error));
}

/* A full disk shows here, not when half of the file is written; except where the file system cannot set bytes aside.
 * 0, or what went wrong. */
static int set_aside(int fd, uint64_t bytes)
{
    if (bytes > INT64_MAX) return EFBIG;
    int error = EOPNOTSUPP;
#ifdef __linux__
    /* Not posix_fallocate, which writes into every block where the file system has no such call. */
    do error = fallocate(fd, 0, 0, (off_t)bytes) == 0 ? 0 : errno;
    while (error == EINTR);
#endif
    if (error != EOPNOTSUPP && error != ENOSYS) return error;
    return ftruncate(fd, (off_t)bytes) == 0 ? 0 : errno;
}

vkmm_status vkmm_output_reserve(vkmm_output *o, uint64_t bytes)
{
    vkmm_status status = o->partial == NULL ? open_spool(o) : VKMM_OK;
    int error = status == VKMM_OK && bytes > 0 ? set_aside(o->partial == NULL ? o->spool : o->fd, bytes) : 0;
    if (error != 0)
        status = vkmm_fail(&o->log, VKMM_INVALID, "cannot write %s: no space for its %llu bytes%s: %s", o->path,
                           (unsigned long long)bytes, o->partial == NULL ? " in a temporary file (TMPDIR)" : "",
                           strerror(error));
    if (status != VKMM_OK) o->failed = 1;
    o->reserved = bytes;
    return status;
}

vkmm_status vkmm_output_write_at(vkmm_output *o, uint64_t offset, const void *data, uint64_t bytes)
{
    if (offset <= o->reserved && bytes <= o->reserved - offset)
        return vkmm_output_all(o, o->partial == NULL ? o->spool : o->fd, (off_t)offset, data, bytes);
    o->failed = 1;
    return vkmm_fail(&o->log, VKMM_INVALID, "cannot write %s: bytes %llu to %llu are beyond the %llu reserved", o->path,
                     (unsigned long long)offset, (unsigned long long)(offset + bytes), (unsigned long long)o->reserved);
}

vkmm_status vkmm_output_look(vkmm_output *o, vkmm_mapping *mapping)
{
    return vkmm_mapping_of(&o->log, o->path, o->partial == NULL ? o->spool : o->fd, o->reserved, 1, mapping);
}

vkmm_status vkmm_output_empty(vkmm_output *o)
{
    char block[1 << 16];
    vkmm_status status = VKMM_OK;
    for (uint64_t at = 0; at < o->reserved && status == VKMM_OK;) {
        const uint64_t left = o->reserved - at;
        ssize_t got = pread(o->spool, block, left < sizeof block ? (size_t)left : sizeof block, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return vkmm_output_cannot(o, got < 0 ? errno : EIO);
        status = vkmm_output_all(o, o->fd, -1, block, (uint64_t)got);
        at += (uint64_t)got;
    }
    return status;
}
