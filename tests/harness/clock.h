/* Time as a test sets it. Between clock_start and clock_stop, vkmm_now_ms and the device's timestamps tell what the
 * test says that work costs, while the device still does the work. Linked with --wrap=vkmm_now_ms (meson.build). */
#pragma once

#include "suite.h"

#define CLOCK_COPY_MS 0.001 /* by the device's clock, between two timestamps, beside the dispatches */

/* From now on a submission takes submit_ms of the host's time, and dispatch_ms more for each dispatch in it. Call it
 * before the first command buffer that is submitted under it is recorded: before the job is made. */
void clock_start(suite_device *suite, double submit_ms, double dispatch_ms);

/* From now on a submission's dispatches take so many times longer, by both clocks: factor(0) in the next submission
 * that has dispatches, factor(1) in the one after it, … */
void clock_uneven(double (*factor)(unsigned submission));

/* Submissions with dispatches since clock_start or clock_uneven. */
unsigned clock_submissions(void);

/* The real clocks again. The end of a test does this too. */
void clock_stop(void);

/* Dispatches in the largest command buffer that was submitted since clock_start. */
unsigned clock_most_dispatches(void);
