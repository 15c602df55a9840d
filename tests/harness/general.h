/* The products that every general kernel must get right, with the whole meaning of vkmm_problem: run close to the
 * metal, as those of suite.h. */
#pragma once

#include "math/type.h"
#include "suite.h"
#include "verify/verify.h"

/* How a kernel is run: with one configuration, over pipelines that are kept for products with the same constants. */
typedef struct general_run {
    suite_device *suite;
    const char *kernel, *config; /* config NULL: the planner's */
    vkmm_tile tile;              /* of a kernel of the tutorials; zeros: its default */
    const char *step;            /* a step (vkmm_recipe_pipeline.name), NULL: "product", */
    const vkmm_module *module;   /* which runs this SPIR-V, unless NULL, not its own */
    void (*change)(const vkmm_problem *problem, vkmm_store *stores); /* NULL, or of A and B, before each run */
    cli_numbers numbers;                                             /* what they are then */
    /* NULL, or instead of verify: 1 if C is right. before: what it was */
    int (*check)(const vkmm_problem *problem, const vkmm_store *stores, const void *before);
    vkmm_type residues;  /* of a modular product: bytes (VKMM_I8) or words (VKMM_I32). 0: the planner's, */
    uint32_t moduli;     /* and so many moduli */
    uint32_t max_groups; /* 0, or a limit on workgroups: makes kernels loop over their work */
    uint32_t driver_id;  /* 0, or as if this were the driver: modules that need it */
    uint32_t processors; /* 0, or as if the device had so many: what is left after whole rounds of tiles counts */
    uint64_t slice;      /* 0, or items of each dispatch */
    int plain;           /* without all that is beyond Vulkan 1.1 */
    vkmm_types types;    /* of general_edges, and its epilogue: */
    int has_bias;
    vkmm_activation activation;
    uint32_t pack;       /* bits VKMM_PACK_* */
    uint64_t narrow;     /* 0, or N of all products of general_edges: for a kernel that fits its tile to it */
    vkmm_plan plans[16]; /* built so far: pipelines take longer than products. Zeroed at the beginning */
    unsigned planned;
} general_run;

/* Runs one product twice: 1 when both have the same bits and are right, all padding of C and the guard bands
 * untouched. A, B and the padding around them are filled, the padding with NaN; C too where β is 0. On 0, `why`
 * tells. */
int general_product(general_run *run, const vkmm_problem *problem, uint64_t seed, char why[512]);
void general_end(general_run *run);

/* The same: 1 when it was wrong, which is printed; else 0. */
int general_wrong(general_run *run, const vkmm_problem *problem, uint64_t seed);

/* From now on, each recipe has the run's module in place of that of its step. NULL: no longer. */
void general_replace(const general_run *run);

/* How the operands of general_edges lie in memory. */
typedef enum general_padding {
    GENERAL_ALIGNED, /* rows are padded so that each begins at a multiple of 16 bytes */
    GENERAL_UNEVEN   /* rows are padded so that no two begin alike */
} general_padding;

/* Products with every edge: extents 0 to 129 around the powers of two, and primes, or every step-th of them; both
 * layouts, scalars, offsets, batches. Returns how many were wrong, printing each when `loud`; with `stop`, ends at
 * the first. */
int general_edges(general_run *run, vkmm_op op_a, vkmm_op op_b, general_padding padding, uint64_t seed, uint64_t step,
                  int loud, int stop);

/* `change` and `check` of a product of floats of 8 bits whose C has 256 rows or columns, and whose K is 16 at least.
 * A or B, whichever has the 256, has every code, each once in its line, in every place of a vector; the other one is of
 * ones. */
void general_put_codes(const vkmm_problem *problem, vkmm_store *stores);
int general_has_codes(const vkmm_problem *problem, const vkmm_store *stores, const void *before);

/* A random problem of moderate size, the same for the same seed everywhere. */
vkmm_problem general_random(vkmm_types types, uint64_t seed);

/* "f32 TN col 17x5x129 lda=…": the whole problem in one line. */
void general_text(const vkmm_problem *problem, char text[256]);
