/* The records used by results of several commands. Their keys are described in doc/bench.schema.json. */
#pragma once

#include "report/record.h"
#include "report/report.h"
#include "report/result.h"

extern const vkmm_record cli_problem_record;  /* vkmm_problem; a reader accepts only valid ones */
extern const vkmm_record cli_types_record;    /* vkmm_problem: only its types */
extern const vkmm_record cli_extents_record;  /* vkmm_problem: only M, N and K */
extern const vkmm_record cli_kernel_record;   /* vkmm_kernel_info; without a name: null */
extern const vkmm_record cli_built_in_record; /* the same, if it cannot be the user's shader */
extern const vkmm_record cli_limits_record;   /* vkmm_device_info: what products depend on */
extern const vkmm_record cli_shape_record;    /* vkmm_matrix_shape */
extern const vkmm_record cli_identity_record; /* cli_bench_device: only name, driver and versions, to be embedded */
extern const vkmm_record cli_hardware_record; /* cli_bench_device: only limits, heaps and PCI address, likewise */
extern const vkmm_record cli_device_record;   /* cli_bench_device */
extern const vkmm_record cli_peaks_record;    /* cli_bench_peaks */
extern const vkmm_record cli_row_record;      /* cli_bench_row */
extern const vkmm_record cli_round_record;    /* cli_bench_row: the samples of one round, and their power */

extern const vkmm_record cli_run_record;      /* cli_bench_row: a row of run; its CSV is also the ladder's */
extern const vkmm_record cli_ladder_record;   /* cli_ladder */
extern const vkmm_record cli_forecast_record; /* cli_forecast: a part of the ladder's rows, and of explain's kernels */
extern const vkmm_record cli_tool_record;     /* cli_report: the program */

/* Columns of CSV that several tables have. */
/* clang-format off */
#define CLI_CSV_PROBLEM {"problem.type"}, {"problem.m"}, {"problem.n"}, {"problem.k"}
#define CLI_CSV_OPERANDS                                                                                              \
    {"problem.layout"}, {"problem.transpose_a"}, {"problem.transpose_b"}, {"problem.lda"}, {"problem.ldb"},            \
    {"problem.ldc"}, {"problem.offset_a"}, {"problem.offset_b"}, {"problem.offset_c"}, {"problem.stride_a"},           \
    {"problem.stride_b"}, {"problem.stride_c"}, {"problem.batch_count"}, {"problem.alpha"}, {"problem.beta"}
#define CLI_CSV_REST {"problem.out_type"}, {"problem.compute"}, {"problem.activation"}, {"problem.bias"}
/* clang-format on */

extern const cli_field_words cli_words_of_type; /* vkmm_type */

/* Limits of what is read. */
#define CLI_MOST_MS  1e12 /* thirty years */
#define CLI_MOST_A_S 1e24 /* of bytes or operations */

/* ---- bench reports: whole ones, and the lines of one that is written during the run ---- */

/* Limits of what is read from one report, and from one file. */
enum { CLI_MOST_DEVICES = 256, CLI_MOST_ROWS = 65536, CLI_MOST_REPORTS = 256 };

extern const vkmm_record cli_report_record;      /* cli_bench: all of it */
extern const vkmm_record cli_report_body_record; /* the same without a schema, to be embedded */
extern const vkmm_record cli_saved_record;       /* cli_bench: with the name of its file */
extern const vkmm_record cli_reports_record;     /* cli_reports: those of a comparison */
extern const vkmm_record cli_head_record;        /* cli_bench: everything but devices and rows */

/* Lines. */
typedef struct cli_device_line {
    uint32_t index;
    const cli_bench_device *device;
} cli_device_line;

extern const vkmm_record cli_head_line_record;   /* cli_bench */
extern const vkmm_record cli_device_line_record; /* cli_device_line */
extern const vkmm_record cli_row_line_record;    /* cli_bench_row */
extern const vkmm_record cli_end_line_record;    /* cli_bench */
