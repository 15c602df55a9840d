#include "base/output.h"

#include <errno.h>
#include <string.h>

#include "base/disk.h"
#include "base/folder.h"
#include "base/log.h"

/* Parts of rows share pages, which would be written to the disk again with each part. */
enum { WORTH_BEGINNING = 1 << 20 };

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
        const vkmm_status status =
            vkmm_output_all(o, o->partial == NULL ? o->spool : o->fd, (int64_t)offset, data, bytes);
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

vkmm_status vkmm_output_empty(vkmm_output *o)
{
    char block[1 << 16];
    vkmm_status status = VKMM_OK;
    for (uint64_t at = 0; at < o->reserved && status == VKMM_OK;) {
        const uint64_t left = o->reserved - at;
        const int64_t got =
            vkmm_disk_read(o->spool, (int64_t)at, block, left < sizeof block ? (size_t)left : sizeof block);
        if (got <= 0) return vkmm_output_cannot(o, got < 0 ? errno : EIO);
        status = vkmm_output_all(o, o->fd, -1, block, (uint64_t)got);
        at += (uint64_t)got;
    }
    return status;
}
