/* What the commands beside bench show, row by row. Plain values that borrow all that they point to. */
#ifndef VKMM_REPORT_ROW_H
#define VKMM_REPORT_ROW_H

#include "math/types_name.h"
#include "report/result.h"

/* The tutorials' steps on one problem, for one or more types; rows of one type are neighbours. */
typedef struct vkmm_ladder {
    const vkmm_device_info *device; /* NULL: nothing ran on a device */
    const char *host;
    vkmm_problem problem; /* its type does not count */
    uint64_t seed;
    const char *init;
    const vkmm_bench_row *rows;
    uint32_t count;
} vkmm_ladder;

/* One thing that a device or this build cannot do. */
typedef struct vkmm_lack {
    char what[96], reason[200];
} vkmm_lack;

#define VKMM_MAX_ABILITIES 32

/* A kernel and the types that it takes on a device. */
typedef struct vkmm_ability {
    const char *kernel, *summary;
    const char *types[VKMM_TYPE_COUNT];
    uint32_t type_count;
} vkmm_ability;

/* The kernel that the planner takes for a problem. */
typedef struct vkmm_choice {
    vkmm_problem problem;
    vkmm_kernel_info kernel; /* name "": none, */
    char reason[200];        /* because of this */
} vkmm_choice;

#define VKMM_MAX_CHOICES 32

/* How a large product of some types is computed on a device. */
typedef struct vkmm_way {
    vkmm_types types;
    const char *by; /* "matrix": matrix operations; "dot": dot products of four bytes; "shader": as ordinary arithmetic;
                       NULL: not at all */
    vkmm_kernel_info kernel; /* that the planner takes */
} vkmm_way;

/* What vkmatmul can do on one device, and what it cannot. */
typedef struct vkmm_device_row {
    const vkmm_device_info *info;
    int chosen; /* what a run without --device takes */
    const char *types[VKMM_TYPE_COUNT];
    uint32_t type_count;
    vkmm_ability kernels[VKMM_MAX_ABILITIES];
    uint32_t kernel_count;
    vkmm_lack lacks[VKMM_MAX_ABILITIES];
    uint32_t lack_count;
    vkmm_choice choices[VKMM_MAX_CHOICES]; /* for usual problems, those of one type neighbours */
    uint32_t choice_count;
    vkmm_way ways[VKMM_TYPES_COUNT]; /* of all combinations of types, as vkmm_types_at has them */
    vkmm_matrix_shape shapes[VKMM_MAX_MATRIX_SHAPES];
    uint32_t shape_count;
    const char *no_shapes; /* why there are none; "" */
} vkmm_device_row;

/* A candidate that a tune measured. */
typedef struct vkmm_tune_trial {
    vkmm_candidate candidate;
    double ms;
} vkmm_tune_trial;

/* What a tune found for one problem. */
typedef struct vkmm_tune_row {
    const vkmm_device_info *device;
    vkmm_problem problem;
    vkmm_tuned tuned;       /* candidates: measured; planned_gflops 0: the planner's choice failed */
    vkmm_candidate planned; /* the planner's choice */
    uint32_t failed;        /* candidates without a time: refused, crashed, hung or wrong; */
    uint32_t wrong;         /* of them, with a wrong product */
    uint32_t resumed;       /* of all, known from an earlier tune that did not finish */
    int stored;
    double seconds;
    char skipped[160];             /* "", or why the problem was left out: then there is no result */
    const vkmm_tune_trial *trials; /* all that have a time, the fastest first */
    uint32_t trial_count;
} vkmm_tune_row;

#endif
