/* A chosen kernel, built and ready to be recorded. A plan records; it never submits and never allocates memory for matrices. */
#ifndef VKMM_PLAN_H
#define VKMM_PLAN_H

#include "kernel/contract.h"
#include "plan/choose.h"
#include "vk/pipeline.h"

typedef struct vkmm_plan {
    vkmm_kernel_info info;
    vkmm_pipeline pipeline;
    vkmm_push push;
    uint32_t binding_count; /* 3; of observing builds 4 (COUNT) or 5 (TRACE) */
} vkmm_plan;

/* A part of a buffer: where one matrix lies. offset is a multiple of minStorageBufferOffsetAlignment; 0 < bytes ≤ maxStorageBufferRange. */
typedef struct vkmm_part {
    VkBuffer buffer;
    uint64_t offset, bytes;
} vkmm_part;

/* Builds the pipeline of a choice (with a module) on the device. Ended by vkmm_plan_destroy. */
vkmm_status vkmm_plan_create(vkmm_device *device, const vkmm_problem *problem, const vkmm_choice *choice, vkmm_plan *plan);
void vkmm_plan_destroy(vkmm_device *device, vkmm_plan *plan); /* a zeroed plan is legal */

/* Says where A, B and C lie, and what an observing build writes: binding_count parts; before the first record. */
void vkmm_plan_bind(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *parts);

/* Records the dispatch. The caller records the barriers: A and B visible to SHADER_READ before, C's SHADER_WRITE after. An empty product
 * records nothing. */
void vkmm_plan_record(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command);

#endif
