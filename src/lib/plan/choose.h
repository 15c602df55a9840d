/* From a problem, a device and the user's wishes to one exact kernel. No Vulkan calls: a device is its
 * vkmm_device_info. */
#ifndef VKMM_PLAN_CHOOSE_H
#define VKMM_PLAN_CHOOSE_H

#include "kernel/legal.h"
#include "math/modular.h"

/* Sums of fewer terms are more precise in f32 than of parts, and hardly slower: they are split only if the kernel or
 * its configuration is named. If f32 has several sums of an element's terms, it takes a quarter as many, times the
 * square of the number of sums. */
enum { VKMM_FEWEST_TERMS = 1024 };

enum { VKMM_PACK_BOUND = 16 }; /* as VKMM_PACK_ONCE, and what is bound as the operand is packed already */

/* What a plan must keep to, whichever kernel it has. */
typedef struct vkmm_terms {
    uint32_t unaligned;    /* bits VKMM_ALIGNED_* (kernel/contract.h) that a general kernel must not use */
    int scalars_in_memory; /* the second pass is always there, and reads α and β from a binding (kernel/contract.h) */
    int in_one;            /* all of C is computed by one dispatch */
    int pushes_sets;       /* vkmm_pipeline_info's, */
    VkPipelineCache cache; /* and this too */
} vkmm_terms;

typedef struct vkmm_wish {
    const char *kernel;            /* NULL or "auto": the fastest legal kernel known */
    uint32_t tile_rows, tile_cols; /* 0: the kernel's default, or the legal tile nearest to it */
    const vkmm_shader *shader;     /* NULL, or the user's own */
    const char *config;            /* NULL, or tunables of a general kernel */
    const vkmm_candidate *tuned; /* NULL, or the result of a tune for similar problems: used if it is legal and nothing
                                    else is requested */
    int untuned;                 /* vkmm_pick_plan uses no result of a tune */
    uint32_t pack;               /* bits VKMM_PACK_* */
    uint32_t moduli;             /* of a modular product; 0: as many as most data needs */
    int direct;                  /* f64 not as residues, even if the device has no 64-bit floats */
    vkmm_terms terms;
} vkmm_wish;

/* An operand of the kernel that is packed before the product. Elements, unless stated otherwise. */
typedef struct vkmm_repack {
    vkmm_stored from; /* the matrix in memory, */
    uint64_t offset, stride;
    uint64_t count;     /* and how many of them; */
    uint64_t lines, ld; /* the packed one, in which `lines` may be more than there are: zeros */
    uint64_t bytes;     /* of all packed matrices; 0: the operand is not packed */
    uint64_t at;        /* bytes from the beginning of the workspace; 0 if bound */
    uint64_t first;     /* bytes of the exponents before the first packed matrix; 0: there are none */
    float fewest;       /* vkmm_pack_push.fewest */
    int across;         /* neighbours in memory are neighbours across K */
    int transposed;
    int once, bound; /* VKMM_PACK_ONCE, VKMM_PACK_BOUND */
} vkmm_repack;

/* The last columns, or rows, of C, if they are computed by another dispatch because they would take the kernel a whole
 * round of tiles; or all of C, by a dispatch of which the device decides whether it takes the kernel's place. */
typedef struct vkmm_edge {
    const vkmm_module *module; /* NULL: there is none */
    vkmm_kernel_info info;
    vkmm_problem problem; /* a part of the choice's, which then lacks it */
    int instead;          /* all of it, with operands that are not packed */
    int early;            /* with such operands too, and while they are packed; else after the first pass */
} vkmm_edge;

/* Bytes of the workspace. */
typedef struct vkmm_range {
    uint64_t at, bytes;
} vkmm_range;

