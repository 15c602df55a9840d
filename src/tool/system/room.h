/* Memory for large matrices: the host's while there is enough, otherwise a file's. */
#ifndef VKMM_BASE_ROOM_H
#define VKMM_BASE_ROOM_H

#include "vkmatmul.h"

typedef struct vkmm_room {
    void *data; /* aligned for every type; NULL where there are no bytes */
    uint64_t bytes;
    int is_mapped;
    int fd; /* of the file that is mapped */
} vkmm_room;

/* Zeroed memory for `what`. If the system does not have enough free memory, the memory is that of a temporary file in
 * TMPDIR, or /tmp (on Windows, TEMP), whose blocks are reserved: slower, but it cannot fail later or get the process
 * killed. VKMM_OUT_OF_MEMORY: neither is available. */
vkmm_status vkmm_room_open(const vkmm_log *log, uint64_t bytes, const char *what, vkmm_room *room);
void vkmm_room_close(vkmm_room *room); /* a zeroed one is legal */

#endif
