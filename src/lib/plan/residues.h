/* What a choice has of floats multiplied as residues (residues.c): its problem is then a product of bytes, or of words,
 * in the workspace. */
#pragma once

#include "math/modular.h"
#include "plan/range.h"
#include "vkmatmul.h"

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
