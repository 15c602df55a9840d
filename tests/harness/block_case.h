/* Matrices in blocks (vkmm_format): elements by their definition in vkmatmul.h, and products with exact results. */
#pragma once

#include "general.h"

enum { BLOCKS_LONG = 70, BLOCKS_DEPTH = 512, BLOCKS_MOST = 210 /* bytes of a block */ };

uint32_t blocks_next(uint32_t *state);

/* Element i of a block. */
double blocks_element(vkmm_format format, const unsigned char *block, unsigned i);

/* A block of random codes. scaled: with finite scales of every kind, or those that leave powers of two within f16,
 * whose infinities would make all of a row NaNs; otherwise with scales for which any product here is exact, in bf16
 * too. */
enum { BLOCKS_OF_F16 = 2 };
void blocks_put(vkmm_format format, unsigned char *block, uint32_t *state, int scaled);

/* A problem whose `operand` has blocks. */
typedef struct blocks_case {
    vkmm_job_params params;
    vkmm_operand operand;
    int scaled; /* the other operand is the identity, and the last block has a NaN */
} blocks_case;

/* Blocks along the long side, with an offset and with lines longer than K. `side`: the short one. */
blocks_case blocks_case_of(vkmm_format format, vkmm_operand operand, vkmm_type type, uint64_t side, vkmm_layout layout);

/* Fills the blocks, and their elements as a plain matrix of the problem's type. */
void blocks_fill(const blocks_case *c, unsigned char *blocks, void *plain, uint64_t bytes);

/* Multiplies as a job: 1 if C and its guards are right. replaced: NULL, or a step with the module that it runs instead
 * of its own. kernel: NULL, or the one that the planner must choose. On 0, `why` tells. Objects are kept (kept.h). */
int blocks_case_right(const suite_device *suite, const blocks_case *c, const general_run *replaced, const char *kernel,
                      char why[512]);

/* The problem without blocks. */
vkmm_problem blocks_plain(const vkmm_problem *problem);
