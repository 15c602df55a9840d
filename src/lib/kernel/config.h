/* The tunables of a general kernel, and one setting of all of them. A tunable is data: its name, its specialization
 * constant, the values that a tune tries. */
#pragma once

#include "vkmatmul.h"

/* What every general kernel has, then its own. */
enum {
    VKMM_TUNE_ROWS,        /* rows of C in a workgroup's tile */
    VKMM_TUNE_COLS,        /* its columns */
    VKMM_TUNE_DEPTH,       /* elements along K of one step */
    VKMM_TUNE_THREAD_ROWS, /* rows of C that one invocation computes */
    VKMM_TUNE_THREAD_COLS, /* its columns */
    VKMM_TUNE_SPLITS,      /* parts into which K is split */
    VKMM_TUNE_OWN,         /* the first of the kernel's own */
    VKMM_TUNE_TAIL = 15,   /* parts of K of the tiles that are left beside whole rounds */
    VKMM_MAX_TUNABLES = 16,
    VKMM_MAX_TUNABLE_VALUES = 12
};

typedef struct vkmm_tunable {
    const char *name;    /* as in configuration texts; NULL: the kernel lacks it, its value is 1 */
    uint32_t spec_id;    /* of its specialization constant; 0: it has none */
    uint32_t also;       /* of another constant with the same value; 0: none */
    const char *meaning; /* in a few words */
    uint32_t count;      /* of values worth trying, ascending: */
    uint32_t values[VKMM_MAX_TUNABLE_VALUES];
} vkmm_tunable;

typedef struct vkmm_config {
    uint32_t values[VKMM_MAX_TUNABLES]; /* those that the kernel lacks are 1 */
} vkmm_config;

struct vkmm_kernel;

/* "rows=128,cols=128,…": every tunable that the kernel has, in order. */
void vkmm_config_text(const struct vkmm_kernel *kernel, const vkmm_config *config, char text[VKMM_CONFIG_TEXT]);

/* Reads such a text, in any order, separated by commas or spaces, into *config, whose other values stay.
 * VKMM_INVALID: an unknown name (the message lists the known ones), or a value that is not a number or is above
 * 2^20. */
vkmm_status vkmm_config_parse(const struct vkmm_kernel *kernel, const char *text, vkmm_config *config);
