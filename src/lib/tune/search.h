/* Chooses the configuration to try next: pure logic, with times as input. The same times give the same candidates in
 * the same order.
 *  First come the seeds, in the order given (the planner's own choice is the first). Then the search climbs: it
 * changes the fastest known point by one step of one tunable, then of two at once, then does the same to the
 * runners-up; a faster point becomes the point to change. Every few candidates it tries other points, in an order
 * shuffled by a fixed seed, since single steps may not leave a local optimum (Nugteren and Codreanu, CLTune, 2015,
 * compare such strategies on matrix products). When all points near the best are known, the shuffled rest follows. */
#pragma once

#include "kernel/table.h"

/* All settings of the tunables of some kernels that `legal` accepts. */
typedef struct vkmm_search_space {
    const vkmm_kernel *kernels[VKMM_MOST_GENERAL];
    uint32_t kernel_count;
    int (*legal)(const void *user, const vkmm_kernel *kernel, const vkmm_config *config);
    const void *user;
} vkmm_search_space;

/* Without tunables (a tutorial's kernel) all values are 1. */
typedef struct vkmm_point {
    const vkmm_kernel *kernel;
    vkmm_config config;
} vkmm_point;

typedef struct vkmm_tried {
    vkmm_point point;
    double ms; /* 0: it failed */
} vkmm_tried;

typedef struct vkmm_search vkmm_search;

/* Copies space and seeds; NULL if memory runs out. */
vkmm_search *vkmm_search_create(const vkmm_search_space *space, const vkmm_point *seeds, uint32_t seed_count);
void vkmm_search_destroy(vkmm_search **search);

/* The point to try: the same until its result is reported. 0: all are known. */
int vkmm_search_next(vkmm_search *search, vkmm_point *point);

/* Reports the result of a point, the proposed one or another. The first report on a point is kept, unless a later one
 * is a failure. 0: no memory. */
int vkmm_search_tell(vkmm_search *search, const vkmm_point *point, double ms);

/* All reported points, fastest first and failures last. Valid until the next report. */
const vkmm_tried *vkmm_search_ranking(const vkmm_search *search, uint32_t *count);

/* Legal points, the seeds included; estimated if only every n-th is considered. */
uint32_t vkmm_search_size(const vkmm_search *search);

int vkmm_point_same(const vkmm_point *a, const vkmm_point *b);
