/* A chosen kernel, built and ready to be recorded. A plan records; it never submits and never allocates memory for
 * matrices. */
#ifndef VKMM_PLAN_H
#define VKMM_PLAN_H

#include "kernel/contract.h"
#include "plan/choose.h"
#include "vk/buffer.h"
#include "vk/pipeline.h"
#include "vk/query.h"

/* VKMM_PASSES, in the order of vkmm_kernel_info.pipeline_hash. */
typedef enum vkmm_plan_pass {
    VKMM_PLAN_FIRST,
    VKMM_PLAN_SECOND,  /* after it: adds up the parts of K, or makes a modular product of its residues' products */
    VKMM_PLAN_PACKING, /* before it: packs operands, or makes their parts or residues */
    VKMM_PLAN_EDGE,    /* before or after it: computes the last columns or rows */
    VKMM_PLAN_SCALING  /* before VKMM_PLAN_PACKING: finds the exponents of operands */
} vkmm_plan_pass;

/* What a recording was stamped with: stamp i + 1 of the timer is the end of passes[i]. */
typedef struct vkmm_pass_stamps {
    vkmm_timer timer;
    uint32_t count; /* of passes, perhaps more than have a stamp */
    vkmm_plan_pass passes[255];
} vkmm_pass_stamps;

enum { VKMM_SECOND_CONSTANTS = 7 };

typedef struct vkmm_plan {
    vkmm_kernel_info info;
    const vkmm_module *module;
    vkmm_pipeline pipelines[VKMM_PASSES];   /* by vkmm_plan_pass; the handle of a pass that is not needed is NULL */
    uint32_t second[VKMM_SECOND_CONSTANTS]; /* specialization constants of VKMM_PLAN_SECOND, whose ids are plan.c's */
    uint32_t reduce_items, reduce_groups;
    vkmm_buffer dispatches; /* with VKMM_PLAN_SCALING: VKMM_DISPATCH_COUNT indirect ones */
    vkmm_edge edge;         /* the choice's */
    vkmm_modular modular;   /* the choice's */
    vkmm_push edge_push;
    vkmm_repack packs[2]; /* the choice's */
    uint32_t pack_bytes;  /* of an element of A and B */
    vkmm_push push;
    uint32_t binding_count;   /* 3; of observing builds 4 (COUNT) or 5 (TRACE); of general kernels 4 */
    int has_bias;             /* parts[VKMM_BIAS_PART] counts */
    int swapped;              /* the kernel's A is the problem's B: a column-major problem, seen row-major */
    vkmm_pass_stamps *stamps; /* NULL, or set by who records, with a timer that was started */
    int reads_scalars;        /* parts[VKMM_SCALARS_PART] counts: the second pass takes α and β from there */
} vkmm_plan;

/* A part of a buffer that holds one matrix. offset is a multiple of minStorageBufferOffsetAlignment; 0 < bytes ≤
 * maxStorageBufferRange. */
typedef struct vkmm_part {
    VkBuffer buffer;
    uint64_t offset, bytes;
} vkmm_part;

/* Builds the pipelines of a choice (with a module) on the device. Ended by vkmm_plan_destroy. */
vkmm_status vkmm_plan_create(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan);
void vkmm_plan_destroy(vkmm_device *device, vkmm_plan *plan); /* a zeroed or half-built plan is legal */

/* A hash of the SPIR-V, the constants and the subgroup size of a choice's pass; 0: there is none. */
uint64_t vkmm_plan_hash(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_plan_pass pass);

/* Switches the plan to another problem whose choice has the same shader and constants, and so the same pipelines: 1;
 * otherwise 0, and nothing is changed. Not while a command buffer with the plan is recorded or in flight. */
int vkmm_plan_fit(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan);

enum { VKMM_BIAS_PART = 4, VKMM_SCALARS_PART = 5 };

/* Sets where the operands are, before the first record: parts[0 … 2] are the problem's A, B and C; what an observing
 * build writes follows; for a general kernel parts[VKMM_BINDING_WORKSPACE] is the workspace (info.workspace_bytes) and
 * parts[VKMM_BIAS_PART] the bias, each used only if there is one. With narrow types every part ends at a multiple of 4
 * bytes. */
