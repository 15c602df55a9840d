/* Buffers, each with its own memory. */
#pragma once

#include "vk/device.h"

typedef enum vkmm_placement {
    VKMM_PLACE_DEVICE,  /* the device's own memory; mapped only where memory is unified */
    VKMM_PLACE_UPLOAD,  /* host memory that the device reads */
    VKMM_PLACE_DOWNLOAD /* host memory that the device writes and the host reads: cached where possible */
} vkmm_placement;

typedef struct vkmm_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t bytes;
    void *mapped; /* host address, or NULL; memory is coherent: no flushing */
} vkmm_buffer;

/* Creates a buffer for storage, transfers and indirect dispatches, of bytes > 0. Mapped unless the placement is DEVICE
 * on a device with separate memory. Checks maxMemoryAllocationSize and maxBufferSize first. `what` names it in messages
 * ("A"). Ended by vkmm_buffer_destroy. */
vkmm_status vkmm_buffer_create(vkmm_device *device, const char *what, uint64_t bytes, vkmm_placement placement,
                               vkmm_buffer *buffer);

/* The same for a buffer that the device's compute and transfer queues may use at once. One that is already there stays
 * if it is large enough; a zeroed buffer is legal. */
vkmm_status vkmm_buffer_take_shared(vkmm_device *device, const char *what, uint64_t bytes, vkmm_placement placement,
                                    vkmm_buffer *buffer);
void vkmm_buffer_destroy(vkmm_device *device, vkmm_buffer *buffer); /* a zeroed buffer is legal */
