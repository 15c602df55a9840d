/* The results of a comparison, for its writers. */
#pragma once

#include "math/type.h"
#include "bench/compare.h"

#define CLI_NOBODY UINT32_MAX

/* How many times faster one is than another; NAN if one of the two has no speed. */
typedef struct cli_compare_ratio {
    cli_interval of;
    const char *verdict; /* "slower", "unclear", "faster"; "base": of a base to itself; NULL: unknown */
} cli_compare_ratio;

/* A contender's figures for one product, or for a mean. */
typedef struct cli_compare_cell {
    const cli_bench_row *row; /* NULL: it has no such row. It may have no speed */
    cli_compare_ratio ratio;  /* to the contender's base */
    int wrong;                /* and its row is */
    cli_mean mean;            /* of a mean: of the rows whose ratio has an interval */
} cli_compare_cell;

/* One product for which at least two contenders have a speed, or one has a speed and another is wrong. */
typedef struct cli_compare_row {
    const cli_bench_row *like; /* of the first contender that has it: problem, group, requested kernel */
    cli_compare_cell *cells;   /* one a contender */
    uint32_t count;            /* contenders */
    uint32_t timed;            /* of them with a speed */
    uint32_t winner;           /* the contender that is faster than the next, beyond the noise; CLI_NOBODY: unclear */
} cli_compare_row;

/* One line of means: of a group and its types, or of all (group NULL). */
typedef struct cli_compare_mean {
    const char *group;
    vkmm_types types;
    uint32_t rows;
    cli_compare_cell *cells; /* one a contender */
    uint32_t count;
} cli_compare_mean;

/* A row that became slower, or was right and is now wrong. */
typedef struct cli_regression {
    uint32_t row, contender, base;
    int wrong;
    cli_compare_ratio ratio; /* to the base */
} cli_regression;

typedef struct cli_compare_model {
    const cli_report *report;
    cli_comparison asked;
    cli_compare_row *rows;
    uint32_t count;
    uint32_t alone;   /* rows with a speed for one contender only */
    uint32_t unclear; /* rows without a winner */
    cli_compare_mean *means;
    uint32_t mean_count; /* the last is of all rows */
    cli_regression *regressions;
    uint32_t regression_count;
    char (*notes)[1024]; /* notes on the contenders; texts as in the reports */
    uint32_t note_count;
    int failed;                           /* no memory for a note */
    cli_compare_cell *cells, *mean_cells; /* owned; what rows and means point to */
} cli_compare_model;
