/* How a product is cut into panels that fit on a device. Pure arithmetic: a device is its limits. All coordinates are
 * those of the user's problem; panels are stored in the problem's layout and ops. */
#pragma once

#include "plan/choose.h"

/* What bounds panels. */
typedef struct vkmm_space {
    uint64_t range;      /* bytes of one binding */
    uint64_t allocation; /* bytes of one buffer */
    uint64_t total;      /* bytes of all buffers on the device */
    uint64_t guard;      /* bytes that a buffer for a panel of C has in addition to the panel */
    int mapped;          /* panels are filled in place: no copies */
    int shared;          /* other devices compute panels too: a panel is never the only one */
    double processors;   /* that share the tiles of a panel */
} vkmm_space;

/* One panel of C, or several whole matrices of the batch. */
typedef struct vkmm_step {
    uint64_t batch, matrices; /* the first, and how many */
    uint64_t row, col, rows, cols;
} vkmm_step;

/* A step's problem: numbers of rows, columns, matrices, elements along K. */
typedef struct vkmm_cut {
    uint64_t rows, cols, depth, matrices;
    int is_part;  /* K is cut: sums are stored as the type of α and β, without bias, activation and C's old values; */
    int is_later; /* and added to those of the parts before */
} vkmm_cut;

typedef struct vkmm_pieces {
    vkmm_partition partition;
    uint64_t matrices;                    /* of the batch in a step, when rows and cols are whole; else 1 */
    uint64_t unit_rows, unit_cols;        /* rows and cols are multiples, unless they are whole */
    uint32_t slots, c_slots;              /* panels of an operand that are on the device at a time, at least; of C */
    uint64_t a_bytes, b_bytes, c_bytes;   /* of the largest panels */
    uint64_t slot_bytes[2], packed_at[2]; /* of A and B: with a packed copy, which begins there */
    uint64_t workspace_bytes;
} vkmm_pieces;

/* The problem that a job would have for a cut of `problem`, as `choice` computes it: offsets 0, lines padded to
 * multiples of 16 bytes for kernels that take them. Where α is 0, K is. */
vkmm_problem vkmm_cut_problem(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_cut *cut);

/* Bytes of the memory of an operand of a cut, in whole words, never 0. */
uint64_t vkmm_cut_bytes(const vkmm_problem *cut_problem, vkmm_operand operand);

/* Cuts the product up: panels of C first, K where a panel of one tile with all of K does not fit. choice: of the
 * product as a whole (choose.h), or of a smaller one. 1, or 0 if not even the smallest panel fits. */
int vkmm_pieces_find(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space,
                     vkmm_pieces *pieces);

/* Makes panels smaller: half as many matrices, else half the rows or the columns, whichever are more, else one slot
 * instead of two. 0: they cannot be smaller. */
int vkmm_pieces_halve(const vkmm_problem *problem, const vkmm_choice *choice, const vkmm_space *space,
                      vkmm_pieces *pieces);

/* These steps, in their order, each cut into such pieces, in an order that keeps panels of A or B on the device for as
 * long as it can: rows of panels, alternately from left to right and from right to left. *count: their number on input
 * and on output. Freed with vkmm_free; NULL if memory runs out. */
vkmm_step *vkmm_pieces_split(const vkmm_pieces *pieces, const vkmm_step *steps, uint64_t *count);
