/* What a tracing build records (shaders/lib/observe.glsl is the other half); include/vkmatmul.h declares what users see
 * of it.
 *  Binding 3, elements of the problem's type: first the sums, one an invocation for each k, at k·invocations +
 * gl_LocalInvocationIndex; in kernels with tiles k runs to the next multiple of the tile's depth. Kernels with tiles
 * then have, for each step along K, the rows×depth tile of A and the depth×cols tile of B as they lay in shared memory.
 *
 * Binding 4, 32-bit words: VKMM_TRACE_IDS an invocation, as vkmm_invocation has them. */
#ifndef VKMM_EXEC_TRACE_H
#define VKMM_EXEC_TRACE_H

#include "vkmatmul.h"

/* Words an invocation: x and y of the global, the local, the workgroup's index and the tile's origin; row and column
 * of its element. */
enum { VKMM_TRACE_IDS = 10 };

/* What a trace may have at most, and still be read by people: elements of A, B, C, sums and tiles together; and
 * steps. */
enum { VKMM_TRACE_MAX_VALUES = 100000, VKMM_TRACE_MAX_STEPS = 4096 };

/* How large a trace is. */
typedef struct vkmm_trace_extent {
    uint32_t invocations;
    uint32_t depth;         /* elements along K of a tile; 0: the kernel has none */
    uint64_t loads, sums;   /* steps that load tiles; steps that add a term: K, padded to whole tiles */
    uint64_t sum_values;    /* recorded sums */
    uint64_t tile_values;   /* recorded elements of tiles */
    uint64_t values, steps; /* in all: with A, B and C; with barriers and the store */
} vkmm_trace_extent;

/* Of a kernel (its table's row says whether it has tiles) with a rows×cols tile. The problem must have been checked. */
vkmm_trace_extent vkmm_trace_measure(const vkmm_problem *problem, int has_tiles, uint32_t rows, uint32_t cols);

#endif