void vkmm_plan_bind(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *parts);

/* What is bound, by binding, for a pass. A plan that reads scalars has parts[VKMM_SCALARS_PART]
 * too. */
void vkmm_plan_bound(const vkmm_plan *plan, const vkmm_part *parts, vkmm_plan_pass pass, VkDescriptorBufferInfo *bound);

/* Descriptor sets in addition to a plan's own. Ended by vkmm_plan_sets_destroy, even after a failure. */
typedef struct vkmm_plan_sets {
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* owned: one for each pass of each copy of the plan */
} vkmm_plan_sets;
vkmm_status vkmm_plan_sets_create(vkmm_device *device, const vkmm_plan *plan, uint32_t count, vkmm_plan_sets *sets);
void vkmm_plan_sets_destroy(vkmm_device *device, vkmm_plan_sets *sets);

/* The plan with other sets, to be bound and recorded like it. It borrows the plan's objects and is not destroyed. */
vkmm_plan vkmm_plan_with(const vkmm_plan *plan, const vkmm_plan_sets *sets, uint32_t index);

/* Bits of a scalar as the shaders take it: of α or β, rounded to vkmm_types_scale. */
void vkmm_scalar_bits(vkmm_type scale, double value, uint32_t bits[2]);

/* Invocations of a workgroup of every pass but the product itself. */
uint32_t vkmm_reduce_size(const vkmm_device_info *limits);

/* For a problem as a kernel sees it: tiles of all matrices of the batch, and work items of the second pass. */
uint64_t vkmm_plan_tiles(const vkmm_plan *plan, const vkmm_problem *problem);
uint32_t vkmm_reduce_items(const vkmm_device_info *limits, const vkmm_problem *problem);

/* Records the barrier between two passes. */
void vkmm_plan_record_barrier(vkmm_device *device, VkCommandBuffer command);

/* Stamps the end of a pass, if the plan's recordings are stamped. */
void vkmm_plan_stamp(vkmm_device *device, const vkmm_plan *plan, vkmm_plan_pass pass, VkCommandBuffer command);

/* How many slices the work can be cut into: info.items of a general kernel, else 1; 0 if there is nothing to do. */
uint64_t vkmm_plan_items(const vkmm_plan *plan);

/* Records the items [first, end) of the work, packing operands before the first. Slices are independent of one another:
 * they need no barrier between them. The caller records the barriers: A, B and C visible to SHADER_READ before the
 * first. */
void vkmm_plan_record_items(vkmm_device *device, const vkmm_plan *plan, uint64_t first, uint64_t end,
                            VkCommandBuffer command);

/* Records the second pass, if there is one, with the barrier before it; after all items. The barrier for C's
 * SHADER_WRITE after it is the caller's. */
void vkmm_plan_record_reduce(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command);

/* Records the packing of those operands that are packed once, or else of those that are packed for each product, as
 * vkmm_plan_record_items does by itself; with the latter an early edge; and the barrier after it. */
void vkmm_plan_record_packs(vkmm_device *device, const vkmm_plan *plan, int once, VkCommandBuffer command);

/* The push constants and workgroups that pack an operand of the kernel, into the workspace if it is not bound. */
vkmm_pack_push vkmm_plan_pack(const vkmm_plan *plan, vkmm_operand operand, uint32_t groups[3]);

/* Records a dispatch of a general kernel that has no items: drivers that compile a pipeline on first use then do so. */
void vkmm_plan_record_nothing(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command);

/* Both for all items. An empty product records nothing. */
void vkmm_plan_record(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command);

/* Of a modular plan (modular.c): what is bound, and its passes beside the product. The lines have a second look, for
 * vkmm_modular_needs, which `counting` records after the first and a barrier. */
vkmm_part vkmm_modular_part(const vkmm_plan *plan, const vkmm_part *parts, uint32_t binding, vkmm_plan_pass pass);
void vkmm_modular_record_lines(vkmm_device *device, const vkmm_plan *plan, int counting, VkCommandBuffer command);
void vkmm_modular_record_residues(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command);
void vkmm_modular_record_items(vkmm_device *device, const vkmm_plan *plan, uint64_t first, uint64_t end,
                               VkCommandBuffer command); /* C, too */

#endif
