/* The kernel for a problem: the result of a tune for such problems, or the planner's choice. */
#pragma once

#include "record/plan.h"

/* Like vkmm_choose, with the same statuses, and builds its plan, unless it runs on the host; the problem must have been
 * checked. info: the device's own, or with other limits; device and info may be NULL for the kernel serial. If the
 * driver cannot compile a kernel that nobody named, another one is picked, with a warning, and the device remembers
 * that. VKMM_OUT_OF_MEMORY: the choice is made, but there is no plan. */
vkmm_status vkmm_pick_plan(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                           const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice, vkmm_plan *plan);

/* The same without the plan. */
vkmm_status vkmm_pick(vkmm_device *device, const vkmm_log *log, const vkmm_device_info *info,
                      const vkmm_problem *problem, const vkmm_wish *wish, vkmm_choice *choice);
