/* The layouts of pipelines, created once per device. Similar pipelines share one, not only to save memory: drivers
 * identify a compiled pipeline partly by its layout. If each pipeline had its own layout, a pipeline cache would never
 * find anything and would grow as long as the device exists (SwiftShader). */
#pragma once

#include <threads.h>
#include <volk.h>

#include "vkmatmul.h"

enum { VKMM_MAX_BINDINGS = 8 };

/* Storage buffers at bindings 0 … of set 0, and push constants, of compute shaders. */
typedef struct vkmm_layout_pair {
    uint32_t binding_count, push_bytes;
    int pushes_sets; /* there are no descriptor sets: the bindings are pushed (VK_KHR_push_descriptor) */
    VkDescriptorSetLayout set;
    VkPipelineLayout pipeline;
    struct vkmm_layout_pair *next;
} vkmm_layout_pair;

typedef struct vkmm_layouts {
    mtx_t lock;
    int has_lock;
    vkmm_layout_pair *first; /* owned; a handful */
} vkmm_layouts;

struct vkmm_device;

/* Released by vkmm_layouts_close, even on failure, after the last pipeline; zeroed layouts are legal there. */
vkmm_status vkmm_layouts_open(struct vkmm_device *device);
void vkmm_layouts_close(struct vkmm_device *device);

/* The layouts with this many bindings (at most VKMM_MAX_BINDINGS) and bytes: created when first needed, owned by the
 * device. Safe from any thread. */
vkmm_status vkmm_layouts_find(struct vkmm_device *device, uint32_t binding_count, uint32_t push_bytes, int pushes_sets,
                              const vkmm_layout_pair **found);
