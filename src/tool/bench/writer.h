/* Bench reports as text, JSON, CSV, Markdown and JUnit XML; and comparisons of several. */
#ifndef VKMM_REPORT_BENCH_H
#define VKMM_REPORT_BENCH_H

#include <jansson.h>
#include "bench/interval.h"
#include "options/options.h"
#include "report/report.h"

/* Every function returns VKMM_OK or VKMM_OUT_OF_MEMORY; NULL means that there is nothing to write there. The order
 * of calls: begin once all devices and their peaks are known, row for each row as soon as it is known, end once. */
typedef struct vkmm_bench_writer {
    const char *name;   /* "table", "json", "jsonl", "csv", "md", "junit" */
    const char *ending; /* of file names: ".json"; ".xml" for junit; NULL for table */
    vkmm_status (*begin)(vkmm_report *report, const vkmm_bench *bench);
    vkmm_status (*row)(vkmm_report *report, const vkmm_bench *bench, const vkmm_bench_row *row);
    vkmm_status (*end)(vkmm_report *report, const vkmm_bench *bench);
} vkmm_bench_writer;

extern const vkmm_bench_writer vkmm_bench_table, vkmm_bench_json, vkmm_bench_jsonl, vkmm_bench_csv, vkmm_bench_md,
    vkmm_bench_junit;

const vkmm_bench_writer *vkmm_bench_writer_find(const char *name);
const vkmm_bench_writer *vkmm_bench_writer_for(const char *path); /* by its ending; NULL: unknown ending */

/* A whole report: begin, each row, end. */
vkmm_status vkmm_bench_write(const vkmm_bench_writer *writer, vkmm_report *report, const vkmm_bench *bench);

/* Sorts entries that have a row each; those that are equal keep their order. 0 if memory runs out. */
int vkmm_bench_sort(cli_sort key, void *rows, uint32_t count, size_t size,
                    const vkmm_bench_row *(*row_of)(const void *entry));

/* One thing that is compared: a device of a report. */
typedef struct vkmm_contender {
    const vkmm_bench *bench;
    uint32_t device;
    const vkmm_bench_device *on; /* that device */
    char label[VKMM_BENCH_TEXT]; /* unique among the contenders: the device's, with the file's name or version if
                                    that is not enough */
    int shared;                  /* while labels are made: another contender has the same */

    /* Results of a comparison. */
    uint32_t base;    /* the first report's contender that is the same device; UINT32_MAX: none */
    uint32_t wins;    /* rows */
    vkmm_mean change; /* of the ratios to the base */
} vkmm_contender;

/* Device against device: for each row that at least two contenders have, a column per contender, the ratio to the
 * first with its interval, and the winner; then the geometric means. */
typedef struct vkmm_comparison {
    vkmm_contender *contenders;
    uint32_t count;
    vkmm_reports reports; /* their reports, included in "json"; borrowed; none: left out */
    int paired;           /* all of one run that measured in turns */
    /* Rows are judged against the same device in the first contender's report (vkmm_contender.base), or against the
     * first contender if all are of one report. 0.05: a regression is slower by more than 5 % and beyond the noise, or
     * wrong; below 0: not requested, so regressions (slower beyond the noise, or wrong) are counted but not listed. */
    double regression;
    cli_sort sort;        /* by each row's first contender */
    uint32_t regressions; /* out */
    uint32_t rows;        /* out: compared rows */
    json_t *found;        /* out, of the format "found": the JSON as a value, a new reference */
} vkmm_comparison;

/* In a format: "table", "json" ("vkmatmul.compare/1", a line), "csv", "md" or "found". Nothing is written if no row is
 * shared. */
vkmm_status vkmm_compare_write(const char *format, const vkmm_report *report, vkmm_comparison *comparison);

/* The contenders of some reports: every device with at least one timed row; in later reports also one that has only
 * wrong rows, so that its regressions are found. Freed with vkmm_free; NULL if memory runs out. */
vkmm_contender *vkmm_contenders_of(const vkmm_bench *benches, uint32_t bench_count, uint32_t *count);

#endif
