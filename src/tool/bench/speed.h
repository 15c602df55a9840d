/* Expected times on one device: from its peaks at first, then from what was measured there. */
#pragma once

#include "bench/suite.h"
#include "report/document.h"
#include "math/type.h"

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
