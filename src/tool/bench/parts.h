/* What the parts of a live run share. */
#ifndef VKMM_CLI_BENCH_PARTS_H
#define VKMM_CLI_BENCH_PARTS_H

#include "bench/cell.h"
#include "bench/run.h"

enum { CLI_BENCH_BLOCK = 8 }; /* items that are held at once, on each device */

typedef struct cli_bench_run {
    cli_session *session;
    const vkmm_suite *suite;
    vkmm_bench *bench;
    const cli_bench_hook *hook;
    cli_bench_lane *lanes; /* owned; one a device */
    cli_bench_cell *cells; /* owned; of the block */
    uint32_t cell_count;
    uint32_t first, end; /* the lanes that take turns now */
    int next_id;
    int wrong, ran;      /* rows that are, and that did */
    vkmm_status failure; /* the first of the hook, which ends the run */
} cli_bench_run;

/* ---- lanes.c ---- */

/* Whether there is nothing more to do: a signal came, or the hook failed. */
int cli_bench_is_over(const cli_bench_run *run);

/* Whether the device has a row for the item: a BLAS has no tutorials' kernels, and no integers. */
int cli_bench_is_for(const vkmm_bench_device *device, const vkmm_suite_item *item);

/* Fills run->lanes and makes room for run->cells; 0 when memory ends. */
int cli_bench_make_lanes(cli_bench_run *run);

/* 1: its process runs. Otherwise the run is over, or the device is given up. */
int cli_bench_is_ready(cli_bench_run *run, cli_bench_lane *lane);

/* The device cannot go on: link.sentence says why. */
void cli_bench_give_up(cli_bench_run *run, cli_bench_lane *lane);

/* What the device can do at best. Peaks that an earlier part of the run has measured stay, so that all shares are of
 * one peak. */
void cli_bench_measure_peaks(cli_bench_run *run, cli_bench_lane *lane);

/* What is being done, and the time left; item NULL: peaks. */
void cli_bench_show_progress(const cli_bench_run *run, const cli_bench_lane *lane, const vkmm_suite_item *item);

#endif
