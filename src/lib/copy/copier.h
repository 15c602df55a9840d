/* Copies between the host's memory and a buffer of the device that is not mapped: in chunks, which threads fill or
 * empty while the device copies others. */
#ifndef VKMM_COPY_COPIER_H
#define VKMM_COPY_COPIER_H

#include "vk/buffer.h"

typedef struct vkmm_copier vkmm_copier;

/* Ended by vkmm_copier_destroy, also after a failure. */
vkmm_status vkmm_copier_create(vkmm_device *device, vkmm_copier **copier);
void vkmm_copier_destroy(vkmm_copier **copier); /* a pointer to NULL is legal; sets NULL */

/* Copies `bytes` at `offset` of the buffer, and waits: from the host, or to it; the other pointer is NULL. Nothing else
 * uses the buffer meanwhile. After a failure, some have been copied. */
vkmm_status vkmm_copier_run(vkmm_copier *copier, const vkmm_buffer *buffer, uint64_t offset, uint64_t bytes,
                            const char *from, char *to);

#endif
