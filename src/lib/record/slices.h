/* How the work of one product is cut, so that no submission keeps a device busy for much longer than
 * VKMM_SLICE_MOST_MS: desktops reset devices that seem to hang (Windows after 2 s, drivers on Linux after 5 to 10 s),
 * and draw nothing meanwhile. Pure arithmetic.
 *  Work that may take long begins with a small slice, which is timed; each further one is as large as the measured
 * speed allows. Nothing is computed twice: the first slices are part of the product. From then on the whole product is
 * one slice if that is short enough. */
#pragma once

#include <stdint.h>

#define VKMM_SLICE_MOST_MS 200.0 /* what takes no longer than this is one slice; */
#define VKMM_SLICE_MS      100.0 /* what does is cut into slices of this */
#define VKMM_SLICE_FLOPS   5e7   /* of the first slice, whatever the device: a small board's GPU does this in 50 ms */
#define VKMM_SLICE_DOUBT   2e8   /* FLOPs from which on work may take too long */

typedef struct vkmm_slices {
    uint64_t items;      /* of the whole product; 1: cannot be cut */
    uint64_t first;      /* items of a slice as long as no speed is known */
    uint64_t largest;    /* items of the largest slice that was timed; 0: none was */
    double items_per_ms; /* of the last meaningful one */
    uint64_t fixed;      /* tests: items of every slice; 0: as above */
} vkmm_slices;

vkmm_slices vkmm_slices_of(uint64_t items, double flops);

/* Items of the next slice, when `left` of them are still to be done: 1 to left. */
uint64_t vkmm_slices_next(const vkmm_slices *slices, uint64_t left);

/* Reports how long a slice of this many items took. */
void vkmm_slices_learn(vkmm_slices *slices, uint64_t items, double ms);
