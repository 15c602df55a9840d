/* A report as a desk with two devices and a BLAS library would give it: what tests of writers, readers and pages
 * start from. */
#pragma once

#include "report/result.h"

/* Fills a zeroed bench; the caller ends it with cli_bench_free. Devices: 0 a fast GPU, 1 a slow integrated one, 2 the
 * host. Each has rows of every group, in 5 rounds of 8 samples; the same at every call. Among them:
 *   device 2, the host: a row of a busy machine (f32, 2048³),
 *   device 0: a throttled row (f32, 2048³), rows with energy and clocks, cold caches (1024³ with rotating_bytes),
 *   matrix peaks; device 1: a wrong row (f64, 1000³), one that did not run (f32, 16384³), unified memory, the host's
 *   clock (f32, 513³); its last row is
 *             unverified. It failed;
 *   device 2: f32 and f64 rows alone, without submissions and transfers. `speed`
 * multiplies the speeds of all devices: two calls with 1.0 and 0.9 are a regression by a tenth; `noise` is the share
 * by which samples vary, 0.01 for a quiet machine. */
void make_bench(cli_bench *bench, double speed, double noise);

/* The same three devices, with five rows of 4 samples in 2 rounds each: one with everything that a row can have, one
 * of the ladder, a wrong one, one that did not run, one of the host. For what goes through
 * all that is there. */
void make_small_bench(cli_bench *bench);