/* f64 multiplied as residues: the choice's problem is then a product of bytes, or of words, in the workspace. */
typedef struct vkmm_modular {
    uint32_t moduli;                     /* of 8 bits, which would hold the product; 0: the choice is of another kind */
    uint32_t products;                   /* how many moduli it has, perhaps larger ones, */
    uint32_t numbers[VKMM_MODULAR_MOST]; /* and which */
    vkmm_modular_limit limit;
    vkmm_problem product;         /* of the residues, a matrix for each modulus */
    uint64_t rows, items;         /* of a panel, all of whose sums are there at once; the last one may have fewer */
    vkmm_problem problem;         /* of f64, row-major */
    vkmm_range lines, a, b, sums; /* the table of moduli, and what is known of each line; residues; their sums */
} vkmm_modular;

typedef struct vkmm_choice {
    const vkmm_kernel *kernel;
    const vkmm_module *module;  /* NULL for the kernel serial */
    const vkmm_module *packing; /* what packs operands; NULL if there are none */
    const vkmm_module *scaling; /* what finds their exponents before; NULL if that is not needed */
    const vkmm_module *reduce;  /* the second pass; NULL if K is not split and C can be stored directly */
    vkmm_kernel_info info;
    vkmm_problem problem; /* as the kernel sees it: row-major, everything filled in (vkmm_problem_row_major) */
    int swapped;          /* its A is the wished problem's B */
    vkmm_config config;   /* of a general kernel */
    vkmm_terms terms;     /* the wish's */
    uint32_t split_depth; /* elements along K of each of info.splits parts */
    uint32_t run;         /* vkmm_push.run; 0: the product is not one of parts */
    vkmm_repack packs[2]; /* of the kernel's A and B: `problem` has them packed, and perhaps K padded with zeros */
    uint64_t sums_bytes;  /* of the workspace: those of parts of K; 0: all of it */
    vkmm_range decisions; /* of the workspace: the device's, of a split product */
    vkmm_edge edge;
    vkmm_modular modular;
} vkmm_choice;

/* device may be NULL for the kernel "serial". The problem must have been checked (math/problem.h). VKMM_INVALID:
 * unknown kernel; VKMM_NO_DEVICE: a kernel that needs one; VKMM_UNSUPPORTED: type, tile or size beyond the device,
 * with limit, value and nearest legal. */
vkmm_status vkmm_choose(const vkmm_log *log, const vkmm_device_info *device, const vkmm_problem *problem,
                        const vkmm_wish *wish, vkmm_choice *choice);

/* How general kernels multiply a problem on a device, if they can: f64 as residues if the device has no 64-bit floats,
 * and otherwise in software. */
static inline vkmm_method vkmm_method_on(const vkmm_device_info *device, const vkmm_problem *problem)
{
    return problem->type == VKMM_F64 && !device->has_f64 ? VKMM_COMPUTE_MODULAR : problem->method;
}

/* How a choice multiplies: VKMM_COMPUTE_MODULAR also if that was not asked for. */
static inline vkmm_method vkmm_choice_method(const vkmm_choice *choice)
{
    return choice->modular.moduli > 0 ? VKMM_COMPUTE_MODULAR : choice->problem.method;
}

/* The workgroups that pack an operand whose elements have so many bytes. */
void vkmm_repack_groups(const vkmm_repack *repack, uint32_t bytes, uint64_t groups[3]);

/* A job's wishes; and vkmm_choose with them, once its problem is checked. */
vkmm_wish vkmm_wish_of(const vkmm_job_params *params);
vkmm_status vkmm_choose_job(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                            vkmm_choice *choice);

/* Processors that run workgroups in parallel: as the device reports, or an estimate from its type. */
double vkmm_device_processors(const vkmm_device_info *device);

/* VKMM_ALIGNED_* as the kernel of a choice can use it, whose problem and configuration are set. */
uint32_t vkmm_usable_alignment(const vkmm_choice *choice);

/* Replaces the module of a choice by an observing build of the same shader, with `count` specialization constants
 * more. VKMM_UNSUPPORTED for serial and for users' shaders. */
vkmm_status vkmm_choice_observe(const vkmm_log *log, vkmm_choice *choice, vkmm_build build, uint32_t count,
                                const uint32_t *ids, const uint32_t *values);

#endif
