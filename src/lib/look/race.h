/* Race: why barriers are needed. */
#pragma once

#include "vkmatmul.h"

/* The tutorials' tile sum, in i32: each element of a matrix becomes the sum of its tile. A workgroup stores its tile
 * in shared memory, waits at a barrier, and every invocation sums the whole tile. For comparison, the same shader runs
 * without that barrier: an invocation's sum then lacks what the others have not stored yet. Its result may be right or
 * wrong by chance. It reads and writes only its own tile and is harmless. */
typedef struct vkmm_race_params {
    uint32_t rows, cols; /* of the matrix, each at least 1; tiles may extend beyond its edges, where values are 0 */
    uint32_t tile_rows, tile_cols; /* both 0: 16x16, or the legal tile nearest to it */
    uint32_t runs;                 /* of each version, alternating */
    const int32_t *values;         /* rows·cols elements, row-major */
    int32_t *right;                /* where as many sums go: the right ones, */
    int32_t *without_barrier;      /* and those of the first wrong run, or of the last run if none was wrong */
} vkmm_race_params;

/* The result of one version. If wrong_runs is 0, the rest is 0 too. */
typedef struct vkmm_race_count {
    uint32_t wrong_runs;     /* runs with a wrong element */
    uint64_t wrong_elements; /* in all runs together */
    uint32_t row, col;       /* the first wrong element of the first wrong run, */
    int32_t got, want;       /* its value there, and the right one */
} vkmm_race_count;

typedef struct vkmm_race_result {
    vkmm_kernel_info kernel; /* as both versions ran */
    vkmm_race_count with_barrier, without_barrier;
} vkmm_race_result;

/* Runs both versions `runs` times and compares every element with a sum computed on the host (modulo 2^32). VKMM_OK
 * whatever the result; with_barrier.wrong_runs above 0 is a fault of the device or its driver. VKMM_WRONG_RESULT:
 * something was stored outside the matrix. VKMM_INVALID: an empty matrix; VKMM_UNSUPPORTED: a tile or size that the
 * device does not allow. */
vkmm_status vkmm_race_run(vkmm_device *device, const vkmm_race_params *params, vkmm_race_result *result);
