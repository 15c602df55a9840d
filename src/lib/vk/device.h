/* A logical device with a compute queue, and a transfer-only queue if there is such a family; its command buffers, the
 * layouts of its pipelines and the compiled pipelines. */
#pragma once

#include <stdatomic.h>
#include <threads.h>
#include <volk.h>

#include "vk/instance.h"
#include "vkmatmul_vulkan.h"

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

/* Several threads may use a queue at once: submissions and the lists are locked. */
typedef struct vkmm_queue {
    VkQueue handle; /* NULL: none was opened */
    uint32_t family;
    mtx_t lock;
    vkmm_command_slot *busy, *idle; /* owned: in use, and kept for reuse */
} vkmm_queue;

enum { VKMM_MAX_BINDINGS = 8 };

/* The layouts of compute shaders: storage buffers at bindings 0 … of set 0, and push constants. */
typedef struct vkmm_layout_pair {
    uint32_t binding_count, push_bytes;
    int pushes_sets; /* there are no descriptor sets: the bindings are pushed (VK_KHR_push_descriptor) */
    VkDescriptorSetLayout set;
    VkPipelineLayout pipeline;
    struct vkmm_layout_pair *next;
} vkmm_layout_pair;

/* Similar pipelines share a layout, not only to save memory: drivers identify a compiled pipeline partly by its layout.
 * If each pipeline had its own, a pipeline cache would never find anything and would grow as long as the device exists
 * (SwiftShader). */
typedef struct vkmm_layouts {
    mtx_t lock;
    vkmm_layout_pair *first; /* owned; a handful */
} vkmm_layouts;

/* Compiled pipelines, kept in memory while the device is open, and in the instance's cache_dir between processes. */
typedef struct vkmm_pipeline_cache {
    VkPipelineCache handle; /* VK_NULL_HANDLE: the driver created none; pipelines are then compiled each time */
    char *path;             /* of the file, owned; NULL: nothing is kept between processes */
    uint64_t file_bytes;    /* of the cache, as they were read or written last */
    int is_lent;            /* it belongs to the program that lends the device */
    atomic_long unsaved_us; /* what was built since the file was written took so long */
    atomic_int is_saving;   /* a thread writes the file; the others go on */
    long save_us;           /* what that took last */
} vkmm_pipeline_cache;

/* What is released with the device, or earlier if memory runs out (api/spares.h). */
typedef struct vkmm_spares {
    mtx_t lock;
    struct vkmm_job *first;                  /* the one that was given last */
    void *stream, *copier;                   /* a vkmm_stream, a vkmm_copier; NULL: none */
    int (*drop)(struct vkmm_device *device); /* NULL: there never was one */
} vkmm_spares;

struct vkmm_device {
    vkmm_instance *instance; /* of a borrowed device: its own, with the lender's handle */
    const vkmm_physical *physical;
    VkDevice handle;
    int is_borrowed;              /* vkmm_device_import: no queue is open, and nothing may be allocated or submitted */
    int has_push_descriptors;     /* vkCmdPushDescriptorSetKHR may be used */
    vkmm_requirements *lacks;     /* of a borrowed device, owned */
    struct VolkDeviceTable table; /* every device-level call goes through this */
    vkmm_queue queues[VKMM_QUEUE_COUNT];
    VkPhysicalDeviceMemoryProperties memory;
    vkmm_pipeline_cache pipeline_cache;
    vkmm_layouts layouts;
    vkmm_spares spares;
    atomic_uint refused[VKMM_TYPE_COUNT]; /* kernels that the driver could not compile: info's refused_kernels */
    atomic_int told_tuned;                /* a tuning result that is not legal has been reported */
};

static inline const vkmm_log *vkmm_device_log(const vkmm_device *device)
{
    return &device->instance->log;
}

/* A zeroed device with its locks; NULL: no memory. Ended by vkmm_device_destroy. */
vkmm_device *vkmm_device_new(void);

/* Opens what hangs on the handle, which is set, as is the physical device. */
void vkmm_device_open(vkmm_device *device);

/* VKMM_UNSUPPORTED if the device is borrowed: at the start of everything that allocates memory on it or submits to
 * it. */
vkmm_status vkmm_device_own(const vkmm_device *device);

/* Destroys all spare jobs; 0 if there are none. */
int vkmm_device_drop_spares(vkmm_device *device);

/* Destroys the command buffers of a queue; a zeroed queue is legal. */
void vkmm_queue_close(vkmm_device *device, vkmm_queue *queue);

/* The layouts with this many bindings (at most VKMM_MAX_BINDINGS) and bytes: created when first needed, owned by the
 * device. Safe from any thread. */
vkmm_status vkmm_layouts_find(vkmm_device *device, uint32_t binding_count, uint32_t push_bytes, int pushes_sets,
                              const vkmm_layout_pair **found);
void vkmm_layouts_close(vkmm_device *device); /* after the last pipeline; zeroed layouts are legal */

/* Creates device->pipeline_cache, from the file if it is intact and from this driver. A stale file is ignored; a
 * damaged one is reported as a warning. Never fails: without a cache everything works, but more slowly. */
void vkmm_pipeline_cache_open(vkmm_device *device);

/* A pipeline was built with the cache in compile_ms. Writes what was added, because programs end without destroying
 * their device, but spends at most a twentieth of the time of compiling on that. The file is replaced atomically, so
 * that processes never see half of it; the last one to write wins. A file that cannot be written is reported at level
 * INFO, and not tried again. From any thread. */
void vkmm_pipeline_cache_add(vkmm_device *device, double compile_ms);

/* Writes what is left. Frees everything; a zeroed cache is legal. */
void vkmm_pipeline_cache_close(vkmm_device *device);
