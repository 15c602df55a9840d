/* Comparisons of the devices of one or more reports. */
#pragma once

#include <jansson.h>
#include "bench/interval.h"
#include "report/report.h"

/* One thing that is compared: a device of a report. */
typedef struct cli_contender {
    const cli_bench *bench;
    uint32_t device;
    const cli_bench_device *on; /* that device */
    char label[CLI_BENCH_TEXT]; /* unique among the contenders: the device's, with the file's name or version if
                                    that is not enough */
    int shared;                 /* while labels are made: another contender has the same */

    /* Results of a comparison. */
    uint32_t base; /* the contender that its ratios are to, itself if it is a base; UINT32_MAX: none */
    int judged;    /* its base is the same device of the first report, or, in a single report, of the same kind */
    uint32_t wins; /* rows */
} cli_contender;

/* Device against device: for each row that at least two contenders have, a column per contender, the ratio to its base
 * with its interval, and the winner; then the geometric means. Devices of later reports have the same device of the
 * first report as their base, or none; if no report has such a device, the base of all is the first contender. */
typedef struct cli_comparison {
    cli_contender *contenders;
    uint32_t count;
    cli_reports reports; /* their reports, included in "json"; borrowed; none: left out */
    /* The slowdown that judged contenders may have. 0.05: a regression is slower by more than 5 % and beyond the noise,
     * or wrong; below 0: not requested, so regressions (slower beyond the noise, or wrong) are counted but not listed.
     */
    double regression;
    uint32_t regressions; /* out */
    uint32_t rows;        /* out: compared rows */
    json_t *found;        /* out, of cli_compare_found: the JSON as a value, a new reference */
} cli_comparison;

/* Writes with cli_writer.compare, or with cli_compare_found. Nothing is written if no row is shared. */
vkmm_status cli_compare_write(vkmm_status (*write)(struct cli_compare_model *model), const cli_report *report,
                              cli_comparison *comparison);
vkmm_status cli_compare_found(struct cli_compare_model *model);

/* The contenders of some reports: every device with at least one timed row; in later reports also one that has only
 * wrong rows, so that its regressions are found. Freed with vkmm_free; NULL if memory runs out. */
cli_contender *cli_contenders_of(const cli_bench *benches, uint32_t bench_count, uint32_t *count);
