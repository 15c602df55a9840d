#include "record/slices.h"

/* A slice may be this many times larger than what was timed: the speed of few items says little about the speed of
 * many. */
enum { GROWTH = 16 };

vkmm_slices vkmm_slices_of(uint64_t items, double flops)
{
    vkmm_slices slices = {.items = items, .first = items};
    if (flops > VKMM_SLICE_DOUBT) slices.first = (uint64_t)((double)items * (VKMM_SLICE_FLOPS / flops));
    return slices;
}

static uint64_t at_least_one(uint64_t items, uint64_t left)
{
    return items == 0 ? 1 : items < left ? items : left;
}

uint64_t vkmm_slices_next(const vkmm_slices *slices, uint64_t left)
{
    if (slices->fixed > 0) return at_least_one(slices->fixed, left);
    if (slices->largest == 0) return at_least_one(slices->first, left);
    double most = (double)slices->largest * GROWTH, whole = slices->items_per_ms * VKMM_SLICE_MOST_MS;
    if (left == slices->items && (double)left <= whole && (double)left <= most) return left;
    double some = slices->items_per_ms * VKMM_SLICE_MS;
    if (some > most) some = most;
    if (some >= (double)left) return left;
    if (some < 1) return 1;
    uint64_t count = (uint64_t)((double)left / some) + 1; /* of slices about equally large */
    return at_least_one((left + count - 1) / count, left);
}

void vkmm_slices_learn(vkmm_slices *slices, uint64_t items, double ms)
{
    if (items == 0 || !(ms > 0) || items < slices->largest / 4) return; /* a small rest is mostly overhead */
    slices->items_per_ms = (double)items / ms;
    if (items > slices->largest) slices->largest = items;
}
