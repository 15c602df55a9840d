/* A compute pipeline over storage buffers, with its only descriptor set. */
#pragma once

#include "vk/device.h"

typedef struct vkmm_pipeline_info {
    const uint32_t *words; /* SPIR-V, entry point "main" */
    size_t bytes;
    uint32_t binding_count; /* storage buffers at bindings 0 … of set 0 */
    uint32_t push_bytes;
    uint32_t spec_count; /* specialization constants, 32 bits each */
    const uint32_t *spec_ids, *spec_values;
    uint32_t subgroup_size; /* requested, in full subgroups, within the subgroup.min_size … max_size of the device;
                               0: the driver's choice */
    const char *attempt;    /* for messages: "compiling blocked for f64" */
    int capture_statistics; /* for look/steps.h: no cache is used */
    int pushes_sets;        /* bindings are pushed: the pipeline has no descriptor set */
    VkPipelineCache cache;  /* instead of the device's; NULL: the device's */
} vkmm_pipeline_info;

typedef struct vkmm_pipeline {
    VkPipeline handle;
    VkPipelineLayout layout;          /* the device's, */
    VkDescriptorSetLayout set_layout; /* and this too */
    VkDescriptorPool pool;
    VkDescriptorSet set; /* NULL: bindings are pushed */
    double compile_ms;   /* that the driver took */
} vkmm_pipeline;

/* Builds everything; limits must have been checked. Ended by vkmm_pipeline_destroy. */
vkmm_status vkmm_pipeline_create(vkmm_device *device, const vkmm_pipeline_info *info, vkmm_pipeline *pipeline);
void vkmm_pipeline_destroy(vkmm_device *device, vkmm_pipeline *pipeline); /* a zeroed or half-built pipeline is legal */

/* `count` > 0 more descriptor sets of its layout, with binding_count bindings each, into sets[]; a copy of the
 * pipeline with another set is bound and recorded like the first. *pool is the caller's to destroy, after the last
 * use, and frees them all. */
vkmm_status vkmm_pipeline_more_sets(vkmm_device *device, const vkmm_pipeline *pipeline, uint32_t binding_count,
                                    uint32_t count, VkDescriptorPool *pool, VkDescriptorSet *sets);

/* Points bindings 0 … count - 1 at parts of buffers; nothing where bindings are pushed. Not while a command buffer
 * that uses the set is in flight or recorded. */
void vkmm_pipeline_bind(vkmm_device *device, const vkmm_pipeline *pipeline, uint32_t count,
                        const VkDescriptorBufferInfo *parts);

/* Records the pipeline and its bindings for the dispatches that follow; they are those of its set, or `parts` if they
 * are pushed. */
void vkmm_pipeline_use(vkmm_device *device, const vkmm_pipeline *pipeline, uint32_t count,
                       const VkDescriptorBufferInfo *parts, VkCommandBuffer command);

/* Records a dispatch of the pipeline in use with these push constants. */
void vkmm_pipeline_dispatch(vkmm_device *device, const vkmm_pipeline *pipeline, const void *push, uint32_t push_bytes,
                            const uint32_t groups[3], VkCommandBuffer command);

/* As vkmm_pipeline_dispatch, but the device reads the groups, at `offset` of a buffer. */
void vkmm_pipeline_dispatch_indirect(vkmm_device *device, const vkmm_pipeline *pipeline, const void *push,
                                     uint32_t push_bytes, VkBuffer groups, uint64_t offset, VkCommandBuffer command);
