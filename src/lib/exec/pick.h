/* The kernel for a problem: the tested result of a tune for such problems, or the planner's choice. */
#ifndef VKMM_EXEC_PICK_H
#define VKMM_EXEC_PICK_H

#include "plan/plan.h"

/* Like vkmm_choose, with the same statuses, and builds its plan, unless it runs on the host; the problem must have been
 * checked. A tuned configuration that this process has not used yet multiplies a small product on the device first.
 * info: the device's own, or with other limits; device and info may be NULL for the kernel serial. If the driver cannot
 * compile a kernel that nobody named, another one is picked, with a warning, and the device remembers that.
 * VKMM_OUT_OF_MEMORY: the choice is made, but there is no plan. */
vkmm_status vkmm_pick_plan(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                           const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice, vkmm_plan *plan);

/* The same without the plan. */
vkmm_status vkmm_pick(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                      const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice);

/* Runs the configuration of a choice on a small problem like the given one, filled with whole numbers, and compares
 * every element with a sum made on the host, exactly (gelu: closely). *right: 0 or 1; 0 also where it cannot run. Fails
 * with VKMM_DEVICE_LOST, and with VKMM_OUT_OF_MEMORY, which says nothing about the configuration; neither is reported
 * as an error. */
vkmm_status vkmm_trial(vkmm_device *device, const vkmm_problem *problem, const vkmm_choice *choice, int *right);

#endif
