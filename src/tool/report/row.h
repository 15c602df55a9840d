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
