/* Counting reads on the device: vkmm_access_count.
 *
 * The counting build of a kernel (shaders/lib/observe.glsl) has a fourth binding of 32-bit counters:
 *
 *     0  how often an invocation began an element of C      1  how many of these lie within C
 *     2 …  global reads of A, global reads of B, shared reads of A, shared reads of B: one counter for every STRIDE-th
 *          element in row-major order, from element 0: ⌈M·K/STRIDE⌉ counters for A, ⌈K·N/STRIDE⌉ for B
 *  Counting is slow, so only a sample is counted for large problems. STRIDE is then a prime that divides neither K nor
 * N, so that the sample covers every row and column of A and B in turn, and every position within a tile. */
#pragma once

#include "look/access.h"
#include "plan/choose.h"

/* Replaces the module of a choice by an observing build of the same shader, which counts or traces, with `count`
 * specialization constants more. VKMM_UNSUPPORTED for serial and for users' shaders. */
vkmm_status vkmm_choice_observe(vkmm_choice *choice, vkmm_build build, uint32_t count, const uint32_t *ids,
                                const uint32_t *values);

/* Counted reads per run; about a second on a CPU. */
#define VKMM_COUNT_BUDGET (UINT64_C(1) << 25)

/* The stride for a problem whose reads are known by formula: 1 when all reads fit into the budget, else the first
 * prime from reads/budget on that divides neither K nor N and whose counters fit into max_bytes. */
uint32_t vkmm_count_stride(const vkmm_problem *problem, const vkmm_access *formula, uint64_t budget,
                           uint64_t max_bytes);

/* The K to count with, for a problem whose reads do not fit into the budget: how often an element is read does not
 * depend on K, so the first columns of A and rows of B are enough: some steps of the kernel, then its last step as with
 * the whole K, padding included. */
uint64_t vkmm_count_depth(const vkmm_problem *problem, const vkmm_kernel_info *info, const vkmm_access *formula,
                          uint64_t budget);

/* Counts as vkmm_access_count, and logs what the invocations of workgroup 0 do: `logged` words for each, in the
 * order of gl_LocalInvocationIndex, zeros after the last access (VKMM_LOG_*). *log is freed by vkmm_free. */
vkmm_status vkmm_count_log(vkmm_device *device, const vkmm_job_params *params, uint32_t logged, vkmm_access *access,
                           vkmm_kernel_info *info, uint32_t **log);

/* A word: what an access is, of how many elements, and the first of them, counted in elements; B begins at the first
 * multiple of 1024 behind A. */
enum { VKMM_LOG_NONE, VKMM_LOG_GLOBAL, VKMM_LOG_WRITE, VKMM_LOG_READ, VKMM_LOG_BARRIER };
enum { VKMM_LOG_WHAT_SHIFT = 29, VKMM_LOG_ELEMENTS_SHIFT = 26, VKMM_LOG_B_ALIGNMENT = 1024 };
