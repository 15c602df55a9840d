/* What follows from the samples of a report. */
#pragma once

#include "report/document.h"

/* Peak multiply-adds per second for the problem. NAN: unknown.
 *
 * The peak is that of the fastest measured shape of matrix operations on the problem's types (*is_matrix:
 * 1), otherwise of ordinary arithmetic in the type of the sums; for i8 and u8, of dot products of four if they
 * were measured. f32, f64, i32 and u32 with sums of the same type have no matrix operations here.
 *
 * A split product is limited to a third of the peak of its parts; a modular product to the peak of the inner product,
 * divided by the number of inner products, both according to the kernel (NULL: the usual one). */
double cli_bench_peak_of(const cli_bench_peaks *peaks, const vkmm_problem *problem, const vkmm_kernel_info *kernel,
                         int *is_matrix);

/* Fills row->figures from the samples, with peaks of row->device. A wrong, unverified or empty product has no speed:
 * its figures stay NAN. */
void cli_bench_derive(const cli_bench *bench, cli_bench_row *row);

/* Raises a device's measured peak to the speed of a faster row, and derives all rows again. The rows must have been
 * derived. */
void cli_bench_raise_peaks(cli_bench *bench);
