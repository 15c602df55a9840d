/* Files: read-only mappings, and outputs that appear whole or not at all. */
#ifndef VKMM_BASE_FILE_H
#define VKMM_BASE_FILE_H

#include "vkmatmul.h"

/* A read-only view of a whole file. */
typedef struct vkmm_mapping {
    const void *data; /* NULL for an empty file */
    uint64_t bytes;
} vkmm_mapping;

/* Maps a regular file. VKMM_INVALID, with the path and the system's reason, when it cannot be read. A file that is
 * made shorter while it is mapped ends the process (SIGBUS). */
vkmm_status vkmm_mapping_open(const vkmm_log *log, const char *path, vkmm_mapping *mapping);
void vkmm_mapping_close(vkmm_mapping *mapping); /* a zeroed mapping is legal */

/* Makes a folder, unless there is one of this name; not those above it. VKMM_INVALID, with the system's reason, when that fails, or files cannot be made
 * in it. */
vkmm_status vkmm_folder_make(const vkmm_log *log, const char *path);

/* An output under a temporary name in the target's own directory. It replaces `path` only at commit (fsync, rename). A new file
 * gets mode 0666 less the umask, an existing one keeps its mode. A symbolic link stays: the file at its end is replaced. A read-only file
 * is refused. A path that names something other than a regular file (/dev/null, a pipe) is written directly; /dev/stdout, /dev/stderr
 * and /dev/fd/N are written where that stream stands, even when it is a regular file. A signal handler that ends the process can remove the temporary
 * files (base/leftovers.h). */
typedef struct vkmm_output vkmm_output;

vkmm_status vkmm_output_open(const vkmm_log *log, const char *path, vkmm_output **output);
vkmm_status vkmm_output_open_private(const vkmm_log *log, const char *path, vkmm_output **output); /* a new file gets mode 0600 */
vkmm_status vkmm_output_write(vkmm_output *output, const void *data, uint64_t bytes);              /* VKMM_INVALID: full disk, and so on */

/* Both end the output and set it NULL. commit: VKMM_INVALID when the file could not be put in place, or an earlier write failed;
 * then nothing is left behind. discard removes the temporary file; a NULL *output is legal. */
vkmm_status vkmm_output_commit(vkmm_output **output);
void vkmm_output_discard(vkmm_output **output);

#endif
