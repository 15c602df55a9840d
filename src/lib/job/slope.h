/* The time of one dispatch by the host's clock alone: the slope of wall time over command buffers of growing length,
 * which cancels the cost of a submission. It shows whether the device's timestamps can be trusted. */
#pragma once

#include "job/stats.h"

/* A dispatch that takes longer than this needs no batches to be timed, and gets none. */
#define VKMM_SLOPE_MOST_MS 20.0

/* What a dispatch after a barrier may cost more than its timestamps show: the device drains, and starts again. */
#define VKMM_SLOPE_GAP_MS 0.01

enum { VKMM_SLOPE_POINTS = 64 };

typedef struct vkmm_slope {
    double ms;      /* of one dispatch; 0: not measured */
    double scatter; /* half the 95 % interval of ms */
} vkmm_slope;

/* The median of the slopes between all pairs of points with different x (Sen, Estimates of the Regression
 * Coefficient Based on Kendall's Tau, Journal of the American Statistical Association 63, 1968), and its interval
 * from the variance of Kendall's tau with ties in x. count: 2 to VKMM_SLOPE_POINTS. Zeros when all x are the same,
 * or the slope is not positive. 0 if memory runs out. */
int vkmm_slope_of(const double *x, const double *y, uint32_t count, vkmm_slope *slope);

struct vkmm_job;

/* Runs batches of 1, 2, 4, … dispatches, some tens of milliseconds in all. dispatch_ms is what one takes by the
 * device's clock, which may be wrong, submit_ms by the host's, submission and all. Leaves zeros where one takes
 * longer than VKMM_SLOPE_MOST_MS, is cut into slices, or runs on the host. */
vkmm_status vkmm_slope_measure(struct vkmm_job *job, double dispatch_ms, double submit_ms, vkmm_slope *slope);
