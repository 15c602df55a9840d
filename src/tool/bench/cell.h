/* One item of a suite on one device. */
#ifndef VKMM_CLI_BENCH_CELL_H
#define VKMM_CLI_BENCH_CELL_H

#include "bench/document.h"
#include "worker/worker.h"
#include "bench/speed.h"

/* A device and all that the bench knows of it. */
typedef struct cli_bench_lane {
    const vkmm_suite *suite; /* that is measured on it */
    const vkmm_bench *bench;
    uint32_t device; /* an index into the bench's */
    cli_worker link;
    char memory[48]; /* an option of its process */
    cli_bench_speeds speeds;
    double budget_ms, reserved_ms; /* reserved: for rows that have begun */
    int over;                      /* given up: link.status and link.sentence say why */
    uint32_t rows, known;          /* that it has in all, and that are final */
} cli_bench_lane;

typedef enum cli_bench_state {
    CLI_BENCH_WAITING,
    CLI_BENCH_OPEN, /* judged, and held by the process that measures */
    CLI_BENCH_RIPE, /* has its samples */
    CLI_BENCH_DONE  /* the row is final */
} cli_bench_state;

typedef struct cli_bench_cell {
    const vkmm_suite_item *item;
    cli_bench_lane *lane;
    cli_bench_state state;
    int id, retried;
    double reserved_ms; /* of the lane's, for this row's samples */
    uint32_t heard;     /* rounds that told what others took */
    vkmm_bench_row row;
} cli_bench_cell;

void cli_bench_cell_init(cli_bench_cell *cell, const vkmm_suite_item *item, cli_bench_lane *lane);

/* Why the row is not run although its turn has come: into row.not_run. 0: nothing speaks against it. */
int cli_bench_cell_refuse(cli_bench_cell *cell);

/* Each asks the cell's process. The cell is done when there is nothing more to ask: not run, wrong, or ended.
 * Otherwise as cli_worker_ask. */
cli_reply cli_bench_cell_open(cli_bench_cell *cell);
cli_reply cli_bench_cell_round(cli_bench_cell *cell);
cli_reply cli_bench_cell_close(cli_bench_cell *cell);

/* The row does not run, for this reason. */
void cli_bench_cell_drop(cli_bench_cell *cell, const char *reason);

#endif
