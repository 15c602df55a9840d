/* Memory for large matrices: the host's while there is enough, otherwise a file's. */
#pragma once

#include "vkmatmul.h"

typedef struct cli_room {
    void *data; /* aligned for every type; NULL where there are no bytes */
    uint64_t bytes;
    int is_mapped;
    int fd; /* of the file that is mapped */
} cli_room;

/* Zeroed memory for `what`. If the system does not have enough free memory, the memory is that of a temporary file in
 * TMPDIR, or /tmp (on Windows, TEMP), whose blocks are reserved: slower, but it cannot fail later or get the process
 * killed. VKMM_OUT_OF_MEMORY: neither is available. */
vkmm_status cli_room_open(const vkmm_log *log, uint64_t bytes, const char *what, cli_room *room);
void cli_room_close(cli_room *room); /* a zeroed one is legal */
