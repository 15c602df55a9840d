/* Comparisons of the devices of one or more reports. */
#pragma once

#include <jansson.h>
#include "bench/derive.h"
#include "math/type.h"
#include "report/report.h"

#define CLI_NOBODY UINT32_MAX

/* One thing that is compared: a device of a report. */
typedef struct cli_contender {
    const cli_bench *bench;
    uint32_t device;
    const cli_bench_device *on; /* that device */
    char label[CLI_BENCH_TEXT]; /* unique among the contenders: the device's, with the file's name, version or a
                                    number if that is not enough */
    uint32_t base;              /* the contender that its ratios are to, itself if it is a base; CLI_NOBODY: none */
    int judged;    /* its base is the same device of the first report, or, in a single report, of the same kind */
    uint32_t wins; /* rows */
} cli_contender;

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
    int regressed;            /* it became slower, or was right and is now wrong */
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

/* Device against device: for each row that at least two contenders have, a column per contender, the ratio to its base
 * with its interval, and the winner; then the geometric means. Devices of later reports have the same device of the
 * first report as their base, or none; if no report has such a device, the base of all is the first contender. */
typedef struct cli_comparison {
    const cli_report *report; /* where it is written */
    cli_reports reports;      /* what is compared; borrowed */
    /* The slowdown that judged contenders may have. 0.05: a regression is slower by more than 5 % and beyond the noise,
     * or wrong; below 0: not requested, so regressions (slower beyond the noise, or wrong) are counted but not listed.
     */
    double regression;

    /* Every device with at least one timed row; in later reports also one that has only wrong rows, so that its
     * regressions are found. */
    cli_contender *contenders;
    uint32_t count;
    cli_compare_row *rows;
    uint32_t row_count;
    uint32_t alone;   /* rows with a speed for one contender only */
    uint32_t unclear; /* rows without a winner */
    cli_compare_mean *means;
    uint32_t mean_count;  /* the last is of all rows */
    uint32_t regressions; /* cells that regressed */
    char (*notes)[1024];  /* notes on the contenders; texts as in the reports */
    uint32_t note_count;
    int failed;                           /* no memory for a note */
    cli_compare_cell *cells, *mean_cells; /* what rows and means point to */
} cli_comparison;

/* Fills a comparison of which only the first three members are set, for cli_writer.compare. With fewer than two
 * contenders, there are no rows. VKMM_OUT_OF_MEMORY; ended by cli_comparison_free in any case. */
vkmm_status cli_comparison_make(cli_comparison *comparison);
void cli_comparison_free(cli_comparison *comparison);

/* "vkmatmul.compare/1" without the reports: a new reference; NULL if memory runs out. */
json_t *cli_comparison_json(const cli_comparison *comparison);

/* The reports as the document of a page (cli_page_make), which draws tables and charts from it: its sources are in the
 * folder page. To be freed with free; NULL if memory runs out. */
char *cli_bench_page_json(const cli_report *report, const cli_reports *reports);
