/* What `vkmatmul bench` and the processes that measure for it say to one another: a JSON object a line. The bench asks
 * on the process's standard input, and gets one answer to each request on its standard output:
 *
 *     {"ask": "hello"}                                  "device": as in a report (bench/read.h), without peaks
 *     {"ask": "peaks", "types": […], "matrix_ms": T}    "peaks": as in a report; matrix shapes as far as T milliseconds
 *                                                       reach
 *     {"ask": "begin", "id": I, "problem": {…}, "kernel": K, "seed": S, "rotating_bytes": B}
 *                                                       "row": as in a report, without samples, judged; "product_ms":
 *                                                       how long one takes, about; "host_ms": what the host did about
 *                                                       it
 *     {"ask": "round", "id": I, "ms": T, "full": F}     the samples of about T ms of kernel time (cli_bench_round); F:
 *                                                       and of transfers
 *     {"ask": "end", "id": I}                           the last product was the judged one, bit for bit
 *  Every answer has "status", a vkmm_status, and "sentence", why it is not VKMM_OK; VKMM_WRONG_RESULT comes with the
 * row. Several jobs are held at once, by id. A process ends with its input. */
#ifndef VKMM_CLI_BENCH_PROTOCOL_H
#define VKMM_CLI_BENCH_PROTOCOL_H

#include <jansson.h>
#include "bench/document.h"

#define CLI_BENCH_MOST_BYTES ((size_t)16 << 20) /* of one answer */

enum { CLI_BENCH_JOBS = 64 }; /* that one process holds at most */

/* A request without its arguments. NULL when memory ends, which all of these functions take. */
json_t *cli_bench_request(const char *ask);

/* Adds what is left: value is taken over. */
void cli_bench_put(json_t *object, const char *key, json_t *value);

/* The object as a line with its end, to be freed with free(); drops the object. */
char *cli_bench_line(json_t *object);

/* The samples of one round, in a row that has nothing else: the five series, clock, clock_note, slope_ms, mapped,
 * power. Into an answer, and back: 0 when they make no sense (a time that is negative or no number). The row must be
 * initialised. */
void cli_bench_put_round(json_t *answer, const vkmm_bench_row *round);
int cli_bench_take_round(const json_t *answer, vkmm_bench_row *round);

/* The fields of an object, or what stands in for one that is missing or of another type. */
const char *cli_bench_text(const json_t *object, const char *key, const char *otherwise);
double cli_bench_number(const json_t *object, const char *key, double otherwise);

#endif
