/* One item of a suite on one device. */
#pragma once

#include "report/result.h"
#include "worker/worker.h"
#include "bench/suite.h"
#include "math/type.h"

/* ---- speed.c: expected times on one device, from its peaks at first, then from what was measured there ---- */

enum {
    CLI_BENCH_KINDS = 16, /* of kernels: all that accept every problem are one kind, and users' shaders */
    CLI_BENCH_WAYS = VKMM_TYPES_COUNT + VKMM_METHOD_COUNT - 1 /* combinations of types, then methods that have theirs */
};

typedef struct cli_bench_speeds {
    const cli_bench_device *device;
    double best[CLI_BENCH_KINDS][CLI_BENCH_WAYS]; /* FLOP per millisecond; 0: nothing measured yet */
    double host_ms_per_byte; /* making operands and judging products: the least of larger ones; 0: not measured yet */
} cli_bench_speeds;

/* Bytes of all operands, including rotating copies. */
double cli_bench_bytes(const cli_suite_item *item, double rotating_bytes);

/* The expected milliseconds of one product; a cautious guess. */
double cli_bench_expect(const cli_bench_speeds *speeds, const cli_suite_item *item);

/* Whether nothing of the kind was measured yet, so that it may take only half as long. */
int cli_bench_is_guess(const cli_bench_speeds *speeds, const cli_suite_item *item);

/* The expected time of the host for one row. */
double cli_bench_expect_host(const cli_bench_speeds *speeds, const cli_suite_item *item);

/* Records measurements: the time of a product, and the time of the host for it. */
void cli_bench_learn(cli_bench_speeds *speeds, const cli_suite_item *item, double product_ms);
void cli_bench_learn_host(cli_bench_speeds *speeds, const cli_suite_item *item, double host_ms);

/* ---- cell.c ---- */

/* A device and what the bench knows about it. */
typedef struct cli_bench_lane {
    const cli_suite *suite; /* that is measured on it */
    const cli_bench *bench;
    uint32_t device; /* an index into the bench's */
    cli_worker link;
    char memory[48]; /* an option of its process */
    cli_bench_speeds speeds;
    double budget_ms, reserved_ms; /* reserved: for rows that have begun */
    int over;                      /* abandoned: link.status and link.sentence give the reason */
    uint32_t rows, known;          /* in all, and final */
} cli_bench_lane;

/* How long to wait for the device's process at most, instead of so long: with a small budget, users do not want to wait
 * long. */
double cli_bench_patience(const cli_bench_lane *lane, double ms);

typedef enum cli_bench_state {
    CLI_BENCH_WAITING,
    CLI_BENCH_OPEN, /* judged, and held by the measuring process */
    CLI_BENCH_RIPE, /* has its samples */
    CLI_BENCH_DONE  /* the row is final */
} cli_bench_state;

typedef struct cli_bench_cell {
    const cli_suite_item *item;
    cli_bench_lane *lane;
    cli_bench_state state;
    int id, retried;
    double reserved_ms; /* of the lane's, for this row's samples */
    uint32_t heard;     /* rounds that reported what other processes took */
    cli_bench_row row;
} cli_bench_cell;

void cli_bench_cell_init(cli_bench_cell *cell, const cli_suite_item *item, cli_bench_lane *lane);

/* Checks whether a row whose turn has come can run. If not, row.not_run gets the reason. 0: it can run. */
int cli_bench_cell_refuse(cli_bench_cell *cell);

/* Each sends a request to the cell's process. The cell is done if no more requests are needed: not run, wrong, or
 * ended. Otherwise as cli_worker_ask. */
cli_reply cli_bench_cell_open(cli_bench_cell *cell);
cli_reply cli_bench_cell_round(cli_bench_cell *cell);
cli_reply cli_bench_cell_close(cli_bench_cell *cell);

/* Marks the row as not run, for this reason. The cell is ripe if its process still holds the product, else done. */
void cli_bench_cell_drop(cli_bench_cell *cell, const char *reason);
