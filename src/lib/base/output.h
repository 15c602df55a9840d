/* What the files of outputs and mappings share. Private to src/base. */
#pragma once

#include <stdatomic.h>

#include "base/file.h"

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

/* Reports why the output cannot be written: an errno. */
vkmm_status vkmm_output_cannot(const vkmm_output *o, int error);

/* Writes it all, at an offset or, if that is negative, at the descriptor's position. */
vkmm_status vkmm_output_all(vkmm_output *o, int fd, int64_t offset, const void *data, uint64_t bytes);

/* Copies what was written in parts to an output that cannot be written in parts. */
vkmm_status vkmm_output_empty(vkmm_output *o);

/* Maps the first `bytes` of an open regular file, whose path is for messages; the descriptor stays the caller's.
 * shared: later writes to the file are visible; some file systems do not support that. */
vkmm_status vkmm_mapping_of(const char *path, int fd, uint64_t bytes, int shared, vkmm_mapping *mapping);
