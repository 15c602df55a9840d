/* A recipe with its pipelines, ready to be recorded. A plan records; it never submits and never allocates memory for
 * matrices. */
#pragma once

#include "plan/recipe.h"
#include "vk/buffer.h"
#include "vk/pipeline.h"
#include "vk/query.h"

/* A part of a buffer that holds one matrix. offset is a multiple of minStorageBufferOffsetAlignment; 0 < bytes ≤
 * maxStorageBufferRange. */
typedef struct vkmm_part {
    VkBuffer buffer;
    uint64_t offset, bytes;
} vkmm_part;

/* Where vkmm_plan_bind expects an operand among the parts. */
static inline int vkmm_operand_part(int operand)
{
    return operand == VKMM_BIAS ? VKMM_BIAS_PART : operand;
}

/* Timestamps of a recording: stamp i + 1 of the timer is the end of the steps of pipelines[i]. */
typedef struct vkmm_step_stamps {
    vkmm_timer timer;
    uint32_t count; /* perhaps more than have a stamp */
    uint8_t pipelines[255];
} vkmm_step_stamps;

typedef struct vkmm_plan {
    vkmm_kernel_info info;
    const vkmm_module *module; /* the product's */
    vkmm_recipe recipe;
    vkmm_pipeline pipelines[VKMM_RECIPE_PIPELINES]; /* the recipe's */
    vkmm_part workspace;                            /* of vkmm_plan_bind */
    vkmm_step_stamps *stamps;                       /* NULL, or set by who records, with a timer that was started */
} vkmm_plan;

/* Builds the pipelines of a choice (with a module) on the device. Ended by vkmm_plan_destroy. */
vkmm_status vkmm_plan_create(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan);
void vkmm_plan_destroy(vkmm_device *device, vkmm_plan *plan); /* a zeroed or half-built plan is legal */

/* Picks the kernel for a checked problem: the result of a tune for such problems, or the planner's choice (vkmm_choose,
 * with the same statuses). Builds its plan, unless it runs on the host. info: the device's own, or with other limits;
 * device and info may be NULL for the kernel serial. If the driver cannot compile a kernel that nobody named, another
 * one is picked, with a warning, and the device remembers that. VKMM_OUT_OF_MEMORY: the choice is made, but there is no
 * plan. */
vkmm_status vkmm_pick_plan(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                           const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice, vkmm_plan *plan);

/* The same without the plan. */
vkmm_status vkmm_pick(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                      const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice);

/* Builds one pipeline of a recipe; `capture`: the driver is to keep statistics of it (look/steps.h). */
vkmm_status vkmm_plan_pipeline(vkmm_device *device, const vkmm_choice *choice, const vkmm_recipe *recipe,
                               uint32_t index, int capture, vkmm_pipeline *pipeline);

/* Switches the plan to another problem whose choice has the same shaders and constants, and so the same pipelines: 1;
 * otherwise 0, and nothing is changed. Not while a command buffer with the plan is recorded or in flight. */
int vkmm_plan_fit(vkmm_device *device, const vkmm_choice *choice, vkmm_plan *plan);

/* Sets where the operands are, before the first record: parts[0 … 2] are the problem's A, B and C; what an observing
 * build writes follows; for a general kernel parts[VKMM_BINDING_WORKSPACE] is the workspace (info.workspace_bytes),
 * parts[VKMM_BIAS_PART] the bias and parts[VKMM_SCALARS_PART] α and β, each used only if there is one. With narrow
 * types every part ends at a multiple of 4 bytes. */
void vkmm_plan_bind(vkmm_device *device, vkmm_plan *plan, const vkmm_part *parts);

/* What a pipeline of the plan binds, by binding. */
void vkmm_plan_bound(const vkmm_plan *plan, const vkmm_part *parts, uint32_t pipeline, VkDescriptorBufferInfo *bound);

/* Records what makes a new workspace ready for products of vkmm_plan_record, with the barriers around it. */
void vkmm_plan_record_workspace(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *workspace,
                                VkCommandBuffer command);

/* vkmm_plan_record_workspace, submitted and waited for. */
vkmm_status vkmm_plan_clear(vkmm_device *device, const vkmm_plan *plan, const vkmm_part *workspace);

/* Descriptor sets in addition to a plan's own. Ended by vkmm_plan_sets_destroy, even after a failure. */
typedef struct vkmm_plan_sets {
    VkDescriptorPool pool;
    VkDescriptorSet *sets; /* owned: one for each pipeline of each copy of the plan */
} vkmm_plan_sets;
vkmm_status vkmm_plan_sets_create(vkmm_device *device, const vkmm_plan *plan, uint32_t count, vkmm_plan_sets *sets);
void vkmm_plan_sets_destroy(vkmm_device *device, vkmm_plan_sets *sets);

/* The plan with other sets, to be bound and recorded like it. It borrows the plan's objects and is not destroyed. */
vkmm_plan vkmm_plan_with(const vkmm_plan *plan, const vkmm_plan_sets *sets, uint32_t index);

/* How many slices the work can be cut into: info.items of a general kernel, else 1; 0 if there is nothing to do. */
uint64_t vkmm_plan_items(const vkmm_plan *plan);

/* A product of a recording that differs from the plan's. */
typedef struct vkmm_change {
    vkmm_problem seen;   /* as the kernel sees it, except K, which may be padded */
    uint32_t offsets[3]; /* of the kernel's A, B and C, in addition to the recipe's: elements */
    uint32_t scalars[4]; /* bits of α and β */
} vkmm_change;

/* The one recorder. */
typedef struct vkmm_recorder {
    vkmm_device *device;
    const vkmm_plan *plan;
    VkCommandBuffer command;
    vkmm_part workspace;                                /* where the recipe has decisions */
    VkDescriptorBufferInfo (*bound)[VKMM_MAX_BINDINGS]; /* by pipeline, to be pushed; NULL: the pipelines' sets */
    uint32_t used;                                      /* the pipeline in use, plus 1; 0: none */
} vkmm_recorder;

/* Records the steps of these times (bits VKMM_WHEN_*), of a product's slice of items [first, end), with the barriers
 * between them. change: NULL, or the product. The caller records the barriers around: A, B and C visible to SHADER_READ
 * before, C's SHADER_WRITE after. Returns how many steps were recorded. */
uint32_t vkmm_record(vkmm_recorder *recorder, uint32_t when, uint64_t first, uint64_t end, const vkmm_change *change);

/* vkmm_record with the plan's own sets and workspace. Slices are independent of one another: they need no barrier
 * between them. */
void vkmm_plan_record_items(vkmm_device *device, const vkmm_plan *plan, uint64_t first, uint64_t end,
                            VkCommandBuffer command);
void vkmm_plan_record(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command); /* all items */

/* Records the steps of other times than VKMM_WHEN_EACH, and a barrier if there are any. */
void vkmm_plan_record_when(vkmm_device *device, const vkmm_plan *plan, uint32_t when, VkCommandBuffer command);

/* Records the step of VKMM_WHEN_PACK that packs an operand of the kernel, without barriers. */
void vkmm_plan_record_pack(vkmm_device *device, const vkmm_plan *plan, int operand, const vkmm_part *from,
                           const vkmm_part *to, VkCommandBuffer command);

/* Records dispatches of a general kernel that have no items: drivers that compile a pipeline on first use then do so.
 */
void vkmm_plan_record_nothing(vkmm_device *device, const vkmm_plan *plan, VkCommandBuffer command);

/* Records the barrier between two steps. */
void vkmm_plan_record_barrier(vkmm_device *device, VkCommandBuffer command);
