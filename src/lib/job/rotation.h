/* Copies of a job's operands that are used in turn, one per dispatch, so that no cache still holds what the next one
 * reads. Copy 0 is the job's own memory. */
#pragma once

#include "copy/store.h"

enum { VKMM_MOST_COPIES = 4096 };

typedef struct vkmm_copy {
    vkmm_part parts[VKMM_STORE_COUNT]; /* of A, B, C and the bias, where there is one; nothing is empty */
} vkmm_copy;

typedef struct vkmm_rotation {
    uint64_t asked_bytes; /* 0: there are no copies */
    vkmm_copy *copies;    /* owned */
    uint32_t count;       /* with copy 0 */
    uint32_t next;        /* whose turn it is */
    vkmm_buffer *buffers; /* owned: the memory of all copies but the first, several in each */
    uint32_t buffer_count;
    vkmm_plan_sets sets; /* of all copies but the first */
} vkmm_rotation;

/* How many copies fill this many bytes: at least 2, at most VKMM_MOST_COPIES, and no more than fit into `room` in
 * addition to the first; 0 if a second does not fit. set_bytes > 0: of all operands together, as vkmm_copy_bytes has
 * them. */
uint32_t vkmm_copies_for(uint64_t rotating_bytes, uint64_t set_bytes, uint64_t room);

/* Bytes that an operand takes up in a copy: a multiple of every device's minStorageBufferOffsetAlignment, never 0. */
uint64_t vkmm_copy_bytes(uint64_t operand_bytes);

struct vkmm_job;

/* Allocates the memory and the descriptor sets, unless the job already has them for as many bytes, and copies A, B, the
 * bias and, if it is read, C from the job's memory on the device into every copy. Copy 0 is next. VKMM_OUT_OF_MEMORY if
 * half of the device's free memory cannot hold a second copy. */
vkmm_status vkmm_rotation_prepare(struct vkmm_job *job, uint64_t rotating_bytes);
void vkmm_rotation_destroy(vkmm_device *device, vkmm_rotation *rotation); /* a zeroed or half-built one is legal */

/* The job's plan with the operands of the next copy. The job's own plan if it does not rotate. The result borrows the
 * job's objects and is not destroyed. */
vkmm_plan vkmm_rotation_turn(struct vkmm_job *job);
