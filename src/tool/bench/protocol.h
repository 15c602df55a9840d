/* What `vkmatmul bench` asks of the processes that measure for it (worker/worker.h), beside hello:
 *
 *     {"ask": "peaks", "types": […], "matrix_ms": T}    "peaks": as in a report; matrix shapes as far as T milliseconds
 *                                                       reach
 *     {"ask": "begin", "id": I, "problem": {…}, "kernel": K, "seed": S, "rotating_bytes": B}
 *                                                       "row": as in a report, without samples, judged; "product_ms":
 *                                                       how long one takes, about; "host_ms": the host's part in it
 *     {"ask": "round", "id": I, "ms": T, "full": F}     the samples of about T ms of kernel time (cli_bench_put_round);
 *                                                       F: and of transfers
 *     {"ask": "end", "id": I}                           the last product was the judged one, bit for bit
 *  VKMM_WRONG_RESULT comes with the row. Several jobs are held at once, by id. */
#ifndef VKMM_CLI_BENCH_PROTOCOL_H
#define VKMM_CLI_BENCH_PROTOCOL_H

#include <jansson.h>
#include "bench/document.h"

enum { CLI_BENCH_JOBS = 64 }; /* that one process holds at most */

/* The samples of one round, in a row that has nothing else: the five series, clock, clock_note, slope_ms, mapped,
 * power. Into an answer, and back: 0 when they make no sense (a time that is negative or no number). The row must be
 * initialised. */
void cli_bench_put_round(json_t *answer, const vkmm_bench_row *round);
int cli_bench_take_round(const json_t *answer, vkmm_bench_row *round);

#endif
