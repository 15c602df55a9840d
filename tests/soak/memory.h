/* What a process holds, sampled while it works, and judged at the end. */
#pragma once

#include <stdint.h>
#include <stdio.h>

typedef struct sample {
    uint64_t done;           /* pieces of work */
    uint64_t rss, peak;      /* KiB: resident now, and at most (VmRSS, VmHWM) */
    uint64_t heap;           /* KiB in use in the C library's heap, of this program and of the driver */
    uint32_t files, regions; /* open file descriptors; mappings (lines of /proc/self/maps) */
    int64_t blocks;          /* of vkmatmul's own memory (vkmm_alloc_live) */
} sample;

enum { SAMPLES = 21 };

typedef struct curve {
    const char *name; /* "devices" */
    uint64_t total;   /* pieces of work there will be */
    uint32_t count;
    sample samples[SAMPLES];
} curve;

/* Takes a sample if one is due: at the beginning, at the end, and 19 times between. */
void curve_note(curve *c, uint64_t done);

/* The table, or lines of comma-separated values. */
void curve_print(const curve *c, FILE *out, int csv);

/* What the curve does after a warm-up of a tenth of the work: the straight line of least squares through the
 * samples, times the work after it, in KiB. */
double curve_growth(const curve *c, int of_heap);

/* 1: memory is flat. Else 0, and why. bound: KiB that resident memory and heap may each grow by along their lines;
 * regions: mappings that there may be more at the end than after the warm-up. There may be two more files, and eight
 * more blocks of vkmatmul's own. */
int curve_is_flat(const curve *c, double bound, uint64_t regions, char why[256]);
