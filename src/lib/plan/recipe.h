/* One product as a list of steps, each of which is a dispatch: pure data, made from a choice without Vulkan, that one
 * recorder (record/plan.h) turns into commands for jobs, gemms and streams. */
#pragma once

#include <stddef.h>

#include "kernel/contract.h"
#include "plan/choose.h"

/* Parts of buffers that a recording provides: the problem's A, B and C (VKMM_A … VKMM_C), the workspace or what an
 * observing build writes (VKMM_BINDING_WORKSPACE), the bias, α and β, and the experts' rows. */
enum { VKMM_BIAS_PART = 4, VKMM_SCALARS_PART = 5, VKMM_ROUTING_PART = 6, VKMM_PARTS = 7 };

typedef struct vkmm_recipe_bind {
    uint32_t part;
    uint64_t at, bytes; /* of the part; bytes 0: all of it */
} vkmm_recipe_bind;

/* A pipeline and its bindings, which several steps may share. */
typedef struct vkmm_recipe_pipeline {
    const char *name; /* "product", "reduce", "pack", "edge", …: static storage */
    const vkmm_module *module;
    uint32_t subgroup_size; /* 0: the driver's choice */
    uint32_t spec_count, spec_ids[VKMM_MAX_SPEC_CONSTANTS], spec_values[VKMM_MAX_SPEC_CONSTANTS];
    vkmm_recipe_bind bind[VKMM_MAX_BINDING_COUNT];
} vkmm_recipe_pipeline;

/* When a step is recorded. */
enum {
    VKMM_WHEN_ONCE = 1, /* after A and B change */
    VKMM_WHEN_EACH = 2, /* in each product */
    VKMM_WHEN_LOOK = 4, /* before the host decides by A and B (vkmm_method_plan.decide) */
    VKMM_WHEN_PACK = 8, /* by vkmm_gemm_pack */
};

/* How slices of a product cut a step. Steps that are not cut run before the first sliced item, or after the last one
 * of those that come before them. */
typedef enum vkmm_step_cut {
    VKMM_CUT_NONE,
    VKMM_CUT_ITEMS,
    VKMM_CUT_SHARE /* the same share of its own items as of the step before, whose place it may take */
} vkmm_step_cut;

/* The barrier before a step that reads what the steps before it wrote. _DECISIONS: indirect dispatches too, its own
 * and those of later steps; it takes longer. */
typedef enum vkmm_step_barrier { VKMM_BARRIER_NONE, VKMM_BARRIER_COMPUTE, VKMM_BARRIER_DECISIONS } vkmm_step_barrier;

/* Words of the push constants that a recording may set: index + 1; 0: the step has no such word. */
typedef struct vkmm_step_words {
    uint8_t extents;    /* m, n, k */
    uint8_t offsets[3]; /* elements of the kernel's A, B and C */
    uint8_t items;      /* first and end */
    uint8_t scalars;    /* α and β, two words each */
} vkmm_step_words;

#define VKMM_WORD(type, member) ((uint8_t)(offsetof(type, member) / sizeof(uint32_t) + 1))

enum { VKMM_PUSH_WORDS = sizeof(vkmm_push) / sizeof(uint32_t) };

typedef struct vkmm_recipe_step {
    uint32_t pipeline; /* index in vkmm_recipe.pipelines */
    uint32_t when;     /* bits VKMM_WHEN_* */
    vkmm_step_barrier barrier;
    vkmm_step_cut cut;
    uint64_t items;     /* of work; 0: the step has none */
    uint32_t tile[2];   /* of C, for each item; 0: items are those of vkmm_reduce_items */
    uint32_t groups[3]; /* at most: of those items that are recorded */
    uint32_t decision;  /* VKMM_DISPATCH_* + 1: the device decides on the groups; 0: `groups` */
    vkmm_step_words words;
    uint32_t push[VKMM_PUSH_WORDS];
} vkmm_recipe_step;

enum { VKMM_RECIPE_PIPELINES = 6 };

typedef struct vkmm_recipe {
    vkmm_recipe_pipeline pipelines[VKMM_RECIPE_PIPELINES]; /* the first one is the product's */
    uint32_t pipeline_count, binding_count;
    vkmm_recipe_step *steps; /* owned */
    uint32_t step_count;
    vkmm_range decisions; /* of the workspace: VKMM_DISPATCH_BYTES, 0 before the first product and again after each */
    vkmm_range look;      /* of the workspace: what steps of VKMM_WHEN_LOOK find */
} vkmm_recipe;

/* Fills a zeroed recipe. Ended by vkmm_recipe_destroy, even after a failure. */
vkmm_status vkmm_recipe_make(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);
void vkmm_recipe_destroy(vkmm_recipe *recipe);

/* Inserts a copy of a step before the one at an index, or at the end: VKMM_OUT_OF_MEMORY, or VKMM_OK. */
vkmm_status vkmm_recipe_add(vkmm_recipe *recipe, uint32_t at, const vkmm_recipe_step *step);

/* Adds the pipelines and steps of a product by general or tutorial kernels: the product, which is the first pipeline,
 * its edge, the sums of parts of K. Then those that pack its operands, before the product, in a pipeline of a name. */
