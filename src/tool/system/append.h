/* A file that grows line by line, so that what was written last survives whatever ends the process. */
#ifndef VKMM_BASE_APPEND_H
#define VKMM_BASE_APPEND_H

#include "vkmatmul.h"

typedef struct vkmm_append vkmm_append;

/* Opens a regular file to write behind its end, and makes it when it is not there. A last line without an end, as a
 * process that was killed leaves it, is cut off. A symbolic link is refused: it may be anybody's, and lead anywhere.
 * VKMM_INVALID with the path and the system's reason. Ended by vkmm_append_close. */
vkmm_status vkmm_append_open(const vkmm_log *log, const char *path, vkmm_append **append);

/* Writes a line and its end, and sees to it that they are on the disk (fsync). VKMM_INVALID: a full disk, and so on. */
vkmm_status vkmm_append_line(vkmm_append *append, const char *line);

/* Closes the file; removes it first when `remove` is not 0. Sets NULL; a pointer to NULL is legal. */
void vkmm_append_close(vkmm_append **append, int remove);

#endif
