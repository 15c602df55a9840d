/* The ladder's steps that general kernels make, as data. */
#pragma once

#include "vkmatmul.h"

/* A kernel, or a configuration of one, on the ladder's problem or one derived from it. */
typedef struct cli_step {
    const char *name;                /* unique: "padded" */
    const char *kernel;              /* NULL: the fastest for the problem */
    const char *config, *cpu_config; /* NULL, or as for --config; on processors, whose drivers compile for minutes */
    const char *sentence;            /* what is new in it */
    const char *place;               /* the tutorials' step, "1b 2a"; "" */
    int has_tile;                    /* takes --tile */
    int on_host, is_general;         /* is_general: a general kernel, for f32 */
    uint32_t size[3];                /* M, N, K that show it on a GPU; zeros: the ladder's */
    vkmm_type type;                  /* of A and B, with a C of the ladder's type; 0: that too */
    vkmm_type compute;               /* of the sums; 0: as usual */
    vkmm_method method;
} cli_step;

/* In their order, after the kernels of the tutorials; the last is the device's fast kernel, "auto". 1, or 0 past the
 * end. */
int cli_general_step(uint32_t index, cli_step *step);

/* The step of a name that no kernel has, such as "staged", or "direct": 1, or 0 if there is none. */
int cli_step_of_option(const char *name, cli_step *step);

/* What the step makes of a product: its problem, kernel and configuration. */
void cli_step_apply(const cli_step *step, const vkmm_device_info *device, vkmm_job_params *job);

/* The reason for a step that is more than 2.5 times as fast as the one before, or whose time is more than 30 % off the
 * prediction (NAN: there is none); NULL: it is neither, or has no reason. Static storage. */
const char *cli_step_why(const char *name, double times_previous, double predicted_ms, double measured_ms);
