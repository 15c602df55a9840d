/* The ladder's steps as data, each one change from a step before. */
#ifndef CLI_LADDER_STEPS_H
#define CLI_LADDER_STEPS_H

#include "math/problem.h"
#include "vkmatmul.h"

/* A kernel, or a configuration of one, on the ladder's problem or one derived from it. */
typedef struct cli_step {
    const char *name;                /* unique: "padded" */
    const char *kernel;              /* NULL: the fastest for the problem */
    const char *config, *cpu_config; /* NULL, or as for --config; on processors, whose drivers compile for minutes */
    const char *sentence;            /* what is new in it */
    const char *place;               /* the tutorials' step, "1b 2a"; "" */
    int has_tile;                    /* takes --tile */
    int on_host, is_general;
    uint32_t size[3];  /* M, N, K that show it on a GPU; zeros: the ladder's */
    vkmm_type type;    /* of A and B, with a C of the ladder's type; 0: that too */
    vkmm_type compute; /* of the sums; 0: as usual */
    vkmm_method method;
} cli_step;

/* The index-th: the kernels of the tutorials, in the order of the table of kernels, for every type that they have; then
 * the general kernels', for f32; then the device's fast kernel, "auto". 1, or 0 past the end. */
int cli_step_at(uint32_t index, cli_step *step);

#endif
