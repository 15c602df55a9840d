/* A file that grows line by line. Lines that were written survive, however the process ends. */
#ifndef VKMM_BASE_APPEND_H
#define VKMM_BASE_APPEND_H

#include "vkmatmul.h"

typedef struct vkmm_append vkmm_append;

/* Opens a regular file for appending, and creates it if it does not exist. A last line without a line end, as a killed
 * process may leave, is removed. A symbolic link is refused: anybody may have made it, and it may lead anywhere.
 * VKMM_INVALID with the path and the system's reason. Ended by vkmm_append_close. */
vkmm_status vkmm_append_open(const vkmm_log *log, const char *path, vkmm_append **append);

/* Writes a line and its line end, and waits until they are on the disk (fsync). VKMM_INVALID: a full disk, and so on.
 */
vkmm_status vkmm_append_line(vkmm_append *append, const char *line);

/* Closes the file; removes it first if `remove` is not 0. Sets NULL; a pointer to NULL is legal. */
void vkmm_append_close(vkmm_append **append, int remove);

#endif
