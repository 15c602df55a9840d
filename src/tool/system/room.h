/* Memory for large matrices: the host's, as long as it lasts, else a file's. */
#ifndef VKMM_BASE_ROOM_H
#define VKMM_BASE_ROOM_H

#include "vkmatmul.h"

typedef struct vkmm_room {
    void *data; /* aligned for every type; NULL where there are no bytes */
    uint64_t bytes;
    int is_mapped;
} vkmm_room;

/* Zeroed memory for `what`. Where the system does not have so much free, it is that of a file without a name in
 * TMPDIR, or /tmp, whose blocks are set aside: slower, but it neither fails nor gets a process killed half-way.
 * VKMM_OUT_OF_MEMORY: neither can be had. */
vkmm_status vkmm_room_open(const vkmm_log *log, uint64_t bytes, const char *what, vkmm_room *room);
void vkmm_room_close(vkmm_room *room); /* a zeroed one is legal */

#endif
