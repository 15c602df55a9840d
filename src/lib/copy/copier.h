/* Copies between the host's memory and a buffer of the device that is not mapped: in chunks, which threads fill or
 * empty while the device copies others. */
#pragma once

#include "vk/buffer.h"

enum { VKMM_COPY_ROUND = 256 << 10 }; /* bytes for one thread at a time */

/* Host memory for what is on its way. */
typedef struct vkmm_chunk {
    vkmm_buffer buffer;
    VkCommandBuffer command; /* the copy that uses it; NULL: none */
    uint64_t first, end;     /* what of the whole is, or will be, in it, as its user counts */
} vkmm_chunk;

/* Begins to copy between a chunk that is free and `bytes` at `at` of a buffer: to the buffer with VKMM_QUEUE_TRANSFER,
 * from it with VKMM_QUEUE_RETURN. vkmm_chunk_end waits for that, if there is something to wait for: then the chunk is
 * free, even after a failure. */
vkmm_status vkmm_chunk_begin(vkmm_device *device, vkmm_chunk *chunk, vkmm_queue_role role, const vkmm_buffer *buffer,
                             uint64_t at, uint64_t bytes);
vkmm_status vkmm_chunk_end(vkmm_device *device, vkmm_chunk *chunk);

typedef struct vkmm_copier vkmm_copier;

/* Ended by vkmm_copier_destroy, also after a failure. */
vkmm_status vkmm_copier_create(vkmm_device *device, vkmm_copier **copier);
void vkmm_copier_destroy(vkmm_copier **copier); /* a pointer to NULL is legal; sets NULL */

/* Copies `bytes` at `offset` of the buffer, and waits: from the host, or to it; the other pointer is NULL. Nothing else
 * uses the buffer meanwhile. After a failure, some have been copied. */
vkmm_status vkmm_copier_run(vkmm_copier *copier, const vkmm_buffer *buffer, uint64_t offset, uint64_t bytes,
                            const char *from, char *to);
