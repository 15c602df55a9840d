/* What `vkmatmul explain` found about kernels on one problem, and how it is shown. */
#pragma once

#include "look/access.h"
#include "look/steps.h"
#include "session/session.h"

enum { CLI_MAX_EXPLAINED = 16, CLI_MAX_STATISTICS = 48, CLI_MOST_PASSES = 4 };

/* By formula, and as counted on the device: the least and the most, if elements differ. */
typedef struct cli_twice {
    uint64_t formula, counted, most;
} cli_twice;

typedef struct cli_share {
    double formula, counted; /* from 0 to 1; 0 for an empty product */
} cli_share;

/* How often each element of an input is read from a memory. */
typedef struct cli_reads_twice {
    cli_twice global, shared;
} cli_reads_twice;

/* One of the passes of a product that is not multiplied directly. */
typedef struct cli_explained_pass {
    const char *name;
    uint64_t read, written, multiply_adds; /* bytes, each matrix once */
    double ms, share;                      /* at the device's peaks, and of all passes */
    double measured_ms, measured_share;    /* NAN: not measured */
} cli_explained_pass;

/* One kernel on one problem. A plain value. */
typedef struct cli_explained {
    vkmm_kernel_info info;
    vkmm_statistic statistic[CLI_MAX_STATISTICS]; /* the driver's; none if it reports none */
    uint32_t statistic_count;
    int has_statistics;
    double flop_per_byte; /* of the bytes below */

    /* For a kernel of the tutorials. */
    cli_reads_twice a, b;
    cli_twice invocations, idle; /* idle: of these, beyond C's edges */
    cli_twice multiply_adds, bytes_read, bytes_written;
    cli_share idle_share, padding_share; /* padding: multiply-adds beyond C's edges or beyond K */
    uint32_t stride;                     /* vkmm_access.stride of the count, */
    uint64_t counted_k;                  /* and its K */
    int agree;                           /* formula and count */
    double memory_ms;                    /* all bytes at the speed of a copy, assuming no caches */
    double arithmetic_ms;                /* all multiply-adds at peak */
    double predicted_ms;                 /* the longer of both */
    double measured_ms;                  /* median of some verified products; NAN: an empty one, or a wrong one */
    cli_forecast limits;                 /* of --kernel in f32: what it is limited by; its limiter NULL: unknown */
    char bound[16];                      /* by the longer of both: "memory", "arithmetic"; "": an empty product */

    /* For a general kernel, whose sums stay in registers while it reads the operands of its tile of C once. */
    double sum_registers;          /* of 32 bits, per invocation, only for the sums */
    double bytes_per_multiply_add; /* that a workgroup reads from memory: a row of its tile's A and B, per multiply-add
                                      of these */
    uint32_t subgroups;            /* of a workgroup; 0: their size is the driver's choice */

    /* For a product that is not multiplied directly, whose predicted_ms is that of its passes. */
    cli_explained_pass passes[CLI_MOST_PASSES];
    char not_measured[200];        /* why; "": they were, in the fastest of some runs; measured_ms is their sum */
    uint32_t pass_count, products; /* products: of what is multiplied instead; pass_count 0: the product is direct */
    double copy_bytes_per_s, inner_per_s, direct_per_s; /* peaks: of copies; multiply-adds of the products, and of the
                                                           problem's own type; NAN: the device lacks it */
    double direct_ms;                                   /* what the product would take in that type; NAN */
    const char *faster;                                 /* "direct", or the method; from these peaks */
} cli_explained;

/* A kernel that cannot run here. */
typedef struct cli_left_out {
    const char *name;
    char reason[512];
} cli_left_out;

/* The kernels on one problem. */
typedef struct cli_explanation {
    const vkmm_device_info *device;
    vkmm_problem problem;
    int planned; /* there is only one kernel, a general one, and nothing is counted */
    vkmm_peaks peaks;
    double balance; /* the device's FLOP/s per byte/s of a copy: a kernel with less FLOP/byte is bound by memory */
    int agree;      /* all of them */
    char why[600];  /* the measured times differ from the predicted ones; "": nothing was measured */
    char seen[32];  /* the kernel that exceeded the measured peak, and whose speed is now the peak; "": none */
    cli_explained kernels[CLI_MAX_EXPLAINED];
    cli_left_out left_out[CLI_MAX_EXPLAINED];
    uint32_t count, left_out_count;
} cli_explanation;

/* As text, 80 columns wide, and as "vkmatmul.explain/1". */
vkmm_status cli_explain_table(cli_report *report, const cli_explanation *explanation);
json_t *cli_explain_json(const cli_report *report, const cli_explanation *explanation);

/* The passes of the plan of a product that is not multiplied directly, with the device's peaks, and as measured in a
 * job. Takes some seconds. */
vkmm_status cli_explain_passes(cli_session *session, const vkmm_job_params *params, cli_explained *plan);
