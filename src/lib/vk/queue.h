/* A queue of a device, and its command buffers. Several threads may use a queue at once: submissions and the lists are
 * locked. */
#pragma once

#include <threads.h>
#include <volk.h>

#include "vkmatmul.h"

/* Which queue work is for. A role that has no queue of its own uses the one before it: a device may have no
 * transfer-only family, or one with a single queue. */
typedef enum vkmm_queue_role {
    VKMM_QUEUE_COMPUTE,
    VKMM_QUEUE_TRANSFER, /* copies to the device, */
    VKMM_QUEUE_RETURN,   /* and back: the second queue of the same family, so that both use the bus at once */
    VKMM_QUEUE_COUNT
} vkmm_queue_role;

/* A command buffer with its own pool and fence, so that threads can record in parallel and several submissions can be
 * in flight. */
typedef struct vkmm_command_slot {
    VkCommandPool pool;
    VkCommandBuffer command;
    VkFence fence;
    VkSemaphore copied; /* NULL: never needed */
    int submitted;      /* and not waited for yet */
    int is_signaled;    /* `copied` is, or will be, but nothing waits for it */
    struct vkmm_command_slot *next;
} vkmm_command_slot;

typedef struct vkmm_queue {
    VkQueue handle; /* NULL: none was opened */
    uint32_t family;
    mtx_t lock;
    int has_lock;
    vkmm_command_slot *busy, *idle; /* owned: in use, and kept for reuse */
} vkmm_queue;

struct vkmm_device;

/* A queue of a family, counted from 0, that the device was created with. Released by vkmm_queue_close, even on failure;
 * a zeroed queue is legal there. */
vkmm_status vkmm_queue_open(struct vkmm_device *device, uint32_t family, uint32_t index, vkmm_queue *queue);
void vkmm_queue_close(struct vkmm_device *device, vkmm_queue *queue);
