/* Files: read-only mappings, outputs that appear whole or not at all, and locks between processes. */
#pragma once

#include "vkmatmul.h"

/* A read-only view of a whole file. */
typedef struct vkmm_mapping {
    const void *data; /* NULL for an empty file */
    uint64_t bytes;
    int fd; /* owned: the file, to ask for its size; -1: none */
} vkmm_mapping;

/* Maps a regular file. VKMM_INVALID, with the path and the system's reason, when it cannot be read. Reading
 * pages that the file has lost since, or that the disk cannot read, ends the process (SIGBUS). */
vkmm_status vkmm_mapping_open(const char *path, vkmm_mapping *mapping);
void vkmm_mapping_close(vkmm_mapping *mapping); /* a zeroed mapping is legal */

/* Maps the first `bytes` of an open regular file, whose path is for messages; the descriptor stays the caller's.
 * shared: later writes to the file are visible; some file systems do not support that. */
vkmm_status vkmm_mapping_of(const char *path, int fd, uint64_t bytes, int shared, vkmm_mapping *mapping);

/* VKMM_INVALID if the file of that path has been truncated since it was mapped. Any thread. */
vkmm_status vkmm_mapping_check(const char *path, const vkmm_mapping *mapping);

/* An output under a temporary name in the target's own directory. It replaces `path` only at commit (fsync, rename).
 * A new file gets mode 0666 less the umask, an existing one keeps its mode. A symbolic link is kept: the file that it
 * points to is replaced. A read-only file is rejected. A path that names something other than a regular file
 * (/dev/null, a pipe) is written directly; /dev/stdout, /dev/stderr and /dev/fd/N are written at that stream's
 * position, even if it is a regular file. A signal handler that ends the process can remove the temporary files
 * (base/leftovers.h). */
typedef struct vkmm_output vkmm_output;

/* is_private: for a file of the cache folder; a new one gets mode 0600, and only a regular file is replaced. */
vkmm_status vkmm_output_open(const char *path, int is_private, vkmm_output **output);
vkmm_status vkmm_output_write(vkmm_output *output, const void *data,
                              uint64_t bytes); /* VKMM_INVALID: full disk, and so on */

/* Writing in parts, in place of vkmm_output_write. reserve is called first, once: it makes the output `bytes` long and
 * allocates them on the disk if the file system can do that; VKMM_INVALID if they do not fit. An output that is written
 * directly gets its bytes at commit, from an unnamed temporary file in TMPDIR or /tmp. write_at: any thread, several at
 * once if their bytes do not overlap; bytes that are never written are zero. look maps the output for reading; closed
 * by vkmm_mapping_close, before or after the output ends. */
vkmm_status vkmm_output_reserve(vkmm_output *output, uint64_t bytes);
vkmm_status vkmm_output_write_at(vkmm_output *output, uint64_t offset, const void *data, uint64_t bytes);
vkmm_status vkmm_output_look(vkmm_output *output, vkmm_mapping *mapping);

/* Both end the output and set it NULL. commit: VKMM_INVALID when the file could not be put in place, or an earlier
 * write failed; then nothing is left behind. discard removes the temporary file; a NULL *output is legal. */
vkmm_status vkmm_output_commit(vkmm_output **output);
void vkmm_output_discard(vkmm_output **output);

/* Whether an output of this many bytes (0: not known) could be written; to be checked before its contents are computed.
 * It leaves nothing behind, and does not open a pipe, because its reader would see its end. */
vkmm_status vkmm_output_try(const char *path, uint64_t bytes);

/* A file from its first byte to its last; is_private: as in vkmm_output_open. */
vkmm_status vkmm_output_whole(const char *path, int is_private, const void *data, uint64_t bytes);

/* Takes the lock that a file represents; the file is created if it is missing. Waits at most this long for others to
 * release it. The lock is advisory. -1: it could not be taken in time, or the file cannot be created. A process that
 * ends releases all its locks. */
int vkmm_lock_take(const char *path, double patience_ms);
void vkmm_lock_leave(int lock); /* -1 is legal */
