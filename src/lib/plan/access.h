/* How often each element of A and B is read, by formula: vkmm_access_formula of include/vkmatmul.h.
 *  Straight from global memory (naive, grouped, band): the invocation of C[i][j] reads row i of A and column j of B
 * once. Row i serves the N elements of C in its row, column j the M elements in its column; invocations beyond C's
 * edges read nothing. So
 *
 *     A: N global reads of each element,   B: M,   no shared ones.
 *  By tiles (tiled, band-tiled): C's width takes ⌈N/COLS⌉ tiles. Each of them loads its ROWS rows of A into shared
 * memory once, whichever step along K an element belongs to, and then each of its COLS columns of invocations reads the
 * element from there, also those beyond C's right edge, because all invocations must reach the barriers. Likewise B,
 * with rows for columns:
 *
 *     A: ⌈N/COLS⌉ global and ⌈N/COLS⌉·COLS shared reads of each element,
 *     B: ⌈M/ROWS⌉ global and ⌈M/ROWS⌉·ROWS shared.
 *  Each element of A that is fetched is used COLS times. With 1024 columns and tiles of 16 this makes 64 global and
 * 1,024 shared reads.
 *  Invocations: ⌈M·N/size⌉·size where workgroups of `size` count the elements of C (naive), else ⌈M/ROWS⌉·ROWS ·
 * ⌈N/COLS⌉·COLS.
 *  Multiply-adds: M·N·K straight from global memory. By tiles, every invocation takes whole steps of DEPTH along K,
 * the last one padded with zeros: invocations · ⌈K/DEPTH⌉·DEPTH. */
#ifndef VKMM_PLAN_ACCESS_H
#define VKMM_PLAN_ACCESS_H

#include "kernel/table.h"

/* The multiply-adds of this many invocations, `useful` of them within C. */
uint64_t vkmm_access_multiply_adds(const vkmm_kernel_info *info, const vkmm_problem *problem, uint64_t invocations,
                                   uint64_t useful);

#endif
