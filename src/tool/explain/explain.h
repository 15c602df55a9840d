/* What `vkmatmul explain` found, and how it is shown. */
#ifndef VKMM_REPORT_EXPLAIN_H
#define VKMM_REPORT_EXPLAIN_H

#include "report/report.h"

#define VKMM_MAX_STATISTICS 48

/* One kernel on one problem. A plain value. */
typedef struct vkmm_explained {
    vkmm_kernel_info info;
    vkmm_access formula, counted;
    int agree;                                     /* formula and count */
    vkmm_statistic statistic[VKMM_MAX_STATISTICS]; /* the driver's; empty where it tells nothing */
    uint32_t statistic_count;
    char skipped[512]; /* "", or why this kernel cannot run here; of info only the name is then known */
} vkmm_explained;

/* All kernels on one problem; borrows everything. */
typedef struct vkmm_explanation {
    const vkmm_device_info *device;
    vkmm_problem problem;
    vkmm_peaks peaks;
    const vkmm_explained *kernels;
    uint32_t count;
} vkmm_explanation;

/* What binds a kernel, against the device's peaks, if all that it asks for came from memory at the speed of a copy. */
typedef struct vkmm_bound {
    double flops;         /* 2·M·N·K: useful ones */
    double bytes;         /* read and written */
    double intensity;     /* FLOP per byte */
    double balance;       /* the device's own FLOP/s per byte/s: below it, memory binds */
    double memory_ms;     /* bytes at copy speed */
    double arithmetic_ms; /* all multiply-adds, padding too, at peak */
    const char *name;     /* "memory" or "arithmetic"; NULL for an empty product */
} vkmm_bound;

vkmm_bound vkmm_bound_of(const vkmm_explanation *explanation, const vkmm_explained *kernel);

/* Shares from 0 to 1. Idle: invocations beyond C's edges. Padding: multiply-adds on them or beyond K. 0 for an empty
 * product. */
double vkmm_idle_share(const vkmm_access *access);
double vkmm_padding_share(const vkmm_problem *problem, const vkmm_access *access);

/* What matters of a general kernel: its tile of C is fed from memory once, and its sums wait in registers. A plain
 * value. */
typedef struct vkmm_explained_plan {
    const vkmm_device_info *device;
    vkmm_problem problem;
    vkmm_kernel_info info;
    vkmm_statistic statistic[VKMM_MAX_STATISTICS]; /* the driver's; empty where it tells nothing */
    uint32_t statistic_count;
} vkmm_explained_plan;

/* What follows from it. */
typedef struct vkmm_plan_figures {
    double registers;              /* of 32 bits, an invocation, for the sums alone */
    double bytes_per_multiply_add; /* that a workgroup asks memory for: a row of its tile's A and B, of all that they
                                      multiply to */
    double intensity;              /* FLOP per byte of these */
    uint32_t subgroups;            /* of a workgroup; 0: their size is the driver's choice */
} vkmm_plan_figures;

vkmm_plan_figures vkmm_plan_figures_of(const vkmm_explained_plan *plan);

/* One tile of the table of --limits. */
typedef struct vkmm_limit_tile {
    uint32_t rows, cols;
    int legal, preset;   /* preset: what the kernel takes by itself here */
    vkmm_tile_rule rule; /* that forbids it */
} vkmm_limit_tile;

#define VKMM_MAX_LIMIT_TILES 48

typedef struct vkmm_limit_kernel {
    const char *name;
    vkmm_limit_tile tile[VKMM_MAX_LIMIT_TILES];
    uint32_t count;
} vkmm_limit_kernel;

typedef struct vkmm_limits {
    const vkmm_device_info *device;
    vkmm_type type;
    const vkmm_limit_kernel *kernels;
    uint32_t count;
} vkmm_limits;

/* For people, 80 columns wide. */
vkmm_status vkmm_explain_table(vkmm_report *report, const vkmm_explanation *explanation);
vkmm_status vkmm_limits_table(vkmm_report *report, const vkmm_limits *limits);

vkmm_status vkmm_explain_plan_table(vkmm_report *report, const vkmm_explained_plan *plan);

/* One object a call: "vkmatmul.explain/1", "vkmatmul.limits/1". */
vkmm_status vkmm_explain_json(vkmm_report *report, const vkmm_explanation *explanation);
vkmm_status vkmm_explain_plan_json(vkmm_report *report, const vkmm_explained_plan *plan);
vkmm_status vkmm_limits_json(vkmm_report *report, const vkmm_limits *limits);

#endif