vkmm_status vkmm_recipe_product(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);
vkmm_status vkmm_recipe_packs(const vkmm_device_info *limits, const vkmm_choice *choice, const char *name,
                              vkmm_recipe *recipe);

/* Inserts the dispatch of the choice's edge before the step at an index, with a pipeline of its own. */
vkmm_status vkmm_recipe_edge(const vkmm_choice *choice, uint32_t at, vkmm_recipe *recipe);

/* Adds a pipeline that prepares operands, built for elements of a type, and returns its index: "pack", or another that
 * binds the same. */
uint32_t vkmm_recipe_packer(const vkmm_device_info *limits, const vkmm_choice *choice, const char *name, vkmm_type type,
                            vkmm_recipe *recipe);

/* Adds a specialization constant to a pipeline; those of a kernel; those of a step that stores C by an epilogue's
 * problem. */
void vkmm_recipe_constant(vkmm_recipe_pipeline *pipeline, uint32_t id, uint32_t value);
void vkmm_recipe_kernel(const vkmm_kernel_info *kernel, vkmm_recipe_pipeline *pipeline);
void vkmm_recipe_epilogue(const vkmm_device_info *limits, const vkmm_choice *choice, const vkmm_problem *problem,
                          vkmm_recipe_pipeline *pipeline);

/* A binding as the kernel has it: an operand where it lies, or the workspace. */
vkmm_recipe_bind vkmm_operand_bind(const vkmm_choice *choice, uint32_t binding);

/* A hash of a pipeline's SPIR-V, constants and subgroup size. */
uint64_t vkmm_recipe_hash(const vkmm_recipe_pipeline *pipeline);

/* The pipeline of a name; NULL: the recipe has none. */
const vkmm_recipe_pipeline *vkmm_recipe_find(const vkmm_recipe *recipe, const char *name);

/* Work items of a step if its problem (row-major, as the kernel sees it) and its parts of K were these. */
uint64_t vkmm_step_items(const vkmm_device_info *limits, const vkmm_recipe_step *step, uint64_t splits,
                         const vkmm_problem *seen);

/* The push constants of a product's kernel, with K in one part. */
vkmm_push vkmm_push_of(const vkmm_choice *choice, const vkmm_problem *problem, uint64_t items);

/* Bits of a scalar as the shaders take it: of α or β, rounded to vkmm_types_scale. */
void vkmm_scalar_bits(vkmm_type scale, double value, uint32_t bits[2]);

/* Invocations of a workgroup of every pipeline but the product's; and work items of "reduce". */
uint32_t vkmm_reduce_size(const vkmm_device_info *limits);
uint32_t vkmm_reduce_items(const vkmm_device_info *limits, const vkmm_problem *problem);

/* Products by experts (experts.c): words before the row counts in the routing, and bytes of all of it
 * (include/vkmatmul_vulkan.h). */
enum { VKMM_ROUTING_COUNTS = 1 };
uint64_t vkmm_routing_bytes(const vkmm_experts *experts);

/* As vkmm_choose, of a checked problem whose m bounds the rows of all experts; experts: count, gather, scatter. */
vkmm_status vkmm_choose_experts(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                                const vkmm_experts *experts, vkmm_choice *choice);

/* Fills an empty recipe. */
vkmm_status vkmm_recipe_experts(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);

/* Ways to multiply other than directly (vkmm_method), each in a file of its own. Whatever plans, records or shows a
 * product finds here what it needs of them, and names none. */
typedef struct vkmm_method_plan {
    vkmm_method method;

    /* Whether it multiplies a problem on a device (NULL: none). NULL: if the problem asks for it. */
    int (*takes)(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish);

    /* As vkmm_choose, of what it takes: its own choice, or that of a direct product, with a warning where it was asked
     * for and is impossible, without one where it would be less precise. */
    vkmm_status (*choose)(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                          vkmm_choice *choice);

    /* Fills an empty recipe with the pipelines and steps of its choice. */
    vkmm_status (*make)(const vkmm_device_info *limits, const vkmm_choice *choice, vkmm_recipe *recipe);

    /* Replaces the problem of a panel by what the kernel of a choice multiplies, as far as parts of K and sums depend
     * on that. Returns the bytes of the workspace that other steps need, at most. */
    uint64_t (*inside)(const vkmm_choice *choice, vkmm_problem *problem);

    /* After the steps of VKMM_WHEN_LOOK have found what vkmm_recipe.look holds of A and B: 1 if they need another
     * choice, that of the changed problem and of *again, perhaps a direct product, with a warning. *again borrows
     * from the choice. NULL: nothing depends on A and B. */
    int (*decide)(const vkmm_log *log, const vkmm_device_info *device, const vkmm_choice *choice, const void *found,
                  vkmm_problem *problem, vkmm_wish *again);
} vkmm_method_plan;

/* All of them, as in choose.c. */
extern const vkmm_method_plan vkmm_split_plan, vkmm_modular_plan, vkmm_w8a8_plan;

/* Whether A and B decide on the plan, and the host has to find out how. */
static inline int vkmm_depends_on_data(const vkmm_choice *choice)
{
    return choice->method && choice->method->decide && choice->decisions.bytes == 0;
}
