/* From a problem, a device and the user's wishes to one exact kernel. No Vulkan calls: a device is its
 * vkmm_device_info. */
#pragma once

#include "kernel/legal.h"
#include "math/modular.h"

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
    int untuned;                 /* no result of a tune is used, here or on the devices of records */
    uint32_t pack;               /* bits VKMM_PACK_* */
    uint32_t moduli;             /* of a modular product; 0: as many as most data needs */
    int found;                   /* so many moduli are what A and B need; else they are what a user asked for */
    int direct;                  /* f64 not as residues, even if the device has no 64-bit floats */
    vkmm_terms terms;
} vkmm_wish;

/* An operand of the kernel that is packed before the product. Elements, unless stated otherwise. */
typedef struct vkmm_repack {
    vkmm_format format; /* of the matrix in memory: blocks are unpacked; */
    vkmm_type type;     /* of its elements, where the kernel's are others; */
    vkmm_stored from;   /* the matrix, */
    uint64_t offset, stride;
    uint64_t count;     /* and how many of them; */
    uint64_t lines, ld; /* the packed one, in which `lines` may be more than there are: zeros */
    uint64_t bytes;     /* of all packed matrices; 0: the operand is not packed */
    uint64_t at;        /* bytes from the beginning of the workspace; 0 if bound */
    uint64_t first;     /* bytes of what is known of its lines, before the first packed matrix; 0: there are none */
    float fewest;       /* vkmm_pack_push.fewest */
    int across;         /* neighbours in memory are neighbours across K */
    int transposed;
    int once, bound; /* VKMM_PACK_ONCE, VKMM_PACK_BOUND */
} vkmm_repack;

/* Bytes of the workspace. */
typedef struct vkmm_range {
    uint64_t at, bytes;
} vkmm_range;

/* What a choice has of floats multiplied as residues (residues.c): its problem is then a product of bytes, or of words,
 * in the workspace. */
typedef struct vkmm_residues {
    uint32_t asked;                      /* vkmm_wish.moduli, */
    int is_found;                        /* and .found */
    uint32_t moduli;                     /* of 8 bits, which would hold the product */
    uint32_t products;                   /* how many moduli it has, perhaps larger ones, */
    uint32_t numbers[VKMM_MODULAR_MOST]; /* and which */
    int reproducible;                    /* VKMM_COMPUTE_REPRODUCIBLE */
    vkmm_modular_limit limit;            /* of the integers */
    vkmm_problem product;                /* of the residues, a matrix for each modulus */
    int remainders;               /* the product stores bytes, of sums modulo their moduli: VKMM_OUT_REMAINDERS */
    uint64_t rows, items;         /* of a panel, all of whose sums are there at once; the last one may have fewer */
    vkmm_problem problem;         /* of the floats, row-major */
    vkmm_range lines, a, b, sums; /* the table of moduli, and what is known of each line; residues; their sums */
    vkmm_range found;             /* of `lines`: what the second look finds */
} vkmm_residues;

/* The last columns, or rows, of C, if they are computed by another dispatch because they would take the kernel a whole
 * round of tiles; or all of C, by a dispatch of which the device decides whether it takes the kernel's place. */
typedef struct vkmm_edge {
    const vkmm_module *module; /* NULL: there is none */
    vkmm_kernel_info info;
    vkmm_problem problem; /* a part of the choice's, which then lacks it */
    int instead;          /* all of it, with operands that are not packed */
    int early;            /* with such operands too, and while they are packed; else after the first pass */
} vkmm_edge;

/* Experts (experts.c). count 0: there are none. */
typedef struct vkmm_experts {
    uint32_t count, gather, scatter; /* as in vkmm_gemm_params */
    uint32_t tiles;                  /* of rows */
    vkmm_problem outside;            /* the caller's: m bounds the rows of all */
    vkmm_range table, rows, sums;    /* of the workspace: shaders/experts.comp's table; A and C of the kernel */
} vkmm_experts;

typedef struct vkmm_choice {
    const vkmm_kernel *kernel;
    const vkmm_module *module;             /* NULL for the kernel serial */
    const vkmm_module *reduce;             /* the second pass; NULL if K is not split and C can be stored directly */
    const struct vkmm_method_plan *method; /* plan/recipe.h; NULL: direct */
    vkmm_kernel_info info;
    vkmm_problem problem; /* as the kernel sees it: row-major, everything filled in (vkmm_problem_row_major) */
    int swapped;          /* its A is the wished problem's B */
    vkmm_config config;   /* of a general kernel */
    vkmm_terms terms;     /* the wish's */
    uint32_t split_depth; /* elements along K of each of info.splits parts */
    uint32_t run;         /* vkmm_push.run; 0: the product is not one of parts */
    vkmm_repack packs[2]; /* of the kernel's A and B: `problem` has them packed, and perhaps K padded with zeros */
    uint64_t sums_bytes;  /* of the workspace: those of parts of K; 0: all of it */
    vkmm_range decisions; /* of the workspace: what the device decides; empty: nothing */
    vkmm_edge edge;
    vkmm_experts experts;
    vkmm_residues residues; /* of a modular product */
    char warning[256];      /* that it is not what was asked for, and why; "": it is */
} vkmm_choice;

/* device may be NULL for the kernel "serial". The problem must have been checked (math/problem.h). VKMM_INVALID:
 * unknown kernel; VKMM_NO_DEVICE: a kernel that needs one; VKMM_UNSUPPORTED: type, tile or size beyond the device,
 * with limit, value and nearest legal. */
vkmm_status vkmm_choose(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                        vkmm_choice *choice);

/* The caller's operands that a direct product packs: bits VKMM_PACK_A, VKMM_PACK_B. */
uint32_t vkmm_choice_packs(const vkmm_choice *choice);

/* Whether kernel and configuration are the planner's to choose. */
int vkmm_wish_is_open(const vkmm_wish *wish);

/* The kernel, its configuration and the packing of a choice, for a part of its product. */
vkmm_wish vkmm_wish_like(const vkmm_choice *whole);

/* A job's wishes; and vkmm_choose with them, once its problem is checked. The log is told the choice's warning. */
vkmm_wish vkmm_wish_of(const vkmm_job_params *params);
vkmm_status vkmm_choose_job(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                            vkmm_choice *choice);

/* Processors that run workgroups in parallel: as the device reports, or an estimate from its type. */
double vkmm_device_processors(const vkmm_device_info *device);

/* VKMM_ALIGNED_* as the kernel of a choice can use it, whose problem and configuration are set. */
uint32_t vkmm_usable_alignment(const vkmm_choice *choice);
