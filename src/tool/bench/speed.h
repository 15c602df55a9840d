/* How long things will take on one device: by its peaks at first, then by what was seen there. */
#ifndef VKMM_CLI_BENCH_SPEED_H
#define VKMM_CLI_BENCH_SPEED_H

#include "bench/suite.h"
#include "bench/document.h"
#include "math/type.h"

enum { CLI_BENCH_KINDS = 16 }; /* of kernels: all that take every problem are one */

typedef struct cli_bench_speeds {
    const vkmm_bench_device *device;
    double best[CLI_BENCH_KINDS][VKMM_TYPES_COUNT]; /* FLOP a millisecond; 0: nothing was seen yet */
    double host_ms_per_byte; /* making operands and judging products: the least of larger ones; 0: not seen yet */
} cli_bench_speeds;

/* Bytes of all operands, those that take turns included. */
double cli_bench_bytes(const vkmm_suite_item *item, double rotating_bytes);

/* Milliseconds that one product is expected to take; a guess of the careful kind. */
double cli_bench_expect(const cli_bench_speeds *speeds, const vkmm_suite_item *item);

/* Whether nothing of the kind was seen yet, so that it may as well take half as long. */
int cli_bench_is_guess(const cli_bench_speeds *speeds, const vkmm_suite_item *item);

/* The time that the host takes for one row. */
double cli_bench_expect_host(const cli_bench_speeds *speeds, const vkmm_suite_item *item);

/* What was seen: the time of a product, and how long the host took about it. */
void cli_bench_learn(cli_bench_speeds *speeds, const vkmm_suite_item *item, double product_ms);
void cli_bench_learn_host(cli_bench_speeds *speeds, const vkmm_suite_item *item, double host_ms);

#endif
